#include "api/codec/json/json_reader.h"

#include <fmt/format.h>
#include <google/protobuf/map.h>
#include <google/protobuf/message.h>
#include <simdjson.h>

#include <algorithm>
#include <bitset>
#include <limits>

#include "api/codec/base64.h"
#include "api/codec/json/json.h"
#include "api/codec/json/json_path.h"
#include "api/codec/json/json_scalars.h"
#include "api/codec/json/json_schema.h"
#include "api/codec/json/json_sources.h"
#include "api/codec/json/json_tree.h"
#include "api/codec/message_layout.h"
#include "api/codec/protobuf.h"
#include "base/nearest.h"
#include "schema/meta/v1/quantity.pb.h"
#include "schema/meta/v1/time.pb.h"

namespace windlass::api {
namespace {

using google::protobuf::Map;

// The effect of reading a value on the message.
enum class ReadResult { failed, nothing, something };

ReadResult filled(bool something) {
  return something ? ReadResult::something : ReadResult::nothing;
}

// Element is one of json_sources.h.
template <class Element>
class JsonReader {
 public:
  using Object = typename Element::Object;
  using Array = typename Element::Array;

  // `text` is what the elements were parsed from, if they were.
  JsonReader(std::string_view text, DecodedJson& result) : text_(text), result_(result) {}

  bool read_document(Element root, Message& out) {
    const JsonStruct& shape = json_struct(*out.GetDescriptor());
    Object object;
    if (root.get(object) != simdjson::SUCCESS) {
      mismatch(nullptr, describe_json(root), "v1." + out.GetDescriptor()->name());
      return false;
    }
    if (read_object(object, shape, out, nullptr, &result_.type) == ReadResult::failed) {
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
  ReadResult read_object(Object object, const JsonStruct& shape, Message& message,
                         const JsonFrame* at, TypeMeta* type_meta) {
    std::bitset<JsonStruct::kMaxFields> seen;
    size_t expected = 0;
    bool something = false;
    for (const auto& [key, entry] : object) {
      const Element value(entry);
      const JsonField* field = shape.find(key, expected);
      if (field == nullptr) {
        if (!read_type_meta(key, value, shape, type_meta, at)) {
          return ReadResult::failed;
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
      ReadResult outcome = read_field(*field, value, message, &frame);
      if (outcome == ReadResult::failed) {
        return outcome;
      }
      something = something || outcome == ReadResult::something;
    }
    return filled(something);
  }

  // A member that is no field: apiVersion and kind where they belong, else an unknown one.
  bool read_type_meta(std::string_view key, Element value, const JsonStruct& shape,
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
               : mutable_message_at(message, field.holder->layout, *field.holder->prototype);
  }

  static void clear(const JsonField& field, Message& owner) {
    owner.GetReflection()->ClearField(&owner, field.descriptor);
  }

  ReadResult read_field(const JsonField& field, Element value, Message& message,
                        const JsonFrame* at) {
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

  ReadResult read_scalar(const JsonField& field, Element value, Message& message,
                         const JsonFrame* at) {
    bool zero_is_absent = field.zero_is_absent();
    switch (field.kind) {
      case JsonKind::boolean: {
        bool truth = false;
        if (!get_bool(field, value, truth, at)) {
          return ReadResult::failed;
        }
        if (zero_is_absent && !truth) {
          return ReadResult::nothing;
        }
        set_value_at(owner_of(field, message), field.layout, truth);
        return ReadResult::something;
      }
      case JsonKind::int32:
      case JsonKind::int64: {
        int64_t number = 0;
        if (!get_integer(field, value, number, at)) {
          return ReadResult::failed;
        }
        if (zero_is_absent && number == 0) {
          return ReadResult::nothing;
        }
        if (field.kind == JsonKind::int32) {
          set_value_at(owner_of(field, message), field.layout, static_cast<int32_t>(number));
        } else {
          set_value_at(owner_of(field, message), field.layout, number);
        }
        return ReadResult::something;
      }
      default: {
        std::string_view text;
        if (!get_string(field, value, text, at)) {
          return ReadResult::failed;
        }
        if (zero_is_absent && text.empty()) {
          return ReadResult::nothing;
        }
        bool ok =
            assign(field, text, mutable_string_at(owner_of(field, message), field.layout), at);
        return ok ? ReadResult::something : ReadResult::failed;
      }
    }
  }

  ReadResult read_single_message(const JsonField& field, Element value, Message& message,
                                 const JsonFrame* at) {
    Message& owner = owner_of(field, message);
    Message& made = mutable_message_at(owner, field.layout, *field.prototype);
    ReadResult outcome = read_message(field, value, made, at);
    if (outcome == ReadResult::nothing && field.zero_is_absent()) {
      clear(field, owner);
      if (field.holder != nullptr && owner.ByteSizeLong() == 0) {
        message.GetReflection()->ClearField(&message, field.holder->descriptor);
      }
      return ReadResult::nothing;
    }
    return outcome == ReadResult::failed ? outcome : ReadResult::something;
  }

  ReadResult read_message(const JsonField& field, Element value, Message& message,
                          const JsonFrame* at) {
    if (field.kind == JsonKind::object) {
      Object object;
      if (value.get(object) != simdjson::SUCCESS) {
        return mismatch(at, describe_json(value), go_item_type_of(field));
      }
      TypeMeta ignored;
      return read_object(object, *field.object, message, at, field.list_items ? &ignored : nullptr);
    }
    return read_scalar_message(field, value, message, at);
  }

  ReadResult read_list(const JsonField& field, Element value, Message& message,
                       const JsonFrame* at) {
    Array array;
    if (value.get(array) != simdjson::SUCCESS) {
      return mismatch(at, describe_json(value), go_type_of(field));
    }
    JsonFrame frame{at, JsonFrame::Type::item, {}, 0, nullptr};
    for (const auto& item : array) {
      if (!read_item(field, Element(item), owner_of(field, message), &frame)) {
        return ReadResult::failed;
      }
      ++frame.index;
    }
    return filled(frame.index > 0);
  }

  // null is a zero item, as in Go.
  bool read_item(const JsonField& field, Element item, Message& owner, const JsonFrame* at) {
    bool is_null = item.is_null();
    switch (field.kind) {
      case JsonKind::boolean: {
        bool truth = false;
        bool ok = is_null || get_bool(field, item, truth, at);
        add_value_at(owner, field.layout, truth);
        return ok;
      }
      case JsonKind::int32:
      case JsonKind::int64: {
        int64_t number = 0;
        bool ok = is_null || get_integer(field, item, number, at);
        if (field.kind == JsonKind::int32) {
          add_value_at(owner, field.layout, static_cast<int32_t>(number));
        } else {
          add_value_at(owner, field.layout, number);
        }
        return ok;
      }
      case JsonKind::string:
      case JsonKind::bytes: {
        std::string& text = add_string_at(owner, field.layout);
        return is_null || get_text(field, item, text, at);
      }
      default: {
        Message& made = add_message_at(owner, field.layout, *field.prototype);
        return is_null || read_message(field, item, made, at) != ReadResult::failed;
      }
    }
  }

  ReadResult read_map(const JsonField& field, Element value, Message& message,
                      const JsonFrame* at) {
    Object object;
    if (value.get(object) != simdjson::SUCCESS) {
      return mismatch(at, describe_json(value), go_type_of(field));
    }
    if (object.size() == 0) {
      return ReadResult::nothing;
    }
    Message& owner = owner_of(field, message);
    switch (field.kind) {
      case JsonKind::string:
      case JsonKind::bytes:
        return read_entries(field, object, mutable_map_at<std::string>(owner, field.layout), at);
      case JsonKind::quantity:
        return read_entries(field, object, mutable_map_at<meta::v1::Quantity>(owner, field.layout),
                            at);
      default:
        return read_entries(field, object, mutable_map_at<meta::v1::Time>(owner, field.layout), at);
    }
  }

  template <class T>
  ReadResult read_entries(const JsonField& field, Object object, Map<std::string, T>& map,
                          const JsonFrame* at) {
    for (const auto& [key, entry] : object) {
      const Element value(entry);
      JsonFrame frame{at, JsonFrame::Type::map_key, key, 0, nullptr};
      size_t before = map.size();
      T& slot = map[std::string(key)];
      if (map.size() == before) {
        report(FieldProblem::Type::duplicate, path_text(&frame), {});
        slot = T();
      }
      if (!value.is_null() && !read_entry(field, value, slot, &frame)) {
        return ReadResult::failed;
      }
    }
    return ReadResult::something;
  }

  bool read_entry(const JsonField& field, Element value, std::string& slot, const JsonFrame* at) {
    return get_text(field, value, slot, at);
  }
  bool read_entry(const JsonField& field, Element value, Message& slot, const JsonFrame* at) {
    return read_message(field, value, slot, at) != ReadResult::failed;
  }

  bool get_bool(const JsonField& field, Element value, bool& truth, const JsonFrame* at) {
    return value.get(truth) == simdjson::SUCCESS ||
           mismatch(at, describe_json(value), go_item_type_of(field)) != ReadResult::failed;
  }

  bool get_integer(const JsonField& field, Element value, int64_t& number, const JsonFrame* at) {
    bool narrow = field.kind != JsonKind::int64;
    if (value.get(number) == simdjson::SUCCESS &&
        (!narrow || (number >= std::numeric_limits<int32_t>::min() &&
                     number <= std::numeric_limits<int32_t>::max()))) {
      return true;
    }
    std::string what(describe_json(value));
    if (what == "number") {
      what += " " + number_literal(value, text_, at);
    }
    mismatch(at, what, go_item_type_of(field));
    return false;
  }

  bool get_string(const JsonField& field, Element value, std::string_view& text,
                  const JsonFrame* at) {
    return value.get(text) == simdjson::SUCCESS ||
           mismatch(at, describe_json(value), go_item_type_of(field)) != ReadResult::failed;
  }

  // The text, or the bytes that it stands for.
  bool assign(const JsonField& field, std::string_view text, std::string& to, const JsonFrame* at) {
    if (field.kind != JsonKind::bytes) {
      to.assign(text);
      return true;
    }
    std::optional<Base64Error> error = decode_base64(text, to);
    return !error || fail_at(at, fmt::format("illegal base64 data at input byte {}",
                                             error->offset)) != ReadResult::failed;
  }

  bool get_text(const JsonField& field, Element value, std::string& to, const JsonFrame* at) {
    std::string_view text;
    return get_string(field, value, text, at) && assign(field, text, to, at);
  }

  ReadResult read_scalar_message(const JsonField& field, Element value, Message& message,
                                 const JsonFrame* at) {
    switch (field.kind) {
      case JsonKind::raw_json:
        set_raw_json(message, compact_json(value));
        return ReadResult::something;
      case JsonKind::int_or_string:
        return read_int_or_string(field, value, message, at);
      case JsonKind::quantity:
        return read_quantity(value, message, at);
      default:
        return read_time(field, value, message, at);
    }
  }

  ReadResult read_int_or_string(const JsonField& field, Element value, Message& message,
                                const JsonFrame* at) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) {
      set_int_or_string(message, text);
      return ReadResult::something;
    }
    int64_t number = 0;
    if (!get_integer(field, value, number, at)) {
      return ReadResult::failed;
    }
    set_int_or_string(message, static_cast<int32_t>(number));
    return filled(number != 0);
  }

  // Kubernetes takes any JSON value by its text, and only numbers and strings can be right.
  ReadResult read_quantity(Element value, Message& message, const JsonFrame* at) {
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

  std::string number_text(Element value, const JsonFrame* at) const {
    int64_t number = 0;
    return value.get(number) == simdjson::SUCCESS ? std::to_string(number)
                                                  : number_literal(value, text_, at);
  }

  ReadResult read_time(const JsonField& field, Element value, Message& message,
                       const JsonFrame* at) {
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

  ReadResult mismatch(const JsonFrame* at, std::string_view what, std::string_view go_type) {
    return fail_at(at, type_mismatch_text(at, what, go_type));
  }

  ReadResult fail_at(const JsonFrame* at, std::string message) {
    error_ = bad_request(std::move(message));
    if (at != nullptr) {
      error_.details.causes.push_back({"", error_.message, path_text(at)});
    }
    return ReadResult::failed;
  }

  std::string_view text_;
  DecodedJson& result_;
  Status error_;
  bool saw_duplicate_ = false;
};

template <class Element>
Result<DecodedJson> read_elements(std::string_view text, Element root, Message& out) {
  DecodedJson result;
  JsonReader<Element> reader(text, result);
  if (!reader.read_document(root, out)) {
    return fail(reader.error());
  }
  return result;
}

}  // namespace

Result<DecodedJson> read_json(std::string_view text, const simdjson::dom::element& root,
                              Message& out) {
  return read_elements(text, DomElement(root), out);
}

Result<DecodedJson> decode_json_tree(const JsonValue& tree, Message& out) {
  return read_elements("", TreeElement(tree), out);
}

std::string_view describe_json(const simdjson::dom::element& value) {
  using simdjson::dom::element_type;
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

}  // namespace windlass::api
