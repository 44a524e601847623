// A start on a store whose objects no server of this version would have taken: bytes of another
// kind, and objects of every kind with fields changed at random. The server starts, its controllers
// and nodes do their work for the other objects, and what is bad can be listed and deleted.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/codec/codec_testing.h"
#include "api/codec/protobuf.h"
#include "api/pod/pod_testing.h"
#include "node/agent.h"
#include "plane/control_plane.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/scheduling/v1/priority_class.pb.h"
#include "virtual_world/virtual_containers.h"
#include "virtual_world/virtual_files.h"
#include "virtual_world/world.h"

namespace windlass::plane {
namespace {

using api::Kind;
using api::Message;
using google::protobuf::FieldDescriptor;

// A running Job with pods in every state, and what is around it. Kinds that are not here are filled
// at random.
const std::map<std::string, std::vector<std::string>>& objects_to_change() {
  static const std::string owned =
      "namespace: default, generation: 1, creationTimestamp: '2023-11-14T22:13:23Z',"
      " finalizers: [batch.kubernetes.io/job-tracking], labels: {"
      "   batch.kubernetes.io/controller-uid: job-uid, batch.kubernetes.io/job-name: work,"
      "   batch.kubernetes.io/job-completion-index: '1'},"
      " annotations: {batch.kubernetes.io/job-completion-index: '1',"
      "   batch.kubernetes.io/job-index-failure-count: '1'},"
      " ownerReferences: [{apiVersion: batch/v1, kind: Job, name: work, uid: job-uid,"
      "   controller: true, blockOwnerDeletion: true}]";
  static const std::string pod_spec =
      "restartPolicy: Never, terminationGracePeriodSeconds: 30, activeDeadlineSeconds: 600,"
      " tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute,"
      "   tolerationSeconds: 300}],"
      " affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{"
      "   topologyKey: kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: none,"
      "   operator: In, values: [a]}]}}]}},"
      " topologySpreadConstraints: [{maxSkew: 5000, topologyKey: kubernetes.io/hostname,"
      "   whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {none: a}}}],"
      " volumes: [{name: v, configMap: {name: settings}}, {name: e, emptyDir: {sizeLimit: 1Mi}}],"
      " initContainers: [{name: i, image: i, command: [work]}],"
      " containers: [{name: c, image: i, command: [work, $(A)], ports: [{containerPort: 80}],"
      "   env: [{name: A, value: a}, {name: B, value: $(A)$(A)},"
      "     {name: C, valueFrom: {configMapKeyRef: {name: settings, key: k}}}],"
      "   resources: {requests: {cpu: 1m, memory: 1Mi}, limits: {memory: 2Mi}},"
      "   readinessProbe: {exec: {command: [work]}, periodSeconds: 10},"
      "   lifecycle: {preStop: {exec: {command: [work]}}},"
      "   volumeMounts: [{name: v, mountPath: /v, subPath: k}]}]";
  static const std::map<std::string, std::vector<std::string>> objects = {
      {"jobs",
       {"{metadata: {namespace: default, uid: job-uid, generation: 1,"
        "   creationTimestamp: '2023-11-14T22:13:23Z', annotations: {windlass.dev/job-record: v1}},"
        " spec: {parallelism: 2, completions: 5, completionMode: Indexed, suspend: false,"
        "   activeDeadlineSeconds: 600, backoffLimitPerIndex: 1, maxFailedIndexes: 2,"
        "   ttlSecondsAfterFinished: 60, podReplacementPolicy: Failed, backoffLimit: 6,"
        "   podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {containerName: c,"
        "     operator: In, values: [3]}}, {action: Ignore, onPodConditions: [{"
        "     type: DisruptionTarget, status: 'True'}]}]},"
        "   successPolicy: {rules: [{succeededIndexes: '3-4', succeededCount: 1}]},"
        "   selector: {matchLabels: {batch.kubernetes.io/controller-uid: job-uid}},"
        "   template: {metadata: {labels: {batch.kubernetes.io/controller-uid: job-uid}}, spec: {" +
        pod_spec +
        "}}}, status: {startTime: '2023-11-14T22:13:24Z', active: 2, ready: 1, succeeded: 1,"
        "   failed: 1, terminating: 0, completedIndexes: '0', failedIndexes: '',"
        "   uncountedTerminatedPods: {succeeded: [a], failed: [b]},"
        "   conditions: [{type: Suspended, status: 'False'}]}}"}},
      {"pods",
       {"{metadata: {" + owned + "}, spec: {nodeName: node-1, " + pod_spec +
            "}, status: {phase: Running, startTime: '2023-11-14T22:13:25Z', conditions: [{"
            "   type: Ready, status: 'True'}], containerStatuses: [{name: c, restartCount: 1,"
            "   containerID: 'windlass://u/c/0', state: {running: {"
            "   startedAt: '2023-11-14T22:13:26Z'}}}]}}",
        "{metadata: {" + owned + "}, spec: {" + pod_spec + "}, status: {phase: Pending}}",
        "{metadata: {" + owned +
            ", deletionTimestamp: '2023-11-14T22:13:29Z', deletionGracePeriodSeconds: 30},"
            " spec: {nodeName: node-1, " +
            pod_spec +
            "}, status: {phase: Failed, conditions: [{type: DisruptionTarget, status: 'True',"
            "   lastTransitionTime: '2023-11-14T22:13:28Z'}], containerStatuses: [{name: c,"
            "   state: {terminated: {exitCode: 3, reason: Error,"
            "   startedAt: '2023-11-14T22:13:26Z', finishedAt: '2023-11-14T22:13:27Z'}}}]}}"}},
      {"nodes",
       {"{metadata: {labels: {kubernetes.io/hostname: other, topology.kubernetes.io/zone: z}},"
        " spec: {taints: [{key: a, value: b, effect: NoExecute}], unschedulable: false},"
        " status: {capacity: {cpu: '4', memory: 8Gi, pods: '110'}, allocatable: {cpu: '4',"
        "   memory: 8Gi, pods: '110'}, conditions: [{type: Ready, status: 'True',"
        "   lastHeartbeatTime: '2023-11-14T22:13:24Z'}], nodeInfo: {architecture: amd64}}}"}},
      {"leases",
       {"{metadata: {namespace: kube-node-lease}, spec: {holderIdentity: other,"
        " leaseDurationSeconds: 40, renewTime: '2023-11-14T22:13:24.000000Z'}}"}},
      {"poddisruptionbudgets",
       {"{metadata: {namespace: default}, spec: {minAvailable: 1, selector: {matchLabels: {"
        " batch.kubernetes.io/job-name: work}}}, status: {disruptionsAllowed: 1,"
        " currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, disruptedPods: {"
        " p: '2023-11-14T22:13:24Z'}}}"}},
      {"priorityclasses", {"{value: 1000, globalDefault: false, preemptionPolicy: Never}"}},
      {"namespaces",
       {"{spec: {finalizers: [kubernetes]}, status: {phase: Active}}",
        "{metadata: {deletionTimestamp: '2023-11-14T22:13:24Z'}, spec: {finalizers: [kubernetes]},"
        " status: {phase: Terminating}}"}},
      {"configmaps", {"{metadata: {namespace: default}, data: {k: v}, immutable: false}"}},
  };
  return objects;
}

// Changes a few fields of a message, at any depth.
class Spoiler {
 public:
  explicit Spoiler(uint64_t seed) : random_(seed) {}

  void spoil(Message& object) {
    for (uint64_t changes = 1 + random_.below(3); changes > 0; --changes) {
      Message* at = &object;
      while (Message* inner = random_.below(6) == 0 ? nullptr : a_part_of(*at)) {
        at = inner;
      }
      change_a_field(*at);
    }
  }

 private:
  // One of the messages that are set in it; nullptr when there is none.
  Message* a_part_of(Message& message) {
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    std::erase_if(fields, [](const FieldDescriptor* field) {
      return field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE;
    });
    if (fields.empty()) {
      return nullptr;
    }
    const FieldDescriptor& field = *fields[random_.below(fields.size())];
    if (!field.is_repeated()) {
      return reflection.MutableMessage(&message, &field);
    }
    const auto size = static_cast<uint64_t>(reflection.FieldSize(message, &field));
    return reflection.MutableRepeatedMessage(&message, &field,
                                             static_cast<int>(random_.below(size)));
  }
  void change_a_field(Message& message) {
    const google::protobuf::Descriptor& type = *message.GetDescriptor();
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    const auto fields = static_cast<uint64_t>(type.field_count());
    if (fields == 0) {
      return;
    }
    const FieldDescriptor& field = *type.field(static_cast<int>(random_.below(fields)));
    if (random_.below(4) == 0) {
      reflection.ClearField(&message, &field);
    } else if (field.is_repeated()) {
      extend(message, field);
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      random_.fill(*reflection.MutableMessage(&message, &field));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      reflection.SetString(&message, &field, text());
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
      constexpr std::array<int32_t, 6> kNumbers = {INT32_MIN, -1, 0, 1, 100'000, INT32_MAX};
      reflection.SetInt32(&message, &field, kNumbers[random_.below(kNumbers.size())]);
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
      constexpr std::array<int64_t, 6> kNumbers = {INT64_MIN, -1, 0, 1, 1LL << 40, INT64_MAX};
      reflection.SetInt64(&message, &field, kNumbers[random_.below(kNumbers.size())]);
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
      reflection.SetBool(&message, &field, !reflection.GetBool(message, &field));
    }
  }
  // One more item: a copy of one that is there, or any.
  void extend(Message& message, const FieldDescriptor& field) {
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    const int size = reflection.FieldSize(message, &field);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      reflection.AddString(&message, &field, text());
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
      reflection.AddInt32(&message, &field, -1);
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field.is_map()) {
      Message& item = *reflection.AddMessage(&message, &field);
      if (size > 0 && random_.below(2) == 0) {
        item.CopyFrom(reflection.GetRepeatedMessage(message, &field, 0));
      } else {
        random_.fill(item);
      }
    }
  }
  std::string text() {
    constexpr std::array<const char*, 24> kTexts = {"",
                                                    "default",
                                                    "node-1",
                                                    "work",
                                                    "job-uid",
                                                    "c",
                                                    "-1",
                                                    "99999999999999999999",
                                                    "1e999999",
                                                    "0-2147483647",
                                                    "0-99999,",
                                                    "1-0",
                                                    "150%",
                                                    "../../../etc",
                                                    "a/b/c",
                                                    "$(A)$(B)$(",
                                                    "\xff\xfe",
                                                    "True",
                                                    "Succeeded",
                                                    "Failed",
                                                    "DisruptionTarget",
                                                    "NoExecute",
                                                    "Exists",
                                                    "v1 counts=0-9999999999:3 delay=9e9"};
    return random_.below(4) == 0 ? random_.text() : kTexts[random_.below(kTexts.size())];
  }

  api::RandomMessage random_;
};

class BadObjects : public ::testing::TestWithParam<uint64_t> {
 protected:
  static constexpr int kOfEachKind = 40;
  static constexpr size_t kMaxSteps = 300'000;

  BadObjects()
      : containers_(world_.executor(), world_.clock(),
                    [](const env::ContainerRequest&) { return virtual_world::VirtualProcess(); }) {}

  void plant(const Kind& kind, const std::string& ns, const std::string& name, std::string bytes) {
    const auto planted = store_.put({kind.plural, ns, name}, 0, std::move(bytes), nullptr);
    ASSERT_TRUE(planted.has_value()) << kind.kind << ' ' << name;
    planted_.push_back({&kind, ns, name});
  }
  void plant_bad_objects_of(const Kind& kind, Spoiler& spoiler, api::RandomMessage& random) {
    const std::string ns = kind.namespaced ? "default" : "";
    plant(kind, ns, "undecodable", "\x0a\xff");
    plant(kind, ns, "empty", "");
    const auto known = objects_to_change().find(std::string(kind.plural));
    for (int i = 0; i < kOfEachKind; ++i) {
      const std::unique_ptr<Message> object = kind.make();
      if (known == objects_to_change().end() || i % 8 == 7) {
        random.fill(*object);
      } else {
        const auto documents =
            api::parse_yaml(known->second[static_cast<size_t>(i) % known->second.size()]);
        ASSERT_TRUE(documents && api::decode_json(documents->front().json, *object)) << kind.plural;
      }
      api::meta::v1::ObjectMeta& metadata = api::mutable_metadata_of(*object);
      const std::string uid = metadata.uid();
      spoiler.spoil(*object);
      // These three a store never has wrong: they are its keys, and checksums guard them.
      metadata.set_name("bad-" + std::to_string(i));
      metadata.set_namespace_(ns);
      metadata.set_uid(!uid.empty() && i == 0 ? uid : std::string(kind.plural) + std::to_string(i));
      if (auto* priority = dynamic_cast<api::scheduling::v1::PriorityClass*>(object.get())) {
        priority->set_global_default(false);  // otherwise all pods would have what it says
      }
      metadata.set_resource_version(std::to_string(store_.next_revision()));
      plant(kind, ns, metadata.name(), api::encode_protobuf(*object));
    }
  }

  void start() {
    plane_ = std::make_unique<ControlPlane>(
        env::Env{world_.clock(), world_.random(), world_.executor(), world_.log(), files_}, store_,
        ControlPlaneOptions{});
    plane_->start();
    node::AgentConfig config;
    config.node_name = "node-1";
    config.host_root = {true, true};
    config.data_dir = "/data";
    config.capacity = {{"cpu", "1000"}, {"memory", "800Gi"}, {"pods", "1000"}};
    agent_ = std::make_unique<node::Agent>(
        env::Env{world_.clock(), world_.random(), world_.executor(), world_.log(), files_},
        containers_, plane_->client(), config);
    agent_->start();
  }
  // Until the time is over, or the parts keep each other busy without end.
  [[nodiscard]] bool run(
      Duration time, const std::function<bool()>& done = [] { return false; }) {
    size_t steps = 0;
    bool is_done = false;
    (void)world_.run_until(
        [&] {
          is_done = done();
          return is_done || ++steps == kMaxSteps;
        },
        time);
    if (steps == kMaxSteps) {
      ADD_FAILURE() << "without end: " << newest_key() << '\n' << world_.log().lines().back();
    }
    return is_done;
  }
  std::string newest_key() {
    store::VersionPtr newest;
    for (const Kind* kind : apiserver::all_stored_kinds()) {
      const auto page = store_.list({kind->plural});
      for (const store::VersionPtr& each : page->items) {
        newest = newest == nullptr || newest->revision() < each->revision() ? each : newest;
      }
    }
    return newest->key();
  }
  bool is_complete(const std::string& name) {
    const auto job = plane_->server().get({&api::kinds::job(), "default", name});
    const auto& conditions = api::object_as<api::batch::v1::Job>(*job)->status().conditions();
    return std::any_of(conditions.begin(), conditions.end(),
                       [](const auto& condition) { return condition.type() == "Complete"; });
  }

  virtual_world::VirtualWorld world_{GetParam()};
  virtual_world::VirtualFiles files_;
  virtual_world::VirtualContainers containers_;
  store::Store store_;
  std::vector<client::ObjectRef> planted_;
  std::unique_ptr<ControlPlane> plane_;
  std::unique_ptr<node::Agent> agent_;
};

TEST_P(BadObjects, KeepNothingFromStartingAndCanBeDeleted) {
  Spoiler spoiler(GetParam());
  api::RandomMessage random(GetParam());
  const std::vector<const Kind*> kinds = apiserver::all_stored_kinds();
  for (const Kind* kind : kinds) {
    plant_bad_objects_of(*kind, spoiler, random);
  }
  start();
  (void)run(minutes(1));

  auto job = std::make_unique<api::batch::v1::Job>(api::testing::from_yaml<api::batch::v1::Job>(
      "{metadata: {name: good, namespace: default}, spec: {completions: 3, parallelism: 2,"
      " template: {spec: {restartPolicy: Never, nodeSelector: {kubernetes.io/hostname: node-1},"
      " containers: [{name: c, image: i, command: [work]}]}}}}"));
  const apiserver::WriteResult made =
      plane_->server().create({&api::kinds::job(), "default", "good"}, std::move(job));
  ASSERT_TRUE(made.answer.has_value()) << made.answer.error().message;
  EXPECT_TRUE(run(minutes(20), [this] { return is_complete("good"); }));

  for (const Kind* kind : kinds) {
    const auto list = plane_->server().list({kind, ""}, {});
    ASSERT_TRUE(list.has_value()) << kind->kind;
    for (const auto& object : list->items) {
      std::string json;
      api::encode_json(*object, kind->type_meta(), api::JsonStyle::compact, json);
      EXPECT_FALSE(json.empty());
    }
  }
  for (const client::ObjectRef& ref : planted_) {
    if (plane_->server().get(ref)) {
      client::DeleteOptions options;
      options.grace_period_seconds = 0;
      const apiserver::WriteResult removed = plane_->server().remove(ref, options);
      EXPECT_TRUE(removed.answer.has_value())
          << ref.kind->kind << ' ' << ref.name << ": " << removed.answer.error().message;
    }
  }
  (void)run(minutes(5));
}

INSTANTIATE_TEST_SUITE_P(Seeds, BadObjects, ::testing::Range<uint64_t>(1, 5));

}  // namespace
}  // namespace windlass::plane
