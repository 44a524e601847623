// What a request is about, in the words of access rules: verb, group, resource, name. Made once,
// from the parsed target; authorization decides on it and routing follows it, so that the two
// cannot disagree about what is being asked for. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "http/target.h"

namespace windlass::apiserver {

struct RequestInfo {
  // /api/v1/... and /apis/GROUP/VERSION/... with at least a resource; all else is a plain path.
  bool is_resource = false;
  // get list watch create update patch delete deletecollection; for a plain path the method in
  // lower case.
  std::string verb = {};
  std::string path = {};  // as sent, without the query
  std::string group = {};
  std::string version = {};
  // Empty for all namespaces and for kinds that have none. Of `namespaces/NAME` it is NAME.
  std::string ns = {};
  std::string resource = {};
  std::string subresource = {};
  // Of a list, watch or deletecollection: from `fieldSelector=metadata.name=NAME`.
  std::string name = {};
  // Of a list, watch or deletecollection: from `fieldSelector=spec.nodeName=NODE`.
  std::string selected_node = {};
  // More segments than a resource can have (pods/NAME/proxy/a/b): no such thing is served here.
  bool has_more_segments = false;

  bool operator==(const RequestInfo&) const = default;

  bool is_read() const;  // get, list, watch; of a plain path get and head
};

// `method` as in HTTP. HEAD asks for what GET asks for.
RequestInfo request_info(std::string_view method, const http::Target& target);

}  // namespace windlass::apiserver
