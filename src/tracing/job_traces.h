// Gives the exporter one span for each Job that finishes, or is deleted before it has, while this
// watches: the root of the trace of its attempts.
//
// Lives on the client's executor. The exporter outlives it.
#pragma once

#include <optional>
#include <string>

#include "client/informer.h"
#include "tracing/span_exporter.h"

namespace windlass::tracing {

class JobTraces {
 public:
  struct Options {
    std::string ns = {};  // only here; "": everywhere
    // Only Jobs of this manager, as spec.managedBy has it; "": all.
    std::string manager = {};
  };

  JobTraces(client::ClientEnv env, SpanExporter& spans, Options options);
  JobTraces(const JobTraces&) = delete;
  JobTraces& operator=(const JobTraces&) = delete;

  void start() { jobs_.start(); }
  // All Jobs there are have been seen.
  bool has_synced() const { return jobs_.has_synced(); }

 private:
  struct CachedJob {
    client::ObjectPtr object;
    bool finished = false;
  };
  std::optional<CachedJob> project(const client::ObjectPtr& job) const;

  env::Clock& clock_;
  SpanExporter& spans_;
  const Options options_;
  client::Informer<CachedJob> jobs_;
};

}  // namespace windlass::tracing
