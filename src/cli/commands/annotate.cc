#include "cli/commands/annotate.h"

#include <fmt/format.h>

#include "api/codec/json/json_value.h"
#include "api/job/rule_names.h"
#include "cli/flags/command_line.h"
#include "cli/flags/manifest_flags.h"
#include "cli/manifests/checked_object.h"
#include "posix/files/posix_files.h"

namespace windlass::cli {
namespace {

using api::JsonValue;

// The rules of a Job; nullptr where there are none.
JsonValue* failure_rules(JsonValue& document) {
  JsonValue* at = &document;
  for (const char* name : {"spec", "podFailurePolicy", "rules"}) {
    at = at == nullptr ? nullptr : at->find(name);
  }
  return at;
}

void move_names(JsonValue& document) {
  JsonValue* rules = failure_rules(document);
  JsonValue names = JsonValue::array();
  bool named = false;
  for (JsonValue& rule : rules == nullptr ? names.items : rules->items) {
    const JsonValue* name = rule.find("name");
    named = named || name != nullptr;
    names.items.push_back(name == nullptr ? JsonValue() : *name);
    rule.members.erase("name");
  }
  if (!named) {
    return;
  }
  JsonValue& metadata = document.members.try_emplace("metadata", JsonValue::object()).first->second;
  JsonValue& annotations =
      metadata.members.try_emplace("annotations", JsonValue::object()).first->second;
  annotations.type = JsonValue::Type::object;
  annotations.members[std::string(api::kFailureRuleNamesKey)] =
      JsonValue::string(api::to_json_text(names));
}

// Other groups also have kinds of that name.
bool is_batch_job(const JsonValue& document) {
  const JsonValue* kind = document.find("kind");
  const JsonValue* version = document.find("apiVersion");
  return kind != nullptr && kind->text == "Job" &&
         (version == nullptr || !is_of_a_domain(version->text));
}

// The document to print. Errors are on `output` already.
Result<std::string> annotated(const Manifest& manifest, Output& output) {
  TRY(api::JsonTree tree, api::parse_json_value(manifest.document.json));
  if (is_batch_job(tree.value)) {
    const CheckedObject checked = check_manifest(manifest, {});
    for (const Diagnostic& error : checked.errors) {
      output.err(error.line + "\n");
    }
    if (!checked.valid()) {
      return fail(plain_error("the Job is not valid"));
    }
    move_names(tree.value);
  }
  return api::to_json_text(tree.value);
}

}  // namespace

void declare_flags(Flags& flags, AnnotateOptions& options) {
  declare_manifest_flags(flags, options.manifests);
  declare_output_format(flags, options.format, "Output format: yaml or json (default: yaml)");
  flags.paragraph(
      "Kubernetes drops spec.podFailurePolicy.rules[].name. This command copies the names into the "
      "annotation windlass.dev/failure-rule-names, which `windlass controller` also reads.");
  flags.exit_codes({{0, "All manifests are printed"},
                    {1, "A manifest is invalid"},
                    {2, "Wrong usage, or a file cannot be read"}});
  flags.examples({"windlass annotate -f job.yaml | kubectl apply -f -"});
}

Command annotate_command() {
  return make_command<AnnotateOptions>(
      "annotate",
      "Print Jobs with the names of their failure rules in an annotation that every API server "
      "keeps",
      [](const AnnotateOptions& options, Output& output) {
        posix::PosixFiles files;
        return annotate(options, files, output);
      });
}

ExitCode annotate(const AnnotateOptions& options, env::Files& files, Output& output) {
  const LoadedManifests loaded = load_manifests(files, options.manifests);
  for (const auto& text : loaded.unreadable) {
    output.err(fmt::format("error: {}\n", text));
  }
  for (const auto& text : loaded.malformed) {
    output.err(text + "\n");
  }
  bool good = loaded.malformed.empty();
  std::string text;
  for (const Manifest& manifest : loaded.manifests) {
    const auto json = annotated(manifest, output);
    if (!json) {
      good = false;
      continue;
    }
    if (options.format == OutputFormat::json) {
      text += *json + "\n";
      continue;
    }
    const auto yaml = api::json_to_yaml(*json);
    good = good && yaml.has_value();
    text += (text.empty() ? "" : "---\n") + yaml.value_or("");
  }
  if (good) {
    output.out(text);
  }
  return !loaded.unreadable.empty() ? ExitCode::usage : good ? ExitCode::ok : ExitCode::failed;
}

}  // namespace windlass::cli
