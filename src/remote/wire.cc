#include "remote/wire.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <charconv>

#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "schema/meta/v1/meta.pb.h"
#include "schema/meta/v1/status.pb.h"

namespace windlass::remote {
namespace {

// Of what a server says, so much is shown.
constexpr size_t kMaxShownMessage = 2048;
constexpr size_t kMaxShownName = 256;
constexpr size_t kMaxCauses = 16;

using StatusMessage = api::meta::v1::Status;

Status unreadable(const Status& why, const ServerText& text = {}) {
  return plain_error("the server's answer cannot be read: " +
                     text.shown(why.message, kMaxShownMessage));
}

struct Typed {
  api::TypeMeta type;
  std::string_view raw;  // of protobuf
};

// Which kind an answer is, before it is read as one.
Result<Typed> type_of(bool protobuf, std::string_view body) {
  if (!protobuf) {
    TRY(api::TypeMeta type, api::peek_json_type(body));
    return Typed{std::move(type), body};
  }
  TRY(api::Envelope envelope, api::open_envelope(body));
  return Typed{std::move(envelope.type), envelope.raw};
}

Result<void> read_into(bool protobuf, std::string_view raw, api::Message& out) {
  if (protobuf) {
    return api::decode_protobuf(raw, out);
  }
  TRY(const api::DecodedJson decoded, api::decode_json(raw, out));
  static_cast<void>(decoded);  // what a newer server says more is no problem
  return {};
}

Result<client::ObjectPtr> read_object(bool protobuf, std::string_view raw, const api::Kind& kind,
                                      const api::Outline* outline) {
  if (protobuf && outline != nullptr) {
    return api::decode_protobuf_object(api::apply_outline(raw, *outline), kind.prototype());
  }
  if (protobuf) {
    return api::decode_protobuf_object(raw, kind.prototype());
  }
  std::shared_ptr<api::Message> object = kind.make();
  TRY_VOID(read_into(false, raw, *object));
  return object;
}

Result<StatusMessage> read_status(bool protobuf, std::string_view body) {
  TRY(const Typed typed, type_of(protobuf, body));
  if (typed.type.kind != "Status") {
    return fail(plain_error(fmt::format("it is a {}, not a Status", typed.type.kind)));
  }
  StatusMessage message;
  TRY_VOID(read_into(protobuf, typed.raw, message));
  return message;
}

Status from_message(const StatusMessage& message, const ServerText& text) {
  const auto name = [&text](const std::string& said) { return text.shown(said, kMaxShownName); };
  const auto sentence = [&text](const std::string& said) {
    return text.shown(said, kMaxShownMessage);
  };
  Status status;
  status.code = message.code();
  status.reason = name(message.reason());
  status.message = sentence(message.message());
  const auto& details = message.details();
  status.details.name = name(details.name());
  status.details.group = name(details.group());
  status.details.kind = name(details.kind());
  status.details.uid = name(details.uid());
  status.details.retry_after_seconds = details.retry_after_seconds();
  for (const auto& cause : details.causes()) {
    if (status.details.causes.size() == kMaxCauses) {
      break;
    }
    status.details.causes.push_back(
        {name(cause.reason()), sentence(cause.message()), name(cause.field())});
  }
  return status;
}

// Moves the items out, one by one: a page is never there twice.
void take_items(api::Message& list, const api::Kind& kind, client::ObjectList& out) {
  const auto* items = list.GetDescriptor()->FindFieldByName("items");
  const google::protobuf::Reflection& reflection = *list.GetReflection();
  const int size = reflection.FieldSize(list, items);
  out.items.reserve(static_cast<size_t>(size));
  for (int i = 0; i < size; ++i) {
    std::shared_ptr<api::Message> item = kind.make();
    item->GetReflection()->Swap(item.get(), reflection.MutableRepeatedMessage(&list, items, i));
    out.items.push_back(std::move(item));
  }
}

}  // namespace

bool is_protobuf(const http::Headers& headers) {
  const auto type = http::find_header(headers, "Content-Type");
  return type && type->starts_with(kProtobufType);
}

Result<client::ObjectPtr> decode_object(bool protobuf, std::string_view body, const api::Kind& kind,
                                        const api::Outline* outline) {
  const auto typed = type_of(protobuf, body);
  if (!typed) {
    return fail(unreadable(typed.error()));
  }
  if (typed->type.kind == "Status" && kind.kind != "Status") {
    const auto status = read_status(protobuf, body);
    if (!status || status->status() != "Success") {
      return fail(unreadable(plain_error("a failure where an object was due")));
    }
    std::shared_ptr<api::Message> told = kind.make();
    api::mutable_metadata_of(*told).set_name(status->details().name());
    api::mutable_metadata_of(*told).set_uid(status->details().uid());
    return told;
  }
  if (typed->type.kind != kind.kind) {
    return fail(
        unreadable(plain_error(fmt::format("it is a {}, not a {}", typed->type.kind, kind.kind))));
  }
  auto object = read_object(protobuf, typed->raw, kind, outline);
  return object ? std::move(object) : fail(unreadable(object.error()));
}

Result<client::ObjectList> decode_list(bool protobuf, std::string_view body,
                                       const api::Kind& kind) {
  const auto typed = type_of(protobuf, body);
  if (!typed) {
    return fail(unreadable(typed.error()));
  }
  const std::unique_ptr<api::Message> list = kind.make_list();
  if (const auto read = read_into(protobuf, typed->raw, *list); !read) {
    return fail(unreadable(read.error()));
  }
  const auto* field = list->GetDescriptor()->FindFieldByName("metadata");
  const auto& metadata =
      static_cast<const api::meta::v1::ListMeta&>(list->GetReflection()->GetMessage(*list, field));
  client::ObjectList out;
  out.resource_version = metadata.resource_version();
  out.continue_token = metadata.continue_();
  take_items(*list, kind, out);
  return out;
}

Status decode_status(bool protobuf, std::string_view body, const ServerText& text) {
  const auto message = read_status(protobuf, body);
  return message ? from_message(*message, text) : unreadable(message.error(), text);
}

Status decode_error(int http_status, const http::Headers& headers, std::string_view body,
                    const ServerText& text) {
  Status status;
  if (const auto message = read_status(is_protobuf(headers), body)) {
    status = from_message(*message, text);
  } else {
    status.reason.clear();
    status.message = fmt::format("the server answered with status {} and no reason", http_status);
  }
  status.code = http_status;
  if (const auto told = http::find_header(headers, "Retry-After");
      told && status.details.retry_after_seconds == 0) {
    std::from_chars(told->data(), told->data() + told->size(), status.details.retry_after_seconds);
  }
  return status;
}

}  // namespace windlass::remote
