#pragma once

#include <memory>

#include "supervisor/channel.h"
#include "supervisor/supervisor.h"

namespace windlass::supervisor {

// One connection to the supervisor. Until it has said Hello it gets no answers.
struct Supervisor::Peer {
  std::unique_ptr<Channel> channel;
  bool end_with_me = false;
};

}  // namespace windlass::supervisor
