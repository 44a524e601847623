// The life of namespaces: a new one gets its service account `default` and the config map
// `kube-root-ca.crt` (api.md N15), and gets them again when they are deleted or changed; one
// that is being deleted is emptied (content_deleter.h), says in its status what is left, and is let
// go when nothing is (N11). New content is refused by the server meanwhile (N13).
//
// Lives on the client's executor, and sees the API server only through the client.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/weak_self.h"
#include "client/informer.h"
#include "client/work_queue.h"
#include "controllers/namespaces/content_deleter.h"

namespace windlass::controllers::namespaces {

class NamespaceController {
 public:
  struct Options {
    std::string ca_certificate = {};  // PEM
    Duration recheck = seconds(1);    // of a namespace that is not empty yet
    int64_t page_size = 100;          // deletions of one kind under way at a time
    size_t concurrent_namespaces = 5;
  };

  NamespaceController(client::ClientEnv env, Options options);
  ~NamespaceController();
  NamespaceController(const NamespaceController&) = delete;
  NamespaceController& operator=(const NamespaceController&) = delete;

  void start();

 private:
  struct CachedNamespace {
    std::string name;
    std::string uid;
    bool terminating = false;
  };
  // What every namespace has.
  struct Part {
    std::string ns;
    std::string certificate = {};
  };
  static CachedNamespace project(const api::Message& object);
  static Part project_account(const api::Message& object);
  static Part project_certificate(const api::Message& object);

  void process(const std::string& name);
  void complete(const std::string& name);
  void complete_certificate(const std::string& name);
  // Reads the namespace, and goes on only if it is the one that the view saw, and on its way out.
  void if_ending(const CachedNamespace& seen,
                 std::function<void(const client::ObjectPtr& ns)> then);
  void empty(const CachedNamespace& seen);
  void tell(const CachedNamespace& seen, const ContentDeleter::DeletionResult& outcome);
  void end(const CachedNamespace& seen, const ContentDeleter::DeletionResult& outcome);
  void release(const CachedNamespace& seen);
  void finish(const std::string& name, bool succeeded);

  client::ClientEnv env_;
  Options options_;
  ContentDeleter content_;
  client::WorkQueue queue_;
  client::Informer<CachedNamespace> namespaces_;
  client::Informer<Part> accounts_;
  client::Informer<Part> certificates_;
  WeakSelf<NamespaceController> self_{this};
};

}  // namespace windlass::controllers::namespaces
