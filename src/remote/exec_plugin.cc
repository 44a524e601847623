#include "remote/exec_plugin.h"

#include <fmt/format.h>

#include <utility>

#include "api/codec/json/json_value.h"
#include "posix/process/program.h"

namespace windlass::remote {
namespace {

using api::JsonValue;

constexpr Duration kTimeLimit = minutes(1);
constexpr size_t kMaxOutputBytes = size_t{1} << 20;

Failure useless(const char* why) {
  return fail(plain_error(fmt::format("the exec plugin's answer cannot be used: {}", why)));
}

std::string text_at(const JsonValue* object, std::string_view name) {
  const JsonValue* found = object == nullptr ? nullptr : object->find(name);
  return found != nullptr && found->is_string() ? found->text : std::string();
}

std::string exec_info(const ExecPlugin& plugin) {
  JsonValue spec = JsonValue::object();
  spec.members["interactive"] = {JsonValue::Type::boolean, "false"};
  if (!plugin.cluster_json.empty()) {
    if (auto cluster = api::parse_json_value(plugin.cluster_json)) {
      spec.members["cluster"] = std::move(cluster->value);
    }
  }
  JsonValue info = JsonValue::object();
  info.members["kind"] = JsonValue::string("ExecCredential");
  info.members["apiVersion"] = JsonValue::string(plugin.api_version);
  info.members["spec"] = std::move(spec);
  return to_json_text(info);
}

Status explained(const ExecPlugin& plugin, const Status& error) {
  return plain_error(fmt::format("get credentials from {}: {}{}{}", plugin.command.front(),
                                 error.message, plugin.install_hint.empty() ? "" : "\n",
                                 plugin.install_hint));
}

}  // namespace

Result<PluginCredential> parse_exec_credential(std::string_view text,
                                               const std::string& api_version) {
  const auto tree = api::parse_json_value(text);
  if (!tree) {
    return useless("it is not JSON");  // the parser's words could show a part of it
  }
  if (text_at(&tree->value, "kind") != "ExecCredential" ||
      text_at(&tree->value, "apiVersion") != api_version) {
    return useless("it is not an ExecCredential of the version in the kubeconfig");
  }
  const JsonValue* status = tree->value.find("status");
  PluginCredential credential;
  credential.token = text_at(status, "token");
  credential.certificate_pem = text_at(status, "clientCertificateData");
  credential.key_pem = text_at(status, "clientKeyData");
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return useless("a certificate without its key, or a key without its certificate");
  }
  if (credential.token.empty() && credential.certificate_pem.empty()) {
    return useless("it has neither token nor certificate");
  }
  if (const std::string expires = text_at(status, "expirationTimestamp"); !expires.empty()) {
    auto time = parse_rfc3339(expires);
    if (!time) {
      return useless("expirationTimestamp is no time");
    }
    credential.expires = *time;
  }
  return credential;
}

RunPlugin plugin_runner(posix::EventLoop& loop) {
  return [&loop](const ExecPlugin& plugin,
                 std::function<void(Result<PluginCredential>)> done) -> std::shared_ptr<void> {
    posix::ProgramRequest request;
    request.command = plugin.command;
    request.environment = plugin.environment;
    request.environment.push_back("KUBERNETES_EXEC_INFO=" + exec_info(plugin));
    request.max_output_bytes = kMaxOutputBytes;
    request.time_limit = kTimeLimit;
    const auto answer = [plugin, done](const Result<std::string>& output) {
      auto credential =
          output ? parse_exec_credential(*output, plugin.api_version) : fail(output.error());
      done(credential ? std::move(credential) : fail(explained(plugin, credential.error())));
    };
    auto started = posix::Program::start(loop, request, answer);
    if (started) {
      return std::shared_ptr<posix::Program>(*std::move(started));
    }
    auto waiting = std::make_shared<Status>(started.error());
    loop.post([weak = std::weak_ptr(waiting), answer] {
      if (const auto error = weak.lock()) {
        answer(fail(*error));
      }
    });
    return waiting;
  };
}

}  // namespace windlass::remote
