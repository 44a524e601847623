#include "dashboard/page_handler.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "base/json_writer.h"
#include "http/status_response.h"
#include "web/assets.h"

namespace windlass::dashboard {
namespace {

constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

http::Headers page_headers(std::string_view content_type, std::string_view cache) {
  return {{"Content-Type", std::string(content_type)},
          {"Cache-Control", std::string(cache)},
          {"Content-Security-Policy", kContentPolicy},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Resource-Policy", "same-origin"}};
}

http::Response json_answer(std::string json) {
  return {200, page_headers("application/json", "no-store"), std::move(json)};
}

http::Response refusal(const Status& status) {
  http::Response response = http::status_response(status);
  response.status = status.code < 400 ? 500 : status.code;
  const bool has_retry = response.headers.size() > 1;
  http::Headers headers = page_headers("application/json", "no-store");
  if (has_retry) {
    headers.push_back(response.headers.back());
  }
  response.headers = std::move(headers);
  return response;
}

class DataCall final : public http::Call {
 public:
  using Run = std::function<void(const PageService::Answer&)>;
  explicit DataCall(Run run) : run_(std::move(run)) {}

  void run(std::shared_ptr<http::Exchange> exchange) override {
    run_([exchange = std::move(exchange)](Result<std::string> json) {
      exchange->respond(json ? json_answer(*std::move(json)) : refusal(json.error()));
    });
  }

 private:
  Run run_;
};

class ResponseCall final : public http::Call {
 public:
  using Run = std::function<http::Response()>;
  explicit ResponseCall(Run run) : run_(std::move(run)) {}
  void run(std::shared_ptr<http::Exchange> exchange) override { exchange->respond(run_()); }

 private:
  Run run_;
};

std::string text_of(const http::Target& target, std::string_view name) {
  return std::string(target.parameter(name).value_or(""));
}

// The text members of a JSON object; nothing for what is none.
std::optional<std::map<std::string, std::string>> read_members(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(body).get(object) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  std::map<std::string, std::string> members;
  for (const auto& [key, value] : object) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) {
      members[std::string(key)] = std::string(text);
    }
  }
  return members;
}

size_t length_of_body(const http::Headers& headers) {
  const auto text = http::find_header(headers, "Content-Length").value_or("");
  size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  return error == std::errc() && end == text.data() + text.size()
             ? length
             : std::numeric_limits<size_t>::max();
}

}  // namespace

struct PageHandler::Context final : http::RequestContext {
  Result<http::Target> target = {};
  Result<void> allowed = {};
  ViewerPtr viewer = {};
  std::string data;  // NAME of /ui/data/NAME
};

PageHandler::PageHandler(client::ClientEnv env, env::Executor& worker,
                         ledger::AttemptSource& attempts, Backend& backend, PageOptions options)
    : options_(std::move(options)),
      guard_(options_.guard),
      sessions_(std::make_shared<Sessions>(env.clock, env.random)),
      service_(std::make_shared<PageService>(env, worker, attempts, backend, options_.scope)),
      backend_(backend) {}

PageHandler::~PageHandler() = default;

bool PageHandler::is_for_page(const std::string& target) const {
  const std::string_view path = std::string_view(target).substr(0, target.find('?'));
  return options_.api == nullptr || path == "/ui" || path.starts_with("/ui/");
}

std::shared_ptr<http::RequestContext> PageHandler::read_head(const http::Request& head,
                                                             const http::Peer& peer) const {
  if (!is_for_page(head.target)) {
    return options_.api->read_head(head, peer);
  }
  auto context = std::make_shared<Context>();
  context->caller.rank = http::Caller::Rank::unknown;
  context->target = http::parse_target(head.target);
  if (context->target && context->target->segments.size() == 3 &&
      context->target->segments[1] == "data") {
    context->data = context->target->segments[2];
  }
  context->allowed = check(head, peer, *context);
  if (context->viewer != nullptr) {
    context->caller = context->viewer->caller;
  }
  return context;
}

Result<void> PageHandler::check(const http::Request& head, const http::Peer& peer,
                                Context& context) const {
  if (!context.target) {
    return fail(context.target.error());
  }
  TRY_VOID(guard_.check_host(head.headers));
  if (context.data.empty()) {
    return {};
  }
  if (context.data == "logins") {
    TRY_VOID(PageGuard::check_no_page(head.headers));
    TRY(context.viewer, backend_.identify(head.headers, peer));
    return {};
  }
  TRY_VOID(guard_.check_origin(head.headers));
  if (context.data == "login") {
    return {};
  }
  context.viewer = guard_.viewer(head.headers, *sessions_);
  if (context.viewer == nullptr) {
    return fail(Status{401, "Unauthorized", "log in with: " + options_.login, {}});
  }
  return {};
}

std::optional<http::Response> PageHandler::screen(const http::Request& head,
                                                  http::RequestContext& context) const {
  if (!is_for_page(head.target)) {
    return options_.api->screen(head, context);
  }
  const auto& page = static_cast<const Context&>(context);
  if (!page.allowed) {
    return refusal(page.allowed.error());
  }
  const size_t most = page.viewer == nullptr ? kMaxLoginBytes : kMaxBodyBytes;
  if (head.method != "POST" || page.data.empty() || length_of_body(head.headers) > most) {
    return refusal({413, "RequestEntityTooLarge", "the page takes no such body", {}});
  }
  return std::nullopt;
}

PageHandler::Prepared PageHandler::prepare(http::Request request) const {
  if (!is_for_page(request.target)) {
    return options_.api->prepare(std::move(request));
  }
  if (request.context == nullptr) {
    request.context = read_head(request, request.peer);
  }
  const auto& context = static_cast<const Context&>(*request.context);
  if (!context.allowed) {
    return refusal(context.allowed.error());
  }
  if (request.method == "POST" && !context.data.empty()) {
    return write_data(request, context, context.data);
  }
  if (request.method != "GET") {
    return refusal({405, "MethodNotAllowed", "method not allowed", {}});
  }
  return context.data.empty() ? file(request, *context.target) : read_data(context, context.data);
}

// Asked for anew each time, and sent only where it has changed.
PageHandler::Prepared PageHandler::file(const http::Request& request,
                                        const http::Target& target) const {
  const auto& path = target.segments;
  if (path.empty() || (path.size() == 1 && path[0] == "ui" && !target.path.ends_with('/'))) {
    http::Response redirect{307, page_headers("text/plain", "no-store"), ""};
    redirect.headers.push_back({"Location", "/ui/"});
    return redirect;
  }
  const web::Asset* asset = path[0] != "ui" || path.size() > 2
                                ? nullptr
                                : web::find_asset(path.size() == 1 ? "page.html" : path[1]);
  if (asset == nullptr) {
    return refusal({404, "NotFound", "the page has no such file", {}});
  }
  http::Response response{200, page_headers(asset->content_type, "no-cache"), {}};
  response.headers.push_back({"ETag", std::string(asset->tag)});
  if (http::find_header(request.headers, "If-None-Match").value_or("") == asset->tag) {
    response.status = 304;
    return response;
  }
  response.body = asset->text;
  return response;
}

PageHandler::Prepared PageHandler::read_data(const Context& context,
                                             const std::string& what) const {
  const auto call = [&](auto read) -> Prepared {
    return std::make_unique<DataCall>(
        [service = service_, viewer = context.viewer, target = *context.target,
         read](const PageService::Answer& answer) { read(*service, viewer, target, answer); });
  };
  if (what == "overview") {
    return call([](PageService& service, const auto& viewer, const auto& target, const auto& then) {
      service.overview(viewer, text_of(target, "since"), then);
    });
  }
  if (what == "job") {
    return call([](PageService& service, const auto& viewer, const auto& target, const auto& then) {
      service.job(viewer, {text_of(target, "namespace"), text_of(target, "name")},
                  text_of(target, "since"), then);
    });
  }
  if (what == "log") {
    return call([](PageService& service, const auto& viewer, const auto& target, const auto& then) {
      service.log(viewer, text_of(target, "namespace"), text_of(target, "pod"),
                  text_of(target, "container"), then);
    });
  }
  if (what == "kept-log") {
    return call([](PageService& service, const auto& viewer, const auto& target, const auto& then) {
      service.kept_log(viewer, text_of(target, "namespace"), text_of(target, "uid"), then);
    });
  }
  if (what == "rights") {
    return call([](PageService& service, const auto& viewer, const auto& target, const auto& then) {
      service.rights(viewer, text_of(target, "namespace"), then);
    });
  }
  return refusal({404, "NotFound", "the page has no such data", {}});
}

PageHandler::Prepared PageHandler::write_data(const http::Request& request, const Context& context,
                                              const std::string& what) const {
  if (what == "login") {
    return login(request);
  }
  if (what == "logins") {
    return std::make_unique<DataCall>(
        [sessions = sessions_, viewer = context.viewer](const PageService::Answer& answer) {
          std::string text;
          JsonWriter json(text);
          json.open_object().member("token", sessions->offer(viewer)).close_object();
          answer(std::move(text));
        });
  }
  if (what == "logout") {
    return std::make_unique<ResponseCall>([sessions = sessions_,
                                           cookie = guard_.session_cookie(request.headers),
                                           header = guard_.cookie_header(request.headers, "")] {
      sessions->close(cookie);
      http::Response response = json_answer("{}");
      response.headers.push_back(header);
      return response;
    });
  }
  if (what == "rerun") {
    auto members = read_members(request.body);
    auto indexes = members
                       ? IndexSet::parse((*members)["indexes"], std::numeric_limits<int32_t>::max())
                       : fail(bad_request("not a JSON object"));
    if (!indexes || indexes->empty()) {
      return refusal(bad_request("must name indexes to run, such as 3,7-9"));
    }
    RerunOrder order{(*members)["namespace"], (*members)["name"], *std::move(indexes)};
    return std::make_unique<DataCall>(
        [service = service_, viewer = context.viewer, order](const PageService::Answer& answer) {
          service->rerun(viewer, order, answer);
        });
  }
  return refusal({404, "NotFound", "the page can do no such thing", {}});
}

PageHandler::Prepared PageHandler::login(const http::Request& request) const {
  auto members = read_members(request.body);
  if (!members) {
    return refusal(bad_request("not a JSON object"));
  }
  return std::make_unique<ResponseCall>([sessions = sessions_, guard = &guard_,
                                         token = (*members)["token"], headers = request.headers,
                                         command = options_.login] {
    const auto opened = sessions->open(token);
    if (!opened) {
      return refusal({401,
                      "Unauthorized",
                      "this login was used before, or is too old. Make a new one with: " + command,
                      {}});
    }
    std::string text;
    JsonWriter json(text);
    json.open_object().member("key", opened->key).member("user", opened->viewer->name);
    json.close_object();
    http::Response response = json_answer(std::move(text));
    response.headers.push_back(guard->cookie_header(headers, opened->cookie));
    return response;
  });
}

}  // namespace windlass::dashboard
