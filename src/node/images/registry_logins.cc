#include "node/images/registry_logins.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "api/codec/base64.h"
#include "api/codec/json/json_value.h"
#include "base/json_writer.h"

namespace windlass::node {
namespace {

constexpr size_t kMaxLogins = 100;
constexpr std::string_view kDockerHub = "docker.io";

struct RegistryPath {
  std::string host;  // with its port
  std::string path;  // without the first slash
};

RegistryPath split(std::string_view text) {
  const size_t slash = std::min(text.find('/'), text.size());
  std::string host(text.substr(0, slash));
  if (host == "index.docker.io" || host == "registry-1.docker.io") {
    host = kDockerHub;
  }
  return {std::move(host), std::string(text.substr(std::min(slash + 1, text.size())))};
}

RegistryPath place_of(const api::ImageName& image) {
  RegistryPath place = split(image.repository);
  const bool registry = !place.path.empty() && (place.host.find_first_of(".:") != place.host.npos ||
                                                place.host == "localhost");
  if (registry) {
    return place;
  }
  const std::string repository(image.repository);
  return {std::string(kDockerHub), place.path.empty() ? "library/" + repository : repository};
}

// https://index.docker.io/v1/ is index.docker.io.
RegistryPath place_of_key(std::string_view key) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (key.starts_with(scheme)) {
      key.remove_prefix(scheme.size());
    }
  }
  RegistryPath place = split(key);
  for (const std::string_view version : {"v1", "v2"}) {
    if (place.path == version || place.path.starts_with(std::string(version) + "/")) {
      place.path.erase(0, std::min(version.size() + 1, place.path.size()));
    }
  }
  while (place.path.ends_with('/')) {
    place.path.pop_back();
  }
  return place;
}

std::vector<std::string> parts_of(std::string_view host) {
  std::vector<std::string> parts;
  while (true) {
    const size_t dot = host.find('.');
    parts.emplace_back(host.substr(0, dot));
    if (dot == std::string_view::npos) {
      return parts;
    }
    host.remove_prefix(dot + 1);
  }
}

bool hosts_match(std::string_view glob, std::string_view host) {
  const auto port_of = [](std::string_view text) {
    const size_t colon = text.find(':');
    return colon == std::string_view::npos ? std::string_view() : text.substr(colon);
  };
  const std::vector<std::string> globs = parts_of(glob.substr(0, glob.find(':')));
  const std::vector<std::string> parts = parts_of(host.substr(0, host.find(':')));
  return port_of(glob) == port_of(host) &&
         std::equal(globs.begin(), globs.end(), parts.begin(), parts.end(),
                    [](const std::string& pattern, const std::string& part) {
                      return ::fnmatch(pattern.c_str(), part.c_str(), 0) == 0;
                    });
}

std::string text_of(const api::JsonValue& value, std::string_view name) {
  const api::JsonValue* found = value.find(name);
  return found != nullptr && found->is_string() ? found->text : std::string();
}

// "" where it says nothing.
std::string auth_file(const std::string& registry, const api::JsonValue& login) {
  std::string auth = text_of(login, "auth");
  if (auth.empty() && !text_of(login, "username").empty()) {
    api::append_base64(text_of(login, "username") + ":" + text_of(login, "password"), auth);
  }
  const std::string token = text_of(login, "identitytoken");
  if (auth.empty() && token.empty()) {
    return "";
  }
  std::string text;
  JsonWriter writer(text);
  writer.open_object().key("auths").open_object().key(registry).open_object();
  writer.member("auth", auth);
  if (!token.empty()) {
    writer.member("identitytoken", token);
  }
  writer.close_object().close_object().close_object();
  return text;
}

// By key of `auths`.
api::JsonValue::Members logins_in(const ObjectData& secret) {
  const auto config = secret.find(".dockerconfigjson");
  const auto old = secret.find(".dockercfg");
  if (config == secret.end() && old == secret.end()) {
    return {};
  }
  const auto tree = api::parse_json_value(config != secret.end() ? config->second : old->second);
  if (!tree) {
    return {};
  }
  const api::JsonValue* logins = config != secret.end() ? tree->value.find("auths") : &tree->value;
  return logins == nullptr ? api::JsonValue::Members() : logins->members;
}

}  // namespace

bool is_login_for(std::string_view key, const api::ImageName& image) {
  const RegistryPath wanted = place_of_key(key);
  const RegistryPath place = place_of(image);
  return hosts_match(wanted.host, place.host) && place.path.starts_with(wanted.path);
}

std::vector<std::string> registry_logins(const api::ImageName& image,
                                         const std::vector<ObjectData>& secrets) {
  std::vector<std::pair<std::string, std::string>> found;  // by key
  for (const ObjectData& secret : secrets) {
    for (const auto& [key, login] : logins_in(secret)) {
      std::string text =
          is_login_for(key, image) ? auth_file(place_of(image).host, login) : std::string();
      if (!text.empty() && found.size() < kMaxLogins) {
        found.emplace_back(key, std::move(text));
      }
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (auto& [key, text] : found) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(std::move(text));
    }
  }
  return texts;
}

}  // namespace windlass::node
