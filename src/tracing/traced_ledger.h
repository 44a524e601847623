// A ledger that hands every record to the exporter, too, once it is durable. The record's answer
// does not wait for that.
//
// Lives on the core executor, as both others do; they outlive it, the ledger's answers do not.
#pragma once

#include <functional>
#include <utility>

#include "base/weak_self.h"
#include "ledger/ledger.h"
#include "tracing/span.h"
#include "tracing/span_exporter.h"

namespace windlass::tracing {

class TracedLedger final : public ledger::Ledger {
 public:
  TracedLedger(ledger::Ledger& ledger, SpanExporter& spans) : ledger_(ledger), spans_(spans) {}

  void record(ledger::AttemptPtr attempt, std::function<void(Result<void>)> done) override {
    ledger_.record(attempt, [alive = self_.lifetime(), this, attempt,
                             done = std::move(done)](const Result<void>& recorded) {
      if (recorded && !alive.expired()) {
        spans_.add(attempt_span(*attempt));
      }
      done(recorded);
    });
  }

 private:
  ledger::Ledger& ledger_;
  SpanExporter& spans_;
  WeakSelf<TracedLedger> self_{this};
};

}  // namespace windlass::tracing
