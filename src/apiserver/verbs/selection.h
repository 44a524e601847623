// Which objects of a kind a list or watch is about: a label selector and a field selector, parsed
// and checked against the fields that the kind offers (api.md M68, J152, P105). A value.
#pragma once

#include "api/object.h"
#include "api/select/field_selector.h"
#include "api/select/label_selector.h"
#include "client/api_client.h"

namespace windlass::apiserver {

class Strategy;

class Selection {
 public:
  static Result<Selection> parse(const client::Collection& collection);

  bool everything() const { return labels_.matches_everything() && fields_.matches_everything(); }
  bool matches(const api::Message& object) const;

 private:
  explicit Selection(const Strategy& strategy) : strategy_(&strategy) {}

  const Strategy* strategy_;
  api::LabelSelector labels_;
  api::FieldSelector fields_;
};

}  // namespace windlass::apiserver
