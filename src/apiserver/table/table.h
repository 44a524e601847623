// Tables: how kubectl and other clients show objects to people (api.md M130-M139). Each kind has
// columns and a function that fills the cells of a row; both are in one place, registered in
// table.cc. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "apiserver/rest/answers/views.h"
#include "base/json_writer.h"
#include "base/time.h"

namespace windlass::apiserver {

struct Column {
  std::string_view name;
  std::string_view type = "string";
  std::string_view format = "";
  int priority = 0;  // 1: only with -o wide
  std::string_view description = "";
};

struct TableColumns {
  std::span<const Column> columns;
  // One value for each column, in order.
  void (*cells)(const api::Message& object, Time now, JsonWriter& json) = nullptr;
  // The conditions of a row, as a JSON list, or nothing.
  void (*conditions)(const api::Message& object, JsonWriter& json) = nullptr;
};

// Every kind has some: name and age at least.
const TableColumns& table_columns(const api::Kind& kind);

// What the metadata of a list says.
struct ListHead {
  std::string resource_version = {};
  std::string continue_token = {};
  std::optional<int64_t> remaining = {};
};

// Writes one Table: open(), any number of rows, close().
class TableWriter {
 public:
  TableWriter(const ViewOptions& view, const api::Kind& kind, std::string& out)
      : view_(view), kind_(kind), columns_(table_columns(kind)), out_(out), json_(out) {}

  void open(const ListHead& head, bool with_columns);
  void row(const api::Message& object);
  void close() { json_.close_list().close_object(); }

 private:
  const ViewOptions& view_;
  const api::Kind& kind_;
  const TableColumns& columns_;
  std::string& out_;
  JsonWriter json_;
};

// {"resourceVersion":"5","continue":"...","remainingItemCount":7}
void append_list_metadata(const ListHead& head, std::string& out);

}  // namespace windlass::apiserver
