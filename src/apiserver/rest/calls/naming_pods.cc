#include "apiserver/rest/calls/naming_pods.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/pod/pod_references.h"
#include "apiserver/stored_form.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

// A look at one pod is two searches in its bytes.
constexpr size_t kLooksPerTask = 500;

class Looking : public std::enable_shared_from_this<Looking> {
 public:
  Looking(std::shared_ptr<RestContext> context, ObjectRef wanted, std::string node,
          std::function<void(bool)> then)
      : context_(std::move(context)),
        wanted_(std::move(wanted)),
        node_(std::move(node)),
        then_(std::move(then)) {}

  void start() {
    auto pods = context_->server.read({&api::kinds::pod(), wanted_.ns, "", ""}, {});
    if (pods) {
      pods_ = std::move(pods->items);
    }
    look();
  }

 private:
  void look() {
    const size_t end = std::min(next_ + kLooksPerTask, pods_.size());
    for (; next_ < end; ++next_) {
      if (names(*pods_[next_])) {
        return then_(true);
      }
    }
    if (next_ == pods_.size()) {
      return then_(false);
    }
    context_->executor.post([self = shared_from_this()] {
      if (self->context_->open) {
        self->look();
      }
    });
  }

  // Few pods have both names anywhere in them, so few are decoded.
  bool names(const store::Version& version) const {
    const std::string& bytes = version.bytes();
    if (bytes.find(node_) == std::string::npos || bytes.find(wanted_.name) == std::string::npos) {
      return false;
    }
    api::core::v1::Pod pod;
    parse_version(api::kinds::pod(), version, pod);
    return pod.spec().node_name() == node_ &&
           (wanted_.kind == &api::kinds::secret()
                ? api::names_secret(pod.spec(), wanted_.name)
                : api::names_config_map(pod.spec(), wanted_.name));
  }

  const std::shared_ptr<RestContext> context_;
  const ObjectRef wanted_;
  const std::string node_;
  const std::function<void(bool)> then_;
  std::vector<store::VersionPtr> pods_;
  size_t next_ = 0;
};

}  // namespace

bool is_named_by_pods(const api::Kind& kind) {
  return &kind == &api::kinds::config_map() || &kind == &api::kinds::secret();
}

void find_naming_pod(std::shared_ptr<RestContext> context, const ObjectRef& wanted,
                     const std::string& node, std::function<void(bool named)> then) {
  std::make_shared<Looking>(std::move(context), wanted, node, std::move(then))->start();
}

}  // namespace windlass::apiserver
