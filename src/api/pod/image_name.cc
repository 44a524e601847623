#include "api/pod/image_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace windlass::api {
namespace {

constexpr size_t kMaxTag = 128;
constexpr size_t kMaxRepository = 255;
constexpr std::string_view kLatest = "latest";

bool is_lower_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_any_alnum(char c) {
  return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

// Words of letters and digits with one dot, one or two underscores or any dashes between them.
bool is_path_part(std::string_view part) {
  if (part.empty() || !is_lower_alnum(part.front()) || !is_lower_alnum(part.back())) {
    return false;
  }
  for (size_t i = 0; i < part.size();) {
    const size_t word_end = static_cast<size_t>(
        std::find_if_not(part.begin() + static_cast<ptrdiff_t>(i), part.end(), is_lower_alnum) -
        part.begin());
    size_t next = word_end;
    while (next < part.size() && !is_lower_alnum(part[next])) {
      ++next;
    }
    const std::string_view between = part.substr(word_end, next - word_end);
    const bool dashes = between.find_first_not_of('-') == std::string_view::npos;
    if (!dashes && between != "." && between != "_" && between != "__") {
      return false;
    }
    i = next;
  }
  return true;
}

// A registry, not the first part of a path: `host.io`, `host:5000`, `localhost`, `HOST`.
bool looks_like_registry(std::string_view first) {
  return first.find_first_of(".:") != std::string_view::npos || first == "localhost" ||
         std::any_of(first.begin(), first.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_registry(std::string_view part) {
  const size_t colon = part.find(':');
  const std::string_view port = colon == std::string_view::npos ? "0" : part.substr(colon + 1);
  std::string_view host = part.substr(0, colon);
  const bool named = !host.empty() && is_any_alnum(host.front()) && is_any_alnum(host.back()) &&
                     std::all_of(host.begin(), host.end(),
                                 [](char c) { return is_any_alnum(c) || c == '-' || c == '.'; });
  return named && !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

bool is_tag(std::string_view tag) {
  const auto fits = [](char c) { return is_any_alnum(c) || c == '_' || c == '.' || c == '-'; };
  return !tag.empty() && tag.size() <= kMaxTag && tag.front() != '.' && tag.front() != '-' &&
         std::all_of(tag.begin(), tag.end(), fits);
}

// algorithm:hex
bool is_digest(std::string_view digest) {
  constexpr size_t kMinHex = 32;
  const size_t colon = digest.find(':');
  return colon != std::string_view::npos && colon > 0 && digest.size() - colon - 1 >= kMinHex &&
         digest.find_first_not_of("0123456789abcdef", colon + 1) == std::string_view::npos;
}

Failure invalid(std::string_view detail = "") {
  return fail(plain_error("invalid reference format" + std::string(detail)));
}

Result<void> check_repository(std::string_view repository) {
  if (repository.empty() || repository.size() > kMaxRepository) {
    return invalid();
  }
  const size_t slash = repository.find('/');
  const std::string_view first = repository.substr(0, slash);
  const bool registry = slash != std::string_view::npos && looks_like_registry(first);
  if (registry && !is_registry(first)) {
    return invalid();
  }
  std::string_view rest = registry ? repository.substr(slash + 1) : repository;
  while (true) {
    const size_t end = rest.find('/');
    const std::string_view part = rest.substr(0, end);
    if (!is_path_part(part)) {
      const bool upper = is_path_part(in_lower_case(part));
      return invalid(upper ? fmt::format(": repository name ({}) must be lowercase", repository)
                           : "");
    }
    if (end == std::string_view::npos) {
      return {};
    }
    rest.remove_prefix(end + 1);
  }
}

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

}  // namespace

std::string ImageName::text() const {
  return std::string(repository) + (tag.empty() ? "" : ":" + std::string(tag));
}

Result<ImageName> parse_image_name(std::string_view text) {
  ImageName image;
  if (const size_t at = text.find('@'); at != std::string_view::npos) {
    image.digest = text.substr(at + 1);
    if (!is_digest(image.digest)) {
      return invalid();
    }
    text = text.substr(0, at);
  }
  const size_t slash = text.rfind('/');
  const size_t colon = text.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon != std::string_view::npos) {
    image.tag = text.substr(colon + 1);
    if (!is_tag(image.tag)) {
      return invalid();
    }
    text = text.substr(0, colon);
  }
  TRY_VOID(check_repository(text));
  image.repository = without_prefix(without_prefix(text, "docker.io/"), "library/");
  return image;
}

std::vector<std::string> known_names(const ImageName& image) {
  ImageName exact = image;
  if (exact.tag.empty() && exact.digest.empty()) {
    exact.tag = kLatest;
  }
  std::vector<std::string> names = {exact.text()};
  if (!exact.tag.empty()) {
    names.emplace_back(image.repository);
  }
  return names;
}

std::string_view image_tag(std::string_view image) {
  const Result<ImageName> name = parse_image_name(image);
  if (!name) {
    return "";
  }
  return name->tag.empty() && name->digest.empty() ? kLatest : name->tag;
}

bool is_pause_image(std::string_view image) {
  const size_t slash = image.rfind('/');
  const std::string_view base = slash == std::string_view::npos ? image : image.substr(slash + 1);
  return base == "pause" || base.starts_with("pause:") || base.starts_with("pause@");
}

}  // namespace windlass::api
