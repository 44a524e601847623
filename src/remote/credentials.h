// What a connection and a request carry to prove who we are, kept fresh: tokens and certificates in
// files are read again when they may have been replaced (a service account's token lives an hour
// and is rotated under its reader). Small files, read on the caller's thread. An exec plugin runs
// beside it: users of the credentials wait for prepare(). One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/clock.h"
#include "env/files.h"
#include "net/tls/tls_client_context.h"
#include "remote/cluster_access.h"
#include "remote/exec_plugin.h"

namespace windlass::remote {

class Credentials {
 public:
  static constexpr Duration kRereadAfter = seconds(60);
  static constexpr size_t kMaxFileBytes = size_t{1} << 20;

  // So long before what a plugin has told runs out it is asked again.
  static constexpr Duration kRefreshBefore = seconds(30);
  // What runs out at once is used for this long all the same, and a plugin that fails while its
  // credentials last is asked no more often.
  static constexpr Duration kShortestUse = seconds(10);

  Credentials(env::Files& files, env::Clock& clock, ClusterAccess access,
              RunPlugin run_plugin = {});

  const ClusterAccess& access() const { return access_; }
  // Whether there is nothing to wait for: what the plugin has told serves until it runs out, also
  // while the plugin is asked for the next.
  bool ready() const { return !access_.exec || !has_run_out(); }
  // Asks the plugin in good time, and does not wait. Called before each use.
  void refresh();
  // Calls at once when ready(), else later, when the plugin has answered.
  void prepare(std::function<void(const Result<void>&)> on_ready);
  // `Bearer ...`; "" without a token. A file that cannot be read keeps what it had said.
  Result<std::string> authorization();
  // The server has refused us: reads the files of token and certificate, or asks the plugin, at the
  // next request; false when there is nothing to read.
  bool reread();
  // For a new connection; null for a server without TLS.
  Result<std::shared_ptr<const net::TlsClientContext>> tls();
  // Grows with each new answer of tls(): a connection that was made with an older one shows the
  // server a certificate that may have run out. Looks whether files have been replaced.
  uint64_t tls_generation();

 private:
  bool plugin_is_due() const;
  bool has_run_out() const;
  void ask_plugin();
  void on_plugin(Result<PluginCredential> told);
  Result<std::string> content_of(const std::string& given, const std::string& file);

  env::Files& files_;
  env::Clock& clock_;
  const ClusterAccess access_;
  const RunPlugin run_plugin_;
  std::optional<PluginCredential> told_;  // by the plugin
  bool refused_ = false;                  // by the server, what it had told
  MonotonicTime asked_at_;
  MonotonicTime told_at_;
  std::shared_ptr<void> asking_;
  std::vector<std::function<void(const Result<void>&)>> waiting_;
  std::string token_;
  bool token_read_ = false;
  MonotonicTime token_time_;
  net::TlsClientFiles tls_files_;
  std::shared_ptr<const net::TlsClientContext> tls_;
  MonotonicTime tls_time_;
  bool tls_reread_ = false;  // without waiting for its time
  uint64_t tls_generation_ = 0;
};

}  // namespace windlass::remote
