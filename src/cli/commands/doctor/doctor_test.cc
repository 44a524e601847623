#include "cli/commands/doctor/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/controller/controller_testing.h"
#include "cli/output/captured_output_testing.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using testing::kQuickPods;

class DoctorOnCluster : public testing::ControllerOnCluster {
 protected:
  ExitCode examine(const remote::ClusterAccess& access, bool json = false) {
    output_ = {};
    DoctorOptions options;
    options.wait = milliseconds(100);
    options.patience = milliseconds(1);
    options.json = json;
    net::testing::TextLog log;
    ExitCode code = ExitCode::interrupted;
    DoctorSession session(env::Env{user_.clock, user_.random, user_.loop, log, user_.files},
                          user_.loop, access, options, output_, [&](ExitCode finished) {
                            code = finished;
                            user_.loop.stop();
                          });
    session.start();
    user_.run();
    return code;
  }

  testing::TextOutput output_;
};

TEST_F(DoctorOnCluster, FindsNothingWhereAllIsWell) {
  create_job("default/j", std::string(R"({"template":)") + kQuickPods + "}");
  ASSERT_NE(wait_for("default/j", "Complete"), nullptr);
  EXPECT_EQ(examine(cluster_.access()), ExitCode::ok) << output_.out_text;
  EXPECT_EQ(output_.out_text, "");
  EXPECT_THAT(output_.err_text, HasSubstr("1 Job with 1 pod: no problems"));
}

TEST_F(DoctorOnCluster, FindsAJobThatNobodyManages) {
  create_job("default/j",
             std::string(R"({"managedBy":"example.com/nobody","template":)") + kQuickPods + "}");
  // A Job's age is known to the second.
  wait_until([&] { return examine(cluster_.access()) == ExitCode::failed; });
  EXPECT_THAT(output_.out_text, HasSubstr("unmanaged: job default/j: it was created"));
  EXPECT_THAT(output_.out_text, HasSubstr("check that controller example.com/nobody is running"));
  EXPECT_EQ(examine(cluster_.access(), true), ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr(R"("check":"unmanaged")"));
}

TEST_F(DoctorOnCluster, SaysWhenItCannotLook) {
  remote::ClusterAccess stranger = cluster_.access();
  stranger.token = "nobody-knows-this-token";
  EXPECT_EQ(examine(stranger), ExitCode::usage);
  EXPECT_THAT(output_.err_text,
              HasSubstr("error: cannot examine the cluster at https://127.0.0.1:"));
}

}  // namespace
}  // namespace windlass::cli
