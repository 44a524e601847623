// core/v1 Node: api.md N1-N5.
#include "api/pod/validate_pod_parts.h"
#include "apiserver/strategies.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Node;

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
    return with_taints(Strategy::validate_create(object), object);
  }
  api::FieldErrors validate_update(const Message& old, const Message& object) const override {
    return with_taints(Strategy::validate_update(old, object), object);
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
  // N3, with the path that Kubernetes gives it.
  static api::FieldErrors with_taints(api::FieldErrors errors, const Message& object) {
    api::validate_taints(errors, api::FieldPath("metadata").child("taints"),
                         as<Node>(object).spec().taints());
    return errors;
  }
};

}  // namespace

const Strategy& node_strategy() {
  static const NodeStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
