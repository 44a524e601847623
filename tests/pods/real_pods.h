// `windlass run` with real processes: the fixture. The program is the one that $WINDLASS_PROGRAM
// names. Included by *_test.cc only.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "posix/process/program.h"
#include "posix/testing.h"

namespace windlass::pods {

struct Ran {
  bool complete = false;
  std::string output;  // of the program and of its pods
};

class RealPods : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* program = std::getenv("WINDLASS_PROGRAM");
    if (program == nullptr) {
      GTEST_SKIP() << "WINDLASS_PROGRAM does not say where windlass is";
    }
    program_ = program;
    if (run(job("true", "", "")).output.find("plain process groups") != std::string::npos) {
      GTEST_SKIP() << "no mount namespaces here, so no volumes";
    }
  }

  // A Job whose only container runs this shell script. Its text must not contain double quotes.
  static std::string job(const std::string& script, const std::string& container,
                         const std::string& pod) {
    return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: real}}
spec:
  backoffLimit: 0
  template:
    metadata: {{labels: {{app: x}}}}
    spec:
      restartPolicy: Never
      containers:
      - name: c
        image: test
        command: [sh, -ec, "{}"]
{}
{}
)",
                       script, container, pod);
  }

  Ran run(const std::string& manifest, const std::string& flags = "--timeout 60s") {
    const std::string file = directory_.write("job.yaml", manifest);
    const auto ran = posix::run_program(
        {"sh", "-c",
         fmt::format("{} {} run {} --logs --image-dir {} {} {} > {} 2>&1", as_, program_, file,
                     directory_ / "images", root_, flags, directory_ / "output")});
    return {ran.has_value(), directory_.read("output")};
  }

  // From here on an ordinary user of the machine runs the program. To be called by root.
  void become_ordinary() {
    as_ = fmt::format(
        "setpriv --reuid=65534 --regid=65534 --clear-groups env -u XDG_RUNTIME_DIR HOME={}",
        directory_.path());
    ASSERT_TRUE(posix::run_program({"chown", "-R", "65534:65534", directory_.path()}));
  }

  posix::TemporaryDirectory directory_;
  std::string program_;
  std::string as_;  // words before the program
  std::string root_ = "--host-root=rw";
};

}  // namespace windlass::pods
