#include "apiserver/verbs/selection.h"

#include <google/protobuf/message.h>

#include "apiserver/strategies/strategy.h"
#include "base/check.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {

Result<Selection> Selection::parse(const client::Collection& collection) {
  const Strategy* strategy = find_strategy(*collection.kind);
  CHECK(strategy != nullptr, "only stored kinds are selected from");
  Selection selection(*strategy);
  TRY(selection.labels_, api::LabelSelector::parse(collection.label_selector));
  TRY(selection.fields_, api::FieldSelector::parse(collection.field_selector));
  for (const api::FieldRequirement& requirement : selection.fields_.requirements()) {
    if (!strategy->selectable(collection.kind->prototype(), requirement.field)) {
      return fail(bad_request(strategy->unselectable(requirement.field)));
    }
  }
  return selection;
}

bool Selection::matches(const api::Message& object) const {
  return labels_.matches(api::metadata_of(object).labels()) &&
         fields_.matches([&](std::string_view field) {
           return strategy_->selectable(object, field).value_or("");
         });
}

}  // namespace windlass::apiserver
