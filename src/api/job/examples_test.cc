// The manifests in examples/ are valid, explain themselves, and together show the whole Job API.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "api/codec/json/json.h"
#include "api/codec/yaml/yaml.h"
#include "api/job/job_manifest.h"
#include "api/job/job_testing.h"

namespace windlass::api {
namespace {

namespace fs = std::filesystem;
using testing::Job;
using testing::Texts;

std::string content_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path examples_folder() {
  return fs::path(WINDLASS_SOURCE_DIR) / "examples";
}

std::vector<fs::path> manifests() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(examples_folder())) {
    if (entry.path().extension() == ".yaml") {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// As the author wrote it.
Job read_job(const fs::path& path) {
  Job job;
  const Result<std::vector<YamlDocument>> documents = parse_yaml(content_of(path));
  EXPECT_TRUE(documents.has_value()) << path;
  if (!documents || documents->size() != 1) {
    ADD_FAILURE() << path << " is not one document";
    return job;
  }
  const Result<DecodedJson> decoded = decode_json(documents->front().json, job);
  if (!decoded) {
    ADD_FAILURE() << path << ": " << decoded.error().message;
    return job;
  }
  EXPECT_EQ(decoded->type, (TypeMeta{"batch/v1", "Job"})) << path;
  EXPECT_TRUE(decoded->problems.empty()) << path << ": " << strict_error_text(decoded->problems);
  return job;
}

TEST(Examples, AreValidAndWithoutWarnings) {
  ASSERT_GE(manifests().size(), 25U);
  for (const fs::path& path : manifests()) {
    Job job = read_job(path);
    const ManifestCheck check = check_job_manifest(job, FeatureGates());
    EXPECT_EQ(testing::texts(check.errors), Texts{}) << path;
    EXPECT_EQ(check.warnings, Texts{}) << path;
  }
}

TEST(Examples, BeginWithWhatToLookFor) {
  for (const fs::path& path : manifests()) {
    const std::string text = content_of(path);
    EXPECT_TRUE(text.starts_with("# ")) << path;
    const size_t look_for = text.find("\n# Look for: ");
    EXPECT_LT(look_for, text.find("\napiVersion:")) << path;
  }
}

TEST(Examples, AreNamedAfterTheirFileAndRunAShell) {
  for (const fs::path& path : manifests()) {
    const Job job = read_job(path);
    EXPECT_EQ(job.metadata().name(), path.stem().string());
    for (const auto& container : job.spec().template_().spec().containers()) {
      ASSERT_GE(container.command_size(), 2) << path;
      EXPECT_EQ(container.command(0), "/bin/sh") << path;
      EXPECT_EQ(container.image(), "busybox:1.36") << path;
    }
  }
}

TEST(Examples, AreAllInTheIndex) {
  const std::string index = content_of(examples_folder() / "README.md");
  for (const fs::path& path : manifests()) {
    const std::string name = path.filename().string();
    EXPECT_NE(index.find("[" + name + "](" + name + ")"), std::string::npos) << name;
  }
}

TEST(Examples, ShowEveryFieldOfTheSpecAndEveryAction) {
  std::set<std::string> fields;
  std::set<std::string> actions;
  for (const fs::path& path : manifests()) {
    const Job job = read_job(path);
    std::vector<const google::protobuf::FieldDescriptor*> set_fields;
    job.spec().GetReflection()->ListFields(job.spec(), &set_fields);
    for (const auto* field : set_fields) {
      fields.insert(field->name());
    }
    for (const auto& one : job.spec().pod_failure_policy().rules()) {
      actions.insert(one.action() + (one.has_on_exit_codes() ? " by code" : " by condition"));
    }
  }
  const auto* descriptor = batch::v1::JobSpec::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    EXPECT_TRUE(fields.contains(descriptor->field(i)->name())) << descriptor->field(i)->name();
  }
  for (const std::string_view action :
       {"FailJob by code", "FailJob by condition", "Ignore by code", "Ignore by condition",
        "Count by code", "Count by condition", "FailIndex by code"}) {
    EXPECT_TRUE(actions.contains(std::string(action))) << action;
  }
}

}  // namespace
}  // namespace windlass::api
