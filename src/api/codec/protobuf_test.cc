#include "api/codec/protobuf.h"

#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include "api/codec/json/json.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

using batch::v1::Job;
using core::v1::Pod;

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (int value : values) {
    out += static_cast<char>(value);
  }
  return out;
}

TEST(Protobuf, M6_EnvelopeBytes) {
  Job job;
  job.mutable_metadata()->set_name("j");
  std::string sealed = seal_envelope({"batch/v1", "Job"}, job);
  EXPECT_EQ(sealed,
            bytes({'k', '8', 's',  0, 0x0a, 15,  0x0a, 8,    'b', 'a',  't', 'c',  'h', '/',
                   'v', '1', 0x12, 3, 'J',  'o', 'b',  0x12, 5,   0x0a, 3,   0x0a, 1,   'j'}));
  Result<Envelope> opened = open_envelope(sealed);
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(opened->type, (TypeMeta{"batch/v1", "Job"}));
  EXPECT_EQ(opened->raw.size(), 5U);
  EXPECT_TRUE(has_protobuf_magic(sealed));
  EXPECT_FALSE(has_protobuf_magic("k8s"));
}

// As client-go writes it, with the empty content encoding and type.
TEST(Protobuf, M6_EnvelopeOfGo) {
  std::string sealed = bytes({'k', '8', 's',  0, 0x0a, 7, 0x0a, 2, 'v',  '1', 0x12,
                              1,   'X', 0x12, 2, 0x0a, 0, 0x1a, 0, 0x22, 0});
  Result<Envelope> opened = open_envelope(sealed);
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(opened->type, (TypeMeta{"v1", "X"}));
  EXPECT_EQ(opened->raw, bytes({0x0a, 0}));
}

TEST(Protobuf, M3_BadMagic) {
  EXPECT_EQ(open_envelope("{}").error().message,
            "provided data does not appear to be a protobuf message, expected prefix "
            "[107 56 115 0]");
  EXPECT_FALSE(open_envelope("").has_value());
}

TEST(Protobuf, BadInput_TruncatedAnywhere) {
  Pod pod;
  ASSERT_TRUE(decode_json(R"({"metadata":{"name":"p","labels":{"a":"b"}},"spec":{"containers":[)"
                          R"({"name":"c","image":"i","resources":{"limits":{"cpu":"1"}}}]}})",
                          pod)
                  .has_value());
  std::string sealed = seal_envelope({"v1", "Pod"}, pod);
  for (size_t length = 0; length < sealed.size(); ++length) {
    Result<Envelope> opened = open_envelope(std::string_view(sealed).substr(0, length));
    // Cut between its two fields the envelope is whole, but has no object.
    EXPECT_TRUE(!opened || opened->raw.empty()) << length;
  }
  std::string raw = encode_protobuf(pod);
  std::string_view spec_only = std::string_view(raw).substr(0, raw.size() - 1);
  Pod out;
  Result<void> decoded = decode_protobuf(spec_only, out);
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().message, "proto: Pod: message is truncated or malformed");
}

TEST(Protobuf, BadInput_Garbage) {
  Pod out;
  EXPECT_FALSE(decode_protobuf("\xff\xff\xff\xff", out).has_value());
  EXPECT_FALSE(decode_protobuf(bytes({0x0b}), out).has_value());  // a group that never ends
  std::string huge_length = "k8s" + bytes({0, 0x12, 0xff, 0xff, 0xff, 0xff, 0x0f});
  EXPECT_FALSE(open_envelope(huge_length).has_value());
}

TEST(Protobuf, UnknownFieldsSurvive) {
  Job job;
  job.mutable_spec()->GetReflection()->MutableUnknownFields(job.mutable_spec())->AddVarint(17, 5);
  job.GetReflection()->MutableUnknownFields(&job)->AddLengthDelimited(900, "new");
  std::string raw = encode_protobuf(job);
  Job again;
  ASSERT_TRUE(decode_protobuf(raw, again).has_value());
  EXPECT_EQ(encode_protobuf(again), raw);
  EXPECT_TRUE(again.has_spec());
}

TEST(Protobuf, M7_WhatGoWritesAsZeroIsAbsent) {
  Job job;
  job.mutable_metadata()->set_name("");
  job.mutable_metadata()->set_generation(0);
  job.mutable_metadata()->mutable_creation_timestamp();
  job.mutable_spec()->mutable_template_()->mutable_spec();
  job.mutable_spec()->set_parallelism(0);
  job.mutable_status()->set_active(0);
  job.mutable_status()->set_completed_indexes("");
  job.mutable_status()->set_ready(0);
  job.mutable_status()->mutable_start_time();
  canonicalize(job);
  EXPECT_FALSE(job.has_metadata());
  EXPECT_FALSE(job.spec().has_template_());
  EXPECT_TRUE(job.spec().has_parallelism());
  EXPECT_FALSE(job.status().has_active());
  EXPECT_FALSE(job.status().has_completed_indexes());
  EXPECT_FALSE(job.status().has_start_time());
  EXPECT_TRUE(job.status().has_ready());
}

TEST(Protobuf, M7_EmptyPointersStay) {
  Job job;
  job.mutable_status()->mutable_uncounted_terminated_pods();
  job.mutable_spec()->mutable_selector();
  canonicalize(job);
  EXPECT_TRUE(job.status().has_uncounted_terminated_pods());
  EXPECT_TRUE(job.spec().has_selector());
}

TEST(Protobuf, M7_InlinedMessages) {
  core::v1::PodSpec spec;
  core::v1::Volume& volume = *spec.add_volumes();
  volume.set_name("v");
  volume.mutable_volume_source();
  spec.add_volumes()->mutable_volume_source()->mutable_empty_dir()->set_medium("");
  canonicalize(spec);
  EXPECT_FALSE(spec.volumes(0).has_volume_source());
  EXPECT_TRUE(spec.volumes(1).volume_source().has_empty_dir());
  EXPECT_FALSE(spec.volumes(1).volume_source().empty_dir().has_medium());
}

TEST(Protobuf, M8_TimesOfGo) {
  Job job;
  // Go writes both fields, and JSON carries whole seconds only.
  job.mutable_status()->mutable_start_time()->set_seconds(5);
  job.mutable_status()->mutable_start_time()->set_nanos(7);
  job.mutable_status()->mutable_completion_time()->set_seconds(0);
  job.mutable_status()->mutable_completion_time()->set_nanos(0);
  job.mutable_metadata()->mutable_creation_timestamp()->set_seconds(-62135596800);
  canonicalize(job);
  EXPECT_FALSE(job.status().start_time().has_nanos());
  EXPECT_TRUE(job.status().has_completion_time());  // 1970 is a time
  EXPECT_FALSE(job.has_metadata());                 // 0001 is none
  job.mutable_status()->mutable_start_time()->set_seconds(int64_t{1} << 60);
  Job out;
  EXPECT_EQ(decode_protobuf(encode_protobuf(job), out).error().message,
            "time is outside the years 0 to 9999");
}

TEST(Protobuf, M8_IntOrStringAndQuantityOfGo) {
  core::v1::Container container;
  auto& port = *container.mutable_liveness_probe()->mutable_handler()->mutable_tcp_socket();
  port.mutable_port()->set_type(0);
  port.mutable_port()->set_int_val(80);
  port.mutable_port()->set_str_val("");
  (*container.mutable_resources()->mutable_limits())["cpu"].set_string("1");
  (*container.mutable_resources()->mutable_limits())["memory"];
  core::v1::Container from_json;
  ASSERT_TRUE(decode_json(R"({"livenessProbe":{"tcpSocket":{"port":80}},)"
                          R"("resources":{"limits":{"cpu":1,"memory":"0"}}})",
                          from_json)
                  .has_value());
  canonicalize(container);
  EXPECT_EQ(encode_protobuf(container), encode_protobuf(from_json));
  (*container.mutable_resources()->mutable_limits())["cpu"].set_string("much");
  core::v1::Container out;
  EXPECT_THAT(decode_protobuf(encode_protobuf(container), out).error().message,
              ::testing::HasSubstr("quantities must match the regular expression"));
}

TEST(Protobuf, StoredBytesGiveTheObjectBack) {
  Job job;
  job.mutable_metadata()->set_name("a-name-that-is-longer-than-a-short-string");
  job.mutable_spec()->set_parallelism(3);
  const std::string stored = encode_protobuf(job);
  ObjectPtr object = decode_stored(stored, Job::default_instance());
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(encode_protobuf(*object), stored);
  EXPECT_EQ(object_as<Job>(object)->metadata().name(), job.metadata().name());
  EXPECT_EQ(decode_stored(std::string_view(stored).substr(0, 9), Job::default_instance()), nullptr);
}

TEST(Protobuf, EqualMessagesGiveEqualBytes) {
  meta::v1::ObjectMeta one;
  meta::v1::ObjectMeta other;
  for (int i = 0; i < 50; ++i) {
    (*one.mutable_labels())["k" + std::to_string(i)] = "v";
    (*other.mutable_labels())["k" + std::to_string(49 - i)] = "v";
  }
  EXPECT_EQ(encode_protobuf(one), encode_protobuf(other));
}

}  // namespace
}  // namespace windlass::api
