#include "tracing/span_exporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "api/codec/json/json_value.h"
#include "tracing/span.h"

namespace windlass::tracing {
namespace {

bool may_be_sent_again(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

// Of partialSuccess: how many spans the receiver did not take, and why.
struct PartialSuccess {
  uint64_t rejected = 0;
  std::string why;
};

PartialSuccess read_partial_success(const std::string& body) {
  PartialSuccess partial;
  const auto tree = api::parse_json_value(body);
  const api::JsonValue* told = tree ? tree->value.find("partialSuccess") : nullptr;
  if (told == nullptr) {
    return partial;
  }
  if (const api::JsonValue* number = told->find("rejectedSpans")) {
    // A number, or its text.
    const std::string& text = number->text;
    std::from_chars(text.data(), text.data() + text.size(), partial.rejected);
  }
  if (const api::JsonValue* why = told->find("errorMessage")) {
    partial.why = why->text;
  }
  return partial;
}

}  // namespace

SpanExporter::SpanExporter(Parts parts)
    : parts_(std::move(parts)),
      spans_(parts_.metrics.counter("windlass_otlp_spans_total",
                                    "Spans for the receiver of OpenTelemetry, by what became of "
                                    "them.",
                                    {"result"})),
      queued_(parts_.metrics.gauge("windlass_otlp_queued_spans",
                                   "Spans that wait for the receiver of OpenTelemetry.")) {}

SpanExporter::~SpanExporter() {
  parts_.core.cancel(timer_);
  parts_.core.cancel(finish_timer_);
  if (queued() > 0) {
    leave_out(queued(), "dropped", "the process ends");
  }
}

void SpanExporter::add(std::string span) {
  if (bytes_ + span.size() > kMaxQueuedBytes) {
    spans_.add({"dropped"});
    ++left_out_;
    if (!std::exchange(dropping_, true)) {
      parts_.log.error("the queue of spans is full: spans are left out", {});
    }
    return;
  }
  bytes_ += span.size();
  queue_.push_back(std::move(span));
  show_queue();
  if (sending_ || failing_) {
    return;
  }
  if (queue_.size() >= kMaxBatch) {
    schedule(Duration::zero());
  } else if (timer_ == env::TimerId::none) {
    schedule(kLinger);
  }
}

void SpanExporter::schedule(Duration delay) {
  parts_.core.cancel(timer_);
  timer_ = parts_.core.schedule(delay, [this] {
    timer_ = env::TimerId::none;
    send();
  });
}

void SpanExporter::send() {
  while (batch_.size() < kMaxBatch && !queue_.empty()) {
    batch_.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  if (batch_.empty() || std::exchange(sending_, true)) {
    return;
  }
  parts_.post(export_request(batch_, parts_.version), self_.bind(&SpanExporter::on_answer));
}

void SpanExporter::on_answer(const Result<ReceiverAnswer>& answer) {
  sending_ = false;
  if (!answer) {
    return retry_later(answer.error().message, std::nullopt);
  }
  if (may_be_sent_again(answer->status)) {
    return retry_later(fmt::format("HTTP status {}", answer->status), answer->retry_after);
  }
  if (answer->status != 200) {
    return settle(batch_.size(), fmt::format("HTTP status {}", answer->status));
  }
  const PartialSuccess partial = read_partial_success(answer->body);
  settle(std::min<uint64_t>(partial.rejected, batch_.size()), partial.why);
}

void SpanExporter::retry_later(const std::string& why, std::optional<Duration> told) {
  if (!std::exchange(failing_, true)) {
    parts_.log.warning("the receiver of OpenTelemetry does not take spans: they wait",
                       {{"error", why}});
  }
  // Half of it at random, so that many senders do not come back together.
  const auto half = retry_delay_ / 2;
  const Duration spread =
      half +
      Duration(static_cast<int64_t>(parts_.random.next() % static_cast<uint64_t>(half.count())));
  schedule(told ? std::min(std::max(*told, spread), kMaxRetryAfter) : spread);
  retry_delay_ = std::min(retry_delay_ * 2, kMaxRetry);
}

void SpanExporter::settle(uint64_t rejected, const std::string& why) {
  if (std::exchange(failing_, false)) {
    parts_.log.info("the receiver of OpenTelemetry takes spans again",
                    {{"waiting", std::to_string(queue_.size())}});
  }
  dropping_ = false;
  retry_delay_ = kFirstRetry;
  spans_.add({"sent"}, static_cast<double>(batch_.size() - rejected));
  if (rejected > 0) {
    leave_out(rejected, "rejected", why);
  }
  for (const std::string& span : batch_) {
    bytes_ -= span.size();
  }
  batch_.clear();
  show_queue();
  if (!queue_.empty()) {
    schedule(finished_ || queue_.size() >= kMaxBatch ? Duration::zero() : kLinger);
  } else if (finished_) {
    end_finish();
  }
}

void SpanExporter::leave_out(uint64_t spans, const char* result, const std::string& why) {
  left_out_ += spans;
  spans_.add({result}, static_cast<double>(spans));
  parts_.log.error("spans are left out", {{"spans", std::to_string(spans)}, {"error", why}});
}

void SpanExporter::finish(Duration limit, std::function<void()> done) {
  finished_ = std::move(done);
  finish_timer_ = parts_.core.schedule(queued() == 0 ? Duration::zero() : limit, [this] {
    finish_timer_ = env::TimerId::none;
    end_finish();
  });
  if (!sending_ && queued() > 0) {
    schedule(Duration::zero());
  }
}

void SpanExporter::end_finish() {
  parts_.core.cancel(std::exchange(finish_timer_, env::TimerId::none));
  if (const auto finished = std::exchange(finished_, nullptr)) {
    finished();
  }
}

void SpanExporter::show_queue() {
  queued_.set({}, static_cast<double>(queued()));
}

}  // namespace windlass::tracing
