// A pod and a Job as kube-apiserver prints them come out byte by byte as they went in.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/yaml/yaml.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

std::string golden(const std::string& name) {
  std::ifstream in(WINDLASS_SOURCE_DIR "/tests/golden/" + name);
  std::stringstream content;
  content << in.rdbuf();
  std::string text = content.str();
  EXPECT_TRUE(text.ends_with('\n')) << name;
  text.pop_back();
  return text;
}

template <class T>
void expect_unchanged(const std::string& name) {
  std::string json = golden(name);
  T message;
  Result<DecodedJson> decoded = decode_json(json, message);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_TRUE(decoded->problems.empty());
  EXPECT_EQ(to_json(message, decoded->type), json);

  T from_protobuf;
  ASSERT_TRUE(decode_protobuf(encode_protobuf(message), from_protobuf).has_value());
  EXPECT_EQ(to_json(from_protobuf, decoded->type), json);

  Result<std::string> yaml = json_to_yaml(json);
  ASSERT_TRUE(yaml.has_value());
  EXPECT_EQ(parse_yaml(*yaml).value().at(0).json, json);
}

TEST(CodecGolden, Pod) {
  expect_unchanged<core::v1::Pod>("pod.json");
}

TEST(CodecGolden, Job) {
  expect_unchanged<batch::v1::Job>("job.json");
}

TEST(CodecGolden, M4a_PrettyJob) {
  batch::v1::Job job;
  ASSERT_TRUE(decode_json(golden("job.json"), job).has_value());
  EXPECT_EQ(to_json(job, {"batch/v1", "Job"}, JsonStyle::pretty), golden("job.pretty.json"));
}

TEST(CodecGolden, YamlOfAJob) {
  EXPECT_EQ(json_to_yaml(golden("job.json")).value(), golden("job.yaml") + "\n");
}

}  // namespace
}  // namespace windlass::api
