#include "apiserver/rest/paths.h"

#include <fmt/format.h>

#include "apiserver/rest/answers/format.h"
#include "apiserver/rest/answers/responses.h"

namespace windlass::apiserver {
namespace {

// The Kubernetes version whose API this is, for clients that look at it.
#if defined(__x86_64__)
constexpr std::string_view kArchitecture = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view kArchitecture = "arm64";
#else
constexpr std::string_view kArchitecture = "unknown";
#endif
constexpr std::string_view kMajor = "1";
constexpr std::string_view kMinor = "33";

http::Response json_document(std::string body) {
  http::Response response;
  response.headers = answer_headers("application/json");
  response.body = std::move(body);
  return response;
}

// Which aggregated form the client would take before the plain one: "", v2 or v2beta1.
std::string_view aggregated_version(const RestRequest& request) {
  const auto accept = http::find_header(request.http.headers, "Accept").value_or("");
  for (const MediaType& media : parse_accept(accept)) {
    if (media.type != "application/json") {
      continue;
    }
    if (media.parameter("as") != "APIGroupDiscoveryList" ||
        media.parameter("g") != "apidiscovery.k8s.io") {
      return "";
    }
    if (media.parameter("v") == "v2") {
      return "v2";
    }
    if (media.parameter("v") == "v2beta1") {
      return "v2beta1";
    }
  }
  return "";
}

http::Response aggregated_response(const Discovery& discovery, const RestRequest& request,
                                   bool core, std::string_view version) {
  const bool beta = version == "v2beta1";
  http::Response response;
  response.headers.push_back({"Vary", "Accept"});
  response.headers.push_back({"Cache-Control", "public"});
  response.headers.push_back({"ETag", discovery.aggregated_etag(core, beta)});
  const auto known = http::find_header(request.http.headers, "If-None-Match");
  if (known && *known == discovery.aggregated_etag(core, beta)) {
    response.status = 304;
    return response;
  }
  response.headers.push_back(
      {"Content-Type",
       fmt::format("application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList",
                   version)});
  response.body = discovery.aggregated(core, beta);
  return response;
}

struct HealthCheck {
  std::string_view name;
  std::string failure;  // empty: ok
};

// Everything but /livez also asks whether the store still takes writes.
std::vector<HealthCheck> run_checks(RestContext& context, std::string_view endpoint) {
  std::vector<HealthCheck> checks = {{"ping", ""}};
  if (endpoint != "livez") {
    const std::optional<Status>& poisoned = context.server.store().poisoned();
    checks.push_back({"store", poisoned ? poisoned->message : ""});
    const std::optional<Status>& full = context.server.store().full();
    checks.push_back({"store-room", full ? full->message : ""});
  }
  if (endpoint == "readyz" && context.hooks.ledger_trouble) {
    checks.push_back({"ledger", context.hooks.ledger_trouble()});
  }
  return checks;
}

http::Response health_response(const std::vector<HealthCheck>& checks, const RestRequest& request) {
  const std::string& endpoint = request.target.segments[0];
  std::string report;
  bool failed = false;
  for (const HealthCheck& check : checks) {
    const bool bad = !check.failure.empty();
    failed = failed || bad;
    report += bad ? fmt::format("[-]{} failed: {}\n", check.name, check.failure)
                  : fmt::format("[+]{} ok\n", check.name);
  }
  if (failed) {
    return text_response(500, report + endpoint + " check failed\n");
  }
  if (request.target.parameter("verbose")) {
    return text_response(200, report + endpoint + " check passed\n");
  }
  return text_response(200, "ok");
}

}  // namespace

http::Response root_paths(bool with_ledger) {
  std::string text = R"({"paths":["/api","/api/v1","/apis")";
  for (const ServedVersion& served : served_versions(with_ledger)) {
    if (!served.group.empty()) {
      text += fmt::format(R"(,"/apis/{0}","/apis/{0}/{1}")", served.group, served.version);
    }
  }
  text +=
      R"(,"/configz","/healthz","/livez","/metrics","/openapi/v2","/openapi/v3","/readyz","/version"]})";
  return json_document(text + "\n");
}

http::Response discovery_response(const Discovery& discovery, const RestRequest& request) {
  const std::vector<std::string>& path = request.target.segments;
  const bool core = path[0] == "api";
  const std::string_view aggregated = path.size() == 1 ? aggregated_version(request) : "";
  if (!aggregated.empty()) {
    return aggregated_response(discovery, request, core, aggregated);
  }
  if (core && path.size() == 1) {
    return json_document(discovery.core_versions(request.http.peer.reached));
  }
  const std::string* document = nullptr;
  if (path.size() == 1) {
    document = &discovery.groups();
  } else if (core && path.size() == 2) {
    document = discovery.resources("", path[1]);
  } else if (!core && path.size() == 2) {
    document = discovery.group(path[1]);
  } else if (!core && path.size() == 3) {
    document = discovery.resources(path[1], path[2]);
  }
  return document == nullptr ? page_not_found() : json_document(*document);
}

std::string api_version_text(std::string_view program_version) {
  return fmt::format("v{}.{}.0+windlass.{}", kMajor, kMinor, program_version);
}

http::Response version_response(std::string_view program_version) {
  return json_document(fmt::format(R"({{
  "major": "{}",
  "minor": "{}",
  "gitVersion": "{}",
  "gitCommit": "",
  "gitTreeState": "clean",
  "buildDate": "1970-01-01T00:00:00Z",
  "goVersion": "",
  "compiler": "g++",
  "platform": "linux/{}"
}}
)",
                                   kMajor, kMinor, api_version_text(program_version),
                                   kArchitecture));
}

Prepared health_call(RestContext& context, RestRequest request) {
  return make_call(
      [&context, request = std::move(request)](const std::shared_ptr<http::Exchange>& exchange) {
        const std::vector<std::string>& path = request.target.segments;
        std::vector<HealthCheck> checks = run_checks(context, path[0]);
        if (path.size() == 2) {
          std::erase_if(checks, [&](const HealthCheck& check) { return check.name != path[1]; });
        }
        const bool unknown = path.size() > 2 || checks.empty();
        exchange->respond(unknown ? page_not_found() : health_response(checks, request));
      });
}

http::Response settings_response(const std::string& settings) {
  return json_document(settings);
}

Prepared metrics_call(RestContext& context, StreamHub& streams) {
  return make_call([&context, &streams](const std::shared_ptr<http::Exchange>& exchange) {
    std::string text;
    context.metrics.append_text(text);
    text += fmt::format(
        "# HELP windlass_store_revision Newest committed revision.\n"
        "# TYPE windlass_store_revision gauge\n"
        "windlass_store_revision {}\n"
        "# HELP windlass_store_ready 1 while the store takes writes.\n"
        "# TYPE windlass_store_ready gauge\n"
        "windlass_store_ready {}\n"
        "# HELP windlass_apiserver_open_streams Watches and long lists in progress.\n"
        "# TYPE windlass_apiserver_open_streams gauge\n"
        "windlass_apiserver_open_streams {}\n",
        context.server.store().revision(), context.server.store().poisoned() ? 0 : 1,
        streams.size());
    if (context.hooks.more_metrics) {
      text += context.hooks.more_metrics();
    }
    http::Response response = text_response(200, std::move(text));
    response.headers[0].value = "text/plain; version=0.0.4; charset=utf-8";
    exchange->respond(std::move(response));
  });
}

}  // namespace windlass::apiserver
