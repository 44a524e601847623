#include "cli/flags/job_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace windlass::cli {
namespace {

// `job/NAME` in kubectl's spellings, or the name alone.
Result<std::string> job_name(std::string_view text, std::string_view verb) {
  const size_t slash = text.find('/');
  const std::string_view kind = slash == std::string_view::npos ? "job" : text.substr(0, slash);
  const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  const bool is_job =
      kind == "job" || kind == "jobs" || kind == "job.batch" || kind == "jobs.batch";
  if (text.empty()) {
    return fail(plain_error(fmt::format("must specify a Job: windlass {} job/NAME", verb)));
  }
  if (!is_job || name.empty() || name.find('/') != std::string_view::npos) {
    return fail(plain_error(fmt::format("invalid argument \"{}\": must be job/NAME", text)));
  }
  return std::string(name);
}

constexpr std::string_view kRunPrefix = "run/";

// `12` or `12/NAME`, after the prefix.
Result<void> read_run(std::string_view text, std::string& run, std::string& job) {
  const size_t slash = std::min(text.find('/'), text.size());
  run = text.substr(0, slash);
  job = text.substr(std::min(slash + 1, text.size()));
  if (run.empty() || (slash < text.size() && job.empty()) || job.find('/') != std::string::npos) {
    return fail(plain_error(
        fmt::format("invalid argument \"run/{}\": must be run/12 or run/12/NAME", text)));
  }
  return {};
}

}  // namespace

void declare_job_argument(Flags& flags, std::string& job, std::string& ns, const std::string& verb,
                          const std::string* instead, std::string* run) {
  const auto text = std::make_shared<std::string>();
  flags.argument("JOB", *text,
                 fmt::format("Job to {}: job/NAME, or the name alone{}", verb,
                             run == nullptr ? "" : "; or run/12, the Jobs of a kept run"));
  flags.check([text, &job, verb, instead, run]() -> Result<void> {
    if (run != nullptr && text->starts_with(kRunPrefix)) {
      return read_run(std::string_view(*text).substr(kRunPrefix.size()), *run, job);
    }
    if (instead != nullptr && !instead->empty()) {
      return text->empty() ? Result<void>()
                           : fail(plain_error("name either a Job or a file, not both"));
    }
    TRY(job, job_name(*text, verb));
    return {};
  });
  flags.text("-n,--namespace NAME", ns, "Namespace of the Job (default: that of the context)");
}

}  // namespace windlass::cli
