#include "cli/annotate.h"

#include <fmt/format.h>

#include "api/job/rule_names.h"
#include "api/patch/json_value.h"
#include "cli/checked_object.h"

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

// Other groups have kinds of that name, too.
bool is_batch_job(const JsonValue& document) {
  const JsonValue* kind = document.find("kind");
  const JsonValue* version = document.find("apiVersion");
  return kind != nullptr && kind->text == "Job" &&
         (version == nullptr || !is_of_a_domain(version->text));
}

// The document as it is to be printed; an error has been told of.
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
