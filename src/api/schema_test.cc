// Holds proto/ to the facts of the Kubernetes API: the wire form (tests/data/protobuf_fields.txt),
// and options that make sense, so that the code which runs on descriptors may trust them.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "api/kind.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/meta/v1/envelope.pb.h"
#include "schema/meta/v1/meta.pb.h"
#include "schema/meta/v1/options.pb.h"
#include "schema/meta/v1/status.pb.h"
#include "schema/options.pb.h"
#include "schema/policy/v1/eviction.pb.h"

namespace windlass::api {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

constexpr std::string_view kPackage = "windlass.api.";

void collect(const FileDescriptor* file, std::map<std::string, const FileDescriptor*>& files) {
  if (!file->name().starts_with("schema/") || !files.emplace(file->name(), file).second) {
    return;
  }
  for (int i = 0; i < file->dependency_count(); ++i) {
    collect(file->dependency(i), files);
  }
}

const std::map<std::string, const FileDescriptor*>& schema_files() {
  static const auto files = [] {
    std::map<std::string, const FileDescriptor*> found;
    for (const Kind& kind : all_kinds()) {
      collect(kind.prototype().GetDescriptor()->file(), found);
    }
    for (const Kind& kind : recorded_kinds()) {
      collect(kind.prototype().GetDescriptor()->file(), found);
    }
    for (const Descriptor* type :
         {meta::v1::Unknown::descriptor(), meta::v1::Status::descriptor(),
          meta::v1::DeleteOptions::descriptor(), policy::v1::Eviction::descriptor()}) {
      collect(type->file(), found);
    }
    return found;
  }();
  return files;
}

// By name without the common package: core.v1.Pod.
const std::map<std::string, const Descriptor*>& messages() {
  static const auto all = [] {
    std::map<std::string, const Descriptor*> found;
    for (const auto& [name, file] : schema_files()) {
      if (name == "schema/options.proto") {
        continue;
      }
      for (int i = 0; i < file->message_type_count(); ++i) {
        const Descriptor* message = file->message_type(i);
        found.emplace(message->full_name().substr(kPackage.size()), message);
      }
    }
    return found;
  }();
  return all;
}

std::vector<const FieldDescriptor*> fields_of(const Descriptor* message) {
  std::vector<const FieldDescriptor*> fields;
  for (int i = 0; i < message->field_count(); ++i) {
    fields.push_back(message->field(i));
  }
  return fields;
}

void for_each_field(const std::function<void(const FieldDescriptor*, const FieldRule&)>& visit) {
  for (const auto& [name, message] : messages()) {
    for (const FieldDescriptor* field : fields_of(message)) {
      SCOPED_TRACE(field->full_name());
      visit(field, field->options().GetExtension(field_rule));
    }
  }
}

bool is_message(const FieldDescriptor* field) {
  return field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

// The field that JSON shows under this name, looking through inlined messages.
const FieldDescriptor* find_json(const Descriptor* message, std::string_view name) {
  for (const FieldDescriptor* field : fields_of(message)) {
    if (field->options().GetExtension(field_rule).inlined()) {
      if (const auto* inner = find_json(field->message_type(), name)) {
        return inner;
      }
    } else if (field->json_name() == name) {
      return field;
    }
  }
  return nullptr;
}

const FieldDescriptor* must_find_json(const std::string& message, const std::string& name) {
  const auto found = messages().find(message);
  if (found == messages().end()) {
    return nullptr;
  }
  return find_json(found->second, name);
}

// core.v1.Pod -> "1 metadata ObjectMeta", ...
std::map<std::string, std::vector<std::string>> read_wire_facts() {
  std::ifstream in(WINDLASS_SOURCE_DIR "/tests/data/protobuf_fields.txt");
  std::map<std::string, std::string> texts;
  std::string current;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    if (line[0] == ' ') {
      texts[current] += line;
      continue;
    }
    const size_t colon = line.find(':');
    current = line.substr(0, colon);
    EXPECT_FALSE(texts.contains(current)) << current;
    texts[current] = line.substr(colon + 1);
  }
  std::map<std::string, std::vector<std::string>> facts;
  const std::regex fact(R"((\d+) (\w+) (map<\w+,\w+>|\w+\*?))");
  for (const auto& [message, text] : texts) {
    auto& list = facts[message];
    for (std::sregex_iterator it(text.begin(), text.end(), fact), end; it != end; ++it) {
      list.push_back(it->str());
    }
  }
  return facts;
}

std::string wire_type(const FieldDescriptor* field) {
  if (field->is_map()) {
    return "map<" + wire_type(field->message_type()->map_key()) + "," +
           wire_type(field->message_type()->map_value()) + ">";
  }
  const std::string type = is_message(field) ? field->message_type()->name() : field->type_name();
  return field->is_repeated() ? type + "*" : type;
}

TEST(Schema, EveryProtoFileIsReached) {
  std::set<std::string> on_disk;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("proto")) {
    if (entry.path().extension() != ".proto") {
      continue;
    }
    on_disk.insert("schema/" + entry.path().lexically_relative("proto").generic_string());
  }
  std::set<std::string> reached;
  for (const auto& [name, file] : schema_files()) {
    reached.insert(name);
  }
  EXPECT_EQ(reached, on_disk);
}

TEST(Schema, M6a_NumbersNamesAndTypesAreThoseOfKubernetes) {
  const auto facts = read_wire_facts();
  ASSERT_GT(facts.size(), 200u);
  for (const auto& [name, expected] : facts) {
    EXPECT_TRUE(messages().contains(name)) << name;
  }
  for (const auto& [name, message] : messages()) {
    if (name.starts_with("ledger.")) {
      continue;  // our own (docs/reference/ledger.md)
    }
    ASSERT_TRUE(facts.contains(name)) << name;
    std::map<int, std::string> have;
    for (const FieldDescriptor* field : fields_of(message)) {
      have[field->number()] =
          std::to_string(field->number()) + " " + field->json_name() + " " + wire_type(field);
    }
    std::map<int, std::string> want;
    for (const std::string& fact : facts.at(name)) {
      want[std::stoi(fact)] = fact;
    }
    EXPECT_EQ(have, want) << name;
  }
}

TEST(Schema, MessagesAreOnlyWhatKubernetesCanHave) {
  for (const auto& [name, file] : schema_files()) {
    EXPECT_EQ(file->syntax(), FileDescriptor::SYNTAX_PROTO2) << name;
    if (name != "schema/options.proto") {
      EXPECT_EQ(file->enum_type_count(), 0) << name;
    }
  }
  for_each_field([](const FieldDescriptor* field, const FieldRule&) {
    EXPECT_FALSE(field->is_required());
    EXPECT_FALSE(field->has_default_value());
    EXPECT_FALSE(field->is_packed());
    EXPECT_EQ(field->real_containing_oneof(), nullptr);
  });
}

std::vector<const Kind*> resources() {
  std::vector<const Kind*> all;
  for (const Kind& kind : all_kinds()) {
    all.push_back(&kind);
  }
  for (const Kind& kind : recorded_kinds()) {
    all.push_back(&kind);
  }
  return all;
}

TEST(Schema, EveryKindHasItsMetadataFirst) {
  for (const Kind* each : resources()) {
    const Kind& kind = *each;
    const FieldDescriptor* metadata = kind.prototype().GetDescriptor()->field(0);
    EXPECT_EQ(metadata->number(), 1) << kind.kind;
    EXPECT_EQ(metadata->name(), "metadata") << kind.kind;
    EXPECT_EQ(metadata->message_type(), meta::v1::ObjectMeta::descriptor()) << kind.kind;
  }
}

TEST(Schema, EveryListHoldsItsKind) {
  for (const Kind* each : resources()) {
    const Kind& kind = *each;
    if (kind.list_prototype == nullptr) {
      continue;
    }
    const Descriptor* list = kind.list_prototype().GetDescriptor();
    ASSERT_EQ(list->field_count(), 2) << kind.kind;
    EXPECT_EQ(list->field(0)->number(), 1);
    EXPECT_EQ(list->field(0)->message_type(), meta::v1::ListMeta::descriptor());
    EXPECT_EQ(list->field(1)->number(), 2);
    EXPECT_TRUE(list->field(1)->is_repeated());
    EXPECT_EQ(list->field(1)->message_type(), kind.prototype().GetDescriptor());
    EXPECT_EQ(list->field(1)->options().GetExtension(field_rule).presence(), ALWAYS);
  }
}

void add_json_names(const Descriptor* message, std::multiset<std::string>& names) {
  for (const FieldDescriptor* field : fields_of(message)) {
    if (field->options().GetExtension(field_rule).inlined()) {
      add_json_names(field->message_type(), names);
    } else {
      names.insert(field->json_name());
    }
  }
}

TEST(Schema, JsonNamesAreUniqueWithInlinedOnes) {
  for (const auto& [name, message] : messages()) {
    std::multiset<std::string> names;
    add_json_names(message, names);
    for (const std::string& json_name : names) {
      EXPECT_EQ(names.count(json_name), 1u) << name << " " << json_name;
    }
  }
}

TEST(Schema, M6a_ExactlyTheseMessagesAreInlined) {
  std::set<std::string> inlined;
  for_each_field([&](const FieldDescriptor* field, const FieldRule& rules) {
    if (!rules.inlined()) {
      return;
    }
    inlined.insert(field->containing_type()->name() + "." + field->json_name());
    EXPECT_TRUE(is_message(field) && !field->is_repeated());
    EXPECT_EQ(rules.presence(), OMIT_EMPTY);
  });
  const std::set<std::string> expected = {
      "ConfigMapEnvSource.localObjectReference",     "ConfigMapKeySelector.localObjectReference",
      "ConfigMapProjection.localObjectReference",    "ConfigMapVolumeSource.localObjectReference",
      "EphemeralContainer.ephemeralContainerCommon", "Probe.handler",
      "SecretEnvSource.localObjectReference",        "SecretKeySelector.localObjectReference",
      "SecretProjection.localObjectReference",       "Volume.volumeSource",
  };
  EXPECT_EQ(inlined, expected);
}

TEST(Schema, PresenceRulesFitTheirFields) {
  for_each_field([](const FieldDescriptor* field, const FieldRule& rules) {
    if (rules.presence() == POINTER) {
      EXPECT_FALSE(field->is_repeated());
      EXPECT_FALSE(is_message(field)) << "a message has presence by itself";
      EXPECT_NE(field->type(), FieldDescriptor::TYPE_BYTES);
    }
    if (rules.presence() == NULLABLE) {
      EXPECT_FALSE(field->is_repeated());
    }
  });
}

TEST(Schema, ListAndMergeRulesFitTheirFields) {
  for_each_field([](const FieldDescriptor* field, const FieldRule& rules) {
    const bool list = field->is_repeated() && !field->is_map();
    if (rules.has_list_type()) {
      EXPECT_TRUE(list);
    }
    EXPECT_EQ(rules.list_type() == MAP, rules.list_map_key_size() > 0);
    if (rules.list_type() == SET) {
      EXPECT_FALSE(is_message(field));
    }
    if (rules.merge_set()) {
      EXPECT_TRUE(list && !is_message(field));
    }
    if (rules.retain_keys()) {
      EXPECT_TRUE(rules.has_merge_key());
    }
    if (rules.patch_replace()) {
      EXPECT_TRUE(is_message(field) && !field->is_repeated());
    }
    if (rules.atomic_map()) {
      EXPECT_TRUE(field->is_map() || (is_message(field) && !list));
    }

    std::vector<std::string> keys(rules.list_map_key().begin(), rules.list_map_key().end());
    if (rules.has_merge_key()) {
      keys.push_back(rules.merge_key());
    }
    for (const std::string& key : keys) {
      ASSERT_TRUE(list && is_message(field));
      const FieldDescriptor* found = find_json(field->message_type(), key);
      ASSERT_NE(found, nullptr) << key;
      EXPECT_FALSE(found->is_repeated() || is_message(found)) << key;
    }
  });
}

struct MergeFact {
  const char* message;
  const char* field;
  const char* key;
};

TEST(Schema, M94_MergeKeys) {
  const MergeFact facts[] = {
      {"core.v1.PodSpec", "containers", "name"},
      {"core.v1.PodSpec", "initContainers", "name"},
      {"core.v1.PodSpec", "ephemeralContainers", "name"},
      {"core.v1.PodSpec", "volumes", "name"},
      {"core.v1.PodSpec", "imagePullSecrets", "name"},
      {"core.v1.PodSpec", "schedulingGates", "name"},
      {"core.v1.PodSpec", "resourceClaims", "name"},
      {"core.v1.PodSpec", "hostAliases", "ip"},
      {"core.v1.PodSpec", "topologySpreadConstraints", "topologyKey"},
      {"core.v1.Container", "env", "name"},
      {"core.v1.Container", "ports", "containerPort"},
      {"core.v1.Container", "volumeMounts", "mountPath"},
      {"core.v1.Container", "volumeDevices", "devicePath"},
      {"core.v1.ServiceAccount", "secrets", "name"},
      {"core.v1.PodStatus", "podIPs", "ip"},
      {"core.v1.PodStatus", "hostIPs", "ip"},
      {"core.v1.PodStatus", "conditions", "type"},
      {"core.v1.NodeStatus", "conditions", "type"},
      {"core.v1.NodeStatus", "addresses", "type"},
      {"core.v1.NamespaceStatus", "conditions", "type"},
      {"batch.v1.JobStatus", "conditions", "type"},
      {"policy.v1.PodDisruptionBudgetStatus", "conditions", "type"},
      {"meta.v1.ObjectMeta", "ownerReferences", "uid"},
  };
  for (const MergeFact& fact : facts) {
    const FieldDescriptor* field = must_find_json(fact.message, fact.field);
    ASSERT_NE(field, nullptr) << fact.message << " " << fact.field;
    EXPECT_EQ(field->options().GetExtension(field_rule).merge_key(), fact.key) << fact.field;
  }
  for (const char* field : {"volumes", "resourceClaims"}) {
    EXPECT_TRUE(
        must_find_json("core.v1.PodSpec", field)->options().GetExtension(field_rule).retain_keys());
  }
  for (const auto& [message, name] :
       {std::pair{"meta.v1.ObjectMeta", "finalizers"}, std::pair{"core.v1.NodeSpec", "podCIDRs"}}) {
    EXPECT_TRUE(must_find_json(message, name)->options().GetExtension(field_rule).merge_set())
        << name;
  }
}

TEST(Schema, M94_TheseListsAreReplaced) {
  const std::pair<const char*, const char*> lists[] = {
      {"core.v1.PodSpec", "tolerations"},
      {"core.v1.PodSpec", "readinessGates"},
      {"core.v1.NodeSpec", "taints"},
      {"core.v1.Container", "command"},
      {"core.v1.Container", "args"},
      {"core.v1.Container", "envFrom"},
      {"core.v1.PodStatus", "containerStatuses"},
      {"batch.v1.PodFailurePolicy", "rules"},
      {"batch.v1.PodFailurePolicyOnExitCodesRequirement", "values"},
  };
  for (const auto& [message, name] : lists) {
    const FieldDescriptor* field = must_find_json(message, name);
    ASSERT_NE(field, nullptr) << name;
    const FieldRule& rules = field->options().GetExtension(field_rule);
    EXPECT_FALSE(rules.has_merge_key() || rules.merge_set()) << name;
  }
}

struct ListFact {
  const char* message;
  const char* field;
  ListType type;
  std::vector<std::string> keys;
};

TEST(Schema, M104_ListTypes) {
  const ListFact facts[] = {
      {"core.v1.PodSpec", "containers", MAP, {"name"}},
      {"core.v1.PodSpec", "initContainers", MAP, {"name"}},
      {"core.v1.PodSpec", "volumes", MAP, {"name"}},
      {"core.v1.PodSpec", "topologySpreadConstraints", MAP, {"topologyKey", "whenUnsatisfiable"}},
      {"core.v1.Container", "env", MAP, {"name"}},
      {"core.v1.Container", "ports", MAP, {"containerPort", "protocol"}},
      {"core.v1.Container", "volumeMounts", MAP, {"mountPath"}},
      {"meta.v1.ObjectMeta", "ownerReferences", MAP, {"uid"}},
      {"meta.v1.ObjectMeta", "finalizers", SET, {}},
      {"batch.v1.JobStatus", "conditions", ATOMIC, {}},
      {"batch.v1.PodFailurePolicy", "rules", ATOMIC, {}},
      {"batch.v1.PodFailurePolicyOnExitCodesRequirement", "values", SET, {}},
  };
  for (const ListFact& fact : facts) {
    const FieldDescriptor* field = must_find_json(fact.message, fact.field);
    ASSERT_NE(field, nullptr) << fact.field;
    const FieldRule& rules = field->options().GetExtension(field_rule);
    EXPECT_TRUE(rules.has_list_type()) << fact.field;
    EXPECT_EQ(rules.list_type(), fact.type) << fact.field;
    const std::vector<std::string> keys(rules.list_map_key().begin(), rules.list_map_key().end());
    EXPECT_EQ(keys, fact.keys) << fact.field;
  }
}

struct PresenceFact {
  const char* message;
  Presence presence;
  const char* fields;  // exactly these fields of the message have it
};

// What a server shows of objects that set nothing: one line for each message that users look at.
TEST(Schema, M8_PresenceIsWhatAServerWrites) {
  const PresenceFact facts[] = {
      {"meta.v1.ObjectMeta", ALWAYS, ""},
      {"meta.v1.ObjectMeta", POINTER, "deletionGracePeriodSeconds"},
      {"meta.v1.OwnerReference", ALWAYS, "apiVersion kind name uid"},
      {"meta.v1.OwnerReference", POINTER, "controller blockOwnerDeletion"},
      {"meta.v1.LabelSelectorRequirement", ALWAYS, "key operator"},
      {"meta.v1.Status", ALWAYS, "metadata"},
      {"batch.v1.Job", ALWAYS, "metadata spec status"},
      {"batch.v1.JobSpec", ALWAYS, "template"},
      {"batch.v1.JobSpec", POINTER,
       "parallelism completions activeDeadlineSeconds backoffLimit backoffLimitPerIndex "
       "maxFailedIndexes manualSelector ttlSecondsAfterFinished completionMode suspend "
       "podReplacementPolicy managedBy"},
      {"batch.v1.JobStatus", ALWAYS, ""},
      {"batch.v1.JobStatus", POINTER, "terminating failedIndexes ready"},
      {"batch.v1.JobCondition", ALWAYS, "type status lastProbeTime lastTransitionTime"},
      {"batch.v1.PodFailurePolicyRule", ALWAYS, "action"},
      {"batch.v1.PodFailurePolicyRule", POINTER, "name"},
      {"batch.v1.SuccessPolicyRule", POINTER, "succeededIndexes succeededCount"},
      {"core.v1.PodSpec", ALWAYS, "containers"},
      {"core.v1.Container", ALWAYS, "name resources"},
      {"core.v1.Container", POINTER, "restartPolicy"},
      {"core.v1.EnvVar", ALWAYS, "name"},
      {"core.v1.ResourceFieldSelector", ALWAYS, "resource divisor"},
      {"core.v1.VolumeMount", ALWAYS, "name mountPath"},
      {"core.v1.ContainerPort", ALWAYS, "containerPort"},
      {"core.v1.PodCondition", ALWAYS, "type status lastProbeTime lastTransitionTime"},
      {"core.v1.ContainerStatus", ALWAYS, "name state lastState ready restartCount image imageID"},
      {"core.v1.ContainerStatus", POINTER, "started stopSignal"},
      {"core.v1.ContainerStateTerminated", ALWAYS, "exitCode startedAt finishedAt"},
      {"core.v1.NodeStatus", ALWAYS, "daemonEndpoints nodeInfo"},
      {"core.v1.Event", ALWAYS,
       "metadata involvedObject source firstTimestamp lastTimestamp eventTime "
       "reportingComponent reportingInstance"},
      {"policy.v1.PodDisruptionBudgetStatus", ALWAYS,
       "disruptionsAllowed currentHealthy desiredHealthy expectedPods"},
      {"scheduling.v1.PriorityClass", ALWAYS, "metadata value"},
      {"core.v1.GRPCAction", NULLABLE, "service"},
  };
  for (const PresenceFact& fact : facts) {
    ASSERT_TRUE(messages().contains(fact.message)) << fact.message;
    std::string found;
    for (const FieldDescriptor* field : fields_of(messages().at(fact.message))) {
      if (field->options().GetExtension(field_rule).presence() != fact.presence) {
        continue;
      }
      if (!found.empty()) {
        found += ' ';
      }
      found += field->json_name();
    }
    EXPECT_EQ(found, fact.fields) << fact.message << " " << Presence_Name(fact.presence);
  }
}

TEST(Schema, J17_JobSchedulingIsUnknown) {
  EXPECT_EQ(must_find_json("batch.v1.JobSpec", "scheduling"), nullptr);
  EXPECT_EQ(messages().at("batch.v1.JobSpec")->FindFieldByNumber(17), nullptr);
}

TEST(Schema, ValuesThatAreOneJsonValueSaySo) {
  std::map<std::string, JsonForm> forms;
  for (const auto& [name, message] : messages()) {
    if (message->options().HasExtension(type_rule)) {
      forms[name] = message->options().GetExtension(type_rule).form();
    }
  }
  const std::map<std::string, JsonForm> expected = {
      {"meta.v1.FieldsV1", RAW_JSON},     {"meta.v1.IntOrString", INT_OR_STRING},
      {"meta.v1.MicroTime", MICRO_TIME},  {"meta.v1.Quantity", QUANTITY},
      {"meta.v1.RawExtension", RAW_JSON}, {"meta.v1.Time", TIME},
  };
  EXPECT_EQ(forms, expected);
}

// The comments become the text of `kubectl explain`.
TEST(Schema, EveryMessageAndFieldIsDescribed) {
  const std::regex declaration(R"(^(message|  (optional|repeated) \S+|  map<.*>) \w+ (\{|=).*)");
  size_t declarations = 0;
  for (const auto& [name, file] : schema_files()) {
    if (name == "schema/options.proto") {
      continue;
    }
    std::ifstream in("proto/" + name.substr(std::string("schema/").size()));
    ASSERT_TRUE(in) << name;
    std::string previous;
    for (std::string line; std::getline(in, line); previous = line) {
      if (!std::regex_match(line, declaration)) {
        continue;
      }
      ++declarations;
      EXPECT_NE(previous.find("// "), std::string::npos) << name << ": " << line;
    }
  }
  size_t expected = messages().size();
  for (const auto& [name, message] : messages()) {
    expected += static_cast<size_t>(message->field_count());
  }
  EXPECT_EQ(declarations, expected);
}

// Why the schema is proto2: one object with a broken string must not make a whole list unreadable.
TEST(Schema, InvalidUtf8Survives) {
  core::v1::PodList list;
  core::v1::Pod* pod = list.add_items();
  pod->mutable_metadata()->set_name("\xff\xfe");
  (*pod->mutable_metadata()->mutable_labels())["\xc3"] = "\x80";
  core::v1::PodList again;
  ASSERT_TRUE(again.ParseFromString(list.SerializeAsString()));
  EXPECT_EQ(again.items(0).metadata().name(), "\xff\xfe");
  EXPECT_EQ(again.items(0).metadata().labels().at("\xc3"), "\x80");
}

TEST(Schema, UnknownFieldsSurvive) {
  core::v1::Pod pod;
  const int number = 999;
  pod.GetReflection()->MutableUnknownFields(&pod)->AddVarint(number, 7);
  auto* source = pod.mutable_spec()->add_volumes()->mutable_volume_source();
  source->GetReflection()->MutableUnknownFields(source)->AddLengthDelimited(number, "x");
  const std::string bytes = pod.SerializeAsString();
  core::v1::Pod again;
  ASSERT_TRUE(again.ParseFromString(bytes));
  EXPECT_EQ(again.SerializeAsString(), bytes);
  ASSERT_EQ(again.GetReflection()->GetUnknownFields(again).field_count(), 1);
}

}  // namespace
}  // namespace windlass::api
