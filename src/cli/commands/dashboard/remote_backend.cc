#include "cli/commands/dashboard/remote_backend.h"

#include <memory>
#include <utility>

#include "base/check.h"
#include "schema/authorization/v1/self_subject_access_review.pb.h"

namespace windlass::cli {
namespace {

using api::authorization::v1::SelfSubjectAccessReview;

bool is_read(const std::string& verb) {
  return verb == "get" || verb == "list" || verb == "watch";
}

}  // namespace

Result<dashboard::ViewerPtr> RemoteBackend::identify(const http::Headers& /*headers*/,
                                                     const http::Peer& /*peer*/) const {
  return fail(unauthorized());
}

void RemoteBackend::check(const dashboard::Viewer& /*viewer*/, const dashboard::Access& access,
                          client::Done<void> done) {
  if (is_read(access.verb)) {
    executor_.post([done = std::move(done)] { done({}); });
    return;
  }
  const api::Kind* const kind =
      api::find_kind("authorization.k8s.io/v1", "SelfSubjectAccessReview");
  CHECK(kind != nullptr, "access reviews are a kind");
  auto review = std::make_shared<SelfSubjectAccessReview>();
  auto& asked = *review->mutable_spec()->mutable_resource_attributes();
  asked.set_namespace_(access.ns);
  asked.set_verb(access.verb);
  asked.set_group(access.group);
  asked.set_resource(access.resource);
  client_.create({kind, "", ""}, review,
                 [access, done = std::move(done)](const Result<client::ObjectPtr>& answer) {
                   if (!answer) {
                     return done(fail(answer.error()));
                   }
                   const auto reviewed = api::object_as<SelfSubjectAccessReview>(*answer);
                   if (!reviewed->status().allowed()) {
                     return done(fail(forbidden({access.group, access.resource, ""},
                                                "the kubeconfig does not allow it")));
                   }
                   done({});
                 });
}

void RemoteBackend::read_text(const dashboard::Viewer& /*viewer*/, const std::string& path,
                              client::Done<std::string> done) {
  client_.get_text(path, std::move(done));
}

void RemoteBackend::rerun(const dashboard::RerunOrder& order, client::Done<std::string> done) {
  reruns_.run(order, std::move(done));
}

}  // namespace windlass::cli
