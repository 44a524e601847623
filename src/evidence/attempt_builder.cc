#include "evidence/attempt_builder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/codec/wire_time.h"
#include "base/utf8.h"
#include "controllers/job/adapter.h"
#include "engine/pods/pod_factory.h"
#include "engine/policy/backoff.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::evidence {
namespace {

namespace core = api::core::v1;
namespace records = api::ledger::v1;
using controllers::job::AttemptEnd;

constexpr int32_t kSignalBase = 128;
constexpr int32_t kLastSignal = 64;

std::string name_text(const std::string& text) {
  return readable(text, kMaxNameBytes);
}

const char* counted_text(engine::Counted counted) {
  switch (counted) {
    case engine::Counted::succeeded:
      return "Succeeded";
    case engine::Counted::failed:
      return "Failed";
    case engine::Counted::ignored:
      return "Ignored";
    case engine::Counted::none:
      break;
  }
  return "None";
}

template <class Message>
void copy_time(const Message& from, api::meta::v1::Time* to) {
  api::set_time(*to, api::time_of(from));
}

// The run that ended last: of a container that was to be restarted, the one before.
const core::ContainerStateTerminated* end_of(const core::ContainerStatus& status) {
  if (status.state().has_terminated()) {
    return &status.state().terminated();
  }
  return status.last_state().has_terminated() ? &status.last_state().terminated() : nullptr;
}

int32_t signal_of(const core::ContainerStateTerminated& end) {
  if (end.signal() != 0) {
    return end.signal();
  }
  const int32_t code = end.exit_code();
  return code > kSignalBase && code <= kSignalBase + kLastSignal ? code - kSignalBase : 0;
}

class AttemptBuilder {
 public:
  AttemptBuilder(const AttemptEnd& end, const AttemptEvidence& evidence,
                 const FindUsage& find_usage)
      : end_(end),
        evidence_(evidence),
        find_usage_(find_usage),
        pod_(static_cast<const core::Pod&>(*end.pod)),
        out_(std::make_shared<records::Attempt>()) {}

  std::shared_ptr<const records::Attempt> build() {
    add_names();
    add_times();
    add_containers(pod_.spec().init_containers(), pod_.status().init_container_statuses(), true);
    add_containers(pod_.spec().containers(), pod_.status().container_statuses(), false);
    add_disruption();
    add_verdict();
    add_log();
    return std::move(out_);
  }

 private:
  void add_names() {
    const auto& metadata = pod_.metadata();
    out_->mutable_metadata()->set_namespace_(metadata.namespace_());
    out_->mutable_metadata()->set_name(metadata.uid());
    out_->mutable_job()->set_name(name_text(end_.job_name));
    out_->mutable_job()->set_uid(name_text(end_.job_uid));
    out_->set_pod_name(metadata.name());
    if (!pod_.spec().node_name().empty()) {
      out_->set_node_name(name_text(pod_.spec().node_name()));
    }
    const auto annotation = [&metadata](std::string_view key) {
      const auto found = metadata.annotations().find(std::string(key));
      return found == metadata.annotations().end() ? std::nullopt : std::optional(found->second);
    };
    const int64_t index = engine::parse_index(annotation(engine::kCompletionIndexKey));
    if (index != engine::kNoIndex) {
      out_->set_index(static_cast<int32_t>(index));
    }
    out_->set_number(evidence_.number);
    const std::string& phase = pod_.status().phase();
    ended_ = phase == "Succeeded" || phase == "Failed";
    out_->set_phase(ended_ ? phase : "Unknown");
    if (!pod_.status().reason().empty()) {
      out_->set_reason(name_text(pod_.status().reason()));
    }
    if (std::string text = message_text(pod_.status().message()); !text.empty()) {
      out_->set_message(std::move(text));
    }
  }

  void add_times() {
    if (pod_.metadata().has_creation_timestamp()) {
      copy_time(pod_.metadata().creation_timestamp(), out_->mutable_created_at());
    }
    for (const core::PodCondition& condition : pod_.status().conditions()) {
      if (condition.type() == "PodScheduled" && condition.status() == "True" &&
          condition.has_last_transition_time()) {
        copy_time(condition.last_transition_time(), out_->mutable_scheduled_at());
      }
    }
    if (ended_) {
      api::set_time(*out_->mutable_ended_at(),
                    engine::finish_time(controllers::job::read_pod(pod_, "")));
    }
  }

  template <class Specs, class Statuses>
  void add_containers(const Specs& specs, const Statuses& statuses, bool init) {
    const std::string deciding = end_.verdict ? end_.verdict->container : std::string();
    for (const core::Container& spec : specs) {
      const bool decides = spec.name() == deciding;
      const auto used = static_cast<size_t>(out_->containers_size());
      // One place stays free for the one that decides.
      if (decides ? used >= kMaxContainers : used + 1 >= kMaxContainers) {
        continue;
      }
      const auto status = std::find_if(statuses.begin(), statuses.end(), [&spec](const auto& each) {
        return each.name() == spec.name();
      });
      add_container(spec, status == statuses.end() ? nullptr : &*status, init);
    }
  }

  void add_container(const core::Container& spec, const core::ContainerStatus* status, bool init) {
    records::AttemptContainer& out = *out_->add_containers();
    out.set_name(name_text(spec.name()));
    if (!spec.image().empty()) {
      out.set_image(name_text(spec.image()));
    }
    if (init) {
      out.set_init(true);
    }
    add_resources(spec.resources().requests(), *out.mutable_requests());
    add_resources(spec.resources().limits(), *out.mutable_limits());
    if (status != nullptr) {
      add_status(*status, out);
    }
    if (const auto usage = find_usage_ ? find_usage_(pod_.metadata().uid(), spec.name())
                                       : std::optional<ContainerUsage>()) {
      if (usage->peak_memory_bytes) {
        out.set_peak_memory_bytes(*usage->peak_memory_bytes);
      }
      if (usage->cpu_microseconds) {
        out.set_cpu_microseconds(*usage->cpu_microseconds);
      }
    }
  }

  void add_status(const core::ContainerStatus& status, records::AttemptContainer& out) {
    if (status.restart_count() > 0) {
      out.set_restarts(status.restart_count());
    }
    std::string message;
    if (const auto* end = end_of(status)) {
      add_end(*end, out);
      message = end->message();
    } else if (status.state().has_running()) {
      note_start(status.state().running().started_at(), out);
    } else if (status.state().has_waiting()) {
      if (!status.state().waiting().reason().empty()) {
        out.set_reason(name_text(status.state().waiting().reason()));
      }
      message = status.state().waiting().message();
    }
    message = message_text(message);
    message = readable(message, kMaxMessagesBytes - std::min(messages_, kMaxMessagesBytes));
    if (!message.empty()) {
      messages_ += message.size();
      out.set_message(std::move(message));
    }
  }

  void add_end(const core::ContainerStateTerminated& end, records::AttemptContainer& out) {
    out.set_exit_code(end.exit_code());
    if (const int32_t signal = signal_of(end); signal != 0) {
      out.set_signal(signal);
    }
    if (!end.reason().empty()) {
      out.set_reason(name_text(end.reason()));
    }
    if (end.reason() == "OOMKilled") {
      out.set_oom_killed(true);
    }
    if (end.has_started_at()) {
      note_start(end.started_at(), out);
    }
    if (end.has_finished_at()) {
      copy_time(end.finished_at(), out.mutable_finished_at());
    }
  }

  void note_start(const api::meta::v1::Time& at, records::AttemptContainer& out) {
    const Time start = api::time_of(at);
    if (start == Time()) {
      return;  // it never started
    }
    api::set_time(*out.mutable_started_at(), start);
    if (!out_->has_started_at() || start < api::time_of(out_->started_at())) {
      api::set_time(*out_->mutable_started_at(), start);
    }
  }

  template <class Map>
  void add_resources(const Map& from, Map& to) {
    for (const auto& [name, quantity] : from) {
      if (to.size() < kMaxResources && name.size() <= kMaxNameBytes) {
        to[name] = quantity;
      }
    }
  }

  void add_disruption() {
    for (const core::PodCondition& condition : pod_.status().conditions()) {
      if (condition.type() != "DisruptionTarget" || condition.status() != "True") {
        continue;
      }
      records::AttemptDisruption& out = *out_->mutable_disruption();
      out.set_reason(name_text(condition.reason()));
      if (std::string text = message_text(condition.message()); !text.empty()) {
        out.set_message(std::move(text));
      }
      if (condition.has_last_transition_time()) {
        copy_time(condition.last_transition_time(), out.mutable_at());
      }
      for (const auto& entry : pod_.metadata().managed_fields()) {
        if (entry.fields_v1().raw().find(R"(k:{\"type\":\"DisruptionTarget\"})") !=
            std::string::npos) {
          out.set_set_by(name_text(entry.manager()));
        }
      }
    }
  }

  void add_verdict() {
    if (!end_.verdict) {
      return;
    }
    records::AttemptVerdict& out = *out_->mutable_verdict();
    out.set_counted(counted_text(end_.verdict->counted));
    if (end_.verdict->rule >= 0) {
      out.set_rule(end_.verdict->rule);
      out.set_action(end_.verdict->action);
    }
    if (!end_.verdict->rule_name.empty()) {
      out.set_rule_name(name_text(end_.verdict->rule_name));
    }
    if (!end_.verdict->container.empty()) {
      out_->set_deciding_container(name_text(end_.verdict->container));
    }
  }

  void add_log() {
    if (!evidence_.log) {
      return;
    }
    records::AttemptLog& out = *out_->mutable_log();
    if (!evidence_.log->error.empty() || !evidence_.withheld.empty()) {
      out.set_error(
          readable(evidence_.log->error.empty() ? evidence_.withheld : evidence_.log->error,
                   kMaxMessageBytes));
      return;
    }
    const LogTail& log = *evidence_.log;
    const std::string text = evidence_.redactor.redact(
        log.text, log.truncated ? Redactor::Cut::front : Redactor::Cut::none);
    std::string_view tail = text;
    if (tail.size() > evidence_.log_bytes) {
      tail.remove_prefix(tail.size() - evidence_.log_bytes);
    }
    if (log.truncated || tail.size() < text.size()) {
      tail = from_whole_character(tail);
      out.set_truncated(true);
    }
    out.set_tail(without_nul(readable(tail, tail.size())));
  }

  // Text that may repeat what a container was given.
  std::string message_text(const std::string& text) const {
    if (text.empty()) {
      return {};
    }
    if (!evidence_.withheld.empty()) {
      return readable(evidence_.withheld, kMaxMessageBytes);
    }
    // A node cuts long messages.
    return without_nul(
        readable(evidence_.redactor.redact(text, Redactor::Cut::both), kMaxMessageBytes));
  }

  static std::string without_nul(std::string text) {
    std::replace(text.begin(), text.end(), '\0', '?');
    return text;
  }

  const AttemptEnd& end_;
  const AttemptEvidence& evidence_;
  const FindUsage& find_usage_;
  const core::Pod& pod_;
  std::shared_ptr<records::Attempt> out_;
  size_t messages_ = 0;  // bytes so far
  bool ended_ = false;
};

bool has_message(const core::ContainerStatus& status) {
  return !status.state().terminated().message().empty() ||
         !status.state().waiting().message().empty() ||
         !status.last_state().terminated().message().empty();
}

}  // namespace

std::shared_ptr<const records::Attempt> build_attempt(const AttemptEnd& end,
                                                      const AttemptEvidence& evidence,
                                                      const FindUsage& find_usage) {
  return AttemptBuilder(end, evidence, find_usage).build();
}

bool has_messages(const api::Message& message) {
  const auto& status = static_cast<const core::Pod&>(message).status();
  return !status.message().empty() ||
         std::any_of(status.container_statuses().begin(), status.container_statuses().end(),
                     has_message) ||
         std::any_of(status.init_container_statuses().begin(),
                     status.init_container_statuses().end(), has_message);
}

}  // namespace windlass::evidence
