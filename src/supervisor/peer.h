#pragma once

#include <cstdint>
#include <memory>

#include "supervisor/channel.h"
#include "supervisor/supervisor.h"

namespace windlass::supervisor {

// One connection to the supervisor. Until it has said Hello it gets no answers.
struct Supervisor::Peer {
  std::unique_ptr<Channel> channel;
  bool end_with_me = false;
  uint32_t version = 0;
};

}  // namespace windlass::supervisor
