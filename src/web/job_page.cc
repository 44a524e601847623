#include "web/job_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "api/codec/wire_time.h"
#include "base/index_set.h"
#include "base/json_writer.h"
#include "controllers/job/adapter.h"
#include "engine/policy/failure_policy.h"
#include "explain/headline.h"
#include "policy/lint.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "web/attempt_row.h"

namespace windlass::web {
namespace {

using Rows = std::vector<AttemptRow>;

constexpr double kMicro = 1'000'000;

// Seconds since 1970, to the millisecond.
double seconds_of(Time time) {
  constexpr int64_t kNanosPerMilli = 1'000'000;
  return static_cast<double>(time.time_since_epoch().count() / kNanosPerMilli) / 1000;
}

void write_time(JsonWriter& json, const std::optional<Time>& time) {
  time ? json.real(seconds_of(*time)) : json.null();
}

template <class Number>
void write_optional(JsonWriter& json, const std::optional<Number>& number) {
  number ? json.number(*number) : json.null();
}

// Texts by the place at which they were first seen.
class Names {
 public:
  int64_t place_of(const std::string& name) {
    if (name.empty()) {
      return -1;
    }
    const auto [found, is_new] = places_.try_emplace(name, static_cast<int64_t>(names_.size()));
    if (is_new) {
      names_.push_back(name);
    }
    return found->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, int64_t> places_;
  std::vector<std::string> names_;
};

// A letter for every index: (s)ucceeded, (r)unning, (w)aiting, (b)ack-off, (t)erminating, (f)ailed,
// stopped (x), (n)ot started.
std::string index_letters(const engine::JobView& job, const Rows& rows, bool finished) {
  const int32_t count = job.spec.completions.value_or(0);
  std::string letters(static_cast<size_t>(count), 'n');
  // Later attempts of an index come later, and decide.
  for (const AttemptRow& row : rows) {
    if (!row.index || *row.index < 0 || *row.index >= count) {
      continue;
    }
    char& letter = letters[static_cast<size_t>(*row.index)];
    if (row.is_active()) {
      letter = row.terminating ? 't' : row.phase == 'R' ? 'r' : 'w';
    } else if (row.counted == 'N') {
      letter = finished ? 'x' : 'n';
    } else if (row.failed()) {
      letter = finished ? 'f' : 'b';
    }
  }
  const auto mark = [&](const engine::SharedText& text, char letter) {
    IndexSet::parse_stored(text.str(), count).set.for_each([&](int32_t index) {
      letters[static_cast<size_t>(index)] = letter;
    });
  };
  mark(job.status.completed_indexes, 's');
  mark(job.status.failed_indexes.value_or(""), 'f');
  return letters;
}

struct PageCounts {
  int64_t succeeded = 0;
  int64_t running = 0;
  int64_t waiting = 0;
  int64_t terminating = 0;
  int64_t failed = 0;
  int64_t not_started = 0;
  int64_t ignored_pods = 0;
  std::map<std::string, int64_t> waiting_for;
};

PageCounts count(const engine::JobView& job, const Rows& rows, const std::string& letters) {
  PageCounts counts;
  for (const AttemptRow& row : rows) {
    counts.ignored_pods += row.counted == 'I' ? 1 : 0;
    if (!row.is_active()) {
      continue;
    }
    if (row.terminating) {
      ++counts.terminating;
    } else if (row.phase == 'R') {
      ++counts.running;
    } else {
      ++counts.waiting;
      ++counts.waiting_for[row.waits_for.empty() ? "for their nodes" : row.waits_for];
    }
  }
  counts.succeeded = job.status.succeeded;
  if (letters.empty()) {
    counts.failed = job.status.failed;
    return counts;
  }
  const auto letters_of = [&letters](char letter) {
    return static_cast<int64_t>(std::count(letters.begin(), letters.end(), letter));
  };
  counts.failed = letters_of('f');
  counts.not_started = letters_of('n');
  if (const int64_t resting = letters_of('b'); resting > 0) {
    counts.waiting += resting;
    counts.waiting_for["in back-off"] = resting;
  }
  return counts;
}

std::string_view operator_text(engine::Operator op) {
  return op == engine::Operator::not_in ? "not in" : "in";
}

// `exit code in 42, 43 (container main)`, `condition DisruptionTarget`
std::string rule_condition(const engine::FailureRule& rule) {
  std::vector<std::string> parts;
  if (rule.on_exit_codes) {
    std::string text = fmt::format("exit code {} {}", operator_text(rule.on_exit_codes->op),
                                   fmt::join(rule.on_exit_codes->values, ", "));
    if (rule.on_exit_codes->container_name) {
      text += fmt::format(" (container {})", *rule.on_exit_codes->container_name);
    }
    parts.push_back(std::move(text));
  }
  for (const engine::ConditionPattern& pattern : rule.on_pod_conditions) {
    const bool is_true = pattern.status == engine::ConditionStatus::is_true;
    parts.push_back(fmt::format("condition {}{}", pattern.type, is_true ? "" : " is not True"));
  }
  return fmt::format("{}", fmt::join(parts, " or "));
}

// `failed 3 indexes`; "" before the first match.
std::string effect_of(engine::Action action, int64_t matches, int64_t indexes) {
  const auto counted = [](int64_t number, std::string_view noun, std::string_view plural) {
    return fmt::format("{} {}", number, number == 1 ? noun : plural);
  };
  if (matches == 0) {
    return "";
  }
  switch (action) {
    case engine::Action::fail_job:
      return "failed the Job";
    case engine::Action::fail_index:
      return "failed " + counted(indexes, "index", "indexes");
    case engine::Action::ignore:
      return counted(matches, "failure does", "failures do") + " not count";
    case engine::Action::count:
      return counted(matches, "failure counts", "failures count");
    case engine::Action::none:
    case engine::Action::unknown:
      break;
  }
  return "";
}

}  // namespace

class JobPage::Impl {
 public:
  explicit Impl(JobPageInput input)
      : input_(std::move(input)),
        message_(api::object_as<api::batch::v1::Job>(input_.evidence.job)),
        job_(controllers::job::read_job(*message_)),
        explanation_(explain::explain(input_.evidence)),
        rows_(attempt_rows(input_.attempts, *message_, input_.evidence.pods, groups_)),
        causes_(groups_.causes()) {
    using State = explain::Explanation::State;
    finished_ = explanation_.state == State::complete || explanation_.state == State::failed;
    if (job_.spec.mode == engine::CompletionMode::indexed && job_.spec.completions &&
        *job_.spec.completions <= kMaxMapIndexes) {
      letters_ = index_letters(job_, rows_, finished_);
    }
  }

  const std::string& cells() const { return letters_; }
  const Rows& rows() const { return rows_; }

  // With these attempts and without cells, or with everything.
  std::string json(const std::vector<size_t>* attempts) const;

  uint64_t digest_of(const AttemptRow& row) const {
    const auto tick = [](const std::optional<Time>& time) {
      return time ? time->time_since_epoch().count() : -1;
    };
    const std::string text =
        fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", row.pod, row.node,
                    row.index.value_or(-1), row.number, tick(row.created), tick(row.started),
                    tick(row.ended), row.phase, row.terminating, row.waits_for,
                    row.exit_code.value_or(-1), row.signal, row.reason, row.rule, row.counted,
                    row.peak_memory_bytes.value_or(-1), row.cpu_microseconds.value_or(-1),
                    row.log ? row.log->size() : 0, row.cause == nullptr ? "" : row.cause->id);
    return std::hash<std::string>()(text);
  }

 private:
  class DocumentWriter;

  JobPageInput input_;
  std::shared_ptr<const api::batch::v1::Job> message_;
  engine::JobView job_;
  explain::Explanation explanation_;
  ledger::CauseGroups groups_;
  Rows rows_;
  std::vector<const ledger::FailureCause*> causes_;
  bool finished_ = false;
  std::string letters_;  // "" where the map shows attempts
};

class JobPage::Impl::DocumentWriter {
 public:
  DocumentWriter(const Impl& page, const std::vector<size_t>* attempts, std::string& out)
      : page_(page), is_part_(attempts != nullptr), json_(out) {
    if (is_part_) {
      for (const size_t attempt : *attempts) {
        shown_.push_back(&page.rows_[attempt]);
      }
      return;
    }
    for (const AttemptRow& row : page.rows_) {
      shown_.push_back(&row);
    }
  }

  void write() {
    json_.open_object();
    json_.key("version").number(kJobPageVersion);
    json_.key("now").real(seconds_of(page_.input_.evidence.now));
    write_job();
    json_.member("state", explain::state_name(page_.explanation_.state));
    json_.member("headline", explain::headline(page_.explanation_));
    json_.strings("details", details());
    write_counts();
    json_.key("cells");
    page_.letters_.empty() || is_part_ ? json_.null() : json_.string(page_.letters_);
    write_rules();
    write_findings();
    write_causes();
    write_attempts();
    write_logs();
    json_.key("ledger").boolean(page_.input_.has_ledger);
    json_.key("rerun");
    page_.input_.has_rerun&& page_.finished_ && !page_.letters_.empty()
        ? json_.string(fmt::format("windlass rerun job/{} -n {}", page_.job_.name,
                                   page_.job_.namespace_name))
        : json_.null();
    json_.close_object();
  }

 private:
  void write_job() {
    const engine::JobSpec& spec = page_.job_.spec;
    json_.key("job").open_object();
    json_.member("namespace", page_.job_.namespace_name);
    json_.member("name", page_.job_.name);
    json_.member("uid", page_.job_.uid);
    json_.key("indexed").boolean(!page_.letters_.empty());
    json_.key("completions");
    write_optional(json_, spec.completions);
    json_.key("parallelism").number(spec.parallelism);
    json_.key("created");
    const auto& metadata = page_.message_->metadata();
    write_time(json_, metadata.has_creation_timestamp()
                          ? std::optional(api::time_of(metadata.creation_timestamp()))
                          : std::nullopt);
    json_.key("started");
    write_time(json_, page_.job_.status.start_time);
    json_.key("ended");
    write_time(json_, page_.finished_ ? page_.explanation_.since : std::nullopt);
    json_.key("backoffLimit");
    // With limits per index, the default is no limit at all.
    write_optional(json_, spec.backoff_limit == std::numeric_limits<int32_t>::max()
                              ? std::nullopt
                              : std::optional(spec.backoff_limit));
    json_.key("backoffLimitPerIndex");
    write_optional(json_, spec.backoff_limit_per_index);
    json_.key("maxFailedIndexes");
    write_optional(json_, spec.max_failed_indexes);
    json_.close_object();
  }

  // What stands below the headline.
  std::vector<std::string> details() const {
    std::vector<std::string> lines;
    if (!page_.explanation_.message.empty()) {
      lines.push_back(page_.explanation_.message);
    }
    if (page_.explanation_.decider) {
      const explain::PodAccount& pod = *page_.explanation_.decider;
      lines.push_back(fmt::format("Pod {}{}{}", pod.name,
                                  pod.node.empty() ? "" : " on node " + pod.node,
                                  pod.text.empty() ? "" : ": " + pod.text));
    }
    for (const explain::Wait& wait : page_.explanation_.waits) {
      lines.push_back(wait.text);
    }
    return lines;
  }

  void write_counts() {
    const PageCounts counts = count(page_.job_, page_.rows_, page_.letters_);
    json_.key("counts").open_object();
    json_.key("succeeded").number(counts.succeeded);
    json_.key("running").number(counts.running);
    json_.key("waiting").number(counts.waiting);
    json_.key("failed").number(counts.failed);
    json_.key("notStarted").number(counts.not_started);
    json_.key("terminating").number(counts.terminating);
    json_.key("failedPods").number(page_.job_.status.failed);
    json_.key("ignoredPods").number(counts.ignored_pods);
    json_.key("waitingFor").open_list();
    for (const auto& [reason, pods] : counts.waiting_for) {
      json_.open_object();
      json_.member("reason", reason);
      json_.key("count").number(pods);
      json_.close_object();
    }
    json_.close_list();
    json_.close_object();
  }

  void write_rules() {
    json_.key("rules").open_list();
    int32_t place = 0;
    for (const engine::FailureRule& rule :
         page_.job_.spec.failure_policy.value_or(std::vector<engine::FailureRule>())) {
      json_.open_object();
      json_.key("rule").number(place);
      json_.member("name", rule.name.value_or(""));
      json_.member("action", engine::action_name(rule.action));
      json_.member("when", rule_condition(rule));
      write_matches(rule.action, place);
      json_.close_object();
      ++place;
    }
    json_.close_list();
  }

  // How often a rule matched, and what came of it.
  void write_matches(engine::Action action, int32_t place) {
    int64_t matches = 0;
    std::set<int64_t> indexes;
    for (const AttemptRow& row : page_.rows_) {
      if (row.rule == place) {
        ++matches;
        indexes.insert(row.index.value_or(-1));
      }
    }
    json_.key("matches").number(matches);
    json_.member("effect", effect_of(action, matches, static_cast<int64_t>(indexes.size())));
  }

  void write_findings() {
    json_.key("findings").open_list();
    for (const policy::LintFinding& finding :
         policy::lint(policy::read_subject(*page_.message_, api::FeatureGates()), {})) {
      json_.open_object();
      json_.member("severity", policy::severity_name(finding.severity));
      json_.member("id", finding.id);
      json_.member("path", finding.path);
      json_.member("what", finding.what);
      json_.member("why", finding.why);
      json_.member("fix", finding.fix);
      json_.close_object();
    }
    json_.close_list();
  }

  void write_causes() {
    json_.key("causes").open_list();
    for (const ledger::FailureCause* cause : page_.causes_) {
      json_.open_object();
      json_.member("id", cause->id);
      json_.member("title", cause->title);
      json_.key("count").number(cause->count);
      json_.key("ignored").boolean(cause->key.ignored);
      json_.member("indexes", cause->indexes.to_string());
      json_.key("first");
      write_time(json_, cause->first);
      json_.key("last");
      write_time(json_, cause->last);
      write_nodes(*cause);
      json_.member("sample_pod", cause->sample ? cause->sample->pod_name() : "");
      json_.member("sample_line", cause->sample_line);
      json_.close_object();
    }
    json_.close_list();
  }

  // Those with most failures first.
  void write_nodes(const ledger::FailureCause& cause) {
    std::vector<std::pair<std::string, int64_t>> nodes(cause.nodes.begin(), cause.nodes.end());
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    const std::vector<ledger::HeavyNode> heavy = page_.groups_.heavy_nodes(cause);
    json_.key("nodes").open_list();
    for (const auto& [name, failures] : nodes) {
      json_.open_object();
      json_.member("name", name);
      json_.key("count").number(failures);
      json_.key("outlier").boolean(
          std::any_of(heavy.begin(), heavy.end(),
                      [&name = name](const auto& each) { return each.node == name; }));
      json_.close_object();
    }
    json_.close_list();
  }

  int64_t place_of(const ledger::FailureCause* cause) const {
    const auto found = std::find(page_.causes_.begin(), page_.causes_.end(), cause);
    return found == page_.causes_.end() ? -1 : found - page_.causes_.begin();
  }

  void column(std::string_view name, const std::function<void(const AttemptRow&)>& write_one) {
    json_.key(name).open_list();
    for (const AttemptRow* row : shown_) {
      write_one(*row);
    }
    json_.close_list();
  }

  void letters(std::string_view name, char AttemptRow::*letter) {
    std::string text;
    for (const AttemptRow* row : shown_) {
      text += row->*letter;
    }
    json_.member(name, text);
  }

  void write_attempts() {
    Names nodes;
    Names reasons;
    json_.key("attempts").open_object();
    column("index", [this](const AttemptRow& row) { write_optional(json_, row.index); });
    column("number", [this](const AttemptRow& row) { json_.number(row.number); });
    column("pod", [this](const AttemptRow& row) { json_.string(row.pod); });
    column("uid", [this](const AttemptRow& row) { json_.string(row.uid); });
    column("node", [&](const AttemptRow& row) { json_.number(nodes.place_of(row.node)); });
    column("created", [this](const AttemptRow& row) { write_time(json_, row.created); });
    column("started", [this](const AttemptRow& row) { write_time(json_, row.started); });
    column("ended", [this](const AttemptRow& row) { write_time(json_, row.ended); });
    letters("phase", &AttemptRow::phase);
    column("exit", [this](const AttemptRow& row) { write_optional(json_, row.exit_code); });
    column("signal", [this](const AttemptRow& row) { json_.number(row.signal); });
    column("reason", [&](const AttemptRow& row) {
      json_.number(reasons.place_of(row.is_active() ? row.waits_for : row.reason));
    });
    column("rule", [this](const AttemptRow& row) { json_.number(row.rule); });
    letters("counted", &AttemptRow::counted);
    column("cause", [this](const AttemptRow& row) { json_.number(place_of(row.cause)); });
    column("memory",
           [this](const AttemptRow& row) { write_optional(json_, row.peak_memory_bytes); });
    column("cpu", [this](const AttemptRow& row) {
      row.cpu_microseconds ? json_.real(static_cast<double>(*row.cpu_microseconds) / kMicro)
                           : json_.null();
    });
    json_.close_object();
    json_.key("names").open_object();
    json_.strings("nodes", nodes.names());
    json_.strings("reasons", reasons.names());
    json_.close_object();
  }

  // Of failures first, the newest first, as far as there is room.
  void write_logs() {
    std::vector<size_t> order;
    for (size_t i = 0; i < page_.rows_.size(); ++i) {
      if (page_.rows_[i].log) {
        order.push_back(i);
      }
    }
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      return std::pair(!page_.rows_[a].failed(), page_.rows_[b].ended) <
             std::pair(!page_.rows_[b].failed(), page_.rows_[a].ended);
    });
    json_.key("logs").open_object();
    size_t room = page_.input_.log_bytes;
    for (const size_t i : order) {
      if (page_.rows_[i].log->size() > room) {
        break;
      }
      room -= page_.rows_[i].log->size();
      json_.member(fmt::format("{}", i), *page_.rows_[i].log);
    }
    json_.close_object();
  }

  const Impl& page_;
  const bool is_part_;
  std::vector<const AttemptRow*> shown_;
  JsonWriter json_;
};

std::string JobPage::Impl::json(const std::vector<size_t>* attempts) const {
  std::string text;
  DocumentWriter(*this, attempts, text).write();
  return text;
}

JobPage::JobPage(JobPageInput input) : impl_(std::make_unique<Impl>(std::move(input))) {}

JobPage::~JobPage() = default;

const std::string& JobPage::cells() const {
  return impl_->cells();
}

size_t JobPage::attempt_count() const {
  return impl_->rows().size();
}

const std::string& JobPage::uid_of(size_t attempt) const {
  return impl_->rows()[attempt].uid;
}

uint64_t JobPage::digest_of(size_t attempt) const {
  return impl_->digest_of(impl_->rows()[attempt]);
}

std::string JobPage::json() const {
  return impl_->json(nullptr);
}

std::string JobPage::json_with(const std::vector<size_t>& attempts) const {
  return impl_->json(&attempts);
}

std::string job_page_json(const JobPageInput& input) {
  return JobPage(input).json();
}

}  // namespace windlass::web
