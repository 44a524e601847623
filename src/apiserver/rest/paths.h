// What is served beside objects: discovery, version, health and metrics (api.md M120-M127).
#pragma once

#include "apiserver/discovery/discovery.h"
#include "apiserver/openapi/openapi.h"
#include "apiserver/rest/answers/stream_hub.h"
#include "apiserver/rest/rest_context.h"
#include "apiserver/rest/rest_request.h"

namespace windlass::apiserver {

http::Response root_paths(bool with_ledger);
// /api, /api/v1, /apis, /apis/GROUP, /apis/GROUP/VERSION, plain or aggregated.
http::Response discovery_response(const Discovery& discovery, const RestRequest& request);
// v1.33.0+windlass.0.1.0
std::string api_version_text(std::string_view program_version);
http::Response version_response(std::string_view program_version);
// /openapi/v2, /openapi/v3 and what is below it.
http::Response openapi_response(const OpenApi& openapi, const RestRequest& request);
// /healthz, /livez, /readyz, and one check by its name.
Prepared health_call(RestContext& context, RestRequest request);
Prepared metrics_call(RestContext& context, StreamHub& streams);
// /configz, as Kubernetes' components call it.
http::Response settings_response(const std::string& settings);

}  // namespace windlass::apiserver
