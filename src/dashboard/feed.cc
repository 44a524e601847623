#include "dashboard/feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "http/status_response.h"

namespace windlass::dashboard {

Feed::Feed(client::ClientEnv env, env::Executor& worker, std::shared_ptr<const FeedState> state,
           Prepare prepare)
    : env_(env),
      worker_(worker),
      state_(std::move(state)),
      prepare_(std::move(prepare)),
      epoch_(fmt::format("{:016x}", env.random.next())),
      next_(env.clock.monotonic()),
      last_asked_(next_) {}

Feed::~Feed() {
  env_.executor.cancel(timer_);
}

// `EPOCH-VERSION`; 0 for what this feed has not said.
uint64_t Feed::version_of(const std::string& since) const {
  uint64_t version = 0;
  if (since.starts_with(epoch_ + "-")) {
    std::from_chars(since.data() + epoch_.size() + 1, since.data() + since.size(), version);
  }
  return version;
}

void Feed::touch() {
  dirty_ = true;
  schedule();
}

void Feed::ask(const std::string& since, Answer answer) {
  last_asked_ = env_.clock.monotonic();
  if (ended_) {
    return answer(fail(*ended_));
  }
  if (readers_.size() >= kMaxReaders) {
    return answer(fail(http::too_many_requests("too many pages are open")));
  }
  const uint64_t version = version_of(since);
  if (version_ > version && (!dirty_ || last_asked_ < next_)) {
    return send(version, std::move(answer));
  }
  readers_.push_back({version, last_asked_ + kLongestWait, std::move(answer)});
  schedule();
}

// One who asks again has got the answer before.
bool Feed::is_told() const {
  if (readers_.empty()) {
    return env_.clock.monotonic() - last_asked_ > kLongestAbsence;
  }
  return !dirty_ && !updating_;
}

void Feed::end(const Status& why) {
  ended_ = why;
  for (Reader& reader : std::exchange(readers_, {})) {
    reader.answer(fail(why));
  }
}

// No work without readers.
void Feed::schedule() {
  if (readers_.empty() || updating_) {
    return;
  }
  const MonotonicTime now = env_.clock.monotonic();
  MonotonicTime at = std::min_element(readers_.begin(), readers_.end(), [](auto& a, auto& b) {
                       return a.until < b.until;
                     })->until;
  if (dirty_) {
    at = std::min(at, std::max(next_, now));
  }
  env_.executor.cancel(timer_);
  timer_ = env_.executor.schedule(at - now, self_.bind(&Feed::update));
}

void Feed::update() {
  timer_ = env::TimerId::none;
  updating_ = true;
  dirty_ = false;
  prepare_(self_.bind(&Feed::on_prepared));
}

void Feed::on_prepared(Result<Update> prepared) {
  if (!prepared) {
    updating_ = false;
    dirty_ = true;
    next_ = env_.clock.monotonic() + kShortestPause;
    for (Reader& reader : std::exchange(readers_, {})) {
      reader.answer(fail(prepared.error()));
    }
    return;
  }
  std::function<void(uint64_t, Duration)> done = self_.bind(&Feed::on_updated);
  worker_.post([update = *std::move(prepared), state = state_, &clock = env_.clock,
                &core = env_.executor, done = std::move(done)]() mutable {
    const MonotonicTime began = clock.monotonic();
    update();
    core.post([done = std::move(done), version = state->version(),
               took = clock.monotonic() - began] { done(version, took); });
  });
}

void Feed::on_updated(uint64_t version, Duration took) {
  updating_ = false;
  version_ = version;
  next_ = env_.clock.monotonic() +
          std::clamp<Duration>(took * kPauseShare, kShortestPause, kLongestPause);
  answer_readers();
  schedule();
}

void Feed::answer_readers() {
  const MonotonicTime now = env_.clock.monotonic();
  std::vector<Reader> waiting;
  for (Reader& reader : std::exchange(readers_, {})) {
    if (reader.since < version_ || reader.until <= now) {
      send(reader.since, std::move(reader.answer));
    } else {
      waiting.push_back(std::move(reader));
    }
  }
  readers_ = std::move(waiting);
}

void Feed::send(uint64_t since, Answer answer) {
  worker_.post([state = state_, since, epoch = epoch_, &core = env_.executor,
                answer = std::move(answer)]() mutable {
    std::string json = fmt::format("{{\"since\":\"{}-{}\",{}}}", epoch, state->version(),
                                   state->members_since(since));
    core.post([answer = std::move(answer), json = std::move(json)]() mutable {
      answer(std::move(json));
    });
  });
}

}  // namespace windlass::dashboard
