// Whether a container runs again after its end, in the words of this layer. The reading is shared
// with those who say beforehand what the node will do.
#pragma once

#include "api/pod/container_restart.h"

namespace windlass::node {

using api::OwnRestart;
using api::RestartPolicy;
using api::RestartRule;

}  // namespace windlass::node
