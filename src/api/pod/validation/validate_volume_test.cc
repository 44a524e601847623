// Volumes and what mounts them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"

namespace windlass::api {
namespace {

using ::testing::ElementsAre;
using testing::errors_with;
using ::testing::IsEmpty;
using testing::spec_errors;
using ::testing::StartsWith;

std::vector<std::string> volume_errors(const std::string& volumes) {
  return errors_with("volumes: [" + volumes + "]");
}

std::vector<std::string> mount_errors(const std::string& mounts) {
  return spec_errors(
      "{volumes: [{name: v}, {name: w}], containers: [{name: c, image: i, "
      "volumeMounts: [" +
      mounts + "]}]}");
}

TEST(VolumeValidation, P36_Names) {
  EXPECT_THAT(volume_errors("{name: a}, {name: b}"), IsEmpty());
  EXPECT_THAT(volume_errors("{name: a}, {name: a}, {name: ''}, {name: a.b}"),
              ElementsAre("spec.volumes[1].name: Duplicate value: \"a\"",
                          "spec.volumes[2].name: Required value",
                          "spec.volumes[3].name: Invalid value: \"a.b\": must not contain dots"));
}

TEST(VolumeValidation, P36_OneSource) {
  EXPECT_THAT(volume_errors("{name: a, hostPath: {path: /x}, emptyDir: {}, secret: {}}"),
              ElementsAre("spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume "
                          "type",
                          "spec.volumes[0].secret: Forbidden: may not specify more than 1 volume "
                          "type"));
  EXPECT_THAT(volume_errors("{name: a, nfs: {server: s, path: /p}}, {name: b, csi: {driver: d}}"),
              IsEmpty());
}

TEST(VolumeValidation, P36_Nfs) {
  EXPECT_THAT(volume_errors("{name: a, nfs: {}}, {name: b, nfs: {server: s, path: x}}"),
              ElementsAre("spec.volumes[0].nfs.server: Required value",
                          "spec.volumes[0].nfs.path: Required value",
                          "spec.volumes[0].nfs.path: Invalid value: \"\": must be an absolute path",
                          "spec.volumes[1].nfs.path: Invalid value: \"x\": must be an absolute "
                          "path"));
}

TEST(VolumeValidation, P36_Csi) {
  EXPECT_THAT(
      volume_errors("{name: a, csi: {driver: Example.COM, nodePublishSecretRef: {name: s}}}"),
      IsEmpty());
  EXPECT_THAT(volume_errors("{name: a, csi: {nodePublishSecretRef: {}}}"),
              ElementsAre("spec.volumes[0].csi.driver: Required value",
                          "spec.volumes[0].csi.nodePublishSecretRef.name: Required value"));
  EXPECT_THAT(volume_errors("{name: a, csi: {driver: a_b, nodePublishSecretRef: {name: S}}}"),
              ElementsAre(StartsWith("spec.volumes[0].csi.driver: Invalid value: \"a_b\": a "
                                     "lowercase RFC 1123 subdomain must"),
                          StartsWith("spec.volumes[0].csi.name: Invalid value: \"S\": a lowercase "
                                     "RFC 1123 subdomain must")));
  EXPECT_THAT(volume_errors("{name: a, csi: {driver: " + std::string(64, 'a') + "}}"),
              ElementsAre("spec.volumes[0].csi.driver: Too long: may not be more than 63 bytes"));
}

TEST(VolumeValidation, P36_Image) {
  EXPECT_THAT(volume_errors("{name: a, image: {reference: r}}"), IsEmpty());
  EXPECT_THAT(
      volume_errors("{name: a, image: {pullPolicy: Zork}}"),
      ElementsAre("spec.volumes[0].image.reference: Required value",
                  "spec.volumes[0].image.pullPolicy: Unsupported value: \"Zork\": supported "
                  "values: \"Always\", \"IfNotPresent\", \"Never\""));
  // A template may leave the image to its pods.
  const auto pod_template = testing::from_yaml<core::v1::PodTemplateSpec>(
      "{spec: {terminationGracePeriodSeconds: 1, restartPolicy: Never, dnsPolicy: Default, "
      "containers: [{name: c, image: i, imagePullPolicy: Never, terminationMessagePolicy: File}], "
      "volumes: [{name: a, image: {pullPolicy: Never}}]}}");
  FieldErrors errors;
  validate_pod_template_spec(errors, FieldPath("template"), pod_template);
  EXPECT_THAT(testing::error_texts(errors), IsEmpty());
}

std::vector<std::string> claim_errors(const std::string& fields) {
  return volume_errors("{name: a, ephemeral: {volumeClaimTemplate: {" + fields + "}}}");
}

TEST(VolumeValidation, P36_Ephemeral) {
  const std::string claim = "spec.volumes[0].ephemeral.volumeClaimTemplate";
  EXPECT_THAT(claim_errors("metadata: {labels: {a: b}}, spec: {accessModes: [ReadWriteOnce], "
                           "resources: {requests: {storage: 1Gi}}, dataSource: {kind: "
                           "PersistentVolumeClaim, name: c}}"),
              IsEmpty());
  EXPECT_THAT(volume_errors("{name: a, ephemeral: {}}"), ElementsAre(claim + ": Required value"));
  EXPECT_THAT(
      claim_errors("metadata: {name: m, uid: u, finalizers: [a/b]}, spec: {}"),
      ElementsAre(claim + ".metadata.name: Forbidden: cannot be set",
                  claim + ".metadata.uID: Forbidden: cannot be set",
                  claim + ".metadata.finalizers: Forbidden: cannot be set",
                  claim + ".spec.accessModes: Required value: at least 1 access mode is required",
                  claim + ".spec.resources[storage]: Required value"));
  EXPECT_THAT(
      claim_errors("spec: {accessModes: [ReadWriteOncePod, ReadWriteOnce, Zork], selector: "
                   "{matchExpressions: [{key: a, operator: In}]}, resources: {requests: {storage: "
                   "0}}, storageClassName: A, volumeMode: Zork, dataSource: {kind: X}}"),
      ElementsAre(
          claim + ".spec.selector.matchExpressions[0].values: Required value: must be "
                  "specified when `operator` is 'In' or 'NotIn'",
          claim + ".spec.accessModes: Unsupported value: \"Zork\": supported values: "
                  "\"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", "
                  "\"ReadWriteOncePod\"",
          claim + ".spec.accessModes: Forbidden: may not use ReadWriteOncePod with other "
                  "access modes",
          claim + ".spec.resources[storage]: Invalid value: \"0\": must be greater than "
                  "zero",
          StartsWith(claim + ".spec.storageClassName: Invalid value: \"A\": a lowercase RFC "
                             "1123 subdomain must"),
          claim + ".spec.volumeMode: Unsupported value: \"Zork\": supported values: "
                  "\"Block\", \"Filesystem\"",
          claim + ".spec.dataSource.name: Required value",
          claim + ".spec.dataSource: Invalid value: \"X\": must be "
                  "'PersistentVolumeClaim' when referencing the default apiGroup"));
}

// The claim is called after the pod, p, and the volume.
TEST(VolumeValidation, P36_TheClaimOfAnEphemeralVolume) {
  const std::string ephemeral =
      "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: "
      "{requests: {storage: 1}}}}}";
  EXPECT_THAT(volume_errors("{name: a, persistentVolumeClaim: {claimName: p-b}}, {name: b, " +
                            ephemeral + "}"),
              ElementsAre("spec.volumes[0].persistentVolumeClaim.claimName: Invalid value: "
                          "\"p-b\": must not reference a PVC that gets created for an ephemeral "
                          "volume"));
  EXPECT_THAT(
      volume_errors("{name: B, " + ephemeral + "}"),
      ElementsAre(StartsWith("spec.volumes[0].name: Invalid value: \"B\": PVC name \"p-B\": "
                             "a lowercase RFC 1123 subdomain must"),
                  StartsWith("spec.volumes[0].name: Invalid value: \"B\": a lowercase RFC "
                             "1123 label must")));
}

TEST(VolumeValidation, P36_HostPath) {
  EXPECT_THAT(volume_errors("{name: a, hostPath: {path: /x, type: DirectoryOrCreate}}, {name: b, "
                            "hostPath: {path: /a..b}}"),
              IsEmpty());
  EXPECT_THAT(volume_errors("{name: a, hostPath: {}}"),
              ElementsAre("spec.volumes[0].hostPath.path: Required value"));
  EXPECT_THAT(volume_errors("{name: a, hostPath: {path: /a/../b, type: Zork}}"),
              ElementsAre("spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not "
                          "contain '..'",
                          "spec.volumes[0].hostPath.type: Unsupported value: \"Zork\": supported "
                          "values: \"\", \"BlockDevice\", \"CharDevice\", \"Directory\", "
                          "\"DirectoryOrCreate\", \"File\", \"FileOrCreate\", \"Socket\""));
}

TEST(VolumeValidation, P5_Sources) {
  EXPECT_THAT(
      volume_errors("{name: a, secret: {secretName: s, items: [{key: k, path: a/b, mode: 511}]}}, "
                    "{name: b, configMap: {name: m}}, {name: c, emptyDir: {medium: Memory, "
                    "sizeLimit: 1Gi}}, {name: d, downwardAPI: {items: [{path: l, fieldRef: "
                    "{fieldPath: metadata.labels}}]}}"),
      IsEmpty());
  EXPECT_THAT(volume_errors("{name: a, secret: {defaultMode: 512, items: [{path: /x}]}}"),
              ElementsAre("spec.volumes[0].secret.secretName: Required value",
                          "spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a "
                          "number between 0 and 0777 (octal), both inclusive",
                          "spec.volumes[0].secret.items[0].key: Required value",
                          "spec.volumes[0].secret.items[0].path: Invalid value: \"/x\": must be a "
                          "relative path"));
  EXPECT_THAT(volume_errors("{name: a, configMap: {items: [{key: k, path: ..x}]}}, {name: b, "
                            "persistentVolumeClaim: {}}, {name: c, emptyDir: {sizeLimit: -1}}"),
              ElementsAre("spec.volumes[0].configMap.name: Required value",
                          "spec.volumes[0].configMap.items[0].path: Invalid value: \"..x\": must "
                          "not start with '..'",
                          "spec.volumes[1].persistentVolumeClaim.claimName: Required value",
                          "spec.volumes[2].emptyDir.sizeLimit: Forbidden: SizeLimit field must be "
                          "a valid resource quantity"));
  EXPECT_THAT(volume_errors("{name: a, downwardAPI: {items: [{path: p}, {path: q, fieldRef: "
                            "{fieldPath: spec.nodeName}}]}}"),
              ElementsAre("spec.volumes[0].downwardAPI: Required value: one of fieldRef and "
                          "resourceFieldRef is required",
                          StartsWith("spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported "
                                     "value: \"spec.nodeName\": supported values: "
                                     "\"metadata.annotations\", \"metadata.labels\"")));
}

TEST(VolumeValidation, P5_Projected) {
  EXPECT_THAT(errors_with("serviceAccountName: sa, volumes: [{name: a, projected: {sources: "
                          "[{serviceAccountToken: {path: token, expirationSeconds: 3607}}, "
                          "{configMap: {name: m, items: [{key: ca.crt, path: ca.crt}]}}, "
                          "{downwardAPI: {items: [{path: ns, fieldRef: {fieldPath: "
                          "metadata.namespace}}]}}]}}]"),
              IsEmpty());
  EXPECT_THAT(
      errors_with("volumes: [{name: a, projected: {sources: [{serviceAccountToken: {path: '', "
                  "expirationSeconds: 5}}, {secret: {name: s, items: [{key: k, path: p}]}, "
                  "configMap: {name: m, items: [{key: k, path: p}]}}]}}]"),
      ElementsAre(
          "spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: "
          "Invalid value: 5: may not specify a duration less than 10 minutes",
          "spec.volumes[0].projected.path: Required value",
          "spec.volumes[0].projected: Invalid value: \"m\": conflicting duplicate paths",
          "spec.volumes[0].projected.sources[1]: Forbidden: may not specify more than 1 "
          "volume type per source",
          "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be "
          "specified when serviceAccountName is not set"));
}

TEST(VolumeValidation, P37_Mounts) {
  EXPECT_THAT(mount_errors("{name: v, mountPath: /a, subPath: b/c}, {name: w, mountPath: /b, "
                           "subPathExpr: $(X)}"),
              IsEmpty());
  const std::string path = "spec.containers[0].volumeMounts";
  EXPECT_THAT(mount_errors("{name: x, mountPath: /a}"),
              ElementsAre(path + "[0].name: Not found: \"x\""));
  EXPECT_THAT(mount_errors("{}"),
              ElementsAre(path + "[0].name: Required value", path + "[0].name: Not found: \"\"",
                          path + "[0].mountPath: Required value"));
  EXPECT_THAT(mount_errors("{name: v, mountPath: /a}, {name: w, mountPath: /a}"),
              ElementsAre(path + "[1].mountPath: Invalid value: \"/a\": must be unique"));
  EXPECT_THAT(mount_errors("{name: v, mountPath: /a, subPath: /b/..}"),
              ElementsAre(path + ".subPath: Invalid value: \"/b/..\": must be a relative path",
                          path + ".subPath: Invalid value: \"/b/..\": must not contain '..'"));
  EXPECT_THAT(mount_errors("{name: v, mountPath: /a, subPath: b, subPathExpr: c}"),
              ElementsAre(path + "[0].subPathExpr: Invalid value: \"c\": subPathExpr and subPath "
                                 "are mutually exclusive"));
}

TEST(VolumeValidation, P37_AVolumeWithErrorsCannotBeMounted) {
  EXPECT_THAT(spec_errors("{volumes: [{name: v, hostPath: {}}], containers: [{name: c, image: i, "
                          "volumeMounts: [{name: v, mountPath: /a}]}]}"),
              ElementsAre("spec.volumes[0].hostPath.path: Required value",
                          "spec.containers[0].volumeMounts[0].name: Not found: \"v\""));
}

TEST(VolumeValidation, MountOptions) {
  EXPECT_THAT(mount_errors("{name: v, mountPath: /a, mountPropagation: HostToContainer}, {name: w, "
                           "mountPath: /b, readOnly: true, recursiveReadOnly: Enabled}"),
              IsEmpty());
  const std::string path = "spec.containers[0].volumeMounts";
  EXPECT_THAT(mount_errors("{name: v, mountPath: /a, mountPropagation: Bidirectional}, {name: w, "
                           "mountPath: /b, recursiveReadOnly: Enabled}"),
              ElementsAre(path + ".mountPropagation: Forbidden: Bidirectional mount propagation is "
                                 "available only to privileged containers",
                          path + ".recursiveReadOnly: Forbidden: may only be specified when "
                                 "readOnly is true"));
}

TEST(VolumeValidation, Devices) {
  const auto device_errors = [](const std::string& devices) {
    return spec_errors(
        "{volumes: [{name: v, persistentVolumeClaim: {claimName: d}}, {name: w}], "
        "containers: [{name: c, image: i, volumeMounts: [{name: w, mountPath: /w}], "
        "volumeDevices: [" +
        devices + "]}]}");
  };
  const std::string path = "spec.containers[0].volumeDevices";
  EXPECT_THAT(device_errors("{name: v, devicePath: /dev/x}"), IsEmpty());
  EXPECT_THAT(device_errors("{name: w, devicePath: /w}"),
              ElementsAre("spec.containers[0].volumeMounts[0].name: Invalid value: \"w\": must not "
                          "already exist in volumeDevices",
                          "spec.containers[0].volumeMounts[0].mountPath: Invalid value: \"/w\": "
                          "must not already exist as a path in volumeDevices",
                          path + "[0].name: Invalid value: \"w\": can only use volume source type "
                                 "of PersistentVolumeClaim or Ephemeral for block mode",
                          path + "[0].name: Invalid value: \"w\": must not already exist in "
                                 "volumeMounts",
                          path + "[0].devicePath: Invalid value: \"/w\": must not already exist as "
                                 "a path in volumeMounts"));
}

}  // namespace
}  // namespace windlass::api
