// The store of a server that survives its end: the data directory, the journal with its thread, and
// the store on top, loaded. Lives on env.executor. Nothing may write to the store any more when it
// is destroyed; it then waits until the file is closed, and the next process may have it.
#pragma once

#include <memory>
#include <string>

#include "env/env.h"
#include "store/store.h"

namespace windlass::cli {

class DurableStore {
 public:
  // Says what is wrong with the directory or the file; nothing is repaired or overwritten.
  static Result<std::unique_ptr<DurableStore>> open(env::Env env, const std::string& directory);
  ~DurableStore();
  DurableStore(const DurableStore&) = delete;
  DurableStore& operator=(const DurableStore&) = delete;

  store::Store& store();

 private:
  DurableStore();
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace windlass::cli
