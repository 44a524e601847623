// A watch over a bad line: events arrive in order and late, and the stream may freeze, break, lose
// its place (410), leave out an event before that, repeat one, or add a bookmark. Nothing is told
// after destruction.
#pragma once

#include <memory>
#include <string>

#include "client/api_client.h"
#include "verify/simulation/faults/faulty_client.h"

namespace windlass::verify::simulation {

class FaultyWatch final : public client::Watch {
 public:
  FaultyWatch(Line& line, std::shared_ptr<SeenVersions> seen, const client::Collection& collection,
              const std::string& resource_version, client::WatchHandler handler);
  ~FaultyWatch() override;

 private:
  struct Stream;
  std::shared_ptr<Stream> stream_;
};

}  // namespace windlass::verify::simulation
