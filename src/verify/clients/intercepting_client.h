// For tests only: an ApiClient that passes every call on to another one, keeps a line for each,
// counts the writes under way, and lets the test refuse calls or lose their answers.
//
//   get jobs default/j
//   patch pods/status default/p {"status":...}
//   delete pods default/p uid=3f.. rv=7 policy=Background grace=0
//   bind pods default/p node-1
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "client/api_client.h"
#include "client/object_identity.h"
#include "env/executor.h"

namespace windlass::client {

class InterceptingClient final : public ApiClient {
 public:
  InterceptingClient(ApiClient& inner, env::Executor& executor)
      : inner_(inner), executor_(executor) {}

  // Asked with the line of a call: the answer to give in its place.
  std::function<std::optional<Status>(const std::string& line)> refuse;
  // The call is passed on, and then this is all that its sender hears.
  std::function<std::optional<Status>(const std::string& line)> lose_answer;
  // The update is not passed on, and its sender hears of success, with the object as it was.
  std::function<bool(const std::string& line)> forget;
  // Watches do not tell of it.
  std::function<bool(const WatchEvent& event)> skip_event;
  // Just before a call is passed on.
  std::function<void(const std::string& line)> before;
  // So much later than it is given, its sender hears the answer.
  std::function<Duration(const std::string& line)> delay;

  std::vector<std::string> calls;
  size_t writes_in_flight = 0;
  size_t max_writes_in_flight = 0;

  // How many calls began like this.
  size_t count(std::string_view prefix) const {
    return static_cast<size_t>(
        std::count_if(calls.begin(), calls.end(),
                      [prefix](const std::string& line) { return line.starts_with(prefix); }));
  }

  void get(const ObjectRef& ref, Done<ObjectPtr> done) override {
    const std::string line = line_of("get", ref, "");
    if (!refused(line, done)) {
      inner_.get(ref, later(line, std::move(done)));
    }
  }
  void list(const Collection& collection, const ListOptions& options,
            Done<ObjectList> done) override {
    inner_.list(collection, options, std::move(done));
  }
  std::unique_ptr<Watch> watch(const Collection& collection, const std::string& resource_version,
                               WatchHandler handler) override {
    WatchHandler filtered = handler;
    filtered.on_event = [this, on_event = std::move(handler.on_event)](const WatchEvent& event) {
      if (!skip_event || !skip_event(event)) {
        on_event(event);
      }
    };
    return inner_.watch(collection, resource_version, std::move(filtered));
  }
  void create(const ObjectRef& ref, ObjectPtr object, Done<ObjectPtr> done) override {
    write(line_of("create", ref, ""), std::move(done), [&](Done<ObjectPtr> counted) {
      inner_.create(ref, std::move(object), std::move(counted));
    });
  }
  void update(const ObjectRef& ref, std::string_view subresource, ObjectPtr object,
              Done<ObjectPtr> done) override {
    const std::string line = line_of("update", ref, subresource);
    write(line, std::move(done), [&](Done<ObjectPtr> counted) {
      if (forget && forget(line)) {
        inner_.get(ref, std::move(counted));
        return;
      }
      inner_.update(ref, subresource, std::move(object), std::move(counted));
    });
  }
  void patch(const ObjectRef& ref, std::string_view subresource, PatchType type, std::string body,
             Done<ObjectPtr> done) override {
    write(line_of("patch", ref, subresource) + ' ' + body, std::move(done),
          [&](Done<ObjectPtr> counted) {
            inner_.patch(ref, subresource, type, std::move(body), std::move(counted));
          });
  }
  void remove(const ObjectRef& ref, const DeleteOptions& options, Done<ObjectPtr> done) override {
    std::string line = line_of("delete", ref, "");
    const auto add = [&line](std::string_view name, const std::string& value) {
      line.append(" ").append(name).append("=").append(value);
    };
    if (options.preconditions.uid) {
      add("uid", *options.preconditions.uid);
    }
    if (options.preconditions.resource_version) {
      add("rv", *options.preconditions.resource_version);
    }
    if (!options.propagation_policy.empty()) {
      add("policy", options.propagation_policy);
    }
    if (options.grace_period_seconds) {
      add("grace", std::to_string(*options.grace_period_seconds));
    }
    write(line, std::move(done),
          [&](Done<ObjectPtr> counted) { inner_.remove(ref, options, std::move(counted)); });
  }
  void bind(const ObjectRef& pod, const std::string& uid, const std::string& node,
            Done<void> done) override {
    write(
        line_of("bind", pod, "") + ' ' + node,
        [done = std::move(done)](const Result<ObjectPtr>& answer) {
          done(answer ? Result<void>() : fail(answer.error()));
        },
        [&](const Done<ObjectPtr>& counted) {
          inner_.bind(pod, uid, node, [counted](const Result<void>& answer) {
            counted(answer ? Result<ObjectPtr>(nullptr) : fail(answer.error()));
          });
        });
  }

 private:
  static std::string line_of(std::string_view verb, const ObjectRef& ref,
                             std::string_view subresource) {
    std::string line(verb);
    line.append(" ").append(ref.kind->plural);
    if (!subresource.empty()) {
      line.append("/").append(subresource);
    }
    return line.append(" ").append(object_key(ref.ns, ref.name));
  }

  bool refused(const std::string& line, const Done<ObjectPtr>& done) {
    calls.push_back(line);
    if (before) {
      before(line);
    }
    std::optional<Status> why = refuse ? refuse(line) : std::nullopt;
    if (!why) {
      return false;
    }
    executor_.post([done = later(line, done), why = *std::move(why)] { done(fail(why)); });
    return true;
  }

  Done<ObjectPtr> later(const std::string& line, Done<ObjectPtr> done) {
    const Duration by = delay ? delay(line) : Duration::zero();
    if (by == Duration::zero()) {
      return done;
    }
    return [this, by, done = std::move(done)](const Result<ObjectPtr>& answer) {
      executor_.schedule(by, [done, answer] { done(answer); });
    };
  }

  template <class Call>
  void write(const std::string& line, Done<ObjectPtr> done, Call call) {
    if (refused(line, done)) {
      return;
    }
    max_writes_in_flight = std::max(max_writes_in_flight, ++writes_in_flight);
    call(later(line, [this, line, done = std::move(done)](const Result<ObjectPtr>& answer) {
      --writes_in_flight;
      std::optional<Status> lost = lose_answer ? lose_answer(line) : std::nullopt;
      done(lost ? Result<ObjectPtr>(fail(*std::move(lost))) : answer);
    }));
  }

  ApiClient& inner_;
  env::Executor& executor_;
};

}  // namespace windlass::client
