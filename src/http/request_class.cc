#include "http/request_class.h"

#include "http/target.h"

namespace windlass::http {

RequestClass classify(const Request& request) {
  if (request.method != "GET" && request.method != "HEAD") {
    return RequestClass::mutating;
  }
  const std::string_view target = request.target;
  const size_t query = target.find('?');
  // Most reads have no query worth parsing.
  const bool may_stay =
      target.find("/watch/") != std::string_view::npos ||
      (query != std::string_view::npos && (target.find("watch", query) != std::string_view::npos ||
                                           target.find("follow", query) != std::string_view::npos ||
                                           target.find('%', query) != std::string_view::npos));
  if (!may_stay) {
    return RequestClass::read;
  }
  const auto parsed = parse_target(target);
  if (!parsed) {
    return RequestClass::read;
  }
  const auto& segments = parsed->segments;
  const size_t version_at = !segments.empty() && segments[0] == "apis" ? 3 : 2;
  const bool watch_path = segments.size() > version_at && segments[version_at] == "watch";
  const bool log = !segments.empty() && segments.back() == "log";
  return parsed->flag("watch") || watch_path || (log && parsed->flag("follow"))
             ? RequestClass::long_running
             : RequestClass::read;
}

}  // namespace windlass::http
