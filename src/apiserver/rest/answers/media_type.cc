#include "apiserver/rest/answers/media_type.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace windlass::apiserver {
namespace {

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return made;
}

std::string_view take_until(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

double parse_quality(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size() ? std::clamp(value, 0.0, 1.0)
                                                                   : 0;
}

}  // namespace

std::string_view MediaType::parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) {
      return value;
    }
  }
  return {};
}

MediaType parse_media_type(std::string_view text) {
  MediaType media;
  media.type = lower(trimmed(take_until(text, ';')));
  while (!text.empty()) {
    std::string_view parameter = take_until(text, ';');
    std::string name = lower(trimmed(take_until(parameter, '=')));
    std::string_view value = trimmed(parameter);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    if (name == "q") {
      media.quality = parse_quality(value);
    } else if (!name.empty()) {
      media.parameters.emplace_back(std::move(name), value);
    }
  }
  return media;
}

std::vector<MediaType> parse_accept(std::string_view text) {
  std::vector<MediaType> accepted;
  while (!text.empty() && accepted.size() < kMaxAccepted) {
    MediaType media = parse_media_type(take_until(text, ','));
    if (!media.type.empty() && media.quality > 0) {
      accepted.push_back(std::move(media));
    }
  }
  std::ranges::stable_sort(accepted, std::greater(), &MediaType::quality);
  return accepted;
}

}  // namespace windlass::apiserver
