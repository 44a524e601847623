#include "verify/simulation/faults/faulty_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/object_identity.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/meta/v1/meta.pb.h"
#include "verify/simulation/faults/faulty_watch.h"

namespace windlass::verify::simulation {
namespace {

using client::ObjectList;
using client::ObjectPtr;
using client::ObjectRef;

Status timeout() {
  Status status = plain_error("context deadline exceeded");
  status.code = 504;
  status.reason = "Timeout";
  return status;
}

Status connection_lost() {
  return plain_error("read: connection reset by peer");
}

Status refusal(ClientFault fault) {
  const ResourceName about{"", "things", "thing"};
  switch (fault) {
    case ClientFault::conflict:
      return conflict(about, "the object has been modified");
    case ClientFault::forbidden:
      return forbidden(about, "exceeded quota");
    case ClientFault::namespace_terminating: {
      Status status = forbidden(about, "the namespace is being terminated");
      status.details.causes.push_back(
          {"NamespaceTerminating", "namespace is being terminated", "metadata.namespace"});
      return status;
    }
    case ClientFault::invalid: {
      Status status = plain_error("admission webhook denied the request");
      status.code = 422;
      status.reason = "Invalid";
      return status;
    }
    case ClientFault::throttled: {
      Status status = plain_error("too many requests");
      status.code = 429;
      status.reason = "TooManyRequests";
      status.details.retry_after_seconds = 1;
      return status;
    }
    case ClientFault::unavailable: {
      Status status = plain_error("the server is currently unable to handle the request");
      status.code = 503;
      status.reason = "ServiceUnavailable";
      return status;
    }
    default:
      return internal_error("etcdserver: leader changed");
  }
}

bool is_refusal(ClientFault fault) {
  switch (fault) {
    case ClientFault::conflict:
    case ClientFault::invalid:
    case ClientFault::throttled:
    case ClientFault::server_error:
    case ClientFault::unavailable:
    case ClientFault::forbidden:
    case ClientFault::namespace_terminating:
      return true;
    default:
      return false;
  }
}

std::string line_of(std::string_view verb, const ObjectRef& ref, std::string_view subresource) {
  return fmt::format("{} {}{}{} {}", verb, ref.kind->plural, subresource.empty() ? "" : "/",
                     subresource, client::object_key(ref.ns, ref.name));
}

std::string controller_uid(const api::Message& object) {
  for (const auto& owner : api::metadata_of(object).owner_references()) {
    if (owner.controller()) {
      return owner.uid();
    }
  }
  return {};
}

}  // namespace

void SeenVersions::note(const ObjectPtr& object) {
  if (object && object->GetDescriptor() == api::batch::v1::Job::descriptor()) {
    uint64_t& version = versions_[client::uid_of(*object)];
    version = std::max(version, client::version_number(client::resource_version_of(*object)));
  }
}

void SeenVersions::note_answer(const ObjectPtr& object) {
  if (object && versions_.contains(client::uid_of(*object))) {
    note(object);
  }
}

uint64_t SeenVersions::of(const std::string& uid) const {
  const auto found = versions_.find(uid);
  return found == versions_.end() ? 0 : found->second;
}

FaultyClient::FaultyClient(Line line) : line_(std::move(line)) {
  line_.host.when_lost(self_.lifetime(), [this] { lose_connection(); });
}

FaultyClient::~FaultyClient() = default;

void FaultyClient::note(const ObjectList& list) {
  for (const ObjectPtr& object : list.items) {
    seen_->note(object);
  }
}

Site FaultyClient::site_of_write(const ObjectRef& ref) {
  return ref.kind == &api::kinds::event() ? Site::note : Site::write;
}

void FaultyClient::crash() {
  cut_ = true;
  line_.crash();
}

void FaultyClient::lose_connection() {
  const auto open = open_;
  for (const auto& [id, fail_call] : open) {
    fail_call(connection_lost());
  }
}

template <class T>
void FaultyClient::start(Site site, Call<T> made) {
  if (cut_) {
    return;
  }
  const auto call = std::make_shared<Call<T>>(std::move(made));
  const uint64_t id = ++last_id_;
  open_[id] = [this, id, call](Status why) {
    answer<T>(id, call, fail(std::move(why)), line_.delay());
  };
  const std::optional<Strike> strike = line_.faults.at(line_.component, site);
  if (!strike) {
    send<T>(id, call, std::nullopt, true);
  } else if (strike->fault == ClientFault::crash_before) {
    crash();
  } else if (strike->fault == ClientFault::lost_request) {
    answer<T>(id, call, fail(timeout()), strike->amount);
  } else if (strike->fault == ClientFault::namespace_terminating && !call->creates) {
    send<T>(id, call, std::nullopt, true);  // the server says so to creations only
  } else if (is_refusal(strike->fault)) {
    answer<T>(id, call, fail(refusal(strike->fault)), line_.delay());
  } else {
    send<T>(id, call, strike, true);
    // A second POST of a generated name would be a second object: no proxy does that.
    if (strike->fault == ClientFault::duplicated && !call->creates) {
      send<T>(id, call, std::nullopt, false);
    }
  }
}

template <class T>
void FaultyClient::send(uint64_t id, const std::shared_ptr<Call<T>>& call,
                        std::optional<Strike> strike, bool wanted) {
  // What is sent arrives, whatever becomes of the sender.
  client::Done<T> back =
      self_.bind([id, call, strike, wanted](FaultyClient& self, Result<T> result) {
        if (wanted) {
          self.on_answer(id, call, strike, std::move(result));
        }
      });
  line_.host.executor().schedule(line_.delay(), [&host = line_.host, component = line_.component,
                                                 call, back = std::move(back)] {
    client::ApiClient* client = host.client(component);
    if (client == nullptr) {
      back(fail(connection_lost()));
      return;
    }
    host.announce(call->writer);
    call->send(*client, back);
  });
}

template <class T>
void FaultyClient::on_answer(uint64_t id, const std::shared_ptr<Call<T>>& call,
                             const std::optional<Strike>& strike, Result<T> result) {
  if (!result && result.error().code == 422 && line_.on_invalid) {
    line_.on_invalid(call->what, result.error());
  }
  if (cut_) {
    return;
  }
  if (!strike) {
    answer<T>(id, call, std::move(result), line_.delay());
  } else if (strike->fault == ClientFault::crash_applied) {
    crash();
  } else if (strike->fault == ClientFault::lost_reply) {
    answer<T>(id, call, fail(timeout()), strike->amount);
  } else if (strike->fault == ClientFault::slow) {
    answer<T>(id, call, std::move(result), strike->amount);
  } else {
    answer<T>(id, call, std::move(result), line_.delay(),
              strike->fault == ClientFault::crash_after);
  }
}

template <class T>
void FaultyClient::answer(uint64_t id, const std::shared_ptr<Call<T>>& call, Result<T> result,
                          Duration delay, bool then_crash) {
  line_.own.schedule(
      delay, self_.bind([id, call, result = std::move(result), then_crash](FaultyClient& self) {
        if (self.cut_ || self.open_.erase(id) == 0) {
          return;
        }
        if constexpr (!std::is_void_v<T>) {
          if (result) {
            self.note(*result);
          }
        }
        const std::weak_ptr<const void> lifetime = self.self_.lifetime();
        call->done(result);
        if (then_crash && !lifetime.expired()) {
          self.crash();
        }
      }));
}

void FaultyClient::get(const ObjectRef& ref, client::Done<ObjectPtr> done) {
  start<ObjectPtr>(Site::read, {[ref](client::ApiClient& client, client::Done<ObjectPtr> back) {
                                  client.get(ref, std::move(back));
                                },
                                std::move(done),
                                line_of("get", ref, ""),
                                {line_.component}});
}

void FaultyClient::list(const client::Collection& collection, const client::ListOptions& options,
                        client::Done<ObjectList> done) {
  start<ObjectList>(
      Site::read, {[collection, options](client::ApiClient& client, client::Done<ObjectList> back) {
                     client.list(collection, options, std::move(back));
                   },
                   std::move(done),
                   fmt::format("list {}", collection.kind->plural),
                   {line_.component}});
}

std::unique_ptr<client::Watch> FaultyClient::watch(const client::Collection& collection,
                                                   const std::string& resource_version,
                                                   client::WatchHandler handler) {
  return std::make_unique<FaultyWatch>(line_, seen_, collection, resource_version,
                                       std::move(handler));
}

void FaultyClient::create(const ObjectRef& ref, ObjectPtr object, client::Done<ObjectPtr> done) {
  Call<ObjectPtr> call{[ref, object](client::ApiClient& client, client::Done<ObjectPtr> back) {
                         client.create(ref, object, std::move(back));
                       },
                       std::move(done),
                       line_of("create", ref, ""),
                       {line_.component},
                       true};
  call.writer.owner_version = seen_->of(controller_uid(*object));
  start<ObjectPtr>(site_of_write(ref), std::move(call));
}

void FaultyClient::update(const ObjectRef& ref, std::string_view subresource, ObjectPtr object,
                          client::Done<ObjectPtr> done) {
  start<ObjectPtr>(site_of_write(ref),
                   {[ref, subresource = std::string(subresource), object = std::move(object)](
                        client::ApiClient& client, client::Done<ObjectPtr> back) {
                      client.update(ref, subresource, object, std::move(back));
                    },
                    std::move(done),
                    line_of("update", ref, subresource),
                    {line_.component}});
}

void FaultyClient::patch(const ObjectRef& ref, std::string_view subresource, client::PatchType type,
                         std::string body, client::Done<ObjectPtr> done) {
  start<ObjectPtr>(site_of_write(ref),
                   {[ref, subresource = std::string(subresource), type, body = std::move(body)](
                        client::ApiClient& client, client::Done<ObjectPtr> back) {
                      client.patch(ref, subresource, type, body, std::move(back));
                    },
                    std::move(done),
                    line_of("patch", ref, subresource),
                    {line_.component}});
}

void FaultyClient::remove(const ObjectRef& ref, const client::DeleteOptions& options,
                          client::Done<ObjectPtr> done) {
  start<ObjectPtr>(site_of_write(ref),
                   {[ref, options](client::ApiClient& client, client::Done<ObjectPtr> back) {
                      client.remove(ref, options, std::move(back));
                    },
                    std::move(done),
                    line_of("delete", ref, ""),
                    {line_.component}});
}

void FaultyClient::bind(const ObjectRef& pod, const std::string& uid, const std::string& node,
                        client::Done<void> done) {
  start<void>(Site::write, {[pod, uid, node](client::ApiClient& client, client::Done<void> back) {
                              client.bind(pod, uid, node, std::move(back));
                            },
                            std::move(done),
                            line_of("bind", pod, ""),
                            {line_.component}});
}

}  // namespace windlass::verify::simulation
