#include "remote/kubeconfig.h"

#include <fmt/format.h>

#include <utility>

#include "api/codec/base64.h"
#include "api/codec/json/json_value.h"
#include "api/codec/yaml/yaml.h"
#include "remote/transport/proxy.h"

namespace windlass::remote {
namespace {

using api::JsonValue;

struct ConfigFile {
  std::string path;
  std::string directory;  // what its relative paths start from
  JsonValue root;
};

// A part of a config, and the file it stands in.
struct ConfigPart {
  const JsonValue* value = nullptr;
  const ConfigFile* file = nullptr;

  std::string text(std::string_view name) const {
    const JsonValue* found = value == nullptr ? nullptr : value->find(name);
    return found != nullptr && found->is_string() ? found->text : std::string();
  }
  bool has(std::string_view name) const {
    const JsonValue* found = value == nullptr ? nullptr : value->find(name);
    return found != nullptr && !found->is_empty();
  }
  bool is_true(std::string_view name) const {
    const JsonValue* found = value == nullptr ? nullptr : value->find(name);
    return found != nullptr && found->type == JsonValue::Type::boolean && found->text == "true";
  }
  std::string path(std::string_view name) const {
    const std::string given = text(name);
    return given.empty() || given.starts_with('/') ? given : file->directory + given;
  }
};

Result<ConfigFile> read_config(env::Files& files, const std::string& path) {
  const auto named = [&path](const Status& error) {
    return fail(plain_error(fmt::format("{}: {}", path, error.message)));
  };
  TRY(const std::string text, files.read(path, kMaxKubeconfigBytes));
  const auto documents = api::parse_yaml(text);
  if (!documents) {
    return named(documents.error());
  }
  ConfigFile config{path, "", {}};
  if (const size_t slash = path.rfind('/'); slash != std::string::npos) {
    config.directory = path.substr(0, slash + 1);
  }
  if (!documents->empty()) {
    auto tree = api::parse_json_value(documents->front().json);
    if (!tree) {
      return named(tree.error());
    }
    config.root = std::move(tree->value);
  }
  if (!config.root.is_object() && !config.root.is_null()) {
    return named(plain_error("not a kubeconfig"));
  }
  return config;
}

// `clusters`, "c", `cluster`: what that list says of that name.
ConfigPart find_named(const std::vector<ConfigFile>& configs, std::string_view list,
                      std::string_view name, std::string_view content) {
  for (const ConfigFile& config : configs) {
    const JsonValue* entries = config.root.find(list);
    if (entries == nullptr) {
      continue;
    }
    for (const JsonValue& entry : entries->items) {
      const JsonValue* entry_name = entry.find("name");
      if (entry_name != nullptr && entry_name->is_string() && entry_name->text == name) {
        return {entry.find(content), &config};
      }
    }
  }
  return {};
}

// `certificate-authority-data`, which wins, or `certificate-authority`.
Result<void> read_material(const ConfigPart& part, const std::string& name, std::string& content,
                           std::string& file) {
  if (const std::string data = part.text(name + "-data"); !data.empty()) {
    if (api::decode_base64(data, content)) {
      return fail(plain_error(fmt::format("{}: {}-data is not base64", part.file->path, name)));
    }
    return {};
  }
  file = part.path(name);
  return {};
}

Result<void> read_cluster(const ConfigPart& cluster, ClusterAccess& access) {
  TRY(access.server, parse_server_url(cluster.text("server")));
  if (cluster.has("proxy-url")) {
    TRY(access.proxy, parse_proxy_url(cluster.text("proxy-url")));
  }
  access.verify = !cluster.is_true("insecure-skip-tls-verify");
  access.tls_server_name = cluster.text("tls-server-name");
  TRY_VOID(
      read_material(cluster, "certificate-authority", access.authority_pem, access.authority_file));
  if (!access.verify && !(access.authority_pem.empty() && access.authority_file.empty())) {
    return fail(
        plain_error("specifying a root certificates file with the insecure flag is not allowed"));
  }
  return {};
}

// What a plugin may know of the cluster: the fields of ExecCredential, which has no names of files.
Result<std::string> cluster_info(env::Files& files, const ConfigPart& cluster) {
  JsonValue info = JsonValue::object();
  for (const char* field : {"server", "tls-server-name", "insecure-skip-tls-verify",
                            "certificate-authority-data", "proxy-url"}) {
    if (cluster.has(field)) {
      info.members[field] = *cluster.value->find(field);
    }
  }
  if (cluster.has("certificate-authority") && !cluster.has("certificate-authority-data")) {
    TRY(const std::string authority,
        files.read(cluster.path("certificate-authority"), kMaxKubeconfigBytes));
    std::string encoded;
    api::append_base64(authority, encoded);
    info.members["certificate-authority-data"] = JsonValue::string(encoded);
  }
  const JsonValue* extensions = cluster.value->find("extensions");
  for (const JsonValue& extension :
       extensions == nullptr ? std::vector<JsonValue>() : extensions->items) {
    const JsonValue* name = extension.find("name");
    const JsonValue* config = extension.find("extension");
    if (name != nullptr && name->text == "client.authentication.k8s.io/exec" && config != nullptr) {
      info.members["config"] = *config;
    }
  }
  return to_json_text(info);
}

Result<ExecPlugin> read_exec(env::Files& files, const ConfigPart& exec, const ConfigPart& cluster) {
  ExecPlugin plugin;
  plugin.api_version = exec.text("apiVersion");
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    return fail(plain_error(fmt::format(
        "{}: exec.apiVersion \"{}\": only client.authentication.k8s.io/v1 and v1beta1 are known",
        exec.file->path, plugin.api_version)));
  }
  const std::string command = exec.text("command");
  if (command.empty()) {
    return fail(plain_error(fmt::format("{}: exec has no command", exec.file->path)));
  }
  if (exec.text("interactiveMode") == "Always") {
    return fail(plain_error(
        fmt::format("{} wants to ask at a terminal (interactiveMode: Always), which is not "
                    "supported",
                    command)));
  }
  // A path is relative to the kubeconfig; a mere name is looked up in PATH.
  plugin.command = {command.find('/') == std::string::npos ? command : exec.path("command")};
  if (const JsonValue* args = exec.value->find("args")) {
    for (const JsonValue& arg : args->items) {
      plugin.command.push_back(arg.text);
    }
  }
  if (const JsonValue* variables = exec.value->find("env")) {
    for (const JsonValue& variable : variables->items) {
      const ConfigPart part{&variable, exec.file};
      plugin.environment.push_back(part.text("name") + "=" + part.text("value"));
    }
  }
  plugin.install_hint = exec.text("installHint");
  if (exec.is_true("provideClusterInfo")) {
    TRY(plugin.cluster_json, cluster_info(files, cluster));
  }
  return plugin;
}

Result<void> read_user(env::Files& files, const ConfigPart& user, const ConfigPart& cluster,
                       ClusterAccess& access) {
  const std::pair<const char*, const char*> unsupported[] = {
      {"auth-provider", "an auth-provider"},
      {"username", "a password"},
      {"as", "impersonation"},
  };
  for (const auto& [field, what] : unsupported) {
    if (user.has(field)) {
      return fail(plain_error(fmt::format(
          "the user authenticates with {} ({}), which is not supported: use a client certificate, "
          "a token or a tokenFile, for example of a service account (kubectl create token)",
          what, field)));
    }
  }
  TRY_VOID(
      read_material(user, "client-certificate", access.certificate_pem, access.certificate_file));
  TRY_VOID(read_material(user, "client-key", access.key_pem, access.key_file));
  const bool has_certificate = !(access.certificate_pem + access.certificate_file).empty();
  const bool has_key = !(access.key_pem + access.key_file).empty();
  if (has_certificate != has_key) {
    return fail(plain_error("client-certificate and client-key go together"));
  }
  access.token_file = user.path("tokenFile");
  access.token = access.token_file.empty() ? user.text("token") : "";
  const bool has_token = !(access.token + access.token_file).empty();
  // As client-go has it: what the file itself says comes before the plugin.
  if (user.has("exec") && !has_token && !has_certificate) {
    TRY(access.exec, read_exec(files, {user.value->find("exec"), user.file}, cluster));
  }
  if (!access.server.tls && (has_token || has_certificate || access.exec)) {
    return fail(plain_error("credentials are never sent to a server without TLS: use https://"));
  }
  return {};
}

}  // namespace

std::vector<std::string> split_paths(std::string_view text) {
  std::vector<std::string> paths;
  while (!text.empty()) {
    const size_t colon = std::min(text.find(':'), text.size());
    if (colon > 0) {
      paths.emplace_back(text.substr(0, colon));
    }
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  return paths;
}

Result<ClusterAccess> load_kubeconfig(env::Files& files, const std::vector<std::string>& paths,
                                      const std::string& context) {
  std::vector<ConfigFile> configs;
  for (const std::string& path : paths) {
    const bool needed = configs.empty() && &path == &paths.back();
    if (!needed && !files.type(path)) {
      continue;
    }
    TRY(ConfigFile config, read_config(files, path));
    configs.push_back(std::move(config));
  }
  ClusterAccess access;
  access.context = context;
  for (const ConfigFile& config : configs) {
    if (access.context.empty()) {
      access.context = ConfigPart{&config.root, &config}.text("current-context");
    }
  }
  if (access.context.empty()) {
    return fail(plain_error("the kubeconfig has no current-context: choose one with --context"));
  }
  const ConfigPart chosen = find_named(configs, "contexts", access.context, "context");
  if (chosen.value == nullptr) {
    return fail(plain_error(fmt::format("context \"{}\" does not exist", access.context)));
  }
  if (chosen.has("namespace")) {
    access.ns = chosen.text("namespace");
  }
  const ConfigPart cluster = find_named(configs, "clusters", chosen.text("cluster"), "cluster");
  if (cluster.value == nullptr) {
    return fail(plain_error(fmt::format("cluster \"{}\" of context \"{}\" does not exist",
                                        chosen.text("cluster"), access.context)));
  }
  TRY_VOID(read_cluster(cluster, access));
  if (!chosen.has("user")) {
    return access;
  }
  const ConfigPart user = find_named(configs, "users", chosen.text("user"), "user");
  if (user.value == nullptr) {
    return fail(plain_error(fmt::format("user \"{}\" of context \"{}\" does not exist",
                                        chosen.text("user"), access.context)));
  }
  TRY_VOID(read_user(files, user, cluster, access));
  return access;
}

Result<ClusterAccess> in_cluster_access(env::Files& files, const InClusterSource& source) {
  if (source.host.empty() || source.port.empty()) {
    return fail(
        plain_error("this is no pod of a cluster (KUBERNETES_SERVICE_HOST and "
                    "KUBERNETES_SERVICE_PORT are not set): use --kubeconfig FILE"));
  }
  ClusterAccess access;
  access.context = "in-cluster";
  const bool v6 = source.host.find(':') != std::string::npos;
  TRY(access.server, parse_server_url("https://" + (v6 ? "[" + source.host + "]" : source.host) +
                                      ":" + source.port));
  access.authority_file = source.directory + "/ca.crt";
  access.token_file = source.directory + "/token";
  if (const auto ns = files.read(source.directory + "/namespace", kMaxKubeconfigBytes);
      ns && !ns->empty()) {
    access.ns = *ns;
  }
  return access;
}

}  // namespace windlass::remote
