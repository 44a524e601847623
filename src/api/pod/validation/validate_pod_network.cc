// What a pod says about its network and host names: DNS, host aliases, host network, host users.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

using core::v1::PodDNSConfig;
using core::v1::PodSpec;

constexpr int kMaxNameservers = 3;
constexpr int kMaxSearches = 32;
constexpr size_t kMaxSearchCharacters = 2048;
constexpr size_t kMaxHostnameOverride = 64;

bool is_address_of(int family, const std::string& text) {
  in6_addr address{};
  return inet_pton(family, text.c_str(), &address) == 1;
}

void validate_ip(FieldErrors& errors, const FieldPath& path, const std::string& text) {
  if (!is_address_of(AF_INET, text) && !is_address_of(AF_INET6, text)) {
    errors.invalid(path, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  }
}

BadValue as_json_list(const Repeated<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    text += (text.empty() ? "" : ",") + go_quote(value);
  }
  return BadValue::json("[" + text + "]");
}

// A search path may begin its names with an underscore, and end in a dot.
bool is_search_path(std::string_view search) {
  if (search.ends_with('.')) {
    search.remove_suffix(1);
  }
  std::string plain(search);
  bool at_start = true;
  for (char& c : plain) {
    if (c == '_') {
      c = at_start ? 'a' : '-';
    }
    at_start = c == '.';
  }
  return is_dns1123_subdomain(plain);
}

void validate_searches(FieldErrors& errors, const FieldPath& path, const PodDNSConfig& config) {
  if (config.searches_size() > kMaxSearches) {
    errors.invalid(path, as_json_list(config.searches()),
                   fmt::format("must not have more than {} search paths", kMaxSearches));
  }
  size_t characters = 0;
  for (const std::string& search : config.searches()) {
    characters += search.size() + 1;
  }
  if (characters > kMaxSearchCharacters + 1) {
    errors.invalid(path, as_json_list(config.searches()),
                   fmt::format("must not have more than {} characters (including spaces) in the "
                               "search list",
                               kMaxSearchCharacters));
  }
  for (int i = 0; i < config.searches_size(); ++i) {
    if (config.searches(i) != "." && !is_search_path(config.searches(i))) {
      errors.invalid(path.index(as_index(i)), config.searches(i),
                     "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
                     "characters, '_', '-' or '.', and must start and end with an alphanumeric "
                     "character (e.g. 'example.com', regex used for validation is "
                     "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')");
    }
  }
}

BadValue as_address_list(const std::vector<std::string>& addresses) {
  std::string text;
  for (const std::string& address : addresses) {
    text += fmt::format("{}{{\"IP\":{}}}", text.empty() ? "" : ",", go_quote(address));
  }
  return BadValue::json("[" + text + "]");
}

}  // namespace

void validate_addresses(FieldErrors& errors, const FieldPath& path,
                        const std::vector<std::string>& addresses,
                        const std::vector<std::string>& old) {
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (std::find(old.begin(), old.end(), addresses[i]) == old.end()) {
      validate_ip(errors, path.index(i), addresses[i]);
    }
  }
  if (addresses.size() > 1 && (addresses.size() > 2 || is_address_of(AF_INET, addresses[0]) ==
                                                           is_address_of(AF_INET, addresses[1]))) {
    errors.invalid(path, as_address_list(addresses),
                   "may specify no more than one IP for each IP family");
  }
}

void validate_dns_config(FieldErrors& errors, const FieldPath& path, const PodSpec& spec) {
  const PodDNSConfig& config = spec.dns_config();
  if (spec.dns_policy() == "None") {
    if (!spec.has_dns_config()) {
      errors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
      return;
    }
    if (config.nameservers().empty()) {
      errors.required(path.child("nameservers"),
                      "must provide at least one DNS nameserver when `dnsPolicy` is None");
      return;
    }
  }
  if (!spec.has_dns_config()) {
    return;
  }
  const FieldPath nameservers = path.child("nameservers");
  if (config.nameservers_size() > kMaxNameservers) {
    errors.invalid(nameservers, as_json_list(config.nameservers()),
                   fmt::format("must not have more than {} nameservers", kMaxNameservers));
  }
  for (int i = 0; i < config.nameservers_size(); ++i) {
    validate_ip(errors, nameservers.index(as_index(i)), config.nameservers(i));
  }
  validate_searches(errors, path.child("searches"), config);
  for (int i = 0; i < config.options_size(); ++i) {
    if (config.options(i).name().empty()) {
      errors.required(path.child("options").index(as_index(i)), "must not be empty");
    }
  }
}

void validate_host_network_ports(FieldErrors& errors, const FieldPath& path, const PodSpec& spec,
                                 bool is_pod) {
  if (!spec.host_network()) {
    return;
  }
  for (int i = 0; i < spec.containers_size(); ++i) {
    const FieldPath ports = path.child("containers").index(as_index(i)).child("ports");
    for (int j = 0; j < spec.containers(i).ports_size(); ++j) {
      const core::v1::ContainerPort& port = spec.containers(i).ports(j);
      // A template may leave host ports out; its pods get them by default.
      if ((is_pod || port.host_port() != 0) && port.host_port() != port.container_port()) {
        errors.invalid(ports.index(as_index(j)).child("hostPort"),
                       BadValue::number(port.host_port()),
                       "must match `containerPort` when `hostNetwork` is true");
      }
    }
  }
}

void validate_host_users(FieldErrors& errors, const FieldPath& path, const PodSpec& spec) {
  if (!spec.has_host_users() || spec.host_users()) {
    return;
  }
  constexpr std::string_view kWithHostUsers = "when `hostUsers` is false";
  if (spec.host_network()) {
    errors.forbidden(path.child("hostNetwork"), kWithHostUsers);
  }
  if (spec.host_pid()) {
    errors.forbidden(path.child("HostPID"), kWithHostUsers);
  }
  if (spec.host_ipc()) {
    errors.forbidden(path.child("HostIPC"), kWithHostUsers);
  }
}

void validate_hostname_override(FieldErrors& errors, const FieldPath& path, const PodSpec& spec) {
  if (!spec.has_hostname_override()) {
    return;
  }
  const FieldPath name = path.child("hostnameOverride");
  if (spec.set_hostname_as_fqdn()) {
    errors.forbidden(name, "may not be specified when setHostnameAsFQDN is true");
  }
  if (spec.host_network()) {
    errors.forbidden(name, "may not be specified when hostNetwork is true");
  }
  if (spec.hostname_override().size() > kMaxHostnameOverride) {
    errors.too_long(name, kMaxHostnameOverride);
  }
  add_problems(errors, name, spec.hostname_override(),
               check_dns1123_subdomain(spec.hostname_override()));
}

void validate_host_aliases(FieldErrors& errors, const FieldPath& path, const PodSpec& spec) {
  for (int i = 0; i < spec.host_aliases_size(); ++i) {
    const core::v1::HostAlias& alias = spec.host_aliases(i);
    const FieldPath item = path.index(as_index(i));
    validate_ip(errors, item.child("ip"), alias.ip());
    for (int j = 0; j < alias.hostnames_size(); ++j) {
      add_problems(errors, item.child("hostnames").index(as_index(j)), alias.hostnames(j),
                   check_dns1123_subdomain(alias.hostnames(j)));
    }
  }
}

}  // namespace windlass::api
