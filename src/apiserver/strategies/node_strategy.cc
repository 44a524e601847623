// core/v1 Node: api.md N1-N5.
#include <algorithm>
#include <set>

#include "api/pod/validation/validate_pod_parts.h"
#include "api/validate_metadata.h"
#include "apiserver/strategies/strategies.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Node;

// N3, with the path that Kubernetes gives it.
void validate_node_taints(api::FieldErrors& errors, const Node& node) {
  api::validate_taints(errors, api::FieldPath("metadata").child("taints"), node.spec().taints());
}

void validate_node_resources(api::FieldErrors& errors, const Node& node) {
  const api::FieldPath status("status");
  api::validate_amounts(errors, status.child("capacity"), node.status().capacity());
  api::validate_amounts(errors, status.child("allocatable"), node.status().allocatable());
}

void validate_node_addresses(api::FieldErrors& errors, const Node& node) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (int i = 0; i < node.status().addresses_size(); ++i) {
    const auto& address = node.status().addresses(i);
    if (!seen.emplace(address.type(), address.address()).second) {
      errors.duplicate(
          api::FieldPath("status").child("addresses").index(static_cast<size_t>(i)),
          api::BadValue::json(R"({"Type":)" + api::go_quote(address.type()) + R"(,"Address":)" +
                              api::go_quote(address.address()) + "}"));
    }
  }
}

// What is set once stays.
void validate_node_identity(api::FieldErrors& errors, const Node& old, const Node& node) {
  const api::FieldPath spec("spec");
  const auto& ranges = old.spec().pod_cidrs();
  if (!ranges.empty() && !std::ranges::equal(ranges, node.spec().pod_cidrs())) {
    errors.forbidden(spec.child("podCIDRs"),
                     "node updates may not change podCIDR except from \"\" to valid");
  }
  if (!old.spec().provider_id().empty() && old.spec().provider_id() != node.spec().provider_id()) {
    errors.forbidden(spec.child("providerID"),
                     "node updates may not change providerID except from \"\" to valid");
  }
}

class NodeStrategy final : public Strategy {
 public:
  NodeStrategy() : Strategy(api::kinds::node(), {.has_status = true}) {}

  void apply_defaults(Message& object, const Message*, const WriteContext&) const override {
    Node& node = as<Node>(object);
    if (node.status().allocatable().empty() && !node.status().capacity().empty()) {
      *node.mutable_status()->mutable_allocatable() = node.status().capacity();
    }
  }

  api::FieldErrors validate_create(const Message& object) const override {
    api::FieldErrors errors = Strategy::validate_create(object);
    validate_node_taints(errors, as<Node>(object));
    validate_node_resources(errors, as<Node>(object));
    return errors;
  }
  // The rules of a create come in between, as in Kubernetes.
  api::FieldErrors validate_update(const Message& old, const Message& object) const override {
    api::FieldErrors errors = validate_metadata(old, object);
    errors.append(validate_create(object));
    errors.append(validate_changes(as<Node>(old), as<Node>(object)));
    return errors;
  }
  api::FieldErrors validate_status_update(const Message& old,
                                          const Message& object) const override {
    api::FieldErrors errors = validate_metadata(old, object);
    errors.append(validate_changes(as<Node>(old), as<Node>(object)));
    return errors;
  }

  // The status of a create stays: it is how a node registers.
  void prepare_for_update(const Message& old, Message& object, const WriteContext&) const override {
    *as<Node>(object).mutable_status() = as<Node>(old).status();
  }
  void prepare_for_status_update(const Message& old, Message& object,
                                 const WriteContext&) const override {
    *as<Node>(object).mutable_spec() = as<Node>(old).spec();
  }

  // N5.
  std::optional<std::string> selectable(const Message& object,
                                        std::string_view field) const override {
    if (field == "spec.unschedulable") {
      return as<Node>(object).spec().unschedulable() ? "true" : "false";
    }
    return Strategy::selectable(object, field);
  }
  std::string unselectable(std::string_view field) const override {
    return "field label not supported: " + std::string(field);
  }

 private:
  static api::FieldErrors validate_metadata(const Message& old, const Message& object) {
    api::FieldErrors errors;
    api::validate_generic_update(errors, api::FieldPath("metadata"), api::metadata_of(object),
                                 api::metadata_of(old), false);
    return errors;
  }
  static api::FieldErrors validate_changes(const Node& old, const Node& node) {
    api::FieldErrors errors;
    api::validate_object_meta_update(errors, api::FieldPath("metadata"), node.metadata(),
                                     old.metadata());
    validate_node_resources(errors, node);
    validate_node_addresses(errors, node);
    validate_node_identity(errors, old, node);
    validate_node_taints(errors, node);
    return errors;
  }
};

}  // namespace

const Strategy& node_strategy() {
  static const NodeStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
