// What prepare() has found out about a request, and what its call then works with. A value that
// moves from a transport thread to the core.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "apiserver/auth/request_info.h"
#include "apiserver/auth/user.h"
#include "apiserver/discovery/served.h"
#include "apiserver/rest/answers/format.h"
#include "apiserver/server.h"
#include "base/time.h"
#include "http/handler.h"
#include "http/target.h"

namespace windlass::apiserver {

struct RestRequest {
  http::Request http = {};
  http::Target target = {};
  RequestInfo info = {};
  User user = {};
  bool check_object = false;  // the user's right depends on the object (auth/authorizer.h)
  const Served* served = nullptr;
  ResponseFormat format = {};
  MonotonicTime began = {};

  const api::Kind& kind() const { return *served->kind; }
  // The object in the path.
  ObjectRef ref() const {
    return {served->kind, served->kind->namespaced ? info.ns : "", info.name};
  }
};

using Prepared = std::variant<http::Response, std::unique_ptr<http::Call>>;

enum class CallSpeed { slow, quick };  // http::Call::is_quick

// A call that is one function of its exchange.
template <class Run>
std::unique_ptr<http::Call> make_call(Run run, CallSpeed speed = CallSpeed::slow) {
  class FunctionCall final : public http::Call {
   public:
    FunctionCall(Run run_it, CallSpeed speed_of_it)
        : run_(std::move(run_it)), speed_(speed_of_it) {}
    void run(std::shared_ptr<http::Exchange> exchange) override { run_(std::move(exchange)); }
    bool is_quick() const override { return speed_ == CallSpeed::quick; }

   private:
    Run run_;
    CallSpeed speed_;
  };
  return std::make_unique<FunctionCall>(std::move(run), speed);
}

}  // namespace windlass::apiserver
