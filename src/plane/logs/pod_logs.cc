#include "plane/logs/pod_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "apiserver/rest/answers/responses.h"
#include "node/config.h"
#include "node/container/cri_log.h"
#include "node/pod/pod_files.h"
#include "plane/logs/log_reader.h"
#include "plane/logs/log_source.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::plane {
namespace {

using api::core::v1::Pod;

constexpr Duration kFollowPeriod = milliseconds(100);
constexpr size_t kPieceBytes = 1024 * 1024;
// More than a log has at the time of the request: a container may write for ever while it is sent.
constexpr size_t kMaxPieces = (node::kRotatedFiles + 1) * (kMaxLogFileBytes / kPieceBytes + 1);

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

// Sends a log piece by piece, as fast as its client reads them. With follow, checks every 100 ms
// for more until the container has ended. Keeps itself alive until the end.
class PodLogs::Sender : public std::enable_shared_from_this<PodLogs::Sender> {
 public:
  Sender(PodLogs& owner, const apiserver::LogRequest& request, std::string path, int attempt,
         std::shared_ptr<http::Exchange> exchange)
      : env_(owner.env_),
        server_(owner.server_),
        owner_(owner.self_.lifetime()),
        request_(request),
        attempt_(attempt),
        reader_(owner.env_.files, std::move(path), LogText(request, owner.env_.clock.now())),
        left_(request.limit_bytes.value_or(INT64_MAX)),
        exchange_(std::move(exchange)) {}

  void start() {
    exchange_->start(200, plain_text());
    exchange_->when_closed([weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->closed_ = true;
      }
    });
    if (request_.tail_lines) {
      find_tail();
    } else {
      send_on();
    }
  }

 private:
  // A place in the log, and how many lines are before it.
  struct Place {
    LogReader reader;
    int64_t lines;
  };

  // Finds the beginning of the last lines in one pass, which keeps places and no text.
  void find_tail() {
    if (is_unwanted()) {
      return;
    }
    places_.push_back({reader_, lines_});
    const auto text = reader_.read(kPieceBytes);
    if (text && !text->empty()) {
      lines_ += std::count(text->begin(), text->end(), '\n');
      unfinished_ = text->back() != '\n';
    }
    const int64_t first = lines_ + (unfinished_ ? 1 : 0) - *request_.tail_lines;
    while (places_.size() > 1 && places_[1].lines <= first) {
      places_.pop_front();
    }
    if (text && ++pieces_ < kMaxPieces) {
      env_.executor.post([self = shared_from_this()] { self->find_tail(); });
      return;
    }
    pieces_ = 0;
    reader_ = std::move(places_.front().reader);
    to_skip_ = std::max<int64_t>(first - places_.front().lines, 0);
    places_.clear();
    send_on();
  }

  void send_on() {
    if (is_unwanted()) {
      return;
    }
    // Checked before reading: the status is written after the log.
    const bool over = !request_.follow || is_over();
    const auto text = reader_.read(kPieceBytes);
    if (text) {
      send(*text);
    }
    ++pieces_;
    if (left_ <= 0 || (over && !text) || (!request_.follow && pieces_ == kMaxPieces)) {
      exchange_->finish();
    } else if (text) {
      exchange_->when_unsent_at_most(kPieceBytes / 2,
                                     [self = shared_from_this()] { self->send_on(); });
    } else {
      env_.executor.schedule(kFollowPeriod, [self = shared_from_this()] { self->send_on(); });
    }
  }

  void send(std::string_view text) {
    while (to_skip_ > 0 && !text.empty()) {
      const size_t end = text.find('\n');
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      to_skip_ -= end == std::string_view::npos ? 0 : 1;
    }
    text = text.substr(0, static_cast<size_t>(left_));
    left_ -= static_cast<int64_t>(text.size());
    if (!text.empty()) {
      exchange_->write(std::make_shared<const std::string>(text));
    }
  }

  bool is_unwanted() const { return owner_.expired() || closed_; }

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
  std::weak_ptr<const void> owner_;
  const apiserver::LogRequest request_;
  const int attempt_;
  LogReader reader_;
  int64_t left_;
  std::shared_ptr<http::Exchange> exchange_;
  bool closed_ = false;
  size_t pieces_ = 0;

  std::deque<Place> places_;  // from the one before the last lines on
  int64_t lines_ = 0;         // up to reader_
  bool unfinished_ = false;   // and one more that has no end
  int64_t to_skip_ = 0;       // lines from reader_ on
};

PodLogs::PodLogs(env::Env env, apiserver::Server& server, FindNode find_node)
    : env_(env), server_(server), find_node_(std::move(find_node)) {}

PodLogs::~PodLogs() = default;

Status PodLogs::no_logs_of(const std::string& node) {
  const auto found = server_.get({&api::kinds::node(), "", node});
  // Hollow nodes have no logs.
  if (!found || api::object_as<api::core::v1::Node>(*found)
                        ->status()
                        .node_info()
                        .container_runtime_version() != node::AgentConfig().runtime) {
    return not_found({"", "nodes", node});
  }
  return plain_error(
      fmt::format("the logs of node \"{}\" are in the data directory of its `windlass node`, which "
                  "is not that of this server",
                  node));
}

void PodLogs::read(const apiserver::LogRequest& request,
                   const std::shared_ptr<http::Exchange>& exchange) {
  const std::string& node = request.pod->spec().node_name();
  const auto directory = find_node_(node);
  const Result<int> attempt = directory ? chosen_attempt(request) : fail(no_logs_of(node));
  if (!attempt) {
    exchange->respond(apiserver::failure_response(attempt.error(), {}));
    return;
  }
  const std::string path = log_path_of(env_, *directory, *request.pod, request.container, *attempt);
  std::make_shared<Sender>(*this, request, path, *attempt, exchange)->start();
}

}  // namespace windlass::plane
