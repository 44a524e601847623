// What a client may ask of a write besides the object itself, and the rules about asking (api.md
// M56, M96, M100, M105, M110). A controller inside the process asks for nothing: the defaults.
// Plain data; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_error.h"
#include "base/result.h"

namespace windlass::apiserver {

inline constexpr size_t kMaxFieldManagerBytes = 128;

// What becomes of fields that the schema does not know, or that are given twice (M110).
enum class FieldValidation { warn, strict, ignore };

struct WriteOptions {
  bool dry_run = false;  // everything but the storing (M56)
  // Who owns what this write sets, in metadata.managedFields. Empty: the write is not tracked.
  std::string field_manager = {};
  // Of patches; the bodies of other writes are decoded before they get here.
  FieldValidation field_validation = FieldValidation::warn;
  bool force = false;  // an apply takes what others own
  // The node whose credential writes; then node_restriction.h holds. Empty for all others.
  std::string node = {};
};

enum class WriteVerb { create, update, patch, apply };

// The query parameters of a write as they were sent.
struct WriteQuery {
  std::vector<std::string> dry_run = {};
  std::string field_manager = {};
  std::string field_validation = {};
  std::optional<bool> force = {};
  std::string user_agent = {};  // names the manager where field_manager does not
};

// 422 on CreateOptions, UpdateOptions or PatchOptions for what is not allowed.
Result<WriteOptions> make_write_options(WriteVerb verb, const WriteQuery& query);

// M56, also for DeleteOptions.
void validate_dry_run(api::FieldErrors& errors, const std::vector<std::string>& values);

}  // namespace windlass::apiserver
