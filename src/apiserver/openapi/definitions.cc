#include "apiserver/openapi/definitions.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <map>

#include "api/codec/json/json_schema.h"
#include "apiserver/openapi/comments.h"
#include "schema/meta/v1/options.pb.h"
#include "schema/meta/v1/status.pb.h"
#include "schema/options.pb.h"

namespace windlass::apiserver {
namespace {

using google::protobuf::Descriptor;

constexpr std::string_view kOurs = "windlass.api.";
constexpr std::string_view kMeta = "windlass.api.meta.v1.";

// The names that Kubernetes has given these, which clients look for.
std::string name_of(const Descriptor& descriptor) {
  const std::string& full = descriptor.full_name();
  const std::string& name = descriptor.name();
  if (!full.starts_with(kMeta)) {
    return "io.k8s.api." + full.substr(kOurs.size());
  }
  if (name == "Quantity") {
    return "io.k8s.apimachinery.pkg.api.resource.Quantity";
  }
  if (name == "IntOrString") {
    return "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
  }
  if (name == "RawExtension") {
    return "io.k8s.apimachinery.pkg.runtime.RawExtension";
  }
  return "io.k8s.apimachinery.pkg.apis.meta.v1." + name;
}

Scalar scalar_of(const Descriptor& descriptor) {
  switch (descriptor.options().GetExtension(api::type_rule).form()) {
    case api::TIME:
      return Scalar::time;
    case api::MICRO_TIME:
      return Scalar::micro_time;
    case api::QUANTITY:
      return Scalar::quantity;
    case api::INT_OR_STRING:
      return Scalar::int_or_string;
    case api::RAW_JSON:
      return Scalar::any;
    default:
      return Scalar::none;
  }
}

ValueType type_of(api::JsonKind kind) {
  switch (kind) {
    case api::JsonKind::boolean:
      return ValueType::boolean;
    case api::JsonKind::int32:
      return ValueType::int32;
    case api::JsonKind::int64:
      return ValueType::int64;
    case api::JsonKind::string:
      return ValueType::string;
    case api::JsonKind::bytes:
      return ValueType::bytes;
    default:
      return ValueType::reference;
  }
}

void apply_rule(const api::FieldRule& rule, Property& property) {
  if (property.cardinality == Cardinality::list && rule.has_list_type()) {
    property.list_type = rule.list_type() == api::SET   ? "set"
                         : rule.list_type() == api::MAP ? "map"
                                                        : "atomic";
    property.list_map_keys.assign(rule.list_map_key().begin(), rule.list_map_key().end());
  }
  property.atomic_map = rule.atomic_map();
  property.merge_key = rule.merge_key();
  if (rule.patch_replace()) {
    property.patch_strategy = "replace";
  } else if (!rule.merge_key().empty() || rule.merge_set()) {
    property.patch_strategy = rule.retain_keys() ? "merge,retainKeys" : "merge";
  } else if (rule.retain_keys()) {
    property.patch_strategy = "retainKeys";
  }
}

class Collector {
 public:
  explicit Collector(const Comments& comments) : comments_(comments) {}

  Definition& add(const Descriptor& descriptor) {
    const std::string name = name_of(descriptor);
    if (const auto found = definitions_.find(name); found != definitions_.end()) {
      return found->second;
    }
    Definition& made = definitions_[name];
    made.name = name;
    made.description = comments_.of(descriptor.full_name());
    made.scalar = scalar_of(descriptor);
    if (made.scalar == Scalar::none) {
      for (const api::JsonField& field : api::json_struct(descriptor).fields) {
        add_property(field, made);
      }
    }
    return made;
  }

  void add_kind(const api::Message& prototype, const api::Kind& kind, std::string_view name) {
    Definition& made = add(*prototype.GetDescriptor());
    if (made.kinds.empty()) {
      Property api_version{"apiVersion", "Group and version of this object, such as batch/v1."};
      Property kind_name{"kind", "What this object is, such as Job."};
      made.properties.insert(made.properties.begin(), {api_version, kind_name});
    }
    made.kinds.push_back({std::string(kind.group), std::string(kind.version), std::string(name)});
  }

  void add_patch() {
    Definition& made = definitions_[std::string(kPatchDefinition)];
    made.name = kPatchDefinition;
    made.description = "A change of an object, in the form that the content type names.";
  }

  std::vector<Definition> take() {
    std::vector<Definition> all;
    for (auto& [name, definition] : definitions_) {
      all.push_back(std::move(definition));
    }
    return all;
  }

 private:
  void add_property(const api::JsonField& field, Definition& to) {
    Property property;
    property.name = field.name;
    property.description = comments_.of(field.descriptor->full_name());
    property.type = type_of(field.kind);
    property.cardinality = field.shape == api::JsonShape::list  ? Cardinality::list
                           : field.shape == api::JsonShape::map ? Cardinality::map
                                                                : Cardinality::single;
    property.has_default = field.presence == api::JsonPresence::always;
    if (property.type == ValueType::reference) {
      const Descriptor& target =
          field.object != nullptr ? *field.object->descriptor : *field.prototype->GetDescriptor();
      property.reference = name_of(target);
      add(target);
    }
    const auto& rule = field.descriptor->options().GetExtension(api::field_rule);
    apply_rule(rule, property);
    if (rule.required()) {
      to.required.push_back(property.name);
    }
    to.properties.push_back(std::move(property));
  }

  const Comments& comments_;
  std::map<std::string, Definition> definitions_;  // references stay valid
};

}  // namespace

std::string definition_name(const api::Message& prototype) {
  return name_of(*prototype.GetDescriptor());
}

std::vector<Definition> collect_definitions(const std::vector<const ServedVersion*>& versions) {
  const Comments comments;
  Collector collector(comments);
  for (const ServedVersion* version : versions) {
    for (const Served* served : version->resources) {
      const api::Kind& kind = *served->kind;
      if (served->subresource.empty()) {
        collector.add_kind(kind.prototype(), kind, kind.kind);
        if (kind.list_prototype != nullptr) {
          collector.add_kind(kind.list_prototype(), kind, std::string(kind.kind) + "List");
        }
      } else if (served->body->group != kind.group && served->subresource == "eviction") {
        collector.add_kind(served->body->prototype(), *served->body, served->body->kind);
      }
    }
    api::Kind any;
    any.group = version->group;
    any.version = version->version;
    collector.add_kind(api::meta::v1::DeleteOptions::default_instance(), any, "DeleteOptions");
  }
  api::Kind core;
  core.version = "v1";
  collector.add_kind(api::meta::v1::Status::default_instance(), core, "Status");
  collector.add_patch();
  return collector.take();
}

}  // namespace windlass::apiserver
