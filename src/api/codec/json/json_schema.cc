#include "api/codec/json/json_schema.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "base/check.h"
#include "base/json_writer.h"
#include "schema/options.pb.h"

namespace windlass::api {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MessageFactory;

JsonPresence presence_of(const FieldDescriptor& field) {
  switch (field.options().GetExtension(field_rule).presence()) {
    case POINTER:
      return JsonPresence::pointer;
    case ALWAYS:
      return JsonPresence::always;
    case NULLABLE:
      return JsonPresence::nullable;
    case OMIT_EMPTY:
      break;
  }
  return JsonPresence::omit_empty;
}

JsonKind message_kind(const Descriptor& message) {
  switch (message.options().GetExtension(type_rule).form()) {
    case TIME:
      return JsonKind::time;
    case MICRO_TIME:
      return JsonKind::micro_time;
    case QUANTITY:
      return JsonKind::quantity;
    case INT_OR_STRING:
      return JsonKind::int_or_string;
    case RAW_JSON:
      return JsonKind::raw_json;
    case OBJECT:
      break;
  }
  return JsonKind::object;
}

JsonKind kind_of(const FieldDescriptor& value) {
  switch (value.type()) {
    case FieldDescriptor::TYPE_BOOL:
      return JsonKind::boolean;
    case FieldDescriptor::TYPE_INT32:
      return JsonKind::int32;
    case FieldDescriptor::TYPE_INT64:
      return JsonKind::int64;
    case FieldDescriptor::TYPE_STRING:
      return JsonKind::string;
    case FieldDescriptor::TYPE_BYTES:
      return JsonKind::bytes;
    case FieldDescriptor::TYPE_MESSAGE:
      return message_kind(*value.message_type());
    default:
      check_failed(__FILE__, __LINE__, "a type the codec knows", value.full_name());
  }
}

// Compiles a struct and all that it reaches. Lives under the registry's lock.
class Compiler {
 public:
  using Structs = std::unordered_map<const Descriptor*, std::unique_ptr<JsonStruct>>;
  explicit Compiler(Structs& structs) : structs_(structs) {}

  const JsonStruct& compile(const Descriptor& descriptor) {
    std::unique_ptr<JsonStruct>& entry = structs_[&descriptor];
    if (entry) {
      return *entry;
    }
    entry = std::make_unique<JsonStruct>();
    JsonStruct& result = *entry;
    result.descriptor = &descriptor;
    for (int i = 0; i < descriptor.field_count(); ++i) {
      const FieldDescriptor& field = *descriptor.field(i);
      if (field.options().GetExtension(field_rule).inlined()) {
        add_inlined(field, result);
      } else {
        add_field(field, nullptr, result);
      }
    }
    result.index();
    return result;
  }

 private:
  static const google::protobuf::Message& prototype(const Descriptor& descriptor) {
    return *MessageFactory::generated_factory()->GetPrototype(&descriptor);
  }

  void add_inlined(const FieldDescriptor& descriptor, JsonStruct& to) {
    const Descriptor& inlined = *descriptor.message_type();
    to.holders.push_back(std::make_unique<JsonHolder>(
        JsonHolder{&descriptor, field_layout(descriptor), &prototype(inlined)}));
    for (int i = 0; i < inlined.field_count(); ++i) {
      const FieldDescriptor& field = *inlined.field(i);
      CHECK(!field.options().GetExtension(field_rule).inlined(), "inlined messages do not nest");
      add_field(field, to.holders.back().get(), to);
    }
  }

  void add_field(const FieldDescriptor& descriptor, const JsonHolder* holder, JsonStruct& to) {
    JsonField field;
    field.name = descriptor.json_name();
    field.key = ",";
    append_json_string(field.name, field.key);
    field.key += ':';
    field.presence = presence_of(descriptor);
    field.descriptor = &descriptor;
    field.holder = holder;
    field.layout = field_layout(descriptor);
    const FieldDescriptor* value = &descriptor;
    if (descriptor.is_map()) {
      field.shape = JsonShape::map;
      value = descriptor.message_type()->map_value();
    } else if (descriptor.is_repeated()) {
      field.shape = JsonShape::list;
    }
    field.kind = kind_of(*value);
    if (value->message_type() != nullptr) {
      field.prototype = &prototype(*value->message_type());
    }
    if (field.kind == JsonKind::object) {
      CHECK(field.shape != JsonShape::map, "the schema has no maps of objects");
      field.object = &compile(*value->message_type());
    }
    field.list_items = field.shape == JsonShape::list && field.name == "items" && is_list(to);
    field.index = static_cast<uint8_t>(to.fields.size());
    append(std::move(field), to);
  }

  static bool is_list(const JsonStruct& parent) {
    return !parent.fields.empty() && parent.fields[0].object != nullptr &&
           parent.fields[0].object->descriptor->name() == "ListMeta";
  }

  static void append(JsonField field, JsonStruct& to) {
    size_t index = to.fields.size();
    CHECK(index < JsonStruct::kMaxFields, to.descriptor->full_name());
    if (to.groups.empty() || to.groups.back().holder != field.holder) {
      to.groups.push_back({.holder = field.holder, .begin = index, .end = index});
    }
    ++to.groups.back().end;
    to.fields.push_back(std::move(field));
  }

  Structs& structs_;
};

struct Registry {
  std::shared_mutex mutex;
  Compiler::Structs structs;
};

}  // namespace

size_t JsonStruct::slot_of(std::string_view name) {
  // Names differ early or late; both ends and the length tell nearly all apart.
  uint64_t head = 0;
  uint64_t tail = 0;
  size_t length = name.size();
  size_t taken = length < sizeof head ? length : sizeof head;
  if (taken == 0) {
    return 0;  // an empty view may point nowhere
  }
  std::memcpy(&head, name.data(), taken);
  std::memcpy(&tail, name.data() + (length - taken), taken);
  uint64_t mixed = (head ^ (tail * 0x9e3779b97f4a7c15U) ^ length) * 0xff51afd7ed558ccdU;
  return mixed >> 56;
}

namespace {

void add_presence(const JsonField& field, std::vector<PresenceWord>& words) {
  auto word = std::find_if(words.begin(), words.end(), [&](const PresenceWord& known) {
    return known.offset == field.layout.has_offset;
  });
  if (word == words.end()) {
    word = words.insert(word, PresenceWord{.offset = field.layout.has_offset});
  }
  word->used |= field.layout.has_mask;
  if (field.prototype != nullptr || field.zero_is_absent()) {
    word->checked |= field.layout.has_mask;
  }
  word->field[static_cast<size_t>(std::countr_zero(field.layout.has_mask))] = field.index;
}

}  // namespace

void JsonStruct::index() {
  index_names();
  for (JsonGroup& group : groups) {
    for (size_t i = group.begin; i < group.end; ++i) {
      const JsonField& field = fields[i];
      if (field.shape == JsonShape::single) {
        add_presence(field, group.words);
      } else if (field.prototype != nullptr) {
        (field.shape == JsonShape::list ? group.lists : group.maps).push_back(field.index);
      }
    }
  }
}

void JsonStruct::index_names() {
  for (const JsonField& field : fields) {
    size_t slot = slot_of(field.name);
    while (slots_[slot] != 0) {
      CHECK(fields[slots_[slot] - 1U].name != field.name, "two fields with one JSON name");
      slot = (slot + 1) % kSlots;
    }
    slots_[slot] = static_cast<uint8_t>(field.index + 1);
  }
}

const JsonField* JsonStruct::find(std::string_view name, size_t expected) const {
  if (expected < fields.size() && fields[expected].name == name) {
    return &fields[expected];
  }
  for (size_t slot = slot_of(name); slots_[slot] != 0; slot = (slot + 1) % kSlots) {
    const JsonField& field = fields[slots_[slot] - 1U];
    if (field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

const JsonStruct& json_struct(const Descriptor& descriptor) {
  static Registry& registry = *new Registry;
  {
    std::shared_lock lock(registry.mutex);
    auto found = registry.structs.find(&descriptor);
    if (found != registry.structs.end()) {
      return *found->second;
    }
  }
  std::unique_lock lock(registry.mutex);
  return Compiler(registry.structs).compile(descriptor);
}

}  // namespace windlass::api
