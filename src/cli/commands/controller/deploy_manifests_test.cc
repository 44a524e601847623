// deploy/kubernetes says what the controller needs, no less: every request that it makes is allowed
// by its roles, its flags are flags, and its objects fit each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <set>

#include "api/codec/json/json_value.h"
#include "cli/commands/controller/controller_testing.h"
#include "cli/flags/parsed_options_testing.h"
#include "cli/manifests/checked_object.h"
#include "cli/manifests/manifest.h"
#include "posix/process/program.h"
#include "posix/testing.h"
#include "virtual_world/virtual_files.h"

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
    return testing::parsed<ControllerOptions>(arguments);
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

// What the folder's kustomization names, as it stands in the files.
std::vector<JsonValue> objects_in(const std::string& folder) {
  std::vector<JsonValue> all;
  const JsonValue kustomization = documents_of(folder + "/kustomization.yaml").at(0);
  for (const JsonValue& file : member_at(kustomization, {"resources"}).items) {
    for (JsonValue& document : documents_of(folder + "/" + file.text)) {
      all.push_back(std::move(document));
    }
  }
  return all;
}

// What `kubectl apply -k` sends; nothing where there is no kubectl that can say it (since 1.21).
std::optional<std::vector<JsonValue>> rendered(const std::string& folder) {
  if (!posix::run_program(
          {"sh", "-c", "kubectl kustomize --help 2>/dev/null | grep -q -e --output"})) {
    return std::nullopt;
  }
  const posix::TemporaryDirectory directory;
  const std::string file = directory / "all.yaml";
  EXPECT_TRUE(posix::run_program({"kubectl", "kustomize", folder, "--output", file})) << folder;
  return documents_of(file);
}

const JsonValue* find_object(const std::vector<JsonValue>& all, const std::string& kind,
                             const std::string& name = "") {
  for (const JsonValue& object : all) {
    if (member_at(object, {"kind"}).text == kind &&
        (name.empty() || member_at(object, {"metadata", "name"}).text == name)) {
      return &object;
    }
  }
  return nullptr;
}

// Nothing that it names is missing or different there, and it names something.
bool selects(const JsonValue& selector, const JsonValue& labels) {
  return !selector.members.empty() &&
         std::all_of(selector.members.begin(), selector.members.end(), [&](const auto& wanted) {
           const JsonValue* label = labels.find(wanted.first);
           return label != nullptr && label->text == wanted.second.text;
         });
}

// Every field of the pods is one, and validation takes them.
void expect_valid_pods(const JsonValue& pods) {
  JsonValue pod = pods;
  pod.members["apiVersion"] = JsonValue::string("v1");
  pod.members["kind"] = JsonValue::string("Pod");
  pod.members["metadata"].members["name"] = JsonValue::string("p");
  virtual_world::VirtualFiles files;
  files.put("pod.json", api::to_json_text(pod));
  const LoadedManifests loaded = load_manifests(files, {{"pod.json"}, false});
  ASSERT_EQ(loaded.manifests.size(), 1u);
  for (const Diagnostic& error : check_manifest(loaded.manifests[0], {}).errors) {
    ADD_FAILURE() << error.text;
  }
}

// The Pod Security Standard "restricted", which the namespace enforces; and a read-only root
// filesystem.
void expect_restricted(const JsonValue& spec) {
  EXPECT_EQ(member_at(spec, {"securityContext", "runAsNonRoot"}).text, "true");
  EXPECT_EQ(member_at(spec, {"securityContext", "seccompProfile", "type"}).text, "RuntimeDefault");
  for (const char* shared : {"hostNetwork", "hostPID", "hostIPC", "volumes", "initContainers"}) {
    EXPECT_EQ(spec.find(shared), nullptr) << shared;
  }
  for (const JsonValue& container : member_at(spec, {"containers"}).items) {
    const JsonValue& security = member_at(container, {"securityContext"});
    EXPECT_EQ(member_at(security, {"allowPrivilegeEscalation"}).text, "false");
    EXPECT_EQ(member_at(security, {"readOnlyRootFilesystem"}).text, "true");
    EXPECT_TRUE(has_item(member_at(security, {"capabilities"}), "drop", "ALL"));
  }
}

void expect_ports_are_named(const JsonValue& spec, const JsonValue& service) {
  std::set<std::string> ports;
  for (const JsonValue& container : member_at(spec, {"containers"}).items) {
    for (const JsonValue& port : member_at(container, {"ports"}).items) {
      ports.insert(member_at(port, {"name"}).text);
    }
    for (const char* probe : {"livenessProbe", "readinessProbe"}) {
      EXPECT_TRUE(ports.contains(member_at(container, {probe, "httpGet", "port"}).text)) << probe;
    }
  }
  for (const JsonValue& port : member_at(service, {"spec", "ports"}).items) {
    EXPECT_TRUE(ports.contains(member_at(port, {"targetPort"}).text));
  }
}

// Who has which rights: every role is there, and every account is one of this namespace.
void expect_bindings_hold(const std::vector<JsonValue>& all, const std::string& ns) {
  size_t bindings = 0;
  for (const JsonValue& object : all) {
    const std::string& kind = member_at(object, {"kind"}).text;
    const bool everywhere = kind == "Namespace" || kind.starts_with("ClusterRole");
    EXPECT_EQ(member_at(object, {"metadata", "namespace"}).text, everywhere ? "" : ns) << kind;
    if (!kind.ends_with("RoleBinding")) {
      continue;
    }
    ++bindings;
    const JsonValue& role = member_at(object, {"roleRef"});
    EXPECT_NE(find_object(all, member_at(role, {"kind"}).text, member_at(role, {"name"}).text),
              nullptr);
    for (const JsonValue& subject : member_at(object, {"subjects"}).items) {
      EXPECT_EQ(member_at(subject, {"namespace"}).text, ns);
      EXPECT_NE(find_object(all, "ServiceAccount", member_at(subject, {"name"}).text), nullptr);
    }
  }
  EXPECT_EQ(bindings, 2u);
}

void expect_objects_fit(const std::vector<JsonValue>& all, const std::string& ns) {
  const JsonValue* deployment = find_object(all, "Deployment");
  const JsonValue* service = find_object(all, "Service");
  const JsonValue* budget = find_object(all, "PodDisruptionBudget");
  ASSERT_TRUE(deployment != nullptr && service != nullptr && budget != nullptr);
  const JsonValue& pods = member_at(*deployment, {"spec", "template"});
  const JsonValue& spec = member_at(pods, {"spec"});
  expect_valid_pods(pods);
  expect_restricted(spec);
  expect_ports_are_named(spec, *service);
  expect_bindings_hold(all, ns);
  const JsonValue& labels = member_at(pods, {"metadata", "labels"});
  EXPECT_TRUE(selects(member_at(*deployment, {"spec", "selector", "matchLabels"}), labels));
  EXPECT_TRUE(selects(member_at(*budget, {"spec", "selector", "matchLabels"}), labels));
  EXPECT_TRUE(selects(member_at(*service, {"spec", "selector"}), labels));
  for (const JsonValue& spread : member_at(spec, {"topologySpreadConstraints"}).items) {
    EXPECT_TRUE(selects(member_at(spread, {"labelSelector", "matchLabels"}), labels));
  }
  EXPECT_NE(find_object(all, "ServiceAccount", member_at(spec, {"serviceAccountName"}).text),
            nullptr);
}

TEST(DeployedObjects, FitEachOther) {
  expect_objects_fit(objects_in("deploy/kubernetes"), "windlass-system");
}

TEST(DeployedObjects, FitEachOtherAsKustomizeMakesThem) {
  const auto all = rendered("deploy/kubernetes");
  if (!all) {
    GTEST_SKIP() << "there is no kubectl whose kustomize writes to a file";
  }
  expect_objects_fit(*all, "windlass-system");
  const auto one = rendered("deploy/kubernetes-namespaced");
  ASSERT_TRUE(one.has_value());
  expect_objects_fit(*one, "default");
  for (const char* kind : {"Namespace", "ClusterRole", "ClusterRoleBinding"}) {
    EXPECT_EQ(find_object(*one, kind), nullptr) << kind;
  }
  const JsonValue& containers =
      member_at(*find_object(*one, "Deployment"), {"spec", "template", "spec", "containers"});
  ASSERT_EQ(containers.items.size(), 1u);
  EXPECT_TRUE(has_item(containers.items[0], "args", "--namespace=$(POD_NAMESPACE)"));
  const auto& variables = member_at(containers.items[0], {"env"}).items;
  ASSERT_EQ(variables.size(), 1u);
  EXPECT_EQ(member_at(variables[0], {"name"}).text, "POD_NAMESPACE");
  EXPECT_EQ(member_at(variables[0], {"valueFrom", "fieldRef", "fieldPath"}).text,
            "metadata.namespace");
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
