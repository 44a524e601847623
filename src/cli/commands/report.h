// `windlass report`: writes one HTML file about a Job, with its data inside. Reads the Job, its
// pods and, where the server has a ledger, its attempts; changes nothing. A small state machine on
// the client's executor; the caller owns it until it has finished.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/flags/cluster_flags.h"
#include "cli/output/output.h"
#include "client/api_client.h"
#include "env/clock.h"

namespace windlass::cli {

struct ReportOptions {
  ClusterFlags cluster = {};
  std::string ns = {};   // "": the context's
  std::string job = {};  // its name
  int64_t log_mebibytes = 8;
  bool json = false;      // the document alone
  std::string from = {};  // a file with such a document, instead of a Job
};

void declare_flags(Flags& flags, ReportOptions& options);

// The report about a document that `-o json` has written, or why it is none.
Result<std::string> report_of_document(std::string_view text);

class ReportSession {
 public:
  // `options.ns` is set. `on_finished` runs once, later.
  ReportSession(client::ApiClient& api, env::Clock& clock, ReportOptions options, Output& output,
                std::function<void(ExitCode)> on_finished);
  ~ReportSession();
  ReportSession(const ReportSession&) = delete;
  ReportSession& operator=(const ReportSession&) = delete;

  void start();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
