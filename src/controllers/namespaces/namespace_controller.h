// The life of namespaces: a new one gets its service account `default` and the config map
// `kube-root-ca.crt` (api.md N15), and gets them again if somebody deletes or changes them; one
// that is being deleted is emptied, kind by kind, and let go when nothing is left in it (N11). New
// content is refused by the server meanwhile (N13).
//
// Lives on the client's executor, and sees the API server only through the client.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/informer.h"
#include "client/work_queue.h"

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
  struct Record {
    std::string name;
    std::string uid;
    bool terminating = false;
  };
  // What every namespace has.
  struct Part {
    std::string ns;
    std::string certificate = {};
  };
  // One look through all kinds of a namespace.
  struct Sweep {
    std::string name;
    std::string uid;
    size_t next_kind = 0;
    std::string next_page = {};  // of the kind that is looked at; "": there is none
    size_t in_flight = 0;
    bool found = false;
    bool failed = false;
  };
  using SweepPtr = std::shared_ptr<Sweep>;

  static Record project(const api::Message& object);
  static Part project_account(const api::Message& object);
  static Part project_certificate(const api::Message& object);

  void process(const std::string& name);
  void complete(const std::string& name);
  void complete_certificate(const std::string& name);
  // Reads the namespace, and goes on only if it is the one that the view saw, and on its way out.
  void if_ending(const SweepPtr& sweep, std::function<void(const client::ObjectPtr& ns)> then);
  void sweep_next_kind(const SweepPtr& sweep);
  void sweep_page(const SweepPtr& sweep, const api::Kind& kind);
  void on_page(const SweepPtr& sweep, const api::Kind& kind,
               const Result<client::ObjectList>& list);
  void sweep_on(const SweepPtr& sweep, const api::Kind& kind);
  void end(const SweepPtr& sweep);
  void release(const SweepPtr& sweep);
  void finish(const std::string& name, bool succeeded);
  // Runs the callback only while this lives.
  template <class T, class Function>
  client::Done<T> guarded(Function then);

  client::ClientEnv env_;
  Options options_;
  client::WorkQueue queue_;
  client::Informer<Record> namespaces_;
  client::Informer<Part> accounts_;
  client::Informer<Part> certificates_;
  std::shared_ptr<bool> alive_;
};

}  // namespace windlass::controllers::namespaces
