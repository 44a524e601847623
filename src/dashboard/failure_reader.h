// Reads the failed attempts of all Jobs from the ledger: first those of the last days, then those
// that come. Lives on the core executor; the source outlives it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "client/reflector.h"
#include "ledger/ledger.h"

namespace windlass::dashboard {

class FailureReader {
 public:
  static constexpr Duration kHistory = hours(7 * 24);
  // Attempts that ended so much before the newest one may have been recorded after it.
  static constexpr Duration kOverlap = seconds(5);
  static constexpr size_t kPage = 500;

  // `ns` is "" for all namespaces. `on_found` runs when take() has something new.
  FailureReader(client::ClientEnv env, ledger::AttemptSource& source, std::string ns,
                std::function<void()> on_found);
  FailureReader(const FailureReader&) = delete;
  FailureReader& operator=(const FailureReader&) = delete;

  // Looks for what is new.
  void read();
  // What has been found since the last time, each attempt once.
  std::vector<ledger::AttemptPtr> take();
  // False once the server has said that it has none, or that the user may not read it.
  bool has_ledger() const { return has_ledger_; }

 private:
  // Failures that count, and those that the failure policy ignores.
  struct Reading {
    std::string counted;
    int64_t newest = 0;  // ledger::time_of() of an attempt
    // Those that a search may find again, by UID of the pod.
    std::map<std::string, int64_t> known = {};
  };

  void read_kind(size_t kind);
  void read_page(size_t kind, const ledger::AttemptFilter& filter, const std::string& token);
  void on_page(size_t kind, const ledger::AttemptFilter& filter,
               const Result<ledger::AttemptPage>& page);
  void add(Reading& reading, const ledger::AttemptPtr& attempt);

  client::ClientEnv env_;
  ledger::AttemptSource& source_;
  const std::string ns_;
  const std::function<void()> on_found_;
  std::array<Reading, 2> readings_{Reading{"Failed"}, Reading{"Ignored"}};
  std::vector<ledger::AttemptPtr> found_;
  bool reading_ = false;
  bool again_ = false;
  bool has_ledger_ = true;
  WeakSelf<FailureReader> self_{this};
};

}  // namespace windlass::dashboard
