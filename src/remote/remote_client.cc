#include "remote/remote_client.h"

#include <google/protobuf/message.h>

#include <utility>

#include "api/codec/protobuf.h"
#include "remote/remote_watch.h"
#include "remote/wire.h"
#include "schema/core/v1/binding.pb.h"
#include "schema/meta/v1/options.pb.h"

namespace windlass::remote {
namespace {

using client::Done;
using client::ObjectPtr;
using client::ObjectRef;

HttpRequest reading(std::string target) {
  HttpRequest request;
  request.target = std::move(target);
  request.accept = kAccept;
  return request;
}

HttpRequest writing(std::string_view method, std::string target, std::string_view type,
                    std::string body) {
  HttpRequest request = reading(std::move(target));
  request.method = method;
  request.content_type = type;
  request.body = std::move(body);
  return request;
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

std::string delete_body(const client::DeleteOptions& options) {
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
  return api::seal_envelope({"v1", "DeleteOptions"}, message);
}

}  // namespace

RemoteClient::RemoteClient(Transport& transport, env::Random& random,
                           std::function<bool()> may_write)
    : transport_(transport),
      random_(random),
      may_write_(std::move(may_write)),
      alive_(std::make_shared<bool>(true)) {}

RemoteClient::~RemoteClient() = default;

void RemoteClient::send(HttpRequest request, std::function<void(Result<HttpAnswer>)> done) {
  if (request.method != "GET") {
    request.may_send = may_write_;
  }
  transport_.send(std::move(request), [alive = std::weak_ptr(alive_),
                                       done = std::move(done)](Result<HttpAnswer> answer) {
    if (alive.expired()) {
      return;
    }
    const bool refused = answer && (answer->status < 200 || answer->status > 299);
    done(refused ? fail(decode_error(answer->status, answer->headers, answer->body))
                 : std::move(answer));
  });
}

void RemoteClient::send_object(HttpRequest request, const api::Kind& kind, Done<ObjectPtr> done) {
  send(std::move(request), [&kind, done = std::move(done)](const Result<HttpAnswer>& answer) {
    done(answer ? decode_object(is_protobuf(answer->headers), answer->body, kind)
                : fail(answer.error()));
  });
}

void RemoteClient::get(const ObjectRef& ref, Done<ObjectPtr> done) {
  send_object(reading(object_path(ref)), *ref.kind, std::move(done));
}

void RemoteClient::list(const client::Collection& collection, const client::ListOptions& options,
                        Done<client::ObjectList> done) {
  const api::Kind& kind = *collection.kind;
  send(reading(collection_path(kind, collection.ns) + list_query(collection, options)),
       [&kind, done = std::move(done)](const Result<HttpAnswer>& answer) {
         done(answer ? decode_list(is_protobuf(answer->headers), answer->body, kind)
                     : fail(answer.error()));
       });
}

std::unique_ptr<client::Watch> RemoteClient::watch(const client::Collection& collection,
                                                   const std::string& resource_version,
                                                   client::WatchHandler handler) {
  return std::make_unique<RemoteWatch>(transport_, random_, collection, resource_version,
                                       std::move(handler));
}

void RemoteClient::create(const ObjectRef& ref, ObjectPtr object, Done<ObjectPtr> done) {
  send_object(writing("POST", collection_path(*ref.kind, ref.ns), kProtobufType,
                      api::seal_envelope(ref.kind->type_meta(), *object)),
              *ref.kind, std::move(done));
}

void RemoteClient::update(const ObjectRef& ref, std::string_view subresource, ObjectPtr object,
                          Done<ObjectPtr> done) {
  send_object(writing("PUT", object_path(ref, subresource), kProtobufType,
                      api::seal_envelope(ref.kind->type_meta(), *object)),
              *ref.kind, std::move(done));
}

void RemoteClient::patch(const ObjectRef& ref, std::string_view subresource, client::PatchType type,
                         std::string body, Done<ObjectPtr> done) {
  std::string target = object_path(ref, subresource);
  if (type == client::PatchType::apply) {
    target += "?fieldManager=" + percent_encode(transport_.options().user_agent);
  }
  send_object(writing("PATCH", std::move(target), patch_content_type(type), std::move(body)),
              *ref.kind, std::move(done));
}

void RemoteClient::remove(const ObjectRef& ref, const client::DeleteOptions& options,
                          Done<ObjectPtr> done) {
  send_object(writing("DELETE", object_path(ref), kProtobufType, delete_body(options)), *ref.kind,
              std::move(done));
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
  send(writing("POST", object_path(pod, "binding"), kProtobufType,
               api::seal_envelope({"v1", "Binding"}, binding)),
       [done = std::move(done)](const Result<HttpAnswer>& answer) {
         done(answer ? Result<void>() : fail(answer.error()));
       });
}

void RemoteClient::get_text(const std::string& path, Done<std::string> done) {
  HttpRequest request = reading(path);
  request.accept = kJsonType;
  send(std::move(request), [done = std::move(done)](Result<HttpAnswer> answer) {
    done(answer ? Result<std::string>(std::move(answer->body)) : fail(answer.error()));
  });
}

}  // namespace windlass::remote
