#include "evidence/evidence_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "api/codec/wire_time.h"
#include "client/object_identity.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::evidence {
namespace {

using api::core::v1::Pod;
using controllers::job::AttemptEnd;

template <class Containers>
void add_env_secrets(const Containers& containers, std::set<std::string>& names) {
  for (const auto& container : containers) {
    for (const auto& variable : container.env()) {
      if (variable.value_from().has_secret_key_ref()) {
        names.insert(variable.value_from().secret_key_ref().local_object_reference().name());
      }
    }
    for (const auto& source : container.env_from()) {
      if (source.has_secret_ref()) {
        names.insert(source.secret_ref().local_object_reference().name());
      }
    }
  }
}

// The earliest that a container can have got a value.
Time began(const Pod& pod) {
  return pod.status().has_start_time() ? api::time_of(pod.status().start_time())
                                       : api::time_of(pod.metadata().creation_timestamp());
}

// As far as the server tells.
Time changed(const api::meta::v1::ObjectMeta& metadata) {
  Time last = api::time_of(metadata.creation_timestamp());
  for (const auto& entry : metadata.managed_fields()) {
    if (entry.has_time()) {
      last = std::max(last, api::time_of(entry.time()));
    }
  }
  return last;
}

}  // namespace

std::vector<std::string> secrets_of(const api::Message& message) {
  const auto& spec = static_cast<const Pod&>(message).spec();
  std::set<std::string> names;
  add_env_secrets(spec.init_containers(), names);
  add_env_secrets(spec.containers(), names);
  for (const auto& volume : spec.volumes()) {
    if (volume.volume_source().has_secret()) {
      names.insert(volume.volume_source().secret().secret_name());
    }
    for (const auto& source : volume.volume_source().projected().sources()) {
      if (source.has_secret()) {
        names.insert(source.secret().local_object_reference().name());
      }
    }
  }
  names.erase("");
  return {names.begin(), names.end()};
}

EvidenceCollector::EvidenceCollector(client::ClientEnv env, Options options)
    : env_(env), options_(std::move(options)) {}

EvidenceCollector::~EvidenceCollector() {
  for (const auto& [id, search] : searches_) {
    env_.executor.cancel(search.deadline);
  }
}

bool EvidenceCollector::reads_log(const AttemptEnd& end) const {
  return options_.read_log && options_.log_bytes > 0 && end.verdict &&
         !end.verdict->container.empty();
}

bool EvidenceCollector::has_work(const AttemptEnd& end) const {
  return reads_log(end) || (has_messages(*end.pod) && !secrets_of(*end.pod).empty());
}

void EvidenceCollector::collect(const AttemptEnd& end, Done done) {
  waiting_.push_back({end, std::move(done)});
  start_waiting();
}

void EvidenceCollector::start_waiting() {
  while (searches_.size() < kMaxAtOnce && !waiting_.empty()) {
    Request request = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(request));
  }
}

void EvidenceCollector::start(Request request) {
  const uint64_t id = next_id_++;
  const AttemptEnd end = request.end;
  Search& search = searches_[id];
  search.request = std::move(request);
  search.found.log_bytes = options_.log_bytes;
  search.open = 1;  // until all are asked
  search.deadline = env_.executor.schedule(kPatience, [this, id] { on_late(id); });
  read_secrets(id, *end.pod);
  if (reads_log(end)) {
    ++search.open;
    options_.read_log(end.pod, end.verdict->container, options_.log_bytes,
                      self_.bind([id](EvidenceCollector& self, std::optional<LogTail> log) {
                        self.on_log(id, std::move(log));
                      }));
  }
  answered(id);
}

void EvidenceCollector::read_secrets(uint64_t id, const api::Message& pod) {
  const std::vector<std::string> names = secrets_of(pod);
  Search& search = searches_[id];
  if (names.size() > kMaxSecrets) {
    search.found.withheld =
        fmt::format("left out: the pod uses more than {} Secrets, whose values are not to be kept",
                    kMaxSecrets);
    return;
  }
  search.open += names.size();
  for (const std::string& name : names) {
    env_.client.get(
        {&api::kinds::secret(), api::metadata_of(pod).namespace_(), name},
        self_.bind([id, name](EvidenceCollector& self, const Result<client::ObjectPtr>& secret) {
          self.on_secret(id, name, secret);
        }));
  }
}

void EvidenceCollector::on_secret(uint64_t id, const std::string& name,
                                  const Result<client::ObjectPtr>& secret) {
  const auto found = searches_.find(id);
  if (found == searches_.end()) {
    return;
  }
  Search& search = found->second;
  if (!secret) {
    search.found.withheld =
        fmt::format("left out: it could hold values of Secret {}, which cannot be read: {}", name,
                    secret.error().message);
  } else {
    const auto& pod = static_cast<const Pod&>(*search.request.end.pod);
    if (changed(api::metadata_of(**secret)) > began(pod)) {
      search.found.withheld =
          fmt::format("left out: it could hold values that Secret {} had before it changed", name);
    }
    for (const auto& [key, value] : static_cast<const api::core::v1::Secret&>(**secret).data()) {
      search.values.push_back(value);
    }
  }
  answered(id);
}

void EvidenceCollector::on_log(uint64_t id, std::optional<LogTail> log) {
  if (const auto found = searches_.find(id); found != searches_.end()) {
    found->second.found.log = std::move(log);
    answered(id);
  }
}

void EvidenceCollector::on_late(uint64_t id) {
  AttemptEvidence& found = searches_.at(id).found;
  const std::string why = fmt::format("not read within {} seconds", kPatience / seconds(1));
  if (!found.log && reads_log(searches_.at(id).request.end)) {
    found.log = LogTail{"", false, why};
  }
  if (!secrets_of(*searches_.at(id).request.end.pod).empty()) {
    found.withheld = "left out: it could hold values of Secrets, which were " + why;
  }
  finish(id);
}

void EvidenceCollector::answered(uint64_t id) {
  if (--searches_.at(id).open == 0) {
    finish(id);
  }
}

void EvidenceCollector::finish(uint64_t id) {
  auto search = searches_.extract(id);
  env_.executor.cancel(search.mapped().deadline);
  search.mapped().found.redactor = Redactor(search.mapped().values);
  const std::weak_ptr<const void> alive = self_.lifetime();
  search.mapped().request.done(search.mapped().found);
  if (!alive.expired()) {
    start_waiting();
  }
}

}  // namespace windlass::evidence
