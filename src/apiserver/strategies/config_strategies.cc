// core/v1 ConfigMap and Secret: api.md N60, N61.
#include <google/protobuf/message.h>

#include <map>

#include "api/codec/json/json_value.h"
#include "api/names.h"
#include "apiserver/strategies/strategies.h"
#include "schema/core/v1/config_map.pb.h"

namespace windlass::apiserver {
namespace {

using api::FieldErrors;
using api::FieldPath;
using api::core::v1::ConfigMap;
using api::core::v1::Secret;

constexpr size_t kMaxDataBytes = 1024 * 1024;

template <class Map>
void validate_keys(FieldErrors& errors, const FieldPath& path, const Map& data) {
  std::map<std::string_view, const std::string*> sorted;
  for (const auto& [key, value] : data) {
    sorted.emplace(key, &value);
  }
  for (const auto& [key, value] : sorted) {
    for (const auto& problem : api::check_config_map_key(key)) {
      errors.invalid(path.key(key), key, problem);
    }
  }
}

template <class Map>
size_t bytes_of(const Map& data) {
  size_t bytes = 0;
  for (const auto& [key, value] : data) {
    bytes += value.size();
  }
  return bytes;
}

// Once `immutable` is set nothing of the content changes any more, and neither does that.
template <class T>
void validate_immutable(FieldErrors& errors, const T& old, const T& changed, bool same_data) {
  if (!old.immutable()) {
    return;
  }
  if (!changed.immutable()) {
    errors.forbidden(FieldPath("immutable"), "field is immutable when `immutable` is set");
  }
  if (!same_data) {
    errors.forbidden(FieldPath("data"), "field is immutable when `immutable` is set");
  }
}

template <class Map>
bool same(const Map& a, const Map& b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (const auto& [key, value] : a) {
    const auto other = b.find(key);
    if (other == b.end() || other->second != value) {
      return false;
    }
  }
  return true;
}

class ConfigMapStrategy final : public Strategy {
 public:
  ConfigMapStrategy() : Strategy(api::kinds::config_map(), {}) {}

  FieldErrors validate_create(const Message& object) const override {
    FieldErrors errors = Strategy::validate_create(object);
    validate_data(errors, as<ConfigMap>(object));
    return errors;
  }
  FieldErrors validate_update(const Message& old_object, const Message& object) const override {
    FieldErrors errors = Strategy::validate_update(old_object, object);
    const auto& old = as<ConfigMap>(old_object);
    const auto& changed = as<ConfigMap>(object);
    validate_immutable(errors, old, changed, same(old.data(), changed.data()));
    if (old.immutable() && !same(old.binary_data(), changed.binary_data())) {
      errors.forbidden(FieldPath("binaryData"), "field is immutable when `immutable` is set");
    }
    errors.append(validate_create(object));
    return errors;
  }

 private:
  static void validate_data(FieldErrors& errors, const ConfigMap& map) {
    validate_keys(errors, FieldPath("data"), map.data());
    for (const auto& [key, value] : map.data()) {
      if (map.binary_data().contains(key)) {
        errors.invalid(FieldPath("data").key(key), key, "duplicate of key present in binaryData");
      }
    }
    validate_keys(errors, FieldPath("binaryData"), map.binary_data());
    if (bytes_of(map.data()) + bytes_of(map.binary_data()) > kMaxDataBytes) {
      errors.too_long(FieldPath("[]"), kMaxDataBytes);
    }
  }
};

// Nothing of the content is shown: errors end up in logs.
void validate_json_object(FieldErrors& errors, const Secret& secret, const char* key) {
  const FieldPath path = FieldPath("data").key(key);
  const auto found = secret.data().find(key);
  if (found == secret.data().end()) {
    errors.required(path);
    return;
  }
  constexpr const char* kRedacted = "<secret contents redacted>";
  const Result<api::JsonTree> tree = api::parse_json_value(found->second);
  if (!tree) {
    errors.invalid(path, kRedacted, tree.error().message);
  } else if (!tree->value.is_object() && !tree->value.is_null()) {
    errors.invalid(path, kRedacted,
                   "json: cannot unmarshal " + std::string(json_type_name(tree->value)) +
                       " into Go value of type map[string]interface {}");
  }
}

// What the known types of secrets have to hold.
void validate_secret_type(FieldErrors& errors, const Secret& secret) {
  const std::string& type = secret.type();
  const auto& data = secret.data();
  const auto require = [&](const char* key) {
    if (!data.contains(key)) {
      errors.required(FieldPath("data").key(key));
    }
  };
  if (type == "kubernetes.io/tls") {
    require("tls.crt");
    require("tls.key");
  } else if (type == "kubernetes.io/dockercfg") {
    validate_json_object(errors, secret, ".dockercfg");
  } else if (type == "kubernetes.io/dockerconfigjson") {
    validate_json_object(errors, secret, ".dockerconfigjson");
  } else if (type == "kubernetes.io/basic-auth") {
    if (!data.contains("username") && !data.contains("password")) {
      require("username");
      require("password");
    }
  } else if (type == "kubernetes.io/ssh-auth") {
    constexpr const char* kKey = "ssh-privatekey";
    if (const auto found = data.find(kKey); found == data.end() || found->second.empty()) {
      errors.required(FieldPath("data").key(kKey));
    }
  } else if (type == "kubernetes.io/service-account-token") {
    constexpr const char* kAccount = "kubernetes.io/service-account.name";
    const auto& annotations = secret.metadata().annotations();
    if (const auto found = annotations.find(kAccount);
        found == annotations.end() || found->second.empty()) {
      errors.required(FieldPath("metadata").child("annotations").key(kAccount));
    }
  }
}

class SecretStrategy final : public Strategy {
 public:
  SecretStrategy() : Strategy(api::kinds::secret(), {}) {}

  void apply_defaults(Message& object, const Message*, const WriteContext&) const override {
    auto& secret = as<Secret>(object);
    if (secret.type().empty()) {
      secret.set_type("Opaque");
    }
    // Write only: it is never stored.
    for (const auto& [key, value] : secret.string_data()) {
      (*secret.mutable_data())[key] = value;
    }
    secret.clear_string_data();
  }

  FieldErrors validate_create(const Message& object) const override {
    FieldErrors errors = Strategy::validate_create(object);
    validate_data(errors, as<Secret>(object));
    return errors;
  }
  FieldErrors validate_update(const Message& old_object, const Message& object) const override {
    FieldErrors errors = Strategy::validate_update(old_object, object);
    const auto& old = as<Secret>(old_object);
    const auto& changed = as<Secret>(object);
    if (old.type() != changed.type()) {
      errors.invalid(FieldPath("type"), changed.type(), "field is immutable");
    }
    validate_immutable(errors, old, changed, same(old.data(), changed.data()));
    errors.append(validate_create(object));
    return errors;
  }

  std::optional<std::string> selectable(const Message& object,
                                        std::string_view field) const override {
    if (field == "type") {
      return as<Secret>(object).type();
    }
    return Strategy::selectable(object, field);
  }
  std::string unselectable(std::string_view field) const override {
    return "field label not supported: " + std::string(field);
  }

 private:
  static void validate_data(FieldErrors& errors, const Secret& secret) {
    validate_keys(errors, FieldPath("data"), secret.data());
    if (bytes_of(secret.data()) > kMaxDataBytes) {
      errors.too_long(FieldPath("data"), kMaxDataBytes);
    }
    validate_secret_type(errors, secret);
  }
};

}  // namespace

const Strategy& config_map_strategy() {
  static const ConfigMapStrategy strategy;
  return strategy;
}

const Strategy& secret_strategy() {
  static const SecretStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
