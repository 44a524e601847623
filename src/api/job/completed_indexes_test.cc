// Indexes that a Job starts with as completed (api.md J155, J156).
#include "api/job/completed_indexes.h"

#include <gtest/gtest.h>

#include "api/job/job_testing.h"
#include "api/job/validation/validate_job.h"

namespace windlass::api {
namespace {

using testing::create_errors;
using testing::Job;
using testing::Texts;

constexpr std::string_view kPath = "metadata.annotations[windlass.dev/completed-indexes]: ";

void annotate(Job& job, const std::string& text) {
  (*job.mutable_metadata()->mutable_annotations())[std::string(kCompletedIndexesAnnotation)] = text;
}

Job starting_with(const std::string& text) {
  Job job = testing::minimal_job();
  job.mutable_spec()->set_completion_mode("Indexed");
  job.mutable_spec()->set_completions(10);
  annotate(job, text);
  return job;
}

std::string invalid(const std::string& value, const std::string& why) {
  return std::string(kPath) + "Invalid value: \"" + value + "\": " + why;
}

TEST(CompletedIndexes, J155_GoodLists) {
  for (const char* text : {"0", "0-2,5,7-9", "0-9"}) {
    EXPECT_EQ(create_errors(starting_with(text)), Texts{}) << text;
  }
}

TEST(CompletedIndexes, J155_BadLists) {
  EXPECT_EQ(create_errors(starting_with("")), Texts{invalid("", "must list at least one index")});
  EXPECT_EQ(create_errors(starting_with("0-1")),
            Texts{invalid("0-1", "must be in its shortest form, as in a Job's status")});
  EXPECT_EQ(create_errors(starting_with("10")), Texts{invalid("10", "too large index: \"10\"")});
  const std::string shown(199, 'x');
  EXPECT_EQ(create_errors(starting_with(shown + "\u00e9")).at(0).substr(0, kPath.size() + 216),
            std::string(kPath) + "Invalid value: \"" + shown + "\"")
      << "whole characters only";
  const std::string longest(200'000, '1');
  EXPECT_EQ(create_errors(starting_with(longest)),
            Texts{invalid(longest.substr(0, 200), "must have at most 131072 bytes")});
}

TEST(CompletedIndexes, J155_OnlyIndexedJobsHaveThem) {
  Job job = testing::minimal_job();
  annotate(job, "0");
  EXPECT_EQ(create_errors(job),
            Texts{invalid("0", "may be set only when spec.completionMode is Indexed")});
}

Texts edit_errors(const Job& old_job, const std::optional<std::string>& text, bool status_only) {
  Job job = old_job;
  job.mutable_metadata()->mutable_annotations()->clear();
  if (text) {
    annotate(job, *text);
  }
  const FieldErrors errors =
      status_only ? validate_job_status_update(old_job, job) : validate_job_update(old_job, job);
  return testing::texts(errors);
}

TEST(CompletedIndexes, J156_TheyAreImmutable) {
  const Job old_job = testing::created(starting_with("0,1"));
  const std::string why = "the indexes that a Job starts with as completed are immutable";
  for (const bool status_only : {false, true}) {
    EXPECT_EQ(edit_errors(old_job, "0,1", status_only), Texts{});
    EXPECT_EQ(edit_errors(old_job, "0-2", status_only), Texts{invalid("0-2", why)});
    EXPECT_EQ(edit_errors(old_job, std::nullopt, status_only),
              Texts{std::string(kPath) + "Invalid value: null: " + why});
  }
}

// Afterwards the status says what is completed.
TEST(CompletedIndexes, J156_CompletionsDoNotFallBelowThemBeforeTheFirstStatus) {
  Job old_job = testing::created(starting_with("0,9"));
  Job job = old_job;
  job.mutable_spec()->set_completions(5);
  job.mutable_spec()->set_parallelism(5);
  EXPECT_EQ(testing::texts(validate_job_update(old_job, job)),
            Texts{invalid("0,9", "too large index: \"9\"")});
  old_job.mutable_status()->mutable_uncounted_terminated_pods();
  EXPECT_EQ(testing::texts(validate_job_update(old_job, job)), Texts{});
}

// One that was stored before it was checked, or by another server.
TEST(CompletedIndexes, J156_ABadListStaysOrIsCorrected) {
  Job old_job = testing::created(starting_with("0-9"));
  annotate(old_job, "0,77");
  EXPECT_EQ(edit_errors(old_job, "0,77", false), Texts{});
  EXPECT_EQ(edit_errors(old_job, "0,7", false), Texts{});
  EXPECT_EQ(edit_errors(old_job, std::nullopt, false), Texts{});
  EXPECT_EQ(edit_errors(old_job, "0,78", false), Texts{invalid("0,78", "too large index: \"78\"")});
  old_job.mutable_status()->set_active(1);
  EXPECT_EQ(edit_errors(old_job, "0,7", false).size(), 1u);
}

}  // namespace
}  // namespace windlass::api
