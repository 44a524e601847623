#include "plane/health_handler.h"

#include <utility>

namespace windlass::plane {
namespace {

http::Response plain_text(int status, std::string text) {
  return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(text)};
}

class AnswerOnCore final : public http::Call {
 public:
  explicit AnswerOnCore(std::function<http::Response()> answer) : answer_(std::move(answer)) {}
  void run(std::shared_ptr<http::Exchange> exchange) override { exchange->respond(answer_()); }

 private:
  std::function<http::Response()> answer_;
};

}  // namespace

std::variant<http::Response, std::unique_ptr<http::Call>> HealthHandler::prepare(
    http::Request request) const {
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (request.method != "GET") {
    return plain_text(405, "method not allowed: use GET\n");
  }
  if (path == "/healthz" || path == "/livez") {
    return std::make_unique<AnswerOnCore>([] { return plain_text(200, "ok"); });
  }
  if (path == "/readyz") {
    return std::make_unique<AnswerOnCore>([this] {
      const std::string why_not = checks_.why_not_ready();
      if (!why_not.empty()) {
        return plain_text(503, why_not + "\n");
      }
      const std::string note = checks_.note();
      return plain_text(200, note.empty() ? "ok" : "ok\n" + note + "\n");
    });
  }
  if (path == "/metrics") {
    return std::make_unique<AnswerOnCore>([this] {
      http::Response response{200, {{"Content-Type", "text/plain; version=0.0.4"}}, {}};
      response.body = checks_.metrics();
      return response;
    });
  }
  return plain_text(404, "not found: use /healthz, /livez, /readyz or /metrics\n");
}

}  // namespace windlass::plane
