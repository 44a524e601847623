#include "cli/commands/controller/remote_ledger.h"

#include <fmt/format.h>

#include <utility>

#include "api/object.h"

namespace windlass::cli {
namespace {

// More than a tail holds, unless lines are very short.
constexpr int kTailLines = 500;
constexpr size_t kMostTailBytes = 1024 * 1024;

}  // namespace

Result<std::string> ledger_file_of(const std::string& text) {
  constexpr std::string_view kPrefix = "sqlite:";
  if (!text.starts_with(kPrefix) || text.size() == kPrefix.size() || text.ends_with('/')) {
    return fail(plain_error(fmt::format(
        "invalid --ledger \"{}\": must be sqlite:FILE, such as sqlite:/var/lib/windlass/ledger.db",
        text)));
  }
  return text.substr(kPrefix.size());
}

evidence::ReadLogTail remote_log_tails(remote::RemoteClient& client) {
  return [&client](const api::ObjectPtr& pod, const std::string& container, size_t bytes,
                   const std::function<void(std::optional<evidence::LogTail>)>& done) {
    const auto& metadata = api::metadata_of(*pod);
    client.get_text(
        fmt::format("/api/v1/namespaces/{}/pods/{}/log?container={}&tailLines={}&limitBytes={}",
                    metadata.namespace_(), metadata.name(), container, kTailLines, kMostTailBytes),
        [bytes, done](const Result<std::string>& text) {
          if (!text) {
            return done(evidence::LogTail{"", false, text.error().message});
          }
          const bool is_long = text->size() > bytes;
          done(
              evidence::LogTail{is_long ? text->substr(text->size() - bytes) : *text, is_long, ""});
        });
  };
}

Result<std::unique_ptr<RemoteLedger>> RemoteLedger::open(
    env::Env env, remote::RemoteClient& client, const std::string& file,
    const plane::LedgerSettings& settings, const std::shared_ptr<MetricRegistry>& metrics) {
  const size_t slash = file.rfind('/');
  const std::string directory = slash == std::string::npos ? "."
                                : slash == 0               ? "/"
                                                           : file.substr(0, slash);
  const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  std::unique_ptr<RemoteLedger> opened(new RemoteLedger());
  opened->worker_.emplace(env.clock, "ledger");
  TRY(opened->ledger_,
      plane::open_ledger(env, *opened->worker_, *metrics, directory, name, settings));
  evidence::AttemptRecorder::Options options;
  options.evidence = {settings.log_bytes, remote_log_tails(client)};
  options.metrics = metrics;
  opened->attempts_.emplace(client::ClientEnv{client, env.executor, env.clock, env.random, env.log},
                            *opened->ledger_, std::move(options));
  return opened;
}

}  // namespace windlass::cli
