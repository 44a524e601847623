// Bytes to a Job and back, the way of `windlass validate` and of a create: YAML or JSON, defaults,
// validation. Whatever is written must read back as the same Job, with the same errors.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/json.h"
#include "api/codec/yaml/yaml.h"
#include "api/feature_gates.h"
#include "api/job/job_manifest.h"
#include "base/check.h"
#include "schema/batch/v1/job.pb.h"

namespace {

using windlass::api::batch::v1::Job;

std::vector<std::string> answer(const windlass::api::ManifestCheck& check) {
  std::vector<std::string> texts = check.warnings;
  for (const auto& error : check.errors.all()) {
    texts.push_back(error.text());
  }
  return texts;
}

void check_document(std::string_view json) {
  Job job;
  if (!windlass::api::decode_json(json, job)) {
    return;
  }
  const windlass::api::FeatureGates gates;
  const std::vector<std::string> first = answer(check_job_manifest(job, gates));

  const std::string written = windlass::api::to_json(job);
  Job again;
  CHECK(windlass::api::decode_json(written, again).has_value(), "what we write we can read");
  const std::vector<std::string> second = answer(check_job_manifest(again, gates));
  CHECK(first == second, "the same Job has the same errors");
  CHECK(windlass::api::to_json(again) == written, "defaults are set once");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = windlass::api::parse_yaml(text);
  if (!documents) {
    return 0;
  }
  for (const auto& document : *documents) {
    check_document(document.json);
  }
  return 0;
}
