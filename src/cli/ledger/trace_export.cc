#include "cli/ledger/trace_export.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "plane/version.h"

namespace windlass::cli {
namespace {

constexpr const char* kTracesPath = "/v1/traces";
constexpr Duration kReceiverTimeout = seconds(10);
constexpr Duration kTraceFinishLimit = seconds(3);
constexpr size_t kReceiverConnections = 1;

// Of the receiver; its path may end with that of traces already.
Result<remote::ServerUrl> parse_receiver(const std::string& endpoint) {
  auto url = remote::parse_server_url(endpoint);
  if (!url) {
    return fail(plain_error("invalid --otlp-endpoint: " + url.error().message));
  }
  if (url->base_path.ends_with(kTracesPath)) {
    url->base_path.resize(url->base_path.size() - std::string_view(kTracesPath).size());
  }
  return url;
}

Result<void> check_trace_options(const TraceOptions& options) {
  if (!options.enabled()) {
    return options.token_file.empty()
               ? Result<void>()
               : fail(plain_error("--otlp-token-file needs --otlp-endpoint"));
  }
  TRY(const remote::ServerUrl url, parse_receiver(options.endpoint));
  if (!options.token_file.empty() && !url.tls) {
    return fail(plain_error("--otlp-token-file: a token is sent to https:// only"));
  }
  return {};
}

// A date, or nonsense, is none.
std::optional<Duration> told_delay(const http::Headers& headers) {
  const auto value = http::find_header(headers, "Retry-After");
  int64_t number = 0;
  if (!value ||
      std::from_chars(value->data(), value->data() + value->size(), number).ec != std::errc() ||
      number < 0) {
    return std::nullopt;
  }
  constexpr int64_t kMost = tracing::SpanExporter::kMaxRetryAfter / seconds(1);
  return seconds(std::min(number, kMost));
}

remote::Transport::Options receiver_transport() {
  remote::Transport::Options options;
  options.user_agent = "windlass/" + plane::version_number();
  options.connections = kReceiverConnections;
  options.request_timeout = kReceiverTimeout;
  return options;
}

}  // namespace

void declare_trace_flags(Flags& flags, TraceOptions& options) {
  flags.text("--otlp-endpoint URL", options.endpoint,
             "Send each Job as a trace, with a span for each attempt, to this receiver of "
             "OpenTelemetry, over OTLP/HTTP. Example: http://collector:4318");
  flags.text("--otlp-token-file FILE", options.token_file,
             "File of the bearer token for this receiver");
  flags.check([&options] { return check_trace_options(options); });
}

TraceExport::TraceExport(env::Env env, posix::EventLoop& loop, remote::ClusterAccess receiver)
    : credentials_(env.files, env.clock, std::move(receiver)),
      dialer_(loop, env.clock, credentials_),
      transport_(loop, env.clock, env.random, dialer_, receiver_transport()) {}

std::unique_ptr<TraceExport> TraceExport::make(env::Env env, posix::EventLoop& loop,
                                               const TraceOptions& options,
                                               MetricRegistry& metrics) {
  remote::ClusterAccess receiver;
  receiver.server = parse_receiver(options.endpoint).value_or(remote::ServerUrl());
  receiver.token_file = options.token_file;
  std::unique_ptr<TraceExport> made(new TraceExport(env, loop, std::move(receiver)));
  made->exporter_.emplace(tracing::SpanExporter::Parts{
      env.executor, env.random, env.log, metrics,
      [&sender = *made](std::string body, const auto& done) { sender.post(std::move(body), done); },
      plane::version_number()});
  return made;
}

void TraceExport::post(std::string body,
                       const std::function<void(Result<tracing::ReceiverAnswer>)>& done) {
  remote::HttpRequest request;
  request.method = "POST";
  request.target = kTracesPath;
  request.accept = "application/json";
  request.content_type = "application/json";
  request.body = std::move(body);
  request.best_effort = true;  // the exporter waits itself
  transport_.send(std::move(request), [done](Result<remote::HttpAnswer> answer) {
    if (!answer) {
      return done(fail(answer.error()));
    }
    done(tracing::ReceiverAnswer{answer->status, std::move(answer->body),
                                 told_delay(answer->headers)});
  });
}

void TraceExport::finish(std::function<void()> done) {
  exporter_->finish(kTraceFinishLimit, std::move(done));
}

}  // namespace windlass::cli
