#include "cli/pod_logs.h"

#include <algorithm>
#include <utility>

#include "apiserver/rest/responses.h"
#include "cli/log_source.h"
#include "node/cri_log.h"
#include "node/pod_files.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cli {
namespace {

using api::core::v1::Pod;

constexpr Duration kFollowPeriod = milliseconds(100);
constexpr size_t kFollowBytes = 1024 * 1024;  // at a time, and unsent at most
// The first bytes of a log file, which its first line's time makes its own.
constexpr size_t kMarkBytes = 30;

std::string log_path_of(env::Env env, const std::string& data_dir, const Pod& pod,
                        const std::string& container, int attempt) {
  return node::PodFiles(env.files, env.log, data_dir, pod.metadata().namespace_(),
                        pod.metadata().name(), pod.metadata().uid())
      .log_path(container, attempt);
}

http::Headers plain_text() {
  return {{"Content-Type", "text/plain"}};
}

}  // namespace

// Reads on every tenth of a second and sends what is new. Keeps itself until the end.
class PodLogs::Follower : public std::enable_shared_from_this<PodLogs::Follower> {
 public:
  Follower(PodLogs& owner, const apiserver::LogRequest& request, std::string path, int attempt,
           std::shared_ptr<http::Exchange> exchange)
      : env_(owner.env_),
        server_(owner.server_),
        alive_(owner.alive_),
        request_(request),
        path_(std::move(path)),
        attempt_(attempt),
        text_(request, owner.env_.clock.now()),
        left_(request.limit_bytes.value_or(INT64_MAX)),
        exchange_(std::move(exchange)) {}

  void start() {
    exchange_->start(200, plain_text());
    exchange_->when_closed([weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->closed_ = true;
      }
    });
    const std::string old = read_rotated_logs(env_.files, path_);
    std::string_view log = old;
    std::string text = text_.take(log);
    const bool over = is_over();
    text += read_on();
    send(std::string(last_lines(text, request_.tail_lines)));
    go_on(over);
  }

 private:
  void look() {
    if (alive_.expired() || closed_) {
      return;
    }
    if (exchange_->unsent() > kFollowBytes) {
      go_on(false);
      return;
    }
    // Asked before reading: the status is written after the log.
    const bool over = is_over();
    send(read_on());
    go_on(over);
  }

  void go_on(bool over) {
    if (closed_) {
      return;
    }
    if (left_ <= 0 || (over && rest_.size() < kFollowBytes)) {
      exchange_->finish();
      return;
    }
    env_.executor.schedule(kFollowPeriod, [self = shared_from_this()] { self->look(); });
  }

  std::string read_on() {
    const std::string mark = env_.files.read_from(path_, 0, kMarkBytes).value_or("");
    if (!mark_.empty() && mark != mark_) {  // it was full, and is another one now
      rest_ += env_.files.read_from(node::rotated_name(path_, 1), offset_, kMaxLogFileBytes)
                   .value_or("");
      offset_ = 0;
    }
    mark_ = mark.size() == kMarkBytes ? mark : mark_;
    const std::string more = env_.files.read_from(path_, offset_, kMaxLogFileBytes).value_or("");
    offset_ += more.size();
    rest_ += more;
    std::string_view log = rest_;
    std::string text = text_.take(log);
    rest_ = std::string(log);
    return text;
  }

  void send(std::string text) {
    text.resize(std::min(text.size(), static_cast<size_t>(left_)));
    left_ -= static_cast<int64_t>(text.size());
    if (!text.empty() && !closed_) {
      exchange_->write(std::make_shared<const std::string>(std::move(text)));
    }
  }

  bool is_over() {
    const auto& metadata = request_.pod->metadata();
    const auto found = server_.get({&api::kinds::pod(), metadata.namespace_(), metadata.name()});
    if (!found) {
      return true;
    }
    const auto pod = api::object_as<Pod>(*found);
    return pod->metadata().uid() != metadata.uid() ||
           run_is_over(*pod, request_.container, attempt_);
  }

  env::Env env_;
  apiserver::Server& server_;
  std::weak_ptr<bool> alive_;
  const apiserver::LogRequest request_;
  const std::string path_;
  const int attempt_;
  LogText text_;
  int64_t left_;
  std::shared_ptr<http::Exchange> exchange_;
  std::string mark_;
  uint64_t offset_ = 0;
  std::string rest_;  // of a line that is not complete
  bool closed_ = false;
};

PodLogs::PodLogs(env::Env env, apiserver::Server& server, FindNode find_node)
    : env_(env),
      server_(server),
      find_node_(std::move(find_node)),
      alive_(std::make_shared<bool>(true)) {}

PodLogs::~PodLogs() = default;

void PodLogs::read(const apiserver::LogRequest& request,
                   const std::shared_ptr<http::Exchange>& exchange) {
  const std::string& node = request.pod->spec().node_name();
  const auto directory = find_node_(node);
  const Result<int> attempt =
      directory ? chosen_attempt(request) : fail(not_found({"", "nodes", node}));
  if (!attempt) {
    exchange->respond(apiserver::failure_response(attempt.error(), {}));
    return;
  }
  const std::string path = log_path_of(env_, *directory, *request.pod, request.container, *attempt);
  if (request.follow) {
    std::make_shared<Follower>(*this, request, path, *attempt, exchange)->start();
    return;
  }
  const std::string all =
      read_rotated_logs(env_.files, path) + env_.files.read(path, kMaxLogFileBytes).value_or("");
  std::string_view log = all;
  const std::string text = LogText(request, env_.clock.now()).take(log);
  http::Response response;
  response.headers = plain_text();
  response.body = last_lines(text, request.tail_lines);
  if (request.limit_bytes) {
    response.body.resize(std::min(response.body.size(), static_cast<size_t>(*request.limit_bytes)));
  }
  exchange->respond(std::move(response));
}

}  // namespace windlass::cli
