#include "api/json_reader.h"

#include <fmt/format.h>
#include <google/protobuf/map.h>
#include <google/protobuf/message.h>
#include <simdjson.h>

#include <algorithm>
#include <bitset>
#include <limits>

#include "api/base64.h"
#include "api/json.h"
#include "api/json_path.h"
#include "api/json_scalars.h"
#include "api/json_schema.h"
#include "api/message_layout.h"
#include "api/protobuf.h"
#include "base/nearest.h"
#include "schema/meta/v1/quantity.pb.h"
#include "schema/meta/v1/time.pb.h"

namespace windlass::api {
namespace {

using google::protobuf::Map;
using simdjson::dom::element;
using simdjson::dom::element_type;

// What reading a value left behind in the message.
enum class Outcome { failed, nothing, something };

Outcome filled(bool something) {
  return something ? Outcome::something : Outcome::nothing;
}

class JsonReader {
 public:
  JsonReader(std::string_view text, DecodedJson& result) : text_(text), result_(result) {}

  bool read_document(element root, Message& out) {
    const JsonStruct& shape = json_struct(*out.GetDescriptor());
    simdjson::dom::object object;
    if (root.get(object) != simdjson::SUCCESS) {
      mismatch(nullptr, describe_json(root), "v1." + out.GetDescriptor()->name());
      return false;
    }
    if (read_object(object, shape, out, nullptr, &result_.type) == Outcome::failed) {
      return false;
    }
    if (saw_duplicate_) {
      // What a later value replaced may have left an empty struct behind.
      canonicalize(out);
    }
    return true;
  }

  const Status& error() const { return error_; }

 private:
  // `type_meta` is where apiVersion and kind go in an object that may have them.
  Outcome read_object(simdjson::dom::object object, const JsonStruct& shape, Message& message,
                      const JsonFrame* at, TypeMeta* type_meta) {
    std::bitset<JsonStruct::kMaxFields> seen;
    size_t expected = 0;
    bool something = false;
    for (auto [key, value] : object) {
      const JsonField* field = shape.find(key, expected);
      if (field == nullptr) {
        if (!read_type_meta(key, value, shape, type_meta, at)) {
          return Outcome::failed;
        }
        continue;
      }
      expected = field->index + 1U;
      JsonFrame frame{at, JsonFrame::Type::field, field->name, 0, &shape};
      if (seen[field->index]) {
        report(FieldProblem::Type::duplicate, path_text(&frame), {});
        owner_of(*field, message)
            .GetReflection()
            ->ClearField(&owner_of(*field, message), field->descriptor);
        saw_duplicate_ = true;
      }
      seen.set(field->index);
      if (value.is_null()) {
        continue;
      }
      Outcome outcome = read_field(*field, value, message, &frame);
      if (outcome == Outcome::failed) {
        return outcome;
      }
      something = something || outcome == Outcome::something;
    }
    return filled(something);
  }

  // A member that is no field: apiVersion and kind where they belong, else an unknown one.
  bool read_type_meta(std::string_view key, element value, const JsonStruct& shape,
                      TypeMeta* type_meta, const JsonFrame* at) {
    std::string* to = nullptr;
    if (type_meta != nullptr && key == "apiVersion") {
      to = &type_meta->api_version;
    } else if (type_meta != nullptr && key == "kind") {
      to = &type_meta->kind;
    }
    if (to == nullptr) {
      if (result_.problems.size() >= kMaxFieldProblems) {
        return true;
      }
      report(FieldProblem::Type::unknown, path_text(at, key), suggest(shape, key));
      return true;
    }
    std::string_view text;
    if (!value.is_null() && value.get(text) != simdjson::SUCCESS) {
      JsonFrame frame{at, JsonFrame::Type::field, key, 0, &shape};
      mismatch(&frame, describe_json(value), "string");
      return false;
    }
    if (!to->empty()) {
      report(FieldProblem::Type::duplicate, path_text(at, key), {});
    }
    to->assign(text);
    return true;
  }

  static std::string suggest(const JsonStruct& shape, std::string_view key) {
    std::vector<std::string_view> names;
    names.reserve(shape.fields.size());
    for (const JsonField& field : shape.fields) {
      names.push_back(field.name);
    }
    return std::string(nearest_name(key, names).value_or(""));
  }

  void report(FieldProblem::Type type, std::string path, std::string suggestion) {
    FieldProblem problem{type, std::move(path), std::move(suggestion)};
    std::vector<FieldProblem>& problems = result_.problems;
    if (problems.size() < kMaxFieldProblems &&
        std::find(problems.begin(), problems.end(), problem) == problems.end()) {
      problems.push_back(std::move(problem));
    }
  }

  // The message that really has the field; an inlined one is made when it is needed.
  static Message& owner_of(const JsonField& field, Message& message) {
    return field.holder == nullptr
               ? message
               : *message.GetReflection()->MutableMessage(&message, field.holder);
  }

  Outcome read_field(const JsonField& field, element value, Message& message, const JsonFrame* at) {
    switch (field.shape) {
      case JsonShape::single:
        return field.kind < JsonKind::object ? read_scalar(field, value, message, at)
                                             : read_single_message(field, value, message, at);
      case JsonShape::list:
        return read_list(field, value, message, at);
      case JsonShape::map:
        break;
    }
    return read_map(field, value, message, at);
  }

  Outcome read_scalar(const JsonField& field, element value, Message& message,
                      const JsonFrame* at) {
    const google::protobuf::Reflection& reflection = *field.reflection;
    bool zero_is_absent = field.zero_is_absent();
    switch (field.kind) {
      case JsonKind::boolean: {
        bool truth = false;
        if (!get_bool(field, value, truth, at)) {
          return Outcome::failed;
        }
        if (zero_is_absent && !truth) {
          return Outcome::nothing;
        }
        reflection.SetBool(&owner_of(field, message), field.descriptor, truth);
        return Outcome::something;
      }
      case JsonKind::int32:
      case JsonKind::int64: {
        int64_t number = 0;
        if (!get_integer(field, value, number, at)) {
          return Outcome::failed;
        }
        if (zero_is_absent && number == 0) {
          return Outcome::nothing;
        }
        if (field.kind == JsonKind::int32) {
          reflection.SetInt32(&owner_of(field, message), field.descriptor,
                              static_cast<int32_t>(number));
        } else {
          reflection.SetInt64(&owner_of(field, message), field.descriptor, number);
        }
        return Outcome::something;
      }
      default: {
        std::string text;
        if (!get_text(field, value, text, at)) {
          return Outcome::failed;
        }
        if (zero_is_absent && text.empty()) {
          return Outcome::nothing;
        }
        reflection.SetString(&owner_of(field, message), field.descriptor, std::move(text));
        return Outcome::something;
      }
    }
  }

  Outcome read_single_message(const JsonField& field, element value, Message& message,
                              const JsonFrame* at) {
    Message& owner = owner_of(field, message);
    Message& made = *field.reflection->MutableMessage(&owner, field.descriptor);
    Outcome outcome = read_message(field, value, made, at);
    if (outcome == Outcome::nothing && field.zero_is_absent()) {
      field.reflection->ClearField(&owner, field.descriptor);
      if (field.holder != nullptr && owner.ByteSizeLong() == 0) {
        message.GetReflection()->ClearField(&message, field.holder);
      }
      return Outcome::nothing;
    }
    return outcome == Outcome::failed ? outcome : Outcome::something;
  }

  Outcome read_message(const JsonField& field, element value, Message& message,
                       const JsonFrame* at) {
    if (field.kind == JsonKind::object) {
      simdjson::dom::object object;
      if (value.get(object) != simdjson::SUCCESS) {
        return mismatch(at, describe_json(value), go_item_type_of(field));
      }
      TypeMeta ignored;
      return read_object(object, *field.object, message, at, field.list_items ? &ignored : nullptr);
    }
    return read_scalar_message(field, value, message, at);
  }

  Outcome read_list(const JsonField& field, element value, Message& message, const JsonFrame* at) {
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS) {
      return mismatch(at, describe_json(value), go_type_of(field));
    }
    JsonFrame frame{at, JsonFrame::Type::item, {}, 0, nullptr};
    for (element item : array) {
      if (!read_item(field, item, owner_of(field, message), &frame)) {
        return Outcome::failed;
      }
      ++frame.index;
    }
    return filled(frame.index > 0);
  }

  // null is a zero item, as in Go.
  bool read_item(const JsonField& field, element item, Message& owner, const JsonFrame* at) {
    const google::protobuf::Reflection& reflection = *field.reflection;
    bool is_null = item.is_null();
    switch (field.kind) {
      case JsonKind::boolean: {
        bool truth = false;
        bool ok = is_null || get_bool(field, item, truth, at);
        reflection.AddBool(&owner, field.descriptor, truth);
        return ok;
      }
      case JsonKind::int32:
      case JsonKind::int64: {
        int64_t number = 0;
        bool ok = is_null || get_integer(field, item, number, at);
        if (field.kind == JsonKind::int32) {
          reflection.AddInt32(&owner, field.descriptor, static_cast<int32_t>(number));
        } else {
          reflection.AddInt64(&owner, field.descriptor, number);
        }
        return ok;
      }
      case JsonKind::string:
      case JsonKind::bytes: {
        std::string text;
        bool ok = is_null || get_text(field, item, text, at);
        reflection.AddString(&owner, field.descriptor, std::move(text));
        return ok;
      }
      default: {
        Message* made = field.prototype->New(owner.GetArena());
        reflection.UnsafeArenaAddAllocatedMessage(&owner, field.descriptor, made);
        return is_null || read_message(field, item, *made, at) != Outcome::failed;
      }
    }
  }

  Outcome read_map(const JsonField& field, element value, Message& message, const JsonFrame* at) {
    simdjson::dom::object object;
    if (value.get(object) != simdjson::SUCCESS) {
      return mismatch(at, describe_json(value), go_type_of(field));
    }
    if (object.size() == 0) {
      return Outcome::nothing;
    }
    Message& owner = owner_of(field, message);
    switch (field.kind) {
      case JsonKind::string:
      case JsonKind::bytes:
        return read_entries(field, object, mutable_map_of<std::string>(owner, *field.descriptor),
                            at);
      case JsonKind::quantity:
        return read_entries(field, object,
                            mutable_map_of<meta::v1::Quantity>(owner, *field.descriptor), at);
      default:
        return read_entries(field, object, mutable_map_of<meta::v1::Time>(owner, *field.descriptor),
                            at);
    }
  }

  template <class T>
  Outcome read_entries(const JsonField& field, simdjson::dom::object object,
                       Map<std::string, T>& map, const JsonFrame* at) {
    for (auto [key, value] : object) {
      JsonFrame frame{at, JsonFrame::Type::map_key, key, 0, nullptr};
      size_t before = map.size();
      T& slot = map[std::string(key)];
      if (map.size() == before) {
        report(FieldProblem::Type::duplicate, path_text(&frame), {});
        slot = T();
      }
      if (!value.is_null() && !read_entry(field, value, slot, &frame)) {
        return Outcome::failed;
      }
    }
    return Outcome::something;
  }

  bool read_entry(const JsonField& field, element value, std::string& slot, const JsonFrame* at) {
    return get_text(field, value, slot, at);
  }
  bool read_entry(const JsonField& field, element value, Message& slot, const JsonFrame* at) {
    return read_message(field, value, slot, at) != Outcome::failed;
  }

  bool get_bool(const JsonField& field, element value, bool& truth, const JsonFrame* at) {
    return value.get(truth) == simdjson::SUCCESS ||
           mismatch(at, describe_json(value), go_item_type_of(field)) != Outcome::failed;
  }

  bool get_integer(const JsonField& field, element value, int64_t& number, const JsonFrame* at) {
    bool narrow = field.kind != JsonKind::int64;
    if (value.get(number) == simdjson::SUCCESS &&
        (!narrow || (number >= std::numeric_limits<int32_t>::min() &&
                     number <= std::numeric_limits<int32_t>::max()))) {
      return true;
    }
    std::string what(describe_json(value));
    if (what == "number") {
      what += " " + number_at(text_, at);
    }
    mismatch(at, what, go_item_type_of(field));
    return false;
  }

  // A string, or the bytes that it stands for.
  bool get_text(const JsonField& field, element value, std::string& text, const JsonFrame* at) {
    std::string_view view;
    if (value.get(view) != simdjson::SUCCESS) {
      mismatch(at, describe_json(value), go_item_type_of(field));
      return false;
    }
    if (field.kind != JsonKind::bytes) {
      text.assign(view);
      return true;
    }
    if (std::optional<Base64Error> error = decode_base64(view, text)) {
      fail_at(at, fmt::format("illegal base64 data at input byte {}", error->offset));
      return false;
    }
    return true;
  }

  Outcome read_scalar_message(const JsonField& field, element value, Message& message,
                              const JsonFrame* at) {
    switch (field.kind) {
      case JsonKind::raw_json:
        set_raw_json(message, simdjson::minify(value));
        return Outcome::something;
      case JsonKind::int_or_string:
        return read_int_or_string(field, value, message, at);
      case JsonKind::quantity:
        return read_quantity(value, message, at);
      default:
        return read_time(field, value, message, at);
    }
  }

  Outcome read_int_or_string(const JsonField& field, element value, Message& message,
                             const JsonFrame* at) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) {
      set_int_or_string(message, text);
      return Outcome::something;
    }
    int64_t number = 0;
    if (!get_integer(field, value, number, at)) {
      return Outcome::failed;
    }
    set_int_or_string(message, static_cast<int32_t>(number));
    return filled(number != 0);
  }

  // Kubernetes takes any JSON value by its text, and only numbers and strings can be right.
  Outcome read_quantity(element value, Message& message, const JsonFrame* at) {
    std::string literal;
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) {
      literal = value.is_number() ? number_text(value, at) : std::string(describe_json(value));
      text = literal;
    }
    Result<bool> non_zero = set_quantity(message, text);
    if (!non_zero) {
      return fail_at(at, non_zero.error().message);
    }
    return filled(*non_zero);
  }

  std::string number_text(element value, const JsonFrame* at) const {
    int64_t number = 0;
    return value.get(number) == simdjson::SUCCESS ? std::to_string(number) : number_at(text_, at);
  }

  Outcome read_time(const JsonField& field, element value, Message& message, const JsonFrame* at) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) {
      return mismatch(at, describe_json(value), go_item_type_of(field));
    }
    Result<bool> non_zero = set_time_text(message, field.kind, text);
    if (!non_zero) {
      return fail_at(at, non_zero.error().message);
    }
    return filled(*non_zero);
  }

  Outcome mismatch(const JsonFrame* at, std::string_view what, std::string_view go_type) {
    return fail_at(at, type_mismatch_text(at, what, go_type));
  }

  Outcome fail_at(const JsonFrame* at, std::string message) {
    error_ = bad_request(std::move(message));
    if (at != nullptr) {
      error_.details.causes.push_back({"", error_.message, path_text(at)});
    }
    return Outcome::failed;
  }

  std::string_view text_;
  DecodedJson& result_;
  Status error_;
  bool saw_duplicate_ = false;
};

}  // namespace

std::string_view describe_json(const element& value) {
  switch (value.type()) {
    case element_type::ARRAY:
      return "array";
    case element_type::OBJECT:
      return "object";
    case element_type::STRING:
      return "string";
    case element_type::BOOL:
      return "bool";
    case element_type::NULL_VALUE:
      return "null";
    default:
      return "number";
  }
}

Result<DecodedJson> read_json(std::string_view text, const element& root, Message& out) {
  DecodedJson result;
  JsonReader reader(text, result);
  if (!reader.read_document(root, out)) {
    return fail(reader.error());
  }
  return result;
}

}  // namespace windlass::api
