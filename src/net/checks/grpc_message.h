// What grpc.health.v1.Health/Check says and hears, as bytes. Two messages of one field each: not
// worth a schema. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace windlass::net {

// A HealthCheckRequest with the five bytes that go before every gRPC message.
std::string health_request(std::string_view service);

// The status of the HealthCheckResponse in `body`, five bytes before it included; nothing when the
// body is no such message.
std::optional<int> health_status(std::string_view body);

// The text of a grpc-message header, which is percent-encoded.
std::string grpc_message_text(std::string_view encoded);

}  // namespace windlass::net
