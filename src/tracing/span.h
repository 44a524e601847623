// Spans of OpenTelemetry, as JSON of its protocol (OTLP): each Job is a trace, and each of its
// attempts a span below that of the Job. IDs follow from UIDs, so that what is sent twice is the
// same span, and several processes agree. Text that containers wrote is not in them. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/time.h"

namespace windlass::api::ledger::v1 {
class Attempt;
}

namespace windlass::tracing {

// 32 and 16 digits of hexadecimal, never all zero.
std::string trace_id_of(std::string_view job_uid);
std::string job_span_id(std::string_view job_uid);
std::string attempt_span_id(std::string_view pod_uid);

// One object of `spans`.
std::string attempt_span(const api::ledger::v1::Attempt& attempt);
// Of a Job that has finished, or, with `gone_at`, was deleted before it had.
std::string job_span(const api::Message& job, const Time* gone_at);

// ExportTraceServiceRequest with these spans.
std::string export_request(const std::vector<std::string>& spans, std::string_view version);

}  // namespace windlass::tracing
