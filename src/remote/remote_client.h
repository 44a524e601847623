// client::ApiClient over HTTPS to any Kubernetes API server. Objects travel as protobuf, where
// fields that this program does not know survive a read and a write. JSON is understood where a
// server answers so, and spoken from then on to one that does not take protobuf (406, 415).
//
// An error of a write is what the server said, client::not_sent() for one that never left, or
// without a reason: then it is unknown whether it was applied.
//
// Lives on the event loop; the transport outlives it. No callback runs after destruction.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/weak_self.h"
#include "client/api_client.h"
#include "env/random.h"
#include "remote/remote_watch.h"
#include "remote/transport/transport.h"

namespace windlass::remote {

class RemoteClient final : public client::ApiClient {
 public:
  // `may_write` is asked when a write leaves, also one that had to wait; empty: always.
  RemoteClient(Transport& transport, env::Random& random, std::function<bool()> may_write = {});
  ~RemoteClient() override;

  // What is read of objects of this kind in watches and in the answers to creates and patches: the
  // rest is left out there. What comes with get and list, and may be written back, is whole. Kind
  // and outline outlive the client.
  void read_only(const api::Kind& kind, const api::Outline& outline) {
    outlines_[&kind] = &outline;
  }

  void get(const client::ObjectRef& ref, client::Done<client::ObjectPtr> done) override;
  void list(const client::Collection& collection, const client::ListOptions& options,
            client::Done<client::ObjectList> done) override;
  std::unique_ptr<client::Watch> watch(const client::Collection& collection,
                                       const std::string& resource_version,
                                       client::WatchHandler handler) override;
  std::unique_ptr<client::Watch> watch_list(const client::Collection& collection,
                                            client::WatchHandler handler) override;
  void create(const client::ObjectRef& ref, client::ObjectPtr object,
              client::Done<client::ObjectPtr> done) override;
  void update(const client::ObjectRef& ref, std::string_view subresource, client::ObjectPtr object,
              client::Done<client::ObjectPtr> done) override;
  void patch(const client::ObjectRef& ref, std::string_view subresource, client::PatchType type,
             std::string body, client::Done<client::ObjectPtr> done) override;
  void remove(const client::ObjectRef& ref, const client::DeleteOptions& options,
              client::Done<client::ObjectPtr> done) override;
  void bind(const client::ObjectRef& pod, const std::string& uid, const std::string& node,
            client::Done<void> done) override;

  // Any path of the server as JSON text: /version, /openapi/v3/...
  void get_text(const std::string& path, client::Done<std::string> done);

 private:
  // Made once, or twice: the second time with JSON alone.
  using MakeRequest = std::function<HttpRequest(bool json)>;

  void send_object(MakeRequest make, const api::Kind& kind, const api::Outline* outline,
                   client::Done<client::ObjectPtr> done);
  const api::Outline* outline_of(const api::Kind& kind) const;
  RemoteWatch::Reading reading_of(const api::Kind& kind) const;
  void send(MakeRequest make, std::function<void(Result<HttpAnswer>)> done);

  Transport& transport_;
  env::Random& random_;
  std::function<bool()> may_write_;
  bool json_only_ = false;
  std::map<const api::Kind*, const api::Outline*> outlines_;
  WeakSelf<RemoteClient> self_{this};
};

}  // namespace windlass::remote
