#include "cli/manifests/run_manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "cli/manifests/checked_object.h"
#include "schema/core/v1/namespace.pb.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::cli {
namespace {

// The cluster has these from the start (api.md N15).
const std::set<std::string, std::less<>> kBuiltInNamespaces = {"default", "kube-system",
                                                               "kube-public", "kube-node-lease"};

ObjectToCreate namespace_object(const std::string& name) {
  auto object = std::make_shared<api::core::v1::Namespace>();
  object->mutable_metadata()->set_name(name);
  return {{&api::kinds::namespace_(), "", name}, std::move(object), "namespace/" + name};
}

bool starts_work(const api::Kind* kind) {
  return kind == &api::kinds::job() || kind == &api::kinds::pod();
}

// In the order of the files, except that an object never comes before those it needs.
int rank_of(const ObjectToCreate& object) {
  if (object.ref.kind == &api::kinds::namespace_()) {
    return 0;
  }
  return starts_work(object.ref.kind) ? 2 : 1;
}

bool report(const LoadedManifests& loaded, Output& output) {
  for (const auto& text : loaded.unreadable) {
    output.err(fmt::format("error: {}\n", text));
  }
  for (const auto& text : loaded.malformed) {
    output.err(text + "\n");
  }
  return loaded.unreadable.empty() && loaded.malformed.empty();
}

class Planner {
 public:
  Planner(const JobOptions& options, Output& output) : options_(options), output_(output) {}

  void add(const Manifest& manifest) {
    CheckedObject checked = check_manifest(manifest, {FieldValidation::strict, options_.gates});
    for (const auto& warning : checked.warnings) {
      output_.err(warning.line + "\n");
    }
    for (const auto& error : checked.errors) {
      output_.err(error.line + "\n");
      valid_ = false;
    }
    if (!checked.valid() || checked.object == nullptr) {
      return;
    }
    auto& metadata = api::mutable_metadata_of(*checked.object);
    if (checked.kind->namespaced) {
      if (metadata.namespace_().empty()) {
        metadata.set_namespace_(options_.ns);
      }
      namespaces_.insert(metadata.namespace_());
    } else if (checked.kind == &api::kinds::namespace_()) {
      given_namespaces_.insert(metadata.name());
    }
    client::ObjectRef ref{checked.kind, metadata.namespace_(), metadata.name()};
    if (!is_new(ref, place_of(manifest, "metadata.name"), checked.title)) {
      return;
    }
    if (checked.kind == &api::kinds::job()) {
      ++plan_.jobs;
    }
    plan_.objects.push_back({std::move(ref), std::move(checked.object), checked.title});
  }

  std::optional<RunPlan> take() {
    if (valid_ && plan_.jobs == 0) {
      output_.err(fmt::format("error: no Job in {}\n", fmt::join(options_.manifests.paths, ", ")));
      valid_ = false;
    }
    if (!valid_) {
      return std::nullopt;
    }
    std::vector<ObjectToCreate> objects;
    for (const auto& name : namespaces_) {
      if (!kBuiltInNamespaces.contains(name) && !given_namespaces_.contains(name)) {
        objects.push_back(namespace_object(name));
      }
    }
    std::move(plan_.objects.begin(), plan_.objects.end(), std::back_inserter(objects));
    std::stable_sort(objects.begin(), objects.end(),
                     [](const auto& a, const auto& b) { return rank_of(a) < rank_of(b); });
    plan_.objects = std::move(objects);
    return std::move(plan_);
  }

 private:
  // Checked before anything is created: when the server rejects the second one, the first may have
  // pods already. There may be any number of objects without a name.
  bool is_new(const client::ObjectRef& ref, const std::string& place, const std::string& title) {
    if (ref.name.empty()) {
      return true;
    }
    const auto [known, added] = places_.try_emplace({ref.kind, ref.ns, ref.name}, place);
    if (!added) {
      output_.err(fmt::format("{}: error: {} is already in {}\n", place, title, known->second));
      valid_ = false;
    }
    return added;
  }

  const JobOptions& options_;
  Output& output_;
  RunPlan plan_;
  std::set<std::string> namespaces_;
  std::set<std::string> given_namespaces_;
  std::map<std::tuple<const api::Kind*, std::string, std::string>, std::string> places_;
  bool valid_ = true;
};

}  // namespace

bool is_there_already(const ObjectToCreate& object, const Status& refusal) {
  return is_already_exists(refusal) && !starts_work(object.ref.kind);
}

std::optional<RunPlan> plan_run(const JobOptions& options, env::Files& files, Output& output) {
  const LoadedManifests loaded = load_manifests(files, options.manifests);
  if (!report(loaded, output)) {
    return std::nullopt;
  }
  Planner planner(options, output);
  for (const auto& manifest : loaded.manifests) {
    planner.add(manifest);
  }
  return planner.take();
}

}  // namespace windlass::cli
