// For tests only: a registry with one image, behind a skopeo that is a function.
#pragma once

#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "images/store/archive_testing.h"
#include "images/store/pull.h"
#include "posix/files/posix_files.h"

namespace windlass::images {

class ScriptedRegistry {
 public:
  ScriptedRegistry() { push("1"); }

  void push(const std::string& content) {
    layer = TarText().file("version", content).text();
    config = R"({"os":"linux","config":{"Cmd":["run"]},"rootfs":{"diff_ids":[")" +
             sha256_digest(layer) + R"("]}})";
    manifest = R"({"schemaVersion":2,"config":{"digest":")" + sha256_digest(config) +
               R"("},"layers":[{"digest":")" + sha256_digest(layer) + R"(","size":)" +
               std::to_string(layer.size()) + "}]}";
  }

  // From any thread.
  Skopeo skopeo() {
    return [this](const SkopeoCall& call) -> Result<SkopeoResult> {
      {
        const std::lock_guard lock(mutex);
        calls.push_back(call.arguments);
      }
      if (!error.empty()) {
        return SkopeoResult{false, "", error};
      }
      return answer(call);
    };
  }

  std::string layer;
  std::string config;
  std::string manifest;
  std::string error;
  std::string wanted_login;  // the text of an auth file; "" is none
  bool damaged = false;
  std::mutex mutex;
  std::vector<std::vector<std::string>> calls;

 private:
  Result<SkopeoResult> answer(const SkopeoCall& call) {
    posix::PosixFiles files;
    if (!wanted_login.empty() &&
        files.read(call.scratch + "/login.json", 1000).value_or("") != wanted_login) {
      return SkopeoResult{false, "", "unauthorized: no"};
    }
    if (call.arguments.back().starts_with("docker://")) {
      return SkopeoResult{true, manifest, ""};
    }
    const std::string target = call.arguments.back().substr(4);
    EXPECT_TRUE(files.make_directory(target));
    const auto put = [&](const std::string& name, const std::string& text) {
      EXPECT_TRUE(files.write(target + "/" + name, text, 0600));
    };
    put("version", "Directory Transport Version: 1.1\n");
    put("manifest.json", manifest);
    put(sha256_digest(config).substr(7), config);
    put(sha256_digest(layer).substr(7), damaged ? layer.substr(0, layer.size() / 2) : layer);
    return SkopeoResult{true, "", ""};
  }
};

}  // namespace windlass::images
