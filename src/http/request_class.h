// Which of the transport's limits a request counts against. Pure; any thread.
#pragma once

#include <cstddef>

#include "http/message.h"

namespace windlass::http {

// Long-running: watches and followed logs. They have no time limit and a cap of their own, as in
// kube-apiserver.
enum class RequestClass { read, mutating, long_running };
inline constexpr size_t kRequestClasses = 3;

RequestClass classify(const Request& request);

}  // namespace windlass::http
