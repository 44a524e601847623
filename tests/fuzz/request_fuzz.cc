// Any request, by any user, through the whole HTTP side: prepare() and the call it makes. The input
// is a request as text: method and target in the first line, headers, an empty line, the body.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/rest/rest_handler.h"
#include "base/check.h"
#include "store/store.h"
#include "virtual_world/world.h"

namespace {

using namespace windlass;

// Takes everything at once, and looks whether the answer is well formed.
class Sink final : public http::Exchange {
 public:
  void respond(http::Response response) override {
    CHECK(!answered_, "one answer");
    answered_ = true;
    check_head(response.status, response.headers);
    bytes_ = response.take_body().size();
  }
  void start(int status, http::Headers headers) override {
    CHECK(!answered_, "one answer");
    answered_ = true;
    check_head(status, headers);
  }
  void write(http::Chunk chunk) override {
    CHECK(answered_ && !finished_, "inside of an answer");
    bytes_ += chunk->size();
  }
  void finish() override { finished_ = true; }
  void abort() override { finished_ = true; }
  size_t unsent() const override { return 0; }
  void when_unsent_at_most(size_t, std::function<void()> then) override { then(); }
  void when_closed(std::function<void()> then) override { on_close_ = std::move(then); }

  void close() {
    if (auto then = std::exchange(on_close_, nullptr)) {
      then();
    }
  }
  bool answered() const { return answered_; }

 private:
  static void check_head(int status, const http::Headers& headers) {
    CHECK(status >= 200 && status <= 599, "a status of HTTP");
    for (const http::Header& header : headers) {
      CHECK(header.value.find_first_of("\r\n") == std::string::npos, "a header is one line");
    }
  }

  bool answered_ = false;
  bool finished_ = false;
  size_t bytes_ = 0;
  std::function<void()> on_close_;
};

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

http::Request request_of(std::string_view text) {
  http::Request request;
  std::string_view first = take_line(text);
  const size_t blank = std::min(first.find(' '), first.size());
  request.method = first.substr(0, blank);
  request.target = first.substr(std::min(blank + 1, first.size()));
  for (std::string_view line = take_line(text); !line.empty(); line = take_line(text)) {
    const size_t colon = std::min(line.find(':'), line.size());
    request.headers.push_back({std::string(line.substr(0, colon)),
                               std::string(line.substr(std::min(colon + 1, line.size())))});
  }
  request.headers.push_back({"Authorization", "Bearer t"});
  request.body = text;
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int kMaxSteps = 10'000;
  virtual_world::VirtualWorld world(1);
  store::Store store;
  apiserver::Server server(store, world.clock(), world.random(), api::FeatureGates());
  server.create_system_namespaces();
  apiserver::RestHandler handler(
      server, world.executor(), world.clock(), world.random(),
      apiserver::Authenticator({{apiserver::digest_of_token("t"),
                                 apiserver::authenticated_user("admin", {"system:masters"})}}),
      {});
  const http::Request request = request_of({reinterpret_cast<const char*>(data), size});
  // Twice: the second one meets what the first has left behind.
  for (int round = 0; round < 2; ++round) {
    apiserver::Prepared prepared = handler.prepare(request);
    const auto exchange = std::make_shared<Sink>();
    if (auto* response = std::get_if<http::Response>(&prepared)) {
      exchange->respond(std::move(*response));
    } else {
      std::get<std::unique_ptr<http::Call>>(prepared)->run(exchange);
      for (int i = 0; i < kMaxSteps && world.step(); ++i) {
      }
      world.run_for(seconds(4));
      CHECK(exchange->answered(), "every request is answered");
    }
    exchange->close();
  }
  return 0;
}
