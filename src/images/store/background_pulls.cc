#include "images/store/background_pulls.h"

#include <algorithm>
#include <utility>

#include "images/store/image_use.h"

namespace windlass::images {
namespace {

std::string key_of(const ImagePuller::Request& request) {
  std::string key = request.image;
  for (const std::string& login : request.logins) {
    key += '\n' + login;
  }
  return key;
}

}  // namespace

BackgroundPulls::BackgroundPulls(env::Executor& executor, env::Clock& clock, Options options)
    : executor_(executor),
      clock_(clock),
      options_(std::move(options)),
      store_(options_.directory, &directories_in_use, options_.keep_free) {}

BackgroundPulls::~BackgroundPulls() {
  stopping_ = true;
  programs_.stop();
  workers_.clear();
}

std::optional<ImagePuller::Pulled> BackgroundPulls::recent(const Request& request) {
  const auto found = recent_.find(key_of(request));
  return found != recent_.end() && clock_.monotonic() - found->second.at < kRecent
             ? std::optional(found->second.pulled)
             : std::nullopt;
}

void BackgroundPulls::pull(const Request& request, OnPulled on_pulled) {
  const std::string key = key_of(request);
  const auto [pull, is_new] = pulls_.try_emplace(key);
  pull->second.waiting.push_back(std::move(on_pulled));
  if (is_new) {
    pull->second.request = {.name = request.image,
                            .architecture = options_.architecture,
                            .logins = request.logins,
                            .is_cancelled = [this] { return stopping_.load(); }};
    queue_.push_back(key);
    begin_next();
  }
}

void BackgroundPulls::begin_next() {
  if (queue_.empty()) {
    return;
  }
  if (idle_.empty() && workers_.size() < kMaxParallel) {
    idle_.push_back(workers_.size());
    workers_.push_back(std::make_unique<posix::WorkerThread>(clock_, "image-pull"));
  }
  if (!idle_.empty()) {
    const size_t worker = idle_.back();
    idle_.pop_back();
    const std::string key = std::move(queue_.front());
    queue_.pop_front();
    carry_out(worker, key);
  }
}

void BackgroundPulls::carry_out(size_t worker, const std::string& key) {
  auto done = self_.bind([worker, key](BackgroundPulls& self, const Result<Pulled>& result) {
    self.on_done(worker, key, result);
  });
  const Skopeo skopeo =
      options_.skopeo
          ? options_.skopeo
          : skopeo_through([this](const auto& command) { return programs_.run(command); });
  workers_[worker]->post([this, skopeo, request = pulls_.at(key).request, done = std::move(done)] {
    const MonotonicTime began = clock_.monotonic();
    const Result<PulledImage> pulled = pull_image(store_, request, skopeo);
    Result<Pulled> result = pulled ? Result<Pulled>({pulled->downloaded, pulled->image.image.bytes,
                                                     clock_.monotonic() - began})
                                   : fail(pulled.error());
    executor_.post([done, result = std::move(result)]() mutable { done(result); });
  });
}

void BackgroundPulls::on_done(size_t worker, const std::string& key, const Result<Pulled>& result) {
  idle_.push_back(worker);
  const auto pull = pulls_.extract(key);
  if (result) {
    const MonotonicTime now = clock_.monotonic();
    std::erase_if(recent_, [now](const auto& each) { return now - each.second.at >= kRecent; });
    if (recent_.size() < kMaxRecent) {
      recent_[key] = {now, *result};
    }
  }
  const auto alive = self_.lifetime();
  for (const OnPulled& on_pulled : pull.mapped().waiting) {
    on_pulled(result);
    if (alive.expired()) {
      return;
    }
  }
  begin_next();
}

}  // namespace windlass::images
