// What an image says of the process that runs in it: the configuration of the OCI image format,
// which Docker's is too. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/json_value.h"
#include "base/json_writer.h"
#include "base/result.h"

namespace windlass::images {

struct ImageConfig {
  std::vector<std::string> entrypoint = {};
  std::vector<std::string> command = {};
  std::vector<std::string> environment = {};  // NAME=value
  std::string user = {};                      // user[:group], by name or number
  std::string working_directory = {};
  std::string stop_signal = {};  // SIGQUIT, or a number
  std::vector<std::string> volumes = {};
  std::vector<std::string> layers = {};  // digests of the unpacked layers, lowest first
  std::string system = {};               // linux
  std::string architecture = {};         // amd64

  bool operator==(const ImageConfig&) const = default;
};

inline constexpr size_t kMaxImageLayers = 512;
inline constexpr size_t kMaxImageWords = 10'000;

Result<ImageConfig> read_image_config(std::string_view json);

// In the store's own form, which read_stored_config() reads.
void write_stored_config(const ImageConfig& config, JsonWriter& writer);
ImageConfig read_stored_config(const api::JsonValue& value);

// The number of a signal as an image names it: SIGTERM, TERM, 15. 0 is none that is known.
int signal_number(std::string_view name);

// sha256:<64 hex digits>, the one kind of digest that the store knows.
bool is_sha256(std::string_view digest);

// The member as a string or a list of strings; empty where it is absent or something else.
std::string json_text(const api::JsonValue& value, std::string_view name);
std::vector<std::string> json_texts(const api::JsonValue& value, std::string_view name);
uint64_t json_count(const api::JsonValue& value, std::string_view name);

}  // namespace windlass::images
