#include "controllers/job/writer.h"

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "client/api_client.h"
#include "client/object_identity.h"

namespace windlass::controllers::job {

namespace {

// The pod that was meant is gone: another has its name.
Status other_uid(const std::string& name) {
  return not_found({"", "pods", name});
}

bool namespace_terminating(const Status& status) {
  return std::any_of(
      status.details.causes.begin(), status.details.causes.end(),
      [](const StatusCause& cause) { return cause.reason == "NamespaceTerminating"; });
}

}  // namespace

engine::WriteError classify(const Status& status) {
  if (client::is_not_sent(status)) {
    return engine::WriteError::rejected;
  }
  if (is_not_found(status)) {
    return engine::WriteError::not_found;
  }
  if (is_conflict(status)) {
    return engine::WriteError::conflict;
  }
  if (namespace_terminating(status)) {
    return engine::WriteError::namespace_terminating;
  }
  // Below 500 the server has looked at the request and refused it. Above, and without an answer,
  // it may have been applied all the same.
  return status.code >= 400 && status.code < 500 ? engine::WriteError::rejected
                                                 : engine::WriteError::unknown;
}

Writer::Writer(client::ApiClient& client, std::string finalizer, std::string ns,
               std::string job_name, WriteAnswers& answers, BeforeRelease before_release)
    : client_(client),
      finalizer_(std::move(finalizer)),
      ns_(std::move(ns)),
      job_name_(std::move(job_name)),
      answers_(answers),
      before_release_(std::move(before_release)) {}

template <class Answer>
client::Done<client::ObjectPtr> Writer::finishing(Answer answer) {
  return self_.bind(
      [answer = std::move(answer)](Writer& self, const Result<client::ObjectPtr>& object) {
        --self.in_flight_;
        self.start_waiting();
        answer(self, object);
      });
}

client::ObjectRef Writer::pod_ref(const std::string& name) const {
  return {&api::kinds::pod(), ns_, name};
}

void Writer::enqueue(Request request) {
  waiting_.push_back(std::move(request));
}

void Writer::start_waiting() {
  while (in_flight_ < kMaxInFlight && !waiting_.empty()) {
    ++in_flight_;
    const Request request = std::move(waiting_.front());
    waiting_.pop_front();
    request();
  }
}

void Writer::send(const api::Message& job, const engine::Decision& decision) {
  if (decision.status) {
    std::shared_ptr<const api::Message> changed = with_status(job, *decision.status);
    enqueue([this, changed = std::move(changed)] {
      client_.update({&api::kinds::job(), ns_, job_name_}, "status", changed,
                     finishing([](Writer& self, const Result<client::ObjectPtr>& stored) {
                       self.answers_.on_status(stored);
                     }));
    });
  }
  for (const engine::CreatePod& create : decision.creates) {
    std::shared_ptr<const api::Message> pod = make_pod(job, create.plan, finalizer_);
    enqueue([this, id = create.id, pod = std::move(pod)] {
      client_.create(pod_ref(""), pod,
                     finishing([id](Writer& self, const Result<client::ObjectPtr>& created) {
                       self.answers_.on_create(id, created);
                     }));
    });
  }
  for (const engine::PodWrite& write : decision.pod_writes) {
    enqueue_pod_write(write);
  }
  start_waiting();
}

// A release that waits takes no place among the writes in flight.
void Writer::enqueue_pod_write(const engine::PodWrite& write) {
  if (write.op != engine::PodOp::release || !before_release_) {
    enqueue([this, write] { write_pod(write); });
    return;
  }
  before_release_(write, self_.bind([write](Writer& self) {
    self.enqueue([&self, write] { self.write_pod(write); });
    self.start_waiting();
  }));
}

void Writer::write_pod(const engine::PodWrite& write) {
  switch (write.op) {
    case engine::PodOp::delete_pod:
      remove(write);
      break;
    case engine::PodOp::release:
      release(write);
      break;
    case engine::PodOp::drop:
      drop(write);
      break;
  }
}

void Writer::remove(const engine::PodWrite& write) {
  client::DeleteOptions options;
  options.preconditions.uid = write.uid;
  if (write.required_rv != 0) {
    options.preconditions.resource_version = std::to_string(write.required_rv);
  }
  client_.remove(pod_ref(write.name), options,
                 finishing([write](Writer& self, const Result<client::ObjectPtr>& pod) {
                   self.answer_pod_write(write, pod);
                 }));
}

void Writer::drop(const engine::PodWrite& write) {
  patch(write, client::PatchType::merge,
        fmt::format(R"("annotations":{{"{}":"true"}})", engine::kDroppedKey));
}

// Of several finalizers only this one, whatever others have done to the rest meanwhile.
void Writer::release(const engine::PodWrite& write) {
  patch(write, client::PatchType::strategic,
        fmt::format(R"("$deleteFromPrimitiveList/finalizers":[{}])", json_string(finalizer_)));
}

// The UID and the version are conditions.
void Writer::patch(const engine::PodWrite& write, client::PatchType type,
                   const std::string& change) {
  const std::string version =
      write.required_rv == 0 ? "" : fmt::format(R"("resourceVersion":"{}",)", write.required_rv);
  client_.patch(
      pod_ref(write.name), "", type,
      fmt::format(R"({{"metadata":{{"uid":{},{}{}}}}})", json_string(write.uid), version, change),
      finishing([write](Writer& self, const Result<client::ObjectPtr>& pod) {
        self.answer_pod_write(write, pod);
      }));
}

// A UID that does not match is a conflict, or invalid in a patch (api.md M39, P77); so is what an
// admission webhook refuses. Only the pod itself tells which.
void Writer::answer_pod_write(const engine::PodWrite& write, const Result<client::ObjectPtr>& pod) {
  if (!pod && (pod.error().code == 422 || (write.required_rv == 0 && is_conflict(pod.error())))) {
    look_for(write, pod.error());
    return;
  }
  answers_.on_pod_write(write, pod);
}

void Writer::look_for(const engine::PodWrite& write, const Status& why) {
  client_.get(pod_ref(write.name),
              self_.bind([write, why](Writer& self, const Result<client::ObjectPtr>& pod) {
                const bool is_other = pod && client::uid_of(**pod) != write.uid;
                self.answers_.on_pod_write(write, fail(is_other ? other_uid(write.name)
                                                       : pod    ? why
                                                                : pod.error()));
              }));
}

}  // namespace windlass::controllers::job
