// The volumes of a pod as plain values. Read from the message by read_volumes(); what becomes of
// them on the disk is in volume_files.h and pod_setup.h.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace windlass::api::core::v1 {
class PodSpec;
}

namespace windlass::node {

// A ConfigMap or a Secret of the pod's namespace.
struct ObjectName {
  enum class Kind { config_map, secret };
  Kind kind = Kind::config_map;
  std::string name;

  auto operator<=>(const ObjectName&) const = default;
};

// One source of files.
struct FileSource {
  enum class Kind { object, downward };

  struct Item {
    std::string key;   // of the object, or the field's path
    std::string path;  // below the volume
    unsigned mode = 0;
    // downward: a resource instead of a field.
    std::string resource = {};
    std::string container = {};
    int64_t milli_divisor = 1000;
  };

  Kind kind = Kind::object;
  ObjectName object = {};
  bool optional = false;
  std::vector<Item> items = {};  // of an object: none means all its keys
  unsigned default_mode = 0;
};

struct VolumePlan {
  enum class Kind {
    empty_dir,
    host_path,
    files,        // configMap, secret, downwardAPI, projected
    unsupported,  // `text` says what it is
  };

  std::string name;
  Kind kind = Kind::empty_dir;
  std::string size_limit;  // empty_dir: as it was written; "" is none
  bool in_memory = false;  // empty_dir: medium Memory
  std::string text;        // host_path: the path
  std::string path_type;   // host_path: Directory, FileOrCreate, ...; "" is not looked at
  std::vector<FileSource> sources;
};

// Whether any file of them comes from a ConfigMap or Secret.
bool has_objects_in_volumes(const std::vector<VolumePlan>& volumes);

std::vector<VolumePlan> read_volumes(const api::core::v1::PodSpec& spec);

}  // namespace windlass::node
