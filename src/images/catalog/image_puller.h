// Brings images from their registries to this machine while a node goes on with its work. What was
// pulled is in the catalog. Real: images/store/background_pulls.h.
//
// Lives on an executor's thread and calls back there, never inside a call.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace windlass::images {

class ImagePuller {
 public:
  struct Request {
    std::string image = {};  // as a pod has it
    // Texts of auth files, which are tried in this order; without any, the machine's own are used.
    std::vector<std::string> logins = {};
  };
  struct Pulled {
    bool downloaded = false;  // otherwise it was there, and still is what the name stands for
    uint64_t bytes = 0;
    Duration took{};  // without the time in the queue

    bool operator==(const Pulled&) const = default;
  };
  using OnPulled = std::function<void(const Result<Pulled>&)>;

  virtual ~ImagePuller() = default;

  // The error says why in a sentence. Not called back any more once this is destroyed.
  virtual void pull(const Request& request, OnPulled on_pulled) = 0;
  // What the registry has answered a moment ago, which need not be asked again.
  virtual std::optional<Pulled> recent(const Request& request) = 0;
};

}  // namespace windlass::images
