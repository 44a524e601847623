#include "node/container/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/pod/image_name.h"

namespace windlass::node {

namespace {

using Values = Variables;

constexpr size_t kMaxPathBytes = 4095;  // PATH_MAX without its NUL

// `metadata.labels['key']` gives key for the prefix `metadata.labels`.
std::optional<std::string_view> subscript(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) {
    return std::nullopt;
  }
  path.remove_prefix(prefix.size());
  if (path.size() < 4 || !path.starts_with("['") || !path.ends_with("']")) {
    return std::nullopt;
  }
  return path.substr(2, path.size() - 4);
}

std::string value_or_empty(const Values& values, std::string_view key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

const ContainerSpecView* find_container(const PodSpecView& pod, std::string_view name) {
  for (const auto* list : {&pod.containers, &pod.init_containers}) {
    for (const ContainerSpecView& container : *list) {
      if (container.name == name) {
        return &container;
      }
    }
  }
  return nullptr;
}

Failure unsupported(const EnvironmentEntry& entry, std::string_view what) {
  return fail(plain_error(fmt::format("env {}: {} \"{}\" is not supported by this node", entry.name,
                                      what, entry.text)));
}

// Nothing: an optional key that is not there leaves the variable out.
Result<std::optional<std::string>> key_value(const PodSpecView& pod, const EnvironmentEntry& entry,
                                             const PodObjects& objects) {
  const bool secret = entry.source == EnvironmentEntry::Source::secret;
  const ObjectName name{secret ? ObjectName::Kind::secret : ObjectName::Kind::config_map,
                        entry.text};
  TRY(const ObjectData* data, find_object(objects, name, entry.optional));
  if (data == nullptr) {
    return std::optional<std::string>();
  }
  const auto found = data->find(entry.key);
  if (found == data->end() && !entry.optional) {
    return fail(Status{404,
                       "NotFound",
                       fmt::format("couldn't find key {} in {} {}/{}", entry.key,
                                   secret ? "Secret" : "ConfigMap", pod.ns, entry.text),
                       {}});
  }
  return found == data->end() ? std::optional<std::string>() : std::optional(found->second);
}

struct ValueContext {
  const PodSpecView& pod;
  const ContainerSpecView& container;
  const HostFacts& host;
  const PodObjects& objects;
};

Result<std::optional<std::string>> entry_value(const ValueContext& context,
                                               const EnvironmentEntry& entry, const Values& so_far,
                                               ArgumentRoom& room) {
  const auto& [pod, container, host, objects] = context;
  switch (entry.source) {
    case EnvironmentEntry::Source::value:
      return room.expand("env " + entry.name, entry.text, so_far, entry.name.size() + 1);
    case EnvironmentEntry::Source::field:
      return field_text(pod, host, entry.text);
    case EnvironmentEntry::Source::resource:
      return resource_text(pod, container, host, entry);
    case EnvironmentEntry::Source::config_map:
    case EnvironmentEntry::Source::secret:
      return key_value(pod, entry, objects);
    case EnvironmentEntry::Source::file:
      return unsupported(entry, "fileKeyRef");
  }
  return unsupported(entry, "value source");
}

// What an image would say by itself (api.md E72, E23): pause waits for a signal and ends with 0,
// everything else is a shell that finds no input.
std::vector<std::string> default_command(std::string_view image) {
  if (api::is_pause_image(image)) {
    return {"sh", "-c", "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done"};
  }
  return {"sh"};
}

// The words of the pod replace those of the image: a command its entrypoint and its command,
// arguments its command. Only those of the pod are expanded.
Result<std::vector<std::string>> command_line(const ContainerSpecView& container,
                                              const ImageDefaults& image, const Values& values,
                                              ArgumentRoom& room) {
  std::vector<std::string> line;
  if (container.command.empty()) {
    line = image.entrypoint;
    if (container.args.empty()) {
      line.insert(line.end(), image.command.begin(), image.command.end());
    }
  }
  for (const auto& [name, part] :
       {std::pair("command", &container.command), std::pair("args", &container.args)}) {
    for (size_t i = 0; i < part->size(); ++i) {
      TRY(std::string word, room.expand(fmt::format("{}[{}]", name, i), (*part)[i], values));
      line.push_back(std::move(word));
    }
  }
  if (line.empty() && image.has_config && !api::is_pause_image(container.image)) {
    return fail(env::not_created("no command specified: neither the pod nor its image has one"));
  }
  return line.empty() ? default_command(container.image) : line;
}

}  // namespace

Result<std::string> field_text(const PodSpecView& pod, const HostFacts& host,
                               std::string_view path) {
  if (const auto key = subscript(path, "metadata.labels")) {
    return value_or_empty(pod.labels, *key);
  }
  if (const auto key = subscript(path, "metadata.annotations")) {
    return value_or_empty(pod.annotations, *key);
  }
  const std::pair<std::string_view, const std::string*> fields[] = {
      {"metadata.name", &pod.name},
      {"metadata.namespace", &pod.ns},
      {"metadata.uid", &pod.uid},
      {"spec.nodeName", &pod.node_name},
      {"spec.serviceAccountName", &pod.service_account},
      {"status.podIP", &host.pod_ip},
      {"status.podIPs", &host.pod_ip},
      {"status.hostIP", &host.host_ip},
      {"status.hostIPs", &host.host_ip},
  };
  for (const auto& [name, value] : fields) {
    if (name == path) {
      return *value;
    }
  }
  return fail(plain_error(fmt::format("unsupported fieldPath: {}", path)));
}

// The amount in units of the divisor, rounded up. A limit that is not set is the node's.
Result<std::string> resource_text(const PodSpecView& pod, const ContainerSpecView& own,
                                  const HostFacts& host, const EnvironmentEntry& entry) {
  const ContainerSpecView* of =
      entry.container.empty() ? &own : find_container(pod, entry.container);
  if (of == nullptr) {
    return fail(plain_error(fmt::format("container {} not found", entry.container)));
  }
  const size_t dot = entry.text.find('.');
  const std::string kind = entry.text.substr(0, dot);
  const std::string resource = dot == std::string::npos ? "" : entry.text.substr(dot + 1);
  if ((kind != "limits" && kind != "requests") || resource.empty()) {
    return fail(plain_error(fmt::format("unsupported container resource : {}", entry.text)));
  }
  const MilliAmounts& amounts = kind == "limits" ? of->limits : of->requests;
  int64_t milli = 0;
  if (const auto found = amounts.find(resource); found != amounts.end()) {
    milli = found->second;
  } else if (const auto whole = host.allocatable.find(resource);
             kind == "limits" && whole != host.allocatable.end()) {
    milli = whole->second;
  }
  const int64_t divisor = std::max<int64_t>(entry.milli_divisor, 1);
  return std::to_string(milli / divisor + (milli % divisor > 0 ? 1 : 0));
}

namespace {

// What variables make of a path is known only now: the API server has checked the expression.
Result<std::string> expanded_sub_path(const MountPlan& mount, const Values& declared) {
  const std::optional<std::string> expanded = expand(mount.sub_path_expr, declared, kMaxPathBytes);
  if (!expanded) {
    return fail(plain_error(fmt::format(
        "subPathExpr of the mount at {} gives a path of more than {} bytes, the longest possible",
        mount.path, kMaxPathBytes)));
  }
  const std::string& path = *expanded;
  const std::string framed = "/" + path + "/";
  const bool absolute = !path.empty() && path.front() == '/';
  if (absolute || framed.find("/../") != std::string::npos) {
    return fail(plain_error(
        fmt::format("subPathExpr \"{}\" of the mount at {} gives \"{}\", which must not {}",
                    mount.sub_path_expr, mount.path, path,
                    absolute ? "be an absolute path" : "contain \"..\"")));
  }
  return path;
}

Result<Values> declared_variables(const ValueContext& context, ArgumentRoom& room) {
  Values declared;
  for (const EnvironmentBatch& batch : context.container.environment_from) {
    TRY(const ObjectData* data, find_object(context.objects, batch.object, batch.optional));
    if (data == nullptr) {
      continue;
    }
    for (const auto& [key, value] : *data) {
      std::string name = batch.prefix + key;
      TRY_VOID(room.take("env " + name, name.size() + 1 + value.size()));
      declared.insert_or_assign(std::move(name), value);
    }
  }
  for (const EnvironmentEntry& entry : context.container.environment) {
    TRY(std::optional<std::string> value, entry_value(context, entry, declared, room));
    if (!value) {
      continue;
    }
    if (entry.source != EnvironmentEntry::Source::value) {
      TRY_VOID(room.take("env " + entry.name, entry.name.size() + 1 + value->size()));
    }
    declared.insert_or_assign(entry.name, *std::move(value));
  }
  return declared;
}

}  // namespace

namespace {

// As a kubelet says it.
Result<void> check_non_root(const PodSpecView& pod, const ContainerSpecView& container,
                            const ImageDefaults& image) {
  const std::optional<uint32_t> own = container.identity.user;
  const std::optional<uint32_t> of_image = image.user_number();
  if (!container.identity.non_root || own.value_or(0) != 0 || (!own && of_image.value_or(0) != 0)) {
    return {};
  }
  const std::string why =
      own        ? "container's runAsUser breaks non-root policy"
      : of_image ? "container has runAsNonRoot and image will run as root"
                 : fmt::format(
                       "container has runAsNonRoot and image has non-numeric user ({}), "
                       "cannot verify user is non-root",
                       image.user);
  return fail(plain_error(fmt::format("{} (pod: \"{}_{}({})\", container: {})", why, pod.name,
                                      pod.ns, pod.uid, container.name)));
}

}  // namespace

Result<ContainerCommand> resolve_container(const PodSpecView& pod,
                                           const ContainerSpecView& container,
                                           const HostFacts& host, const PodObjects& objects,
                                           const ImageDefaults& image) {
  TRY_VOID(check_non_root(pod, container, image));
  ArgumentRoom room;
  TRY(const Values declared, declared_variables({pod, container, host, objects}, room));
  Values all = declared;
  if (!pod.hostname.empty()) {
    all.emplace("HOSTNAME", pod.hostname);
  }
  for (const auto* variables : {&image.environment, &host.base_environment}) {
    for (const std::string& variable : *variables) {
      const size_t equals = std::min(variable.find('='), variable.size());
      all.emplace(variable.substr(0, equals),
                  equals < variable.size() ? variable.substr(equals + 1) : "");
    }
  }
  ContainerCommand resolved;
  TRY(resolved.command, command_line(container, image, declared, room));
  for (MountPlan mount : container.mounts) {
    TRY(const std::string expanded, expanded_sub_path(mount, declared));
    mount.sub_path += expanded;
    resolved.mounts.push_back(std::move(mount));
  }
  for (const auto& [name, value] : all) {
    resolved.environment.push_back(name + "=" + value);
  }
  return resolved;
}

}  // namespace windlass::node
