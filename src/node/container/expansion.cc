#include "node/container/expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace windlass::node {
namespace {

constexpr size_t kPointerBytes = 8;  // the kernel counts one for each string
constexpr size_t kMaxNameInError = 256;

Failure too_long(std::string_view what) {
  return fail(start_refused(fmt::format(
      "exec: argument list too long: {} has more than {} bytes after the expansion of its "
      "variables",
      what.substr(0, kMaxNameInError), kMaxArgumentBytes - 1)));
}

}  // namespace

Status start_refused(std::string message) {
  return {400, "StartError", std::move(message), {}};
}

bool is_start_refused(const Status& status) {
  return status.reason == "StartError";
}

std::optional<std::string> expand(std::string_view text, const Variables& values, size_t limit) {
  std::string out;
  out.reserve(std::min(text.size(), limit));
  bool closes = true;  // searched once: a text may open thousands and close none
  for (size_t i = 0; i < text.size(); ++i) {
    if (out.size() > limit) {
      return std::nullopt;
    }
    if (text[i] != '$' || i + 1 == text.size()) {
      out.push_back(text[i]);
      continue;
    }
    if (text[i + 1] == '$') {
      out.push_back('$');
      ++i;
      continue;
    }
    const size_t close =
        closes && text[i + 1] == '(' ? text.find(')', i + 2) : std::string_view::npos;
    if (close == std::string_view::npos) {
      closes = closes && text[i + 1] != '(';
      out.push_back('$');
      continue;
    }
    const auto found = values.find(text.substr(i + 2, close - i - 2));
    const std::string_view value =
        found != values.end() ? std::string_view(found->second) : text.substr(i, close - i + 1);
    if (value.size() > limit - out.size()) {
      return std::nullopt;
    }
    out.append(value);
    i = close;
  }
  return out.size() > limit ? std::nullopt : std::optional(std::move(out));
}

Result<void> ArgumentRoom::take(std::string_view what, size_t bytes) {
  if (bytes >= kMaxArgumentBytes) {
    return too_long(what);
  }
  const size_t counted = bytes + 1 + kPointerBytes;
  if (counted > left_) {
    return fail(start_refused(
        fmt::format("exec: argument list too long: environment, command and args together have "
                    "more than {} bytes",
                    kMaxArgumentsBytes)));
  }
  left_ -= counted;
  return {};
}

Result<std::string> ArgumentRoom::expand(std::string_view what, std::string_view text,
                                         const Variables& values, size_t extra) {
  if (extra >= kMaxArgumentBytes) {
    return too_long(what);
  }
  std::optional<std::string> out =
      windlass::node::expand(text, values, kMaxArgumentBytes - 1 - extra);
  if (!out) {
    return too_long(what);
  }
  TRY_VOID(take(what, out->size() + extra));
  return *std::move(out);
}

}  // namespace windlass::node
