#include "cli/flags/job_argument.h"

#include <fmt/format.h>

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

}  // namespace

void declare_job_argument(Flags& flags, std::string& job, std::string& ns, const std::string& verb,
                          const std::string* instead) {
  const auto text = std::make_shared<std::string>();
  flags.argument("JOB", *text, fmt::format("Job to {}: job/NAME, or the name alone", verb));
  flags.check([text, &job, verb, instead]() -> Result<void> {
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
