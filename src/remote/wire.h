// Between HTTP and the API's objects, as a client sees it: paths, bodies, answers and errors. Reads
// protobuf and JSON, whichever the server has chosen. Pure; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/codec/json/outline.h"
#include "client/api_client.h"
#include "http/message.h"
#include "remote/server_text.h"

namespace windlass::remote {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";
inline constexpr std::string_view kJsonType = "application/json";
// Protobuf where the server has it, else JSON.
inline constexpr std::string_view kAccept =
    "application/vnd.kubernetes.protobuf, application/json;q=0.9";
inline constexpr std::string_view kAcceptWatch =
    "application/vnd.kubernetes.protobuf;stream=watch, application/json;q=0.9";

// All but letters, digits and -._~ becomes %XX.
std::string percent_encode(std::string_view text);

// /apis/batch/v1/namespaces/ns/jobs; without a namespace those of all.
std::string collection_path(const api::Kind& kind, std::string_view ns);
std::string object_path(const client::ObjectRef& ref, std::string_view subresource = {});
// ?labelSelector=...&limit=500
std::string list_query(const client::Collection& collection, const client::ListOptions& options);
// Added to a watch without a version: it begins with all that is there (api.md M81).
inline constexpr std::string_view kAsList =
    "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
std::string watch_query(const client::Collection& collection, std::string_view resource_version,
                        int64_t timeout_seconds);

bool is_protobuf(const http::Headers& headers);

// One object of this kind. A Status that says Success (the answer to some deletions) is an object
// with the name and UID it tells of.
// With an outline, protobuf is read without what that leaves out.
Result<client::ObjectPtr> decode_object(bool protobuf, std::string_view body, const api::Kind& kind,
                                        const api::Outline* outline = nullptr);
Result<client::ObjectList> decode_list(bool protobuf, std::string_view body, const api::Kind& kind);
// What the server says went wrong. Without a Status in the body (a proxy, a page) only the code is
// taken over: a NotFound is believed to the API server alone.
Status decode_error(int http_status, const http::Headers& headers, std::string_view body,
                    const ServerText& text);
// A Status message as our own.
Status decode_status(bool protobuf, std::string_view body, const ServerText& text);

}  // namespace windlass::remote
