// Sends spans of Jobs and attempts to a receiver of OpenTelemetry, over OTLP/HTTP with JSON: what
// `windlass up`, `windlass controller` and `windlass ledger record` do with --otlp-endpoint. Lives
// on the event loop of the process.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/metrics.h"
#include "cli/flags/flags.h"
#include "env/env.h"
#include "remote/transport/transport.h"
#include "tracing/span_exporter.h"
#include "tracing/traced_ledger.h"

namespace windlass::cli {

struct TraceOptions {
  std::string endpoint = {};    // http://HOST:4318; "": nothing is sent
  std::string token_file = {};  // of a bearer token

  bool enabled() const { return !endpoint.empty(); }
};

// Under the heading of the ledger's flags.
void declare_trace_flags(Flags& flags, TraceOptions& options);

class TraceExport {
 public:
  // `options` are checked. The registry outlives it.
  static std::unique_ptr<TraceExport> make(env::Env env, posix::EventLoop& loop,
                                           const TraceOptions& options, MetricRegistry& metrics);

  // Records of this ledger are sent, too, from now on. Of one ledger, which outlives this.
  ledger::Ledger& trace(ledger::Ledger& ledger) { return traced_.emplace(ledger, *exporter_); }
  tracing::SpanExporter& spans() { return *exporter_; }
  // Sends the rest, for a moment, then calls `done`.
  void finish(std::function<void()> done);

 private:
  TraceExport(env::Env env, posix::EventLoop& loop, remote::ClusterAccess receiver);
  void post(std::string body, const std::function<void(Result<tracing::ReceiverAnswer>)>& done);

  remote::Credentials credentials_;
  remote::Dialer dialer_;
  remote::Transport transport_;
  std::optional<tracing::SpanExporter> exporter_;
  std::optional<tracing::TracedLedger> traced_;
};

}  // namespace windlass::cli
