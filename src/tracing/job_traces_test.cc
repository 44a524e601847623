#include "tracing/job_traces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "api/codec/wire_time.h"
#include "apiserver/testing.h"
#include "tracing/span.h"

namespace windlass::tracing {
namespace {

using apiserver::testing::Job;
using apiserver::testing::SimulatedApi;
using ::testing::HasSubstr;

class JobTracesTest : public ::testing::Test {
 protected:
  void watch(JobTraces::Options options = {}) {
    traces_.emplace(api_.client_env(), exporter_, std::move(options));
    traces_->start();
    api_.world.run_for(milliseconds(1));
  }
  void create(const std::string& name, const std::string& spec = "") {
    api_.create_job(
        "{metadata: {name: " + name + "}, spec: {" + spec +
        " template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}");
    api_.world.run_for(milliseconds(1));
  }
  void fail_job(const std::string& name) {
    api_.change<Job>(api::kinds::job(), "default", name, "status", [this](Job& job) {
      for (const char* type : {"FailureTarget", "Failed"}) {
        auto& condition = *job.mutable_status()->add_conditions();
        condition.set_type(type);
        condition.set_status("True");
        condition.set_reason("DeadlineExceeded");
        api::set_time(*condition.mutable_last_transition_time(), api_.world.clock().now());
      }
      api::set_time(*job.mutable_status()->mutable_start_time(), api_.world.clock().now());
    });
    api_.world.run_for(milliseconds(1));
  }

  SimulatedApi api_;
  MetricRegistry metrics_;
  SpanExporter exporter_{{api_.world.executor(), api_.world.random(), api_.world.log(), metrics_,
                          [this](std::string body, const auto& done) {
                            sent_ += body;
                            done(ReceiverAnswer{200});
                          }}};
  std::string sent_;
  std::optional<JobTraces> traces_;
};

TEST_F(JobTracesTest, AJobThatFinishesIsTheRootOfItsTrace) {
  watch();
  create("j");
  EXPECT_EQ(exporter_.queued(), 0u);
  fail_job("j");
  EXPECT_EQ(exporter_.queued(), 1u);
  api_.world.run_for(seconds(1));
  EXPECT_THAT(sent_, HasSubstr("DeadlineExceeded"));
  EXPECT_THAT(sent_, HasSubstr(R"("spanId":")" + job_span_id(api_.job("j")->metadata().uid())));
}

TEST_F(JobTracesTest, AFinishedJobIsSentOnce) {
  create("before");
  fail_job("before");
  watch();
  create("j");
  fail_job("j");
  api_.change<Job>(api::kinds::job(), "default", "j", "",
                   [](Job& job) { (*job.mutable_metadata()->mutable_labels())["a"] = "b"; });
  api_.world.run_for(milliseconds(1));
  EXPECT_EQ(exporter_.queued(), 1u);
}

TEST_F(JobTracesTest, AJobThatIsDeletedHasASpanToo) {
  watch();
  create("j");
  apiserver::DeleteOptions options;
  options.propagation_policy = "Background";
  ASSERT_TRUE(api_.remove(api::kinds::job(), "default", "j", options).answer.has_value());
  api_.world.run_for(seconds(1));
  EXPECT_THAT(sent_, HasSubstr("Deleted"));
}

TEST_F(JobTracesTest, OthersJobsAreLeftOut) {
  watch({.manager = "kubernetes.io/job-controller"});
  create("theirs", "managedBy: example.com/x,");
  fail_job("theirs");
  create("ours");
  fail_job("ours");
  EXPECT_EQ(exporter_.queued(), 1u);
}

}  // namespace
}  // namespace windlass::tracing
