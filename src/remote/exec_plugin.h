// Credentials from a program, as clusters of cloud providers have them: the client-go protocol of
// ExecCredential. The program runs beside the event loop, asks the user nothing, and gets a minute.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "posix/event_loop.h"
#include "remote/cluster_access.h"

namespace windlass::remote {

// Secrets: never logged.
struct PluginCredential {
  std::string token = {};
  std::string certificate_pem = {};
  std::string key_pem = {};
  std::optional<Time> expires = {};
};

// What the program wrote, in the version that it was asked for.
Result<PluginCredential> parse_exec_credential(std::string_view text,
                                               const std::string& api_version);

// `done` runs once, later, unless what is returned is dropped before.
using RunPlugin = std::function<std::shared_ptr<void>(
    const ExecPlugin& plugin, std::function<void(Result<PluginCredential>)> done)>;
RunPlugin plugin_runner(posix::EventLoop& loop);

}  // namespace windlass::remote
