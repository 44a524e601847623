#include "cli/commands/dashboard/page_reruns.h"

#include <simdjson.h>

#include <optional>
#include <string_view>
#include <utility>

namespace windlass::cli {
namespace {

class KeptOutput final : public Output {
 public:
  void out(std::string_view text) override { out_ += text; }
  void err(std::string_view text) override { err_ += text; }
  bool interactive() const override { return false; }

  // The name of the Job that was printed.
  Result<std::string> job_name() const {
    simdjson::dom::parser parser;
    std::string_view name;
    if (parser.parse(out_)["metadata"]["name"].get(name) != simdjson::SUCCESS) {
      return fail(plain_error("the new Job has no name"));
    }
    return std::string(name);
  }
  // Without what a command line puts before it.
  std::string error() const {
    constexpr std::string_view kError = "error: ";
    std::string_view text = err_;
    text.remove_prefix(text.starts_with(kError) ? kError.size() : 0);
    return std::string(text.substr(0, text.find_last_not_of('\n') + 1));
  }

 private:
  std::string out_;
  std::string err_;
};

}  // namespace

struct PageReruns::Running {
  KeptOutput output;
  client::Done<std::string> done;
  std::optional<RerunSession> session;
};

PageReruns::PageReruns(env::Executor& executor, client::ApiClient& api,
                       ledger::AttemptSource& attempts, RerunSession::ReadText read_text)
    : executor_(executor), api_(api), attempts_(attempts), read_text_(std::move(read_text)) {}

PageReruns::~PageReruns() = default;

void PageReruns::run(const dashboard::RerunOrder& order, client::Done<std::string> done) {
  const uint64_t id = ++last_id_;
  Running& running = *(running_[id] = std::make_unique<Running>());
  running.done = std::move(done);
  RerunOptions options;
  options.ns = order.ns;
  options.job = order.job;
  options.indexes = order.indexes;
  options.format = OutputFormat::json;
  running.session.emplace(
      api_, attempts_, read_text_, options, running.output, [this, id](ExitCode code) {
        // The session must not end inside its own call.
        executor_.post(
            self_.bind([id, code](PageReruns& self) { self.finish(id, code == ExitCode::ok); }));
      });
  running.session->start();
}

void PageReruns::finish(uint64_t id, bool created) {
  const std::unique_ptr<Running> running = std::move(running_.at(id));
  running_.erase(id);
  running->done(created ? running->output.job_name() : fail(bad_request(running->output.error())));
}

}  // namespace windlass::cli
