#include "apiserver/rest/answers/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

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

namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

std::optional<Encoding> encoding_of(std::string_view type) {
  if (type == kJson || type == "*/*" || type == "application/*") {
    return Encoding::json;
  }
  if (type == kYaml) {
    return Encoding::yaml;
  }
  if (type == kProtobuf) {
    return Encoding::protobuf;
  }
  return std::nullopt;
}

// The form that `as`, `g` and `v` name, or nothing when there is no such form in this encoding.
std::optional<ResponseForm> form_of(const MediaType& media, Encoding encoding) {
  const std::string_view as = media.parameter("as");
  if (as.empty()) {
    return ResponseForm::object;
  }
  const std::string_view version = media.parameter("v");
  if (media.parameter("g") != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) {
    return std::nullopt;
  }
  if (as == "Table") {
    return encoding == Encoding::protobuf ? std::nullopt : std::optional(ResponseForm::table);
  }
  if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") {
    return ResponseForm::partial;
  }
  return std::nullopt;
}

Status not_acceptable(std::string message) {
  Status status;
  status.code = 406;
  status.reason = "NotAcceptable";
  status.message = std::move(message);
  return status;
}

Status unknown_types() {
  return not_acceptable(
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf, application/json;stream=watch, "
      "application/vnd.kubernetes.protobuf;stream=watch");
}

Status unknown_forms() {
  return not_acceptable(
      "only the following media types are accepted: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf");
}

}  // namespace

std::string_view ResponseFormat::content_type() const {
  switch (encoding) {
    case Encoding::yaml:
      return kYaml;
    case Encoding::protobuf:
      return kProtobuf;
    default:
      return kJson;
  }
}

std::string_view ResponseFormat::stream_content_type() const {
  return encoding == Encoding::protobuf ? "application/vnd.kubernetes.protobuf;stream=watch"
                                        : kJson;
}

bool wants_pretty(const http::Headers& headers, const http::Target& target) {
  if (const auto pretty = target.parameter("pretty"); pretty && !pretty->empty()) {
    // The one switch that Kubernetes reads as Go's ParseBool does: what it does not know is off.
    static constexpr std::array<std::string_view, 6> kOn = {"1", "t", "T", "true", "TRUE", "True"};
    return std::ranges::find(kOn, *pretty) != kOn.end();
  }
  const std::string_view agent = http::find_header(headers, "User-Agent").value_or("");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

Result<ResponseFormat> negotiate(const http::Headers& headers, const http::Target& target,
                                 bool stream) {
  ResponseFormat format;
  format.pretty = wants_pretty(headers, target);
  const std::string_view accept = http::find_header(headers, "Accept").value_or("");
  if (accept.empty()) {
    return format;
  }
  bool known = false;
  for (const MediaType& media : parse_accept(accept)) {
    const std::optional<Encoding> encoding = encoding_of(media.type);
    if (!encoding || (stream && *encoding == Encoding::yaml)) {
      continue;
    }
    known = true;
    const std::optional<ResponseForm> form = form_of(media, *encoding);
    if (!form) {
      continue;
    }
    format.encoding = *encoding;
    format.form = *form;
    if (*form != ResponseForm::object) {
      format.meta_version = media.parameter("v");
    }
    return format;
  }
  return fail(known ? unknown_forms() : unknown_types());
}

}  // namespace windlass::apiserver
