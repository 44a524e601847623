#include "cli/flags/manifest_flags.h"

#include "cli/flags/flags.h"

namespace windlass::cli {

void declare_manifest_flags(Flags& flags, ManifestOptions& manifests) {
  flags.list("-f,--filename FILE", manifests.paths,
             "Manifest file or folder, YAML or JSON; - reads standard input");
  flags.arguments("FILE", manifests.paths, "Same as -f FILE");
  flags.toggle("-R,--recursive", manifests.recursive, "Recurse into subfolders");
  flags.check([&manifests]() -> Result<void> {
    if (manifests.paths.empty() && !manifests.may_be_missing) {
      return fail(plain_error("must specify a file: -f FILE, or -f - for standard input"));
    }
    return {};
  });
}

void declare_feature_gates(Flags& flags, api::FeatureGates& gates) {
  flags.parsed("--feature-gates LIST",
               "Features to turn on or off, such as A=true,B=false (default: all on)",
               [&gates](const std::string& text) -> Result<void> {
                 TRY(gates, api::FeatureGates::parse(text));
                 return {};
               });
}

void declare_output_format(Flags& flags, OutputFormat& format, const std::string& help) {
  flags.parsed("-o,--output FORMAT", help, [&format](const std::string& text) -> Result<void> {
    if (text == "yaml" || text == "json") {
      format = text == "yaml" ? OutputFormat::yaml : OutputFormat::json;
      return {};
    }
    return text.empty() ? Result<void>() : unknown_output_format(text, "json,yaml");
  });
}

void declare_json_output(Flags& flags, bool& json) {
  flags.parsed("-o,--output FORMAT", "Output format: json (default: text)",
               [&json](const std::string& text) -> Result<void> {
                 json = text == "json";
                 return json || text.empty() ? Result<void>() : unknown_output_format(text, "json");
               });
}

void declare_backoff_flags(Flags& flags, BackoffOptions& backoff) {
  flags.duration("--backoff-base DURATION", backoff.backoff_base,
                 "Delay before the first retry; each further failure doubles it");
  flags.duration("--backoff-cap DURATION", backoff.backoff_cap, "Longest delay before a retry");
}

void declare_job_flags(Flags& flags, JobOptions& options, const std::string& output_help) {
  declare_manifest_flags(flags, options.manifests);
  flags.text("-n,--namespace NAME", options.ns, "Namespace of objects whose manifest names none");
  declare_output_format(flags, options.format, output_help);
  declare_backoff_flags(flags, options);
  declare_feature_gates(flags, options.gates);
}

}  // namespace windlass::cli
