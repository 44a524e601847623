#include "api/object.h"

#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "api/kind.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/meta/v1/meta.pb.h"
#include "schema/meta/v1/options.pb.h"
#include "schema/meta/v1/status.pb.h"

namespace windlass::api {
namespace {

TEST(Object, MetadataOfEveryKind) {
  for (const Kind& kind : all_kinds()) {
    const auto object = kind.make();
    EXPECT_EQ(metadata_of(*object).name(), "") << kind.kind;
    mutable_metadata_of(*object).set_name("x");
    EXPECT_EQ(metadata_of(*object).name(), "x") << kind.kind;
  }
}

TEST(Object, MetadataIsTheObjectsOwn) {
  batch::v1::Job job;
  EXPECT_FALSE(job.has_metadata());
  EXPECT_EQ(&metadata_of(job), &job.metadata());
  EXPECT_FALSE(job.has_metadata()) << "reading must not change the object";
  EXPECT_EQ(&mutable_metadata_of(job), job.mutable_metadata());
}

TEST(Object, AsItsType) {
  auto job = std::make_shared<batch::v1::Job>();
  job->mutable_metadata()->set_name("x");
  const ObjectPtr object = job;
  EXPECT_EQ(object_as<batch::v1::Job>(object)->metadata().name(), "x");
}

TEST(ObjectDeathTest, WhatHasNoMetadataIsNoObject) {
  EXPECT_DEATH(metadata_of(meta::v1::DeleteOptions()), "DeleteOptions");
  EXPECT_DEATH(metadata_of(meta::v1::Status()), "Status");
}

}  // namespace
}  // namespace windlass::api
