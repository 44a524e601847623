// deploy/kubernetes says what the controller needs, no less: every request that it makes is allowed
// by its roles, and its flags are flags.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "api/patch/json_value.h"
#include "cli/command_line.h"
#include "cli/controller_testing.h"
#include "cli/manifest.h"

namespace windlass::cli {
namespace {

using api::JsonValue;
using testing::RunningController;

std::vector<JsonValue> documents_of(const std::string& path) {
  posix::PosixFiles files;
  const LoadedManifests loaded = load_manifests(files, {{path}, false});
  EXPECT_TRUE(loaded.unreadable.empty() && loaded.malformed.empty()) << path;
  std::vector<JsonValue> documents;
  for (const Manifest& manifest : loaded.manifests) {
    documents.push_back(api::parse_json_value(manifest.document.json)->value);
  }
  return documents;
}

const JsonValue& member_at(const JsonValue& value, const std::vector<const char*>& path) {
  static const JsonValue kNone;
  const JsonValue* found = &value;
  for (const char* name : path) {
    found = found == nullptr ? nullptr : found->find(name);
  }
  return found == nullptr ? kNone : *found;
}

bool has_item(const JsonValue& rule, const char* field, const std::string& text) {
  const auto& items = member_at(rule, {field}).items;
  return std::any_of(items.begin(), items.end(), [&text](const JsonValue& item) {
    return item.text == text || (item.text.ends_with("/*") &&
                                 text.starts_with(item.text.substr(0, item.text.size() - 1)));
  });
}

// One request in the words of RBAC.
struct Asked {
  std::string verb;
  std::string group;
  std::string resource;  // pods, jobs/status
  std::string ns;
  std::string name;
  std::string path;  // of what is no resource
  auto operator<=>(const Asked&) const = default;
};

Asked asked_by(const http::Request& request) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  std::vector<std::string> parts;
  for (size_t begin = 1; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  Asked asked;
  if (parts[0] != "api" && parts[0] != "apis") {
    asked.verb = "get";
    asked.path = path;
    return asked;
  }
  size_t next = parts[0] == "api" ? 2 : 3;
  asked.group = parts[0] == "api" ? "" : parts[1];
  if (parts[next] == "namespaces" && parts.size() > next + 2) {
    asked.ns = parts[next + 1];
    next += 2;
  }
  asked.resource = parts[next];
  asked.name = parts.size() > next + 1 ? parts[next + 1] : "";
  if (parts.size() > next + 2) {
    asked.resource += "/" + parts[next + 2];
  }
  const bool watch = request.target.find("watch=true") != std::string::npos;
  const std::map<std::string, std::string> verbs = {
      {"POST", "create"}, {"PUT", "update"}, {"PATCH", "patch"}, {"DELETE", "delete"}};
  asked.verb = request.method != "GET" ? verbs.at(request.method)
               : watch                 ? "watch"
               : asked.name.empty()    ? "list"
                                       : "get";
  return asked;
}

bool allows(const JsonValue& rule, const Asked& asked) {
  if (!has_item(rule, "verbs", asked.verb)) {
    return false;
  }
  if (!asked.path.empty()) {
    return has_item(rule, "nonResourceURLs", asked.path);
  }
  return has_item(rule, "apiGroups", asked.group) && has_item(rule, "resources", asked.resource) &&
         (member_at(rule, {"resourceNames"}).is_null() ||
          has_item(rule, "resourceNames", asked.name));
}

// By a ClusterRole, or by a Role of the namespace.
bool allowed(const std::vector<JsonValue>& documents, const Asked& asked) {
  for (const JsonValue& role : documents) {
    const std::string& kind = member_at(role, {"kind"}).text;
    const bool applies =
        kind == "ClusterRole" ||
        (kind == "Role" && member_at(role, {"metadata", "namespace"}).text == asked.ns);
    for (const JsonValue& rule :
         applies ? member_at(role, {"rules"}).items : std::vector<JsonValue>()) {
      if (allows(rule, asked)) {
        return true;
      }
    }
  }
  return false;
}

class DeployManifests : public testing::ControllerOnCluster {
 protected:
  // What the deployment starts.
  static ControllerOptions deployed_options() {
    const JsonValue deployment = documents_of("deploy/kubernetes/deployment.yaml").at(0);
    const auto& containers =
        member_at(deployment, {"spec", "template", "spec", "containers"}).items;
    std::vector<std::string> arguments;
    for (const JsonValue& argument : member_at(containers.at(0), {"args"}).items) {
      arguments.push_back(argument.text);
    }
    const CommandLine line = parse_command_line(arguments);
    EXPECT_TRUE(std::holds_alternative<ControllerOptions>(line));
    return std::get<ControllerOptions>(line);
  }

  // By a controller that has something of every kind to do in the namespace `default`.
  std::set<Asked> all_asked_by(const ControllerOptions& options);
};

std::set<Asked> DeployManifests::all_asked_by(const ControllerOptions& options) {
  std::mutex mutex;
  std::set<Asked> all;
  cluster_.choose_faults([&](const http::Request& request) {
    const auto agent = http::find_header(request.headers, "User-Agent");
    if (agent && agent->starts_with("windlass/")) {
      const std::lock_guard lock(mutex);
      all.insert(asked_by(request));
    }
    return testing::Fault();
  });
  RunningController controller(cluster_.access(), options, "one");
  create_job("default/good", std::string(R"({"completions":2,"manualSelector":true,
    "selector":{"matchLabels":{"app":"x"}},
    "managedBy":"windlass.dev/job-controller","template":{"metadata":{"labels":{"app":"x"},
      "annotations":{"windlass.dev/hollow-duration":"10ms"}},
    "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}})"));
  EXPECT_NE(wait_for("default/good", "Complete"), nullptr) << controller.said();
  create_job("default/late", R"({"parallelism":2,"activeDeadlineSeconds":1,
    "managedBy":"windlass.dev/job-controller","template":{
    "metadata":{"annotations":{"windlass.dev/hollow-duration":"forever"}},
    "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}})");
  EXPECT_NE(wait_for("default/late", "Failed"), nullptr) << controller.said();
  EXPECT_EQ(controller.stop(), ExitCode::ok);
  cluster_.choose_faults([](const http::Request&) { return testing::Fault(); });
  return all;
}

TEST_F(DeployManifests, TheRolesAllowEverythingThatTheControllerDoes) {
  ControllerOptions options = deployed_options();
  options.listen = "";
  options.lease_namespace = "kube-system";  // a pod's own there, where the test has none
  const std::set<Asked> all = all_asked_by(options);
  const auto roles = documents_of("deploy/kubernetes/rbac.yaml");
  std::set<std::string> kinds;
  for (Asked asked : all) {
    kinds.insert(asked.verb + ' ' + asked.resource);
    if (asked.ns == "kube-system") {
      asked.ns = "windlass-system";
    }
    EXPECT_TRUE(allowed(roles, asked))
        << asked.verb << ' ' << asked.group << '/' << asked.resource << ' ' << asked.path << ' '
        << asked.name << " in " << asked.ns;
  }
  for (const char* expected : {"create pods", "delete pods", "update jobs/status", "watch pods",
                               "create events", "update leases"}) {
    EXPECT_TRUE(kinds.contains(expected)) << expected;
  }
}

// deploy/kubernetes-namespaced: what kustomize makes of both files, in the namespace `default`.
TEST_F(DeployManifests, TheRolesOfOneNamespaceAllowEverythingThere) {
  std::vector<JsonValue> roles;
  for (const char* path :
       {"deploy/kubernetes/rbac.yaml", "deploy/kubernetes-namespaced/rbac.yaml"}) {
    for (JsonValue& document : documents_of(path)) {
      if (member_at(document, {"kind"}).text == "Role") {
        document.members["metadata"].members["namespace"] = JsonValue::string("default");
        for (const JsonValue& rule : member_at(document, {"rules"}).items) {
          EXPECT_EQ(rule.find("nonResourceURLs"), nullptr) << "no Role may have them";
        }
        roles.push_back(std::move(document));
      }
    }
  }
  ControllerOptions options = deployed_options();
  options.listen = "";
  options.ns = "default";
  options.lease_namespace = "default";
  for (const Asked& asked : all_asked_by(options)) {
    const bool for_everyone = asked.path == "/version" || asked.path.starts_with("/openapi/v3");
    EXPECT_TRUE(for_everyone || allowed(roles, asked))
        << asked.verb << ' ' << asked.group << '/' << asked.resource << ' ' << asked.path << ' '
        << asked.name << " in " << asked.ns;
  }
}

TEST_F(DeployManifests, TheNamespaceThatIsLookedAtIsTheOnlyOne) {
  const auto changes = documents_of("deploy/kubernetes-namespaced/own_namespace.yaml");
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(member_at(changes[0].items.at(0), {"value"}).text, "--namespace=$(POD_NAMESPACE)");
  EXPECT_EQ(member_at(changes[0].items.at(1).find("value")->items.at(0), {"name"}).text,
            "POD_NAMESPACE");
}

TEST_F(DeployManifests, TheLeaseIsTheOneThatTheRoleNames) {
  const Asked renewal{"update",          "coordination.k8s.io",         "leases",
                      "windlass-system", "windlass.dev-job-controller", ""};
  const auto roles = documents_of("deploy/kubernetes/rbac.yaml");
  EXPECT_TRUE(allowed(roles, renewal));
  Asked other = renewal;
  other.name = "another";
  EXPECT_FALSE(allowed(roles, other));
  other = renewal;
  other.ns = "default";
  EXPECT_FALSE(allowed(roles, other));
  EXPECT_FALSE(allowed(roles, {"get", "", "secrets", "default", "s", ""}));
  EXPECT_FALSE(allowed(roles, {"update", "batch", "jobs", "default", "j", ""}));
}

}  // namespace
}  // namespace windlass::cli
