#include "api/validate_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::api {
namespace {

using meta::v1::ObjectMeta;
using ::testing::ElementsAre;
using testing::error_texts;
using testing::from_yaml;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr auto kFinalizers = "metadata.finalizers";

std::vector<std::string> create_errors(const ObjectMeta& metadata, bool namespaced = true) {
  FieldErrors errors;
  validate_object_meta(errors, FieldPath("metadata"), metadata, namespaced,
                       check_dns1123_subdomain);
  return error_texts(errors);
}

std::vector<std::string> create_errors(const std::string& fields) {
  return create_errors(from_yaml<ObjectMeta>("{name: a, namespace: ns, " + fields + "}"));
}

std::vector<std::string> update_errors(const std::string& changed, const std::string& old) {
  FieldErrors errors;
  validate_meta_update(errors, FieldPath("metadata"), from_yaml<ObjectMeta>(changed),
                       from_yaml<ObjectMeta>(old));
  return error_texts(errors);
}

TEST(Metadata, J60_Name) {
  EXPECT_THAT(create_errors(from_yaml<ObjectMeta>("{name: a.b, namespace: ns}")), IsEmpty());
  EXPECT_THAT(create_errors(from_yaml<ObjectMeta>("{namespace: ns}")),
              ElementsAre("metadata.name: Required value: name or generateName is required"));
  EXPECT_THAT(create_errors(from_yaml<ObjectMeta>("{name: A, namespace: ns}")),
              ElementsAre(StartsWith("metadata.name: Invalid value: \"A\": a lowercase RFC 1123 "
                                     "subdomain must consist")));
  ObjectMeta long_name;
  long_name.set_namespace_("ns");
  long_name.set_name(std::string(254, 'a'));
  EXPECT_THAT(create_errors(long_name),
              ElementsAre(::testing::EndsWith(": must be no more than 253 characters")));
}

TEST(Metadata, M36_GenerateNameIsReportedTwice) {
  EXPECT_THAT(create_errors(from_yaml<ObjectMeta>("{generateName: a-, name: a-x, namespace: ns}")),
              IsEmpty());
  EXPECT_THAT(
      create_errors(from_yaml<ObjectMeta>("{generateName: Ab-, name: Ab-x, namespace: ns}")),
      ElementsAre(StartsWith("metadata.generateName: Invalid value: \"Ab-\": "),
                  StartsWith("metadata.name: Invalid value: \"Ab-x\": ")));
}

TEST(Metadata, Namespace) {
  EXPECT_THAT(create_errors(from_yaml<ObjectMeta>("{name: a}")),
              ElementsAre("metadata.namespace: Required value"));
  EXPECT_THAT(create_errors(from_yaml<ObjectMeta>("{name: a, namespace: b.c}")),
              ElementsAre("metadata.namespace: Invalid value: \"b.c\": must not contain dots"));
  EXPECT_THAT(create_errors(from_yaml<ObjectMeta>("{name: a}"), false), IsEmpty());
  EXPECT_THAT(create_errors(from_yaml<ObjectMeta>("{name: a, namespace: ns}"), false),
              ElementsAre("metadata.namespace: Forbidden: not allowed on this type"));
}

TEST(Metadata, M36_Labels) {
  EXPECT_THAT(create_errors("labels: {example.com/a: B_1, b: ''}"), IsEmpty());
  EXPECT_THAT(create_errors("labels: {-z: ok, a: $}"),
              ElementsAre(StartsWith("metadata.labels: Invalid value: \"-z\": name part must"),
                          StartsWith("metadata.labels: Invalid value: \"$\": a valid label must")));
  EXPECT_THAT(create_errors("labels: {a: " + std::string(64, 'v') + "}"),
              ElementsAre("metadata.labels: Invalid value: \"" + std::string(64, 'v') +
                          "\": must be no more than 63 bytes"));
  EXPECT_THAT(create_errors("labels: {" + std::string(64, 'k') + ": v}"),
              ElementsAre("metadata.labels: Invalid value: \"" + std::string(64, 'k') +
                          "\": name part must be no more than 63 bytes"));
}

TEST(Metadata, M36_Annotations) {
  EXPECT_THAT(create_errors("annotations: {Example.com/A: 'anything $ at all'}"), IsEmpty());
  EXPECT_THAT(create_errors("annotations: {'a b': c}"),
              ElementsAre(StartsWith("metadata.annotations: Invalid value: \"a b\": name part")));
  ObjectMeta metadata = from_yaml<ObjectMeta>("{name: a, namespace: ns}");
  (*metadata.mutable_annotations())["k"] = std::string(262143, 'v');
  EXPECT_THAT(create_errors(metadata), IsEmpty());
  (*metadata.mutable_annotations())["k"] += 'v';
  EXPECT_THAT(create_errors(metadata),
              ElementsAre("metadata.annotations: Too long: may not be more than 262144 bytes"));
}

TEST(Metadata, M36_OwnerReferences) {
  EXPECT_THAT(create_errors("ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: u, "
                            "controller: true}, {apiVersion: v1, kind: Pod, name: p, uid: w}]"),
              IsEmpty());
  EXPECT_THAT(
      create_errors("ownerReferences: [{}]"),
      ElementsAre(
          "metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be empty",
          "metadata.ownerReferences.kind: Invalid value: \"\": must not be empty",
          "metadata.ownerReferences.name: Invalid value: \"\": must not be empty",
          "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty"));
  EXPECT_THAT(create_errors("ownerReferences: [{apiVersion: batch/, kind: a, name: b, uid: c}]"),
              ElementsAre("metadata.ownerReferences.apiVersion: Invalid value: \"batch/\": version "
                          "must not be empty"));
  EXPECT_THAT(
      create_errors("ownerReferences: [{apiVersion: v1, kind: Event, name: e, uid: u}]"),
      ElementsAre("metadata.ownerReferences: Invalid value: "
                  "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"e\",\"uid\":\"u\"}: /v1, "
                  "Kind=Event is disallowed from being an owner"));
  EXPECT_THAT(create_errors("ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: u, "
                            "controller: true}, {apiVersion: v1, kind: Pod, name: b, uid: w, "
                            "controller: true}]"),
              ElementsAre(::testing::AllOf(
                  StartsWith("metadata.ownerReferences: Invalid value: [{\"apiVersion\":\"v1\""),
                  ::testing::EndsWith("]: Only one reference can have Controller set to true. "
                                      "Found \"true\" in references for Pod/a and Pod/b"))));
}

TEST(Metadata, M36_Finalizers) {
  EXPECT_THAT(create_errors("finalizers: [example.com/a, orphan, kubernetes]"), IsEmpty());
  EXPECT_THAT(create_errors("finalizers: [foo]"),
              ElementsAre("metadata.finalizers[0]: Invalid value: \"foo\": name is neither a "
                          "standard finalizer name nor is it fully qualified"));
  EXPECT_THAT(
      create_errors("finalizers: ['a b/c']"),
      ElementsAre(StartsWith("metadata.finalizers: Invalid value: \"a b/c\": prefix part")));
  EXPECT_THAT(create_errors("finalizers: [orphan, foregroundDeletion]"),
              ElementsAre("metadata.finalizers: Invalid value: "
                          "[\"orphan\",\"foregroundDeletion\"]: finalizer orphan and "
                          "foregroundDeletion cannot be both set"));
}

TEST(Metadata, M39_Immutable) {
  const std::string old =
      "{name: a, namespace: ns, uid: u, generation: 2, creationTimestamp: '2020-01-01T00:00:00Z'}";
  EXPECT_THAT(update_errors(old, old), IsEmpty());
  EXPECT_THAT(update_errors("{name: b, namespace: m, uid: w, generation: 1}", old),
              ElementsAre("metadata.generation: Invalid value: 1: must not be decremented",
                          "metadata.name: Invalid value: \"b\": field is immutable",
                          "metadata.namespace: Invalid value: \"m\": field is immutable",
                          "metadata.uid: Invalid value: \"w\": field is immutable",
                          "metadata.creationTimestamp: Invalid value: null: field is immutable"));
  EXPECT_THAT(update_errors("{name: a, deletionTimestamp: '2020-01-01T00:00:00Z', "
                            "deletionGracePeriodSeconds: 5}",
                            "{name: a}"),
              ElementsAre("metadata.deletionTimestamp: Invalid value: \"2020-01-01T00:00:00Z\": "
                          "field is immutable",
                          "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is "
                          "immutable"));
}

TEST(Metadata, P52_LabelsAnnotationsOwnersAndFinalizersMayChange) {
  EXPECT_THAT(update_errors("{name: a}",
                            "{name: a, labels: {a: b}, annotations: {c: d}, finalizers: [x.io/a], "
                            "ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: u}]}"),
              IsEmpty());
  EXPECT_THAT(update_errors("{name: a, labels: {a: $}}", "{name: a}"),
              ElementsAre(StartsWith("metadata.labels: Invalid value: \"$\"")));
}

TEST(Metadata, P75_NoNewFinalizersWhileBeingDeleted) {
  const std::string going = "{name: a, deletionTimestamp: '2020-01-01T00:00:00Z', ";
  EXPECT_THAT(
      update_errors(going + "finalizers: [x.io/a]}", going + "finalizers: [x.io/a, x.io/b]}"),
      IsEmpty());
  EXPECT_THAT(update_errors(going + "finalizers: [x.io/b, x.io/a]}", going + "finalizers: []}"),
              ElementsAre(std::string(kFinalizers) +
                          ": Forbidden: no new finalizers can be added if the object is being "
                          "deleted, found new finalizers []string{\"x.io/a\", \"x.io/b\"}"));
  EXPECT_THAT(update_errors("{name: a, finalizers: [x.io/a]}", "{name: a}"), IsEmpty());
}

TEST(Metadata, M36_FinalizerNamesAreCheckedOnUpdateToo) {
  FieldErrors errors;
  validate_object_meta_update(errors, FieldPath("metadata"),
                              from_yaml<ObjectMeta>("{name: a, finalizers: [foo]}"),
                              from_yaml<ObjectMeta>("{name: a}"));
  EXPECT_THAT(error_texts(errors), ElementsAre(StartsWith("metadata.finalizers[0]: Invalid")));
}

TEST(Metadata, M37_RepeatedOwnerReferencesAreRemoved) {
  const std::string reference = "{apiVersion: v1, kind: Pod, name: a, uid: '1'}";
  ObjectMeta repeated =
      from_yaml<ObjectMeta>("{ownerReferences: [" + reference + "," + reference + "," + reference +
                            ",{apiVersion: v1, kind: Pod, name: b, uid: '2'}]}");
  EXPECT_EQ(deduplicate_owner_references(repeated),
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner "
            "references in 1.20+, and may reject such requests as early as 1.24; please fix your "
            "requests; duplicate UID(s) observed: 1, 1");
  ASSERT_EQ(repeated.owner_references_size(), 2);
  EXPECT_EQ(repeated.owner_references(1).uid(), "2");

  ObjectMeta different = from_yaml<ObjectMeta>(
      "{ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: '1'}, {apiVersion: v1, kind: "
      "Pod, name: b, uid: '1'}]}");
  EXPECT_EQ(deduplicate_owner_references(different), "");
  EXPECT_EQ(different.owner_references_size(), 2);
}

TEST(Metadata, M37_ManyOwnerReferencesAreNotComparedWithEachOther) {
  ObjectMeta many;
  for (int i = 0; i < 120'000; ++i) {
    auto& reference = *many.add_owner_references();
    reference.set_uid(i % 2 == 0 ? "u" : std::to_string(i / 4));
    reference.set_name("n" + std::to_string(i / 4));
    reference.set_kind("Pod");
    reference.set_api_version("v1");
  }
  EXPECT_THAT(deduplicate_owner_references(many), ::testing::HasSubstr("observed: u, 0, u, 1, u,"));
  ASSERT_EQ(many.owner_references_size(), 60'000);
  EXPECT_EQ(many.owner_references(2).name(), "n1");
  EXPECT_EQ(many.owner_references(59'999).uid(), "29999");
}

}  // namespace
}  // namespace windlass::api
