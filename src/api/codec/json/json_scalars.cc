#include "api/codec/json/json_scalars.h"

#include <google/protobuf/message.h>

#include <array>
#include <charconv>

#include "api/codec/json/json_text.h"
#include "base/ascii.h"
#include "base/json_writer.h"
#include "base/quantity.h"
#include "base/time.h"
#include "schema/meta/v1/envelope.pb.h"
#include "schema/meta/v1/meta.pb.h"
#include "schema/meta/v1/quantity.pb.h"
#include "schema/meta/v1/time.pb.h"

namespace windlass::api {
namespace {

using google::protobuf::Message;

// Generated code is known here, so a cast replaces reflection. The kind says which type it is.
template <class T>
const T& as(const Message& message) {
  return static_cast<const T&>(message);
}
template <class T>
T& as(Message& message) {
  return static_cast<T&>(message);
}

constexpr int64_t kStringType = 1;  // of IntOrString
constexpr int32_t kNanosPerSecond = 1'000'000'000;
constexpr int32_t kNanosPerMicro = 1000;
constexpr int64_t kZeroTimeSeconds = -62135596800;  // 0001-01-01T00:00:00Z
constexpr int64_t kMinTimeSeconds = -62167219200;   // 0000-01-01T00:00:00Z
constexpr int64_t kMaxTimeSeconds = 253402300799;   // 9999-12-31T23:59:59Z

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  out += text;
  out += '"';
}

void append_time(const meta::v1::Time& time, std::string& out) {
  if (!time.has_seconds()) {
    out += "null";
    return;
  }
  append_quoted(format_rfc3339(UnixTime{time.seconds(), 0}), out);
}

void append_micro_time(const meta::v1::MicroTime& time, std::string& out) {
  if (!time.has_seconds()) {
    out += "null";
    return;
  }
  append_quoted(format_rfc3339_micro(UnixTime{time.seconds(), time.nanos()}), out);
}

void append_int_or_string(const meta::v1::IntOrString& value, std::string& out) {
  if (value.type() == kStringType) {
    append_json_string(value.str_val(), out);
  } else {
    append_integer(value.int_val(), out);
  }
}

void append_raw(const std::string& json, std::string& out) {
  if (!append_compact_json(json, out)) {
    out += "null";
  }
}

// FieldsV1 and RawExtension: the bytes are the first field.
const google::protobuf::FieldDescriptor* raw_field(const Message& message) {
  return message.GetDescriptor()->field(0);
}

// Whether Kubernetes keeps the text as it is, for the amounts that nearly all objects have: up to
// five digits and a common suffix. Others go the long way.
bool is_plain_quantity(std::string_view text) {
  constexpr size_t kMaxDigits = 5;
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    ++digits;
  }
  std::string_view suffix = text.substr(digits);
  return digits > 0 && digits <= kMaxDigits &&
         (suffix.empty() || suffix == "m" || suffix == "Mi" || suffix == "Gi" || suffix == "Ki");
}

template <class T>
bool set_unix_time(T& time, UnixTime value) {
  if (value.seconds == kZeroTimeSeconds && value.nanos == 0) {
    time.Clear();
    return false;
  }
  time.set_seconds(value.seconds);
  if (value.nanos != 0) {
    time.set_nanos(value.nanos);
  } else {
    time.clear_nanos();
  }
  return true;
}

Result<void> check_time_range(int64_t seconds, int32_t nanos) {
  if (seconds < kMinTimeSeconds || seconds > kMaxTimeSeconds || nanos < 0 ||
      nanos >= kNanosPerSecond) {
    return fail(bad_request("time is outside the years 0 to 9999"));
  }
  return {};
}

template <class T>
Result<bool> canonicalize_time(T& time, bool keeps_nanos) {
  if (!time.has_nanos()) {
    if (!time.has_seconds()) {
      return false;
    }
    if (time.seconds() > kZeroTimeSeconds && time.seconds() <= kMaxTimeSeconds) {
      return true;  // as nearly all times are
    }
  }
  TRY_VOID(check_time_range(time.seconds(), time.nanos()));
  int32_t nanos = keeps_nanos ? time.nanos() / kNanosPerMicro * kNanosPerMicro : 0;
  return set_unix_time(time, {time.seconds(), nanos});
}

Result<bool> canonicalize_quantity(meta::v1::Quantity& quantity) {
  if (is_plain_quantity(quantity.string())) {
    return quantity.string() != "0";
  }
  const std::string text = quantity.string();
  return set_quantity(quantity, text.empty() ? "0" : text);
}

bool canonicalize_int_or_string(meta::v1::IntOrString& value) {
  if (value.type() == kStringType) {
    set_int_or_string(value, std::string(value.str_val()));
    return true;
  }
  set_int_or_string(value, value.int_val());
  return value.int_val() != 0;
}

}  // namespace

void append_integer(int64_t value, std::string& out) {
  std::array<char, 24> buffer;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), end.ptr);
}

void append_scalar_message(JsonKind kind, const Message& message, std::string& out) {
  switch (kind) {
    case JsonKind::time:
      append_time(as<meta::v1::Time>(message), out);
      return;
    case JsonKind::micro_time:
      append_micro_time(as<meta::v1::MicroTime>(message), out);
      return;
    case JsonKind::quantity: {
      const std::string& text = as<meta::v1::Quantity>(message).string();
      append_json_string(text.empty() ? "0" : text, out);
      return;
    }
    case JsonKind::int_or_string:
      append_int_or_string(as<meta::v1::IntOrString>(message), out);
      return;
    default: {
      std::string scratch;
      append_raw(message.GetReflection()->GetStringReference(message, raw_field(message), &scratch),
                 out);
    }
  }
}

bool is_zero_time(const Message& message, JsonKind kind) {
  return kind == JsonKind::time ? !as<meta::v1::Time>(message).has_seconds()
                                : !as<meta::v1::MicroTime>(message).has_seconds();
}

Result<bool> set_time_text(Message& message, JsonKind kind, std::string_view text) {
  if (kind == JsonKind::micro_time) {
    TRY(UnixTime time, parse_unix_rfc3339_micro(text));
    return set_unix_time(as<meta::v1::MicroTime>(message), time);
  }
  TRY(UnixTime time, parse_unix_rfc3339(text));
  return set_unix_time(as<meta::v1::Time>(message), {time.seconds, 0});
}

Result<bool> set_quantity(Message& message, std::string_view text) {
  auto& quantity = as<meta::v1::Quantity>(message);
  if (is_plain_quantity(text)) {
    quantity.set_string(text.data(), text.size());
  } else {
    TRY(Quantity parsed, Quantity::parse(trimmed(text, " \t\n\v\f\r")));
    quantity.set_string(parsed.to_string());
  }
  return quantity.string() != "0";
}

void set_int_or_string(Message& message, std::string_view text) {
  auto& value = as<meta::v1::IntOrString>(message);
  value.set_type(kStringType);
  value.clear_int_val();
  if (text.empty()) {
    value.clear_str_val();
  } else {
    value.set_str_val(text.data(), text.size());
  }
}

void set_int_or_string(Message& message, int32_t number) {
  auto& value = as<meta::v1::IntOrString>(message);
  value.clear_type();
  value.clear_str_val();
  if (number == 0) {
    value.clear_int_val();
  } else {
    value.set_int_val(number);
  }
}

void set_raw_json(Message& message, std::string json) {
  message.GetReflection()->SetString(&message, raw_field(message), std::move(json));
}

Result<bool> canonicalize_scalar_message(JsonKind kind, Message& message) {
  switch (kind) {
    case JsonKind::time:
      return canonicalize_time(as<meta::v1::Time>(message), false);
    case JsonKind::micro_time:
      return canonicalize_time(as<meta::v1::MicroTime>(message), true);
    case JsonKind::quantity:
      return canonicalize_quantity(as<meta::v1::Quantity>(message));
    case JsonKind::int_or_string:
      return canonicalize_int_or_string(as<meta::v1::IntOrString>(message));
    default:
      return true;
  }
}

}  // namespace windlass::api
