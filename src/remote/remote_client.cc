#include "remote/remote_client.h"

#include <google/protobuf/message.h>

#include <utility>

#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "remote/wire.h"
#include "schema/core/v1/binding.pb.h"
#include "schema/meta/v1/options.pb.h"

namespace windlass::remote {
namespace {

using client::Done;
using client::ObjectPtr;
using client::ObjectRef;

HttpRequest reading(bool json, std::string target) {
  HttpRequest request;
  request.target = std::move(target);
  request.accept = json ? kJsonType : kAccept;
  return request;
}

HttpRequest writing(bool json, std::string_view method, std::string target, std::string_view type,
                    std::string body) {
  HttpRequest request = reading(json, std::move(target));
  request.method = method;
  request.content_type = type;
  request.body = std::move(body);
  return request;
}

// With a message in its body.
HttpRequest writing_message(bool json, std::string_view method, std::string target,
                            const api::TypeMeta& type, const api::Message& message) {
  return json ? writing(true, method, std::move(target), kJsonType, api::to_json(message, type))
              : writing(false, method, std::move(target), kProtobufType,
                        api::seal_envelope(type, message));
}

// Who writes events decides what becomes of those that are not taken (client/event_recorder.h).
bool is_best_effort(const api::Kind& kind) {
  return kind.plural == "events";
}

std::string_view patch_content_type(client::PatchType type) {
  switch (type) {
    case client::PatchType::json:
      return "application/json-patch+json";
    case client::PatchType::merge:
      return "application/merge-patch+json";
    case client::PatchType::strategic:
      return "application/strategic-merge-patch+json";
    default:
      return "application/apply-patch+yaml";
  }
}

// Whom an object is made for: the one that controls it, or else all of its kind.
std::string owner_of(const api::Message& object, const api::Kind& kind) {
  for (const auto& owner : api::metadata_of(object).owner_references()) {
    if (owner.controller()) {
      return owner.uid();
    }
  }
  return std::string(kind.plural);
}

api::meta::v1::DeleteOptions delete_message(const client::DeleteOptions& options) {
  api::meta::v1::DeleteOptions message;
  if (options.grace_period_seconds) {
    message.set_grace_period_seconds(*options.grace_period_seconds);
  }
  if (!options.propagation_policy.empty()) {
    message.set_propagation_policy(options.propagation_policy);
  }
  if (options.preconditions.uid) {
    message.mutable_preconditions()->set_uid(*options.preconditions.uid);
  }
  if (options.preconditions.resource_version) {
    message.mutable_preconditions()->set_resource_version(*options.preconditions.resource_version);
  }
  return message;
}

}  // namespace

RemoteClient::RemoteClient(Transport& transport, env::Random& random,
                           std::function<bool()> may_write)
    : transport_(transport), random_(random), may_write_(std::move(may_write)) {}

RemoteClient::~RemoteClient() = default;

void RemoteClient::send(MakeRequest make, std::function<void(Result<HttpAnswer>)> done) {
  const bool json = json_only_;
  HttpRequest request = make(json);
  if (request.method != "GET") {
    request.may_send = may_write_;
  }
  const bool sends_protobuf = request.content_type == kProtobufType;
  transport_.send(std::move(request),
                  self_.bind([json, sends_protobuf, make = std::move(make), done = std::move(done)](
                                 RemoteClient& self, Result<HttpAnswer> answer) {
                    const int status = answer ? answer->status : 0;
                    // Both are said before anything is done: the request may go again.
                    if (!json && (status == 406 || (status == 415 && sends_protobuf))) {
                      self.json_only_ = true;
                      return self.send(make, done);
                    }
                    if (answer && (status < 200 || status > 299)) {
                      return done(fail(decode_error(status, answer->headers, answer->body,
                                                    self.transport_.server_text())));
                    }
                    done(std::move(answer));
                  }));
}

const api::Outline* RemoteClient::outline_of(const api::Kind& kind) const {
  const auto found = outlines_.find(&kind);
  return found == outlines_.end() ? nullptr : found->second;
}

RemoteWatch::Reading RemoteClient::reading_of(const api::Kind& kind) const {
  return {json_only_ ? kJsonType : kAcceptWatch, outline_of(kind)};
}

void RemoteClient::send_object(MakeRequest make, const api::Kind& kind, const api::Outline* outline,
                               Done<ObjectPtr> done) {
  send(std::move(make), [&kind, outline, done = std::move(done)](const Result<HttpAnswer>& answer) {
    done(answer ? decode_object(is_protobuf(answer->headers), answer->body, kind, outline)
                : fail(answer.error()));
  });
}

void RemoteClient::get(const ObjectRef& ref, Done<ObjectPtr> done) {
  send_object([target = object_path(ref)](bool json) { return reading(json, target); }, *ref.kind,
              nullptr, std::move(done));
}

void RemoteClient::list(const client::Collection& collection, const client::ListOptions& options,
                        Done<client::ObjectList> done) {
  const api::Kind& kind = *collection.kind;
  send([target = collection_path(kind, collection.ns) +
                 list_query(collection, options)](bool json) { return reading(json, target); },
       [&kind, done = std::move(done)](const Result<HttpAnswer>& answer) {
         done(answer ? decode_list(is_protobuf(answer->headers), answer->body, kind)
                     : fail(answer.error()));
       });
}

std::unique_ptr<client::Watch> RemoteClient::watch(const client::Collection& collection,
                                                   const std::string& resource_version,
                                                   client::WatchHandler handler) {
  return std::make_unique<RemoteWatch>(transport_, random_, collection, resource_version,
                                       reading_of(*collection.kind), std::move(handler));
}

std::unique_ptr<client::Watch> RemoteClient::watch_list(const client::Collection& collection,
                                                        client::WatchHandler handler) {
  return std::make_unique<RemoteWatch>(transport_, random_, collection, std::nullopt,
                                       reading_of(*collection.kind), std::move(handler));
}

void RemoteClient::create(const ObjectRef& ref, ObjectPtr object, Done<ObjectPtr> done) {
  const api::Kind& kind = *ref.kind;
  send_object(
      [&kind, target = collection_path(kind, ref.ns), object = std::move(object)](bool json) {
        HttpRequest request = writing_message(json, "POST", target, kind.type_meta(), *object);
        request.create_for = owner_of(*object, kind);
        request.best_effort = is_best_effort(kind);
        return request;
      },
      kind, outline_of(kind), std::move(done));
}

void RemoteClient::update(const ObjectRef& ref, std::string_view subresource, ObjectPtr object,
                          Done<ObjectPtr> done) {
  const api::Kind& kind = *ref.kind;
  send_object(
      [&kind, target = object_path(ref, subresource), object = std::move(object)](bool json) {
        HttpRequest request = writing_message(json, "PUT", target, kind.type_meta(), *object);
        request.best_effort = is_best_effort(kind);
        return request;
      },
      kind, nullptr, std::move(done));
}

void RemoteClient::patch(const ObjectRef& ref, std::string_view subresource, client::PatchType type,
                         std::string body, Done<ObjectPtr> done) {
  std::string target = object_path(ref, subresource);
  if (type == client::PatchType::apply) {
    target += "?fieldManager=" + percent_encode(transport_.options().user_agent);
  }
  send_object(
      [type, target = std::move(target), body = std::move(body), &kind = *ref.kind](bool json) {
        HttpRequest request = writing(json, "PATCH", target, patch_content_type(type), body);
        request.best_effort = is_best_effort(kind);
        return request;
      },
      *ref.kind, outline_of(*ref.kind), std::move(done));
}

void RemoteClient::remove(const ObjectRef& ref, const client::DeleteOptions& options,
                          Done<ObjectPtr> done) {
  send_object(
      [target = object_path(ref), message = delete_message(options)](bool json) {
        return writing_message(json, "DELETE", target, {"v1", "DeleteOptions"}, message);
      },
      *ref.kind, outline_of(*ref.kind), std::move(done));
}

void RemoteClient::bind(const ObjectRef& pod, const std::string& uid, const std::string& node,
                        Done<void> done) {
  api::core::v1::Binding binding;
  binding.mutable_metadata()->set_name(pod.name);
  binding.mutable_metadata()->set_namespace_(pod.ns);
  if (!uid.empty()) {
    binding.mutable_metadata()->set_uid(uid);
  }
  binding.mutable_target()->set_kind("Node");
  binding.mutable_target()->set_name(node);
  send(
      [target = object_path(pod, "binding"), binding = std::move(binding)](bool json) {
        return writing_message(json, "POST", target, {"v1", "Binding"}, binding);
      },
      [done = std::move(done)](const Result<HttpAnswer>& answer) {
        done(answer ? Result<void>() : fail(answer.error()));
      });
}

void RemoteClient::get_text(const std::string& path, Done<std::string> done) {
  send([path](bool) { return reading(true, path); },
       [done = std::move(done)](Result<HttpAnswer> answer) {
         done(answer ? Result<std::string>(std::move(answer->body)) : fail(answer.error()));
       });
}

}  // namespace windlass::remote
