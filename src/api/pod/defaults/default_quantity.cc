#include "api/pod/defaults/default_pod_parts.h"
#include "base/quantity.h"
#include "schema/meta/v1/quantity.pb.h"

namespace windlass::api {
namespace {

void rewrite(meta::v1::Quantity& message, bool round_up) {
  auto quantity = Quantity::parse(message.string());
  if (!quantity) {
    return;
  }
  if (round_up) {
    quantity->round_up_to_milli();
  }
  if (std::string text = quantity->to_string(); text != message.string()) {
    message.set_string(std::move(text));
  }
}

}  // namespace

void default_resources(ResourceMap& resources) {
  for (auto& [name, quantity] : resources) {
    rewrite(quantity, true);
  }
}

void canonicalize_quantity(meta::v1::Quantity& quantity) {
  rewrite(quantity, false);
}

}  // namespace windlass::api
