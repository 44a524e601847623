#include "controllers/namespaces/content_deleter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schema/core/v1/pod.pb.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::controllers::namespaces {
namespace {

using client::ObjectList;
using client::ObjectPtr;

std::vector<const api::Kind*> kinds_to_empty() {
  std::vector<const api::Kind*> kinds;
  for (const api::Kind& kind : api::all_kinds()) {
    if (kind.namespaced && kind.list_prototype != nullptr && &kind != &api::kinds::pod()) {
      kinds.push_back(&kind);
    }
  }
  std::reverse(kinds.begin(), kinds.end());
  kinds.push_back(&api::kinds::pod());
  return kinds;
}

}  // namespace

ContentDeleter::ContentDeleter(client::ClientEnv env, int64_t page_size)
    : env_(env), page_size_(page_size) {}

void ContentDeleter::run(const std::string& ns, Time deleted_at, Done done) {
  auto run = std::make_shared<Run>();
  run->ns = ns;
  run->deleted_at = deleted_at;
  run->done = std::move(done);
  run->kinds = kinds_to_empty();
  next_kind(run);
}

void ContentDeleter::next_kind(const RunPtr& run) {
  const DeletionResult& so_far = run->outcome;
  const bool pods_are_left =
      run->kind == &api::kinds::pod() && (so_far.failed || !so_far.left.objects.empty());
  if (pods_are_left || run->kinds.empty()) {
    run->done(so_far);
    return;
  }
  run->kind = run->kinds.back();
  run->kinds.pop_back();
  run->pass = Pass::deleting;
  run->tally = {};
  run->next_page.clear();
  run->deleted = 0;
  list_page(run);
}

void ContentDeleter::list_page(const RunPtr& run) {
  env_.client.list({.kind = run->kind, .ns = run->ns},
                   {.limit = page_size_, .continue_token = run->next_page},
                   self_.bind([run](ContentDeleter& self, const Result<ObjectList>& list) {
                     self.on_page(run, list);
                   }));
}

void ContentDeleter::on_page(const RunPtr& run, const Result<ObjectList>& list) {
  if (!list) {
    // A kind that is not served has nothing to empty. What a place in the list that has become too
    // old hides is for the next run.
    if (!is_not_found(list.error())) {
      note_error(*run, list.error());
    }
    end_kind(run);
    return;
  }
  run->next_page = list->continue_token;
  std::vector<ObjectPtr> present;
  for (const ObjectPtr& object : list->items) {
    count(*object, *run->kind, run->tally);
    // What is on its way out is waited for, and must not keep the run from what is not.
    if (run->pass == Pass::deleting && !api::metadata_of(*object).has_deletion_timestamp()) {
      present.push_back(object);
    }
  }
  if (present.empty()) {
    end_page(run);
    return;
  }
  run->deleted += present.size();
  run->in_flight = present.size();
  for (const ObjectPtr& object : present) {
    remove(run, *object);
  }
}

void ContentDeleter::remove(const RunPtr& run, const api::Message& object) {
  const auto& metadata = api::metadata_of(object);
  env_.client.remove({run->kind, run->ns, metadata.name()},
                     {.propagation_policy = "Background", .preconditions = {.uid = metadata.uid()}},
                     self_.bind([run](ContentDeleter& self, const Result<ObjectPtr>& removed) {
                       if (!removed && !is_not_found(removed.error())) {
                         note_error(*run, removed.error());
                       }
                       if (--run->in_flight == 0) {
                         self.end_page(run);
                       }
                     }));
}

void ContentDeleter::end_page(const RunPtr& run) {
  if (!run->next_page.empty()) {
    list_page(run);
  } else if (run->pass == Pass::deleting && run->deleted > 0) {
    // Most of it is gone by now.
    run->pass = Pass::counting;
    run->tally = {.error = std::move(run->tally.error)};
    list_page(run);
  } else {
    end_kind(run);
  }
}

void ContentDeleter::end_kind(const RunPtr& run) {
  Tally& tally = run->tally;
  Leftovers& left = run->outcome.left;
  const api::Kind& kind = *run->kind;
  const bool overdue = env_.clock.now() - run->deleted_at >= tally.grace;
  if (tally.error.empty() && tally.count > 0 && tally.finalizers.empty() && overdue) {
    tally.error = fmt::format(
        "unexpected items still remain in namespace: {} for gvr: {}/{}, "
        "Resource={}",
        run->ns, kind.group, kind.version, kind.plural);
  }
  if (!tally.error.empty()) {
    left.errors.push_back(std::move(tally.error));
  }
  if (tally.count > 0) {
    left.objects[fmt::format("{}.{}", kind.plural, kind.group)] = tally.count;
  }
  for (const auto& [finalizer, count] : tally.finalizers) {
    left.finalizers[finalizer] += count;
  }
  next_kind(run);
}

void ContentDeleter::count(const api::Message& object, const api::Kind& kind, Tally& tally) {
  ++tally.count;
  for (const std::string& finalizer : api::metadata_of(object).finalizers()) {
    ++tally.finalizers[finalizer];
  }
  if (&kind == &api::kinds::pod()) {
    const auto& pod = static_cast<const api::core::v1::Pod&>(object);
    const std::string& phase = pod.status().phase();
    if (phase != "Succeeded" && phase != "Failed") {
      tally.grace =
          std::max<Duration>(tally.grace, seconds(pod.spec().termination_grace_period_seconds()));
    }
  }
}

void ContentDeleter::note_error(Run& run, const Status& why) {
  run.outcome.failed = true;
  if (run.tally.error.empty()) {
    run.tally.error = why.message;
  }
}

}  // namespace windlass::controllers::namespaces
