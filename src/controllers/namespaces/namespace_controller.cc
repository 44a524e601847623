#include "controllers/namespaces/namespace_controller.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <utility>

#include "api/codec/wire_time.h"
#include "client/update_status.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/namespace.pb.h"
#include "schema/core/v1/service_account.pb.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::controllers::namespaces {
namespace {

using api::core::v1::Namespace;
using client::ObjectPtr;
using client::ObjectRef;

constexpr const char* kFinalizer = "kubernetes";
constexpr const char* kAccount = "default";
constexpr const char* kCertificate = "kube-root-ca.crt";
constexpr const char* kCertificateKey = "ca.crt";

bool is_done(const Status& status) {
  return is_not_found(status) || is_already_exists(status) || status.reason == "Forbidden";
}

}  // namespace

NamespaceController::NamespaceController(client::ClientEnv env, Options options)
    : env_(env),
      options_(std::move(options)),
      content_(env, options_.page_size),
      queue_(env.executor, env.clock, {.workers = options_.concurrent_namespaces},
             [this](const std::string& name) { process(name); }),
      namespaces_(env, {.kind = &api::kinds::namespace_()}, &project),
      accounts_(env,
                {.kind = api::find_kind("v1", "ServiceAccount"),
                 .field_selector = std::string("metadata.name=") + kAccount},
                &project_account),
      certificates_(env,
                    {.kind = &api::kinds::config_map(),
                     .field_selector = std::string("metadata.name=") + kCertificate},
                    &project_certificate) {
  const auto queue = [this](const CachedNamespace& record) { queue_.add(record.name); };
  namespaces_.add_handler({queue,
                           [queue](const CachedNamespace& before, const CachedNamespace& now) {
                             if (before.uid != now.uid || before.terminating != now.terminating) {
                               queue(now);
                             }
                           },
                           [](const CachedNamespace&) {}});
  const auto missed = [this](const Part& part) { queue_.add(part.ns); };
  const auto compared = [this, missed](const Part& part) {
    if (part.certificate != options_.ca_certificate) {
      missed(part);
    }
  };
  accounts_.add_handler({.on_add = {}, .on_update = {}, .on_delete = missed});
  certificates_.add_handler(
      {.on_add = compared,
       .on_update = [compared](const Part&, const Part& now) { compared(now); },
       .on_delete = missed});
}

NamespaceController::~NamespaceController() = default;

NamespaceController::CachedNamespace NamespaceController::project(const api::Message& object) {
  const auto& metadata = static_cast<const Namespace&>(object).metadata();
  return {metadata.name(), metadata.uid(), metadata.has_deletion_timestamp()};
}

NamespaceController::Part NamespaceController::project_account(const api::Message& object) {
  return {static_cast<const api::core::v1::ServiceAccount&>(object).metadata().namespace_()};
}

NamespaceController::Part NamespaceController::project_certificate(const api::Message& object) {
  const auto& map = static_cast<const api::core::v1::ConfigMap&>(object);
  const auto found = map.data().find(kCertificateKey);
  return {map.metadata().namespace_(), found == map.data().end() ? "" : found->second};
}

void NamespaceController::start() {
  namespaces_.start();
  accounts_.start();
  certificates_.start();
}

void NamespaceController::process(const std::string& name) {
  const CachedNamespace* record = namespaces_.find("", name);
  if (record == nullptr) {
    finish(name, true);
  } else if (record->terminating) {
    empty(*record);
  } else {
    complete(name);
  }
}

void NamespaceController::complete(const std::string& name) {
  const ObjectRef account{api::find_kind("v1", "ServiceAccount"), name, kAccount};
  env_.client.create(account, std::make_shared<api::core::v1::ServiceAccount>(),
                     self_.bind([name](NamespaceController& self, const Result<ObjectPtr>& made) {
                       if (made || is_done(made.error())) {
                         self.complete_certificate(name);
                       } else {
                         self.finish(name, false);
                       }
                     }));
}

void NamespaceController::complete_certificate(const std::string& name) {
  const Part* present = certificates_.find(name, kCertificate);
  if (present != nullptr && present->certificate == options_.ca_certificate) {
    finish(name, true);
    return;
  }
  const ObjectRef ref{&api::kinds::config_map(), name, kCertificate};
  auto map = std::make_shared<api::core::v1::ConfigMap>();
  (*map->mutable_data())[kCertificateKey] = options_.ca_certificate;
  auto settle = self_.bind([name](NamespaceController& self, const Result<ObjectPtr>& stored) {
    self.finish(name, stored || is_done(stored.error()));
  });
  if (present == nullptr) {
    env_.client.create(ref, std::move(map), std::move(settle));
    return;
  }
  // Another client wrote into it, or the authority is a new one.
  map->mutable_metadata()->set_namespace_(name);
  map->mutable_metadata()->set_name(kCertificate);
  env_.client.update(ref, "", std::move(map), std::move(settle));
}

void NamespaceController::if_ending(const CachedNamespace& seen,
                                    std::function<void(const ObjectPtr& ns)> then) {
  env_.client.get({&api::kinds::namespace_(), "", seen.name},
                  self_.bind([seen, then = std::move(then)](NamespaceController& self,
                                                            const Result<ObjectPtr>& found) {
                    if (!found) {
                      self.finish(seen.name, is_not_found(found.error()));
                      return;
                    }
                    const auto& metadata = api::metadata_of(**found);
                    if (metadata.uid() != seen.uid || !metadata.has_deletion_timestamp()) {
                      self.finish(seen.name,
                                  true);  // another one has the name by now; the view will show it
                      return;
                    }
                    then(*found);
                  }));
}

void NamespaceController::empty(const CachedNamespace& seen) {
  if_ending(seen, [this, seen](const ObjectPtr& found) {
    content_.run(
        seen.name, api::time_of(api::metadata_of(*found).deletion_timestamp()),
        [this, seen](const ContentDeleter::DeletionResult& outcome) { tell(seen, outcome); });
  });
}

void NamespaceController::tell(const CachedNamespace& seen,
                               const ContentDeleter::DeletionResult& outcome) {
  client::update_status(
      env_.client, {&api::kinds::namespace_(), "", seen.name}, seen.uid,
      [left = outcome.left, &clock = env_.clock](api::Message& message) {
        return set_deletion_conditions(static_cast<Namespace&>(message), left, clock.now());
      },
      self_.bind([seen, outcome](NamespaceController& self, const Result<ObjectPtr>& told) {
        if (!told && !is_not_found(told.error())) {
          // The deletion itself does not wait for it.
          self.env_.log.warning("the conditions of a namespace could not be written",
                                {{"namespace", seen.name}, {"error", told.error().message}});
        }
        self.end(seen, outcome);
      }));
}

void NamespaceController::end(const CachedNamespace& seen,
                              const ContentDeleter::DeletionResult& outcome) {
  if (outcome.failed) {
    finish(seen.name, false);
  } else if (!outcome.left.objects.empty()) {
    queue_.forget(seen.name);
    queue_.add_after(seen.name, options_.recheck);
    queue_.done(seen.name);
  } else {
    release(seen);
  }
}

void NamespaceController::release(const CachedNamespace& seen) {
  if_ending(seen, [this, name = seen.name](const ObjectPtr& found) {
    auto changed = std::make_shared<Namespace>(static_cast<const Namespace&>(*found));
    auto& finalizers = *changed->mutable_spec()->mutable_finalizers();
    finalizers.erase(std::remove(finalizers.begin(), finalizers.end(), kFinalizer),
                     finalizers.end());
    env_.client.update(
        {&api::kinds::namespace_(), "", name}, "finalize", changed,
        self_.bind([name](NamespaceController& self, const Result<ObjectPtr>& released) {
          self.finish(name, released || is_not_found(released.error()));
        }));
  });
}

void NamespaceController::finish(const std::string& name, bool succeeded) {
  if (succeeded) {
    queue_.forget(name);
  } else {
    queue_.add_rate_limited(name);
  }
  queue_.done(name);
}

}  // namespace windlass::controllers::namespaces
