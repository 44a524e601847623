// The query parameters of reads, as a client sent them and after the rules about them (api.md M62,
// M63, M81, M82). Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/verbs/write_options.h"
#include "base/result.h"
#include "base/time.h"
#include "http/message.h"
#include "http/target.h"
#include "store/version.h"

namespace windlass::apiserver {

enum class VersionMatch { none, exact, not_older_than };

struct ReadQuery {
  std::string label_selector = {};
  std::string field_selector = {};
  int64_t limit = 0;
  std::string continue_token = {};
  std::string version = {};  // resourceVersion as it was sent
  VersionMatch match = VersionMatch::none;
  std::optional<int64_t> timeout_seconds = {};
  bool allow_bookmarks = false;
  std::optional<bool> send_initial_events = {};
};

// 400 and 422 as M63 and M82 have them.
Result<ReadQuery> parse_read_query(const http::Target& target, bool watch);

// A version that must be a number. The error differs between a list and everything else (M63).
Result<store::Revision> parse_version(const std::string& text, bool list);

// The query parameters of a write; the rules about them are in write_options.h.
WriteQuery parse_write_query(const http::Target& target, const http::Headers& headers);

// Query parameters of one type, as kube-apiserver converts them into options. A parameter that is
// there counts, also with an empty value; of one given twice the first counts, in a list all do.
// What cannot be converted is a 400 in Go's words, and never taken for absent. Pure; any thread.

// Empty where there is no such parameter.
std::string text_parameter(const http::Target& target, std::string_view name);
// Switches have values of their own: see http::Target::flag.
std::optional<bool> flag_parameter(const http::Target& target, std::string_view name);
// An empty value is no number.
Result<std::optional<int64_t>> int_parameter(const http::Target& target, std::string_view name);
// Empty and `null` are the beginning of time, as older clients write it.
Result<std::optional<Time>> time_parameter(const http::Target& target, std::string_view name);
std::vector<std::string> list_parameter(const http::Target& target, std::string_view name);

// The time that a client gives a request that does not stream. It is checked alone: no request here
// waits for anything that takes long.
Result<void> check_timeout_parameter(const http::Target& target);

}  // namespace windlass::apiserver
