#include "remote/exec_plugin.h"

#include <gmock/gmock.h>

#include "posix/posix_clock.h"

namespace windlass::remote {
namespace {

using ::testing::HasSubstr;

constexpr const char* kVersion = "client.authentication.k8s.io/v1";

std::string credential_with(const std::string& status) {
  return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{)" +
         status + "}}";
}

TEST(ExecPlugin, TokensAndCertificatesAreRead) {
  const auto token = parse_exec_credential(
      credential_with(R"("token":"t","expirationTimestamp":"2026-11-16T12:00:00Z")"), kVersion);
  ASSERT_TRUE(token.has_value()) << token.error().message;
  EXPECT_EQ(token->token, "t");
  EXPECT_EQ(format_rfc3339(*token->expires), "2026-11-16T12:00:00Z");
  const auto pair = parse_exec_credential(
      credential_with(R"("clientCertificateData":"C","clientKeyData":"K")"), kVersion);
  ASSERT_TRUE(pair.has_value()) << pair.error().message;
  EXPECT_EQ(pair->certificate_pem, "C");
  EXPECT_EQ(pair->key_pem, "K");
  EXPECT_FALSE(pair->expires);
}

TEST(ExecPlugin, AnswersThatCannotBeUsedAreNeverShown) {
  for (const std::string& text :
       {std::string("CANARY"), std::string("{}"), credential_with(""),
        credential_with(R"("clientCertificateData":"CANARY")"),
        credential_with(R"("token":"CANARY","expirationTimestamp":"CANARY")")}) {
    const auto read = parse_exec_credential(text, kVersion);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_THAT(read.error().message, HasSubstr("the exec plugin's answer cannot be used"));
    EXPECT_EQ(read.error().message.find("CANARY"), std::string::npos);
  }
  EXPECT_FALSE(parse_exec_credential(credential_with(R"("token":"t")"),
                                     "client.authentication.k8s.io/v1beta1"));
}

class RunExecPlugin : public ::testing::Test {
 protected:
  Result<PluginCredential> run(const std::string& script) {
    ExecPlugin plugin;
    plugin.api_version = kVersion;
    plugin.command = {"sh", "-c", script};
    plugin.environment = {"FROM=config"};
    plugin.install_hint = "Install it like this.";
    plugin.cluster_json = R"({"server":"https://k"})";
    return run(plugin);
  }
  Result<PluginCredential> run(const ExecPlugin& plugin) {
    Result<PluginCredential> result = fail(plain_error("never"));
    const auto running = plugin_runner(loop_)(plugin, [&](Result<PluginCredential> told) {
      result = std::move(told);
      loop_.stop();
    });
    loop_.run();
    return result;
  }

  posix::PosixClock clock_;
  posix::EventLoop loop_{clock_};
};

TEST_F(RunExecPlugin, GetsItsEnvironmentAndWhatItIsAskedFor) {
  const auto told = run(R"sh(
    asked=$(echo "$KUBERNETES_EXEC_INFO" | tr -d '"')
    echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",'
    echo '"status":{"token":"'"$FROM-$asked"'"}}'
  )sh");
  ASSERT_TRUE(told.has_value()) << told.error().message;
  EXPECT_EQ(told->token,
            "config-{apiVersion:client.authentication.k8s.io/v1,kind:ExecCredential,"
            "spec:{cluster:{server:https://k},interactive:false}}");
}

TEST_F(RunExecPlugin, FailuresNameTheProgramAndShowTheHint) {
  const auto failed = run("exit 4");
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().message,
            "get credentials from sh: sh ended with exit code 4\nInstall it like this.");
  ExecPlugin missing;
  missing.command = {"no-such-plugin"};
  const auto none = run(missing);
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, HasSubstr("get credentials from no-such-plugin: "));
}

}  // namespace
}  // namespace windlass::remote
