#include "node/container/environment.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Source = EnvironmentEntry::Source;

class ResolveTest : public ::testing::Test {
 protected:
  ResolveTest() {
    pod.ns = "team";
    pod.name = "j-0-abcde";
    pod.uid = "0123";
    pod.labels = {{"batch.kubernetes.io/job-completion-index", "7"}};
    pod.annotations = {{"note", "hello"}};
    pod.node_name = "node-1";
    pod.service_account = "default";
    container.name = "c";
    container.command = {"work"};
    host.host_ip = "10.0.0.1";
    host.pod_ip = "10.0.0.2";
    host.base_environment = {"PATH=/bin"};
    host.allocatable = {{"cpu", 4000}};
  }

  void value(std::string name, std::string text) {
    container.environment.push_back({std::move(name), Source::value, std::move(text), "", 1000});
  }
  void field(std::string name, std::string path) {
    container.environment.push_back({std::move(name), Source::field, std::move(path), "", 1000});
  }
  std::vector<std::string> environment() {
    const auto resolved = resolve_container(pod, container, host);
    EXPECT_TRUE(resolved) << resolved.error().message;
    return resolved ? resolved->environment : std::vector<std::string>{};
  }

  PodSpecView pod;
  ContainerSpecView container;
  HostFacts host;
};

TEST_F(ResolveTest, ValuesSeeOnlyThoseBeforeThem) {
  value("A", "1");
  value("B", "$(A)$(C)");
  value("C", "3");
  EXPECT_THAT(environment(), ElementsAre("A=1", "B=1$(C)", "C=3", "PATH=/bin"));
}

TEST_F(ResolveTest, TheLastOfTwoWinsAndOverridesTheBase) {
  value("PATH", "/opt");
  value("PATH", "$(PATH):/usr/bin");
  EXPECT_THAT(environment(), ElementsAre("PATH=/opt:/usr/bin"));
}

// Values that double each other: 40 of them would be a terabyte.
TEST_F(ResolveTest, WhatTheKernelWouldNotTakeIsRefusedBeforeItIsMade) {
  value("V0", "0123456789abcdef");
  for (int i = 1; i <= 40; ++i) {
    value(fmt::format("V{}", i), fmt::format("$(V{0})$(V{0})", i - 1));
  }
  const auto resolved = resolve_container(pod, container, host);
  ASSERT_FALSE(resolved);
  EXPECT_TRUE(is_start_refused(resolved.error()));
  EXPECT_EQ(resolved.error().message,
            "exec: argument list too long: env V13 has more than 131071 bytes after the expansion "
            "of its variables");
}

TEST_F(ResolveTest, ArgumentsShareTheRoomOfTheVariables) {
  value("V", std::string(100'000, 'x'));
  container.args.assign(30, "$(V)");
  const auto resolved = resolve_container(pod, container, host);
  ASSERT_FALSE(resolved);
  EXPECT_TRUE(is_start_refused(resolved.error()));
  EXPECT_EQ(resolved.error().message,
            "exec: argument list too long: environment, command and args together have more than "
            "2097152 bytes");
  container.args.assign(19, "$(V)");
  EXPECT_TRUE(resolve_container(pod, container, host));
  container.args = {"$(V)$(V)"};
  EXPECT_THAT(resolve_container(pod, container, host).error().message, HasSubstr("args[0] has"));
}

TEST_F(ResolveTest, AVariableOfAConfigMapIsCountedLikeTheOthers) {
  PodObjects objects;
  const ObjectName big{ObjectName::Kind::config_map, "big"};
  objects[big]["key"] = std::string(kMaxArgumentBytes, 'x');
  container.environment_from.push_back({big, "P_", false});
  EXPECT_THAT(resolve_container(pod, container, host, objects).error().message,
              HasSubstr("env P_key has more than 131071 bytes"));
}

TEST_F(ResolveTest, ASubPathIsNoLongerThanAPathCanBe) {
  value("V", std::string(3000, 'x'));
  MountPlan mount;
  mount.volume = "v";
  mount.path = "/m";
  mount.sub_path_expr = "$(V)$(V)";
  container.mounts.push_back(mount);
  const auto resolved = resolve_container(pod, container, host);
  ASSERT_FALSE(resolved);
  EXPECT_FALSE(is_start_refused(resolved.error()));
  EXPECT_THAT(resolved.error().message, HasSubstr("a path of more than 4095 bytes"));
}

TEST_F(ResolveTest, P3_FieldReferences) {
  field("F1", "metadata.name");
  field("F2", "metadata.namespace");
  field("F3", "metadata.uid");
  field("F4", "metadata.labels['batch.kubernetes.io/job-completion-index']");
  field("F5", "metadata.annotations['note']");
  field("F6", "metadata.annotations['absent']");
  field("F7", "spec.nodeName");
  field("F8", "spec.serviceAccountName");
  field("F9", "status.hostIP");
  field("G1", "status.podIP");
  EXPECT_THAT(environment(), ElementsAre("F1=j-0-abcde", "F2=team", "F3=0123", "F4=7", "F5=hello",
                                         "F6=", "F7=node-1", "F8=default", "F9=10.0.0.1",
                                         "G1=10.0.0.2", "PATH=/bin"));
}

TEST_F(ResolveTest, FieldValuesAreNotExpanded) {
  pod.annotations["note"] = "$(A)";
  value("A", "1");
  field("F", "metadata.annotations['note']");
  EXPECT_THAT(environment(), ElementsAre("A=1", "F=$(A)", "PATH=/bin"));
}

TEST_F(ResolveTest, P3_ResourceReferencesRoundUpAndFallBackToTheNode) {
  container.limits = {{"memory", 1500 * 1000}};
  container.requests = {{"cpu", 250}};
  const auto resource = [this](std::string name, std::string what, int64_t milli_divisor) {
    container.environment.push_back(
        {std::move(name), Source::resource, std::move(what), "", milli_divisor});
  };
  resource("A", "limits.memory", 1000);
  resource("B", "limits.memory", 1024 * 1000);
  resource("C", "requests.cpu", 1000);
  resource("D", "requests.cpu", 1);
  resource("E", "limits.cpu", 1000);
  resource("F", "requests.memory", 1000);
  EXPECT_THAT(environment(),
              ElementsAre("A=1500", "B=2", "C=1", "D=250", "E=4", "F=0", "PATH=/bin"));
}

TEST_F(ResolveTest, ResourceOfAnotherContainer) {
  ContainerSpecView other;
  other.name = "other";
  other.limits = {{"cpu", 2000}};
  pod.containers = {other};
  container.environment.push_back({"A", Source::resource, "limits.cpu", "other", 1000});
  EXPECT_THAT(environment(), ElementsAre("A=2", "PATH=/bin"));
  container.environment[0].container = "missing";
  EXPECT_FALSE(resolve_container(pod, container, host));
}

TEST_F(ResolveTest, WhatCannotBeResolvedIsAnErrorThatSaysSo) {
  struct Case {
    Source source;
    const char* text;
    const char* want;
  };
  const Case cases[] = {
      {Source::field, "metadata.zork", "unsupported fieldPath: metadata.zork"},
      {Source::field, "metadata.labels", "unsupported fieldPath: metadata.labels"},
      {Source::resource, "limits", "unsupported container resource"},
      {Source::config_map, "settings", "configmap \"settings\" not found"},
      {Source::secret, "password", "secret \"password\" not found"},
      {Source::file, "f", "env V: fileKeyRef \"f\" is not supported"},
  };
  for (const Case& c : cases) {
    container.environment = {{"V", c.source, c.text, "", 1000}};
    const auto resolved = resolve_container(pod, container, host);
    ASSERT_FALSE(resolved) << c.text;
    EXPECT_THAT(resolved.error().message, HasSubstr(c.want));
  }
}

TEST_F(ResolveTest, KeysOfConfigMapsAndSecrets) {
  const PodObjects objects = {{{ObjectName::Kind::config_map, "settings"}, {{"mode", "fast"}}},
                              {{ObjectName::Kind::secret, "settings"}, {{"mode", "hidden"}}}};
  const auto add = [this](std::string name, Source source, std::string object, std::string key,
                          bool optional = false) {
    container.environment.push_back(
        {std::move(name), source, std::move(object), "", 1000, std::move(key), optional});
  };
  add("A", Source::config_map, "settings", "mode");
  add("B", Source::secret, "settings", "mode");
  add("C", Source::config_map, "settings", "other", true);
  add("D", Source::secret, "other", "mode", true);
  value("E", "$(A)-$(B)");
  const auto resolved = resolve_container(pod, container, host, objects);
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_THAT(resolved->environment,
              ElementsAre("A=fast", "B=hidden", "E=fast-hidden", "PATH=/bin"));
  add("F", Source::config_map, "settings", "other");
  const auto missing = resolve_container(pod, container, host, objects);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "couldn't find key other in ConfigMap team/settings");
  EXPECT_TRUE(is_not_found(missing.error())) << "it may yet come";
}

TEST_F(ResolveTest, WholeObjectsComeFirstAndCanBeOverridden) {
  const PodObjects objects = {{{ObjectName::Kind::config_map, "a"}, {{"X", "1"}, {"Y", "1"}}},
                              {{ObjectName::Kind::secret, "b"}, {{"Y", "2"}, {"Z", "2"}}}};
  container.environment_from = {{{ObjectName::Kind::config_map, "a"}, "P_", false},
                                {{ObjectName::Kind::secret, "b"}, "P_", false},
                                {{ObjectName::Kind::secret, "gone"}, "", true}};
  value("P_Z", "3");
  const auto resolved = resolve_container(pod, container, host, objects);
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_THAT(resolved->environment, ElementsAre("PATH=/bin", "P_X=1", "P_Y=2", "P_Z=3"));
}

TEST_F(ResolveTest, SubPathsMayNameVariables) {
  value("A", "1");
  container.mounts = {{"v", "/v", "", "x/$(A)", false}, {"w", "/w", "plain", "", true}};
  const auto resolved = resolve_container(pod, container, host);
  ASSERT_TRUE(resolved);
  EXPECT_EQ(resolved->mounts.at(0).sub_path, "x/1");
  EXPECT_EQ(resolved->mounts.at(1).sub_path, "plain");
}

// Upstream: "should fail substituting values in a volume subpath with absolute path".
TEST_F(ResolveTest, SubPathsThatLeadOutOfTheirVolumeAreRefused) {
  const auto resolve = [this](const std::string& now) {
    container.environment.clear();
    value("A", now);
    container.mounts = {{"v", "/v", "", "$(A)", false}};
    return resolve_container(pod, container, host);
  };
  for (const std::string good : {"", "a", "a/b", "..a", "a../b", "a/..b"}) {
    const auto resolved = resolve(good);
    ASSERT_TRUE(resolved) << good;
    EXPECT_EQ(resolved->mounts.at(0).sub_path, good);
  }
  for (const std::string bad : {"..", "../a", "a/../b", "a/.."}) {
    const auto resolved = resolve(bad);
    ASSERT_FALSE(resolved) << bad;
    EXPECT_EQ(resolved.error().message, "subPathExpr \"$(A)\" of the mount at /v gives \"" + bad +
                                            "\", which must not contain \"..\"");
  }
  ASSERT_FALSE(resolve("/tmp"));
  EXPECT_EQ(resolve("/tmp").error().message,
            "subPathExpr \"$(A)\" of the mount at /v gives \"/tmp\", which must not be an absolute "
            "path");
}

TEST_F(ResolveTest, RunAsNonRootIsKept) {
  container.identity.non_root = true;
  ASSERT_FALSE(resolve_container(pod, container, host));
  EXPECT_THAT(resolve_container(pod, container, host).error().message,
              HasSubstr("container has runAsNonRoot and image will run as root"));
  ImageDefaults image;
  for (const auto& [user, why] : {std::pair("0",
                                            "container has runAsNonRoot and image will run as "
                                            "root (pod: "),
                                  std::pair("app",
                                            "container has runAsNonRoot and image has "
                                            "non-numeric user (app), cannot verify user is "
                                            "non-root (pod: "),
                                  std::pair("1000", "")}) {
    image.user = user;
    const auto resolved = resolve_container(pod, container, host, {}, image);
    EXPECT_THAT(resolved ? "" : resolved.error().message, HasSubstr(why)) << user;
    EXPECT_EQ(resolved.has_value(), std::string(why).empty()) << user;
  }
  container.identity.user = 0;
  EXPECT_THAT(resolve_container(pod, container, host).error().message,
              HasSubstr("container's runAsUser breaks non-root policy (pod: "));
  container.identity.user = 1000;
  EXPECT_TRUE(resolve_container(pod, container, host));
}

// The table of the Kubernetes documentation: what the pod says replaces what the image says.
TEST_F(ResolveTest, TheImagesWordsStandInForThoseOfThePod) {
  ImageDefaults image;
  image.has_config = true;
  image.entrypoint = {"/ep", "$(A)"};
  image.command = {"foo", "bar"};
  value("A", "1");
  const auto line = [&](std::vector<std::string> command, std::vector<std::string> args) {
    container.command = std::move(command);
    container.args = std::move(args);
    const auto resolved = resolve_container(pod, container, host, {}, image);
    return resolved ? resolved->command : std::vector<std::string>{resolved.error().message};
  };
  EXPECT_THAT(line({}, {}), ElementsAre("/ep", "$(A)", "foo", "bar"));
  EXPECT_THAT(line({"/ep-1"}, {}), ElementsAre("/ep-1"));
  EXPECT_THAT(line({}, {"zoo", "$(A)"}), ElementsAre("/ep", "$(A)", "zoo", "1"));
  EXPECT_THAT(line({"/ep-1"}, {"zoo"}), ElementsAre("/ep-1", "zoo"));
  image.entrypoint.clear();
  image.command.clear();
  EXPECT_THAT(line({}, {}), ElementsAre(HasSubstr("no command specified")));
}

TEST_F(ResolveTest, TheImagesEnvironmentIsBetweenTheNodesAndThePods) {
  ImageDefaults image;
  image.environment = {"PATH=/image/bin", "B=image", "C=image"};
  value("B", "pod");
  const auto resolved = resolve_container(pod, container, host, {}, image);
  ASSERT_TRUE(resolved);
  EXPECT_THAT(resolved->environment, ElementsAre("B=pod", "C=image", "PATH=/image/bin"));
}

TEST_F(ResolveTest, CommandAndArgumentsAreExpandedWithDeclaredVariablesOnly) {
  value("A", "1");
  container.command = {"work", "$(A)"};
  container.args = {"$$(A)", "$(PATH)"};
  const auto resolved = resolve_container(pod, container, host);
  ASSERT_TRUE(resolved);
  EXPECT_THAT(resolved->command, ElementsAre("work", "1", "$(A)", "$(PATH)"));
}

TEST_F(ResolveTest, E72_EmptyCommands) {
  container.command.clear();
  container.image = "busybox:1.37";
  EXPECT_THAT(resolve_container(pod, container, host)->command, ElementsAre("sh"));
  for (const char* image : {"pause", "registry.k8s.io/pause:3.10", "reg:5000/pause@sha256:0"}) {
    container.image = image;
    EXPECT_THAT(resolve_container(pod, container, host)->command[2], HasSubstr("trap")) << image;
  }
  container.args = {"only", "args"};
  EXPECT_THAT(resolve_container(pod, container, host)->command, ElementsAre("only", "args"));
}

TEST_F(ResolveTest, HostnameIsInTheEnvironment) {
  pod.hostname = "j-0";
  EXPECT_THAT(environment(), ElementsAre("HOSTNAME=j-0", "PATH=/bin"));
}

}  // namespace
}  // namespace windlass::node
