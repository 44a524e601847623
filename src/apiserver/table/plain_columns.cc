#include "apiserver/table/cells.h"
#include "apiserver/table/columns.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

constexpr Column kPlain[] = {kNameColumn, kAgeColumn};

void plain_cells(const api::Message& object, Time now, JsonWriter& json) {
  json.string(api::metadata_of(object).name()).string(age_of(object, now));
}

}  // namespace

TableColumns plain_columns() {
  return {kPlain, &plain_cells};
}

}  // namespace windlass::apiserver
