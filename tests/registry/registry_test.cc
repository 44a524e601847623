// Pulls from Debian's docker-registry on the loopback device, through the real skopeo, and from
// servers that answer with nothing but an error.
#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "images/store/archive_testing.h"
#include "images/store/pull.h"
#include "posix/posix_clock.h"
#include "posix/process/find_program.h"
#include "posix/process/program.h"
#include "posix/testing.h"
#include "posix/worker_thread.h"

namespace windlass::images {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// bcrypt of "secret".
constexpr const char* kPasswords =
    "user:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n";

class RegistryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"skopeo", "docker-registry", "openssl", "perl"}) {
      if (!posix::find_program({program}, {})) {
        GTEST_SKIP() << "no " << program << " on PATH";
      }
    }
  }
  void TearDown() override {
    for (const pid_t server : servers_) {
      ::kill(server, SIGCONT);
      ::kill(server, SIGKILL);
    }
  }

  static void shell(const std::string& script) {
    ASSERT_TRUE(posix::run_program({"sh", "-ec", script})) << script;
  }

  // Starts a server that says `sign`PORT in its log.
  void serve(const std::string& command, const std::string& sign) {
    log_ = directory / "log";
    shell("rm -f " + log_ + "; : >" + log_ + "; " + command + " >" + log_ + " 2>&1 & echo $! >" +
          directory / "pid");
    servers_.push_back(static_cast<pid_t>(std::stol(directory.read("pid"))));
    shell("timeout 60 tail -n +1 -f " + log_ + " | grep -m1 -oE '" + sign +
          "[0-9]+' | grep -oE '[0-9]+$' >" + directory / "port");
    const std::string port = directory.read("port");
    registry = "127.0.0.1:" + port.substr(0, port.find('\n'));
  }
  void start_registry(const std::string& auth = "", const std::string& tls = "") {
    directory.write("config.yml",
                    "version: 0.1\nlog: {level: info}\nstorage:\n  filesystem: "
                    "{rootdirectory: " +
                        directory / "blobs" + "}\nhttp:\n  addr: 127.0.0.1:0\n" + tls + auth);
    serve("docker-registry serve " + directory / "config.yml", "listening on 127.0.0.1:");
  }
  // As an overloaded or broken registry answers.
  void start_refusal(const std::string& status) {
    directory.write("server.pl",
                    "use IO::Socket::INET; $| = 1;\n"
                    "my $s = IO::Socket::INET->new(Listen => 9, LocalAddr => '127.0.0.1') or die;\n"
                    "print 'port ' . $s->sockport . \"\\n\";\n"
                    "while (my $c = $s->accept) { while (<$c>) { last if /^\\r?$/ }\n"
                    "print $c \"HTTP/1.1 " +
                        status +
                        "\\r\\nRetry-After: 1\\r\\nContent-Length: 0\\r\\nConnection: "
                        "close\\r\\n\\r\\n\"; close $c }\n");
    serve("perl " + directory / "server.pl", "port ");
  }

  // Two layers, one of them compressed.
  void push(const std::string& tag, const std::string& content, const std::string& flags = "") {
    const std::string folder = directory / "pushed";
    shell("rm -rf " + folder + "; mkdir " + folder);
    const std::string base = TarText().file("base", std::string(200'000, 'b')).text();
    TarText files;
    files.file("version", content);
    if (!shell_program.empty()) {
      files.directory("bin").file("bin/sh", shell_program, 0755);
    }
    const std::string top = files.text();
    directory.write("pushed/base.tar", base);
    shell("gzip -n " + folder + "/base.tar");
    const std::string packed = directory.read("pushed/base.tar.gz");
    const std::string config =
        R"({"os":"linux","architecture":"amd64","config":{"Cmd":["run"]},"rootfs":{"type":"layers","diff_ids":[")" +
        sha256_digest(base) + "\",\"" + sha256_digest(top) + R"("]}})";
    const auto blob = [&](const std::string& type, const std::string& text) {
      directory.write("pushed/" + sha256_digest(text).substr(7), text);
      return R"({"mediaType":"application/vnd.oci.image.)" + type + R"(","digest":")" +
             sha256_digest(text) + R"(","size":)" + std::to_string(text.size()) + "}";
    };
    directory.write("pushed/version", "Directory Transport Version: 1.1\n");
    directory.write(
        "pushed/manifest.json",
        R"({"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":)" +
            blob("config.v1+json", config) + R"(,"layers":[)" + blob("layer.v1.tar+gzip", packed) +
            "," + blob("layer.v1.tar", top) + "]}");
    base_blob = sha256_digest(packed).substr(7);
    shell("skopeo copy --quiet --dest-tls-verify=false " + flags + " dir:" + folder + " docker://" +
          registry + "/demo:" + tag);
  }
  std::string stored_blob() const {
    return directory / ("blobs/docker/registry/v2/blobs/sha256/" + base_blob.substr(0, 2) + "/" +
                        base_blob + "/data");
  }

  // skopeo runs.
  void await_pull() const {
    shell("for i in $(seq 600); do ls " + directory / "images" +
          "/new-*/skopeo.err >/dev/null 2>&1 && exit 0; timeout 0.1 tail -f /dev/null || :; done; "
          "exit 1");
  }
  Result<PulledImage> pull(const std::string& tag, const std::string& auth_file = "") {
    return pull_image(store, {registry + "/demo:" + tag, auth_file, "amd64", false});
  }
  std::string error_of(const Result<PulledImage>& pulled) {
    EXPECT_THAT(store.catalog().list(), IsEmpty());
    return pulled ? "(pulled)" : pulled.error().message;
  }
  std::string version_in(const Result<PulledImage>& pulled) {
    EXPECT_TRUE(pulled) << pulled.error().message;
    posix::PosixFiles files;
    return pulled ? files.read(pulled->image.image.root + "/version", 100).value_or("(none)")
                  : "(none)";
  }
  // `windlass run` of a Job with three pods of this image, which print its version.
  std::string run_job(const std::string& tag, const std::string& flags,
                      const std::string& pod = "") {
    directory.write("job.yaml", R"({"apiVersion": "batch/v1", "kind": "Job",
      "metadata": {"name": "demo"}, "spec": {"completions": 3, "parallelism": 3, "template":
      {"spec": {"restartPolicy": "Never", )" +
                                    pod + R"("containers": [{"name": "c", "image": ")" + registry +
                                    "/demo:" + tag + R"(",
      "command": ["sh", "-c", "read line </version; echo version $line"]}]}}}})");
    static_cast<void>(
        posix::run_program({"sh", "-c",
                            "\"$WINDLASS_PROGRAM\" run \"$0/job.yaml\" --logs --no-record "
                            "--image-dir \"$0/images\" " +
                                flags + " >\"$0/output\" 2>&1",
                            directory.path()}));
    return directory.read("output");
  }
  size_t downloads() const {
    const std::string text = directory.read("log");
    size_t count = 0;
    const std::string sign = "\"GET /v2/demo/blobs/sha256:" + base_blob;
    for (size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + 1)) {
      ++count;
    }
    return count;
  }

  posix::TemporaryDirectory directory;
  ImageStore store{directory / "images", [](const std::string&) { return std::set<std::string>(); },
                   0};
  std::string registry;
  std::string base_blob;
  std::string shell_program;  // of images that are pushed from now on
  std::string log_;
  std::vector<pid_t> servers_;
};

TEST_F(RegistryTest, AnImageIsPulledOnce) {
  start_registry();
  push("1", "one");
  const auto pulled = pull("1");
  EXPECT_EQ(version_in(pulled), "one");
  EXPECT_TRUE(pulled->downloaded);
  EXPECT_THAT(pulled->image.status_id(), StartsWith(registry + "/demo@sha256:"));
  EXPECT_FALSE(pull("1")->downloaded);
  EXPECT_EQ(downloads(), 1u);
  push("1", "two");
  EXPECT_EQ(version_in(pull("1")), "two");
}

TEST_F(RegistryTest, TwoPullsOfOneImageAreOneDownload) {
  start_registry();
  push("1", "one");
  posix::PosixClock clock;
  std::array<bool, 2> done = {};
  {
    posix::WorkerThread first(clock, "first");
    posix::WorkerThread second(clock, "second");
    first.post([&] { done[0] = pull("1").has_value(); });
    second.post([&] { done[1] = pull("1").has_value(); });
  }
  EXPECT_TRUE(done[0] && done[1]);
  EXPECT_EQ(downloads(), 1u);
}

TEST_F(RegistryTest, ATagThatIsNotThereIsNamedAsTheCause) {
  start_registry();
  push("1", "one");
  EXPECT_THAT(error_of(pull("2")), StartsWith("the registry has no such tag or digest ("));
}

TEST_F(RegistryTest, CredentialsAreThoseOfTheFile) {
  const std::string key = directory / "key.pem";
  const std::string certificate = directory / "cert.pem";
  shell(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj "
      "/CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout " +
      key + " -out " + certificate + " 2>/dev/null");
  directory.write("htpasswd", kPasswords);
  start_registry("auth: {htpasswd: {realm: test, path: " + directory / "htpasswd" + "}}\n",
                 "  tls: {certificate: " + certificate + ", key: " + key + "}\n");
  push("1", "one", "--dest-creds user:secret");
  const auto auth_file = [&](const char* name, const char* encoded) {
    return directory.write(
        name, R"({"auths":{")" + registry + R"(":{"auth":")" + std::string(encoded) + R"("}}})");
  };
  EXPECT_THAT(error_of(pull("1", auth_file("none.json", ""))), HasSubstr("the registry wants"));
  EXPECT_THAT(error_of(pull("1", auth_file("bad.json", "dXNlcjp3cm9uZw=="))),
              HasSubstr("the registry wants"));
  EXPECT_EQ(version_in(pull("1", auth_file("good.json", "dXNlcjpzZWNyZXQ="))), "one");
}

TEST_F(RegistryTest, ALayerThatIsCutOrChangedLeavesNothing) {
  start_registry();
  push("1", "one");
  shell("cp " + stored_blob() + " " + directory / "whole");
  shell("truncate -s 100 " + stored_blob());
  EXPECT_NE(error_of(pull("1")), "(pulled)");
  shell("tr '\\000' '\\001' <" + directory / "whole" + " >" + stored_blob());
  EXPECT_NE(error_of(pull("1")), "(pulled)");
  EXPECT_THAT(store.catalog().image_ids(), IsEmpty());
  EXPECT_EQ(store.bytes(), 0u);
  shell("cp " + directory / "whole" + " " + stored_blob());
  EXPECT_EQ(version_in(pull("1")), "one");
}

TEST_F(RegistryTest, RefusalsOfARegistryAreNamed) {
  start_refusal("503 Service Unavailable");
  EXPECT_THAT(error_of(pull("1")), HasSubstr("the registry has a failure of its own"));
  start_refusal("429 Too Many Requests");
  EXPECT_THAT(error_of(pull("1")), HasSubstr("the registry answers too many requests"));
  registry = "127.0.0.1:1";
  EXPECT_THAT(error_of(pull("1")), HasSubstr("no registry answers at this address"));
}

TEST_F(RegistryTest, ANodePullsTheImageOfItsPodsOnce) {
  posix::PosixFiles files;
  shell_program = files.read("/bin/busybox", 8'000'000).value();
  start_registry();
  push("1", "one");
  const std::string output = run_job("1", "--timeout 2m");
  EXPECT_THAT(output, HasSubstr("version one"));
  EXPECT_THAT(output, HasSubstr("Pulling image"));
  EXPECT_THAT(output, HasSubstr("demo Complete"));
  EXPECT_EQ(downloads(), 1u);
  EXPECT_THAT(run_job("2", "--timeout 5s"),
              HasSubstr("waits: ErrImagePull: the registry has no such tag or digest ("));
}

// The registry stands still, so that the pull is in the middle when windlass ends.
TEST_F(RegistryTest, ARunThatEndsInTheMiddleOfAPullDoesNotWaitForIt) {
  start_registry();
  push("1", "one");
  ::kill(servers_.front(), SIGSTOP);
  EXPECT_THAT(run_job("1", "--timeout 3s"), HasSubstr("Pulling image"));
  EXPECT_THAT(store.catalog().list(), IsEmpty());
  posix::PosixFiles files;
  EXPECT_THAT(files.list(directory / "images").value(), Not(Contains(StartsWith("new-"))));
}

TEST_F(RegistryTest, AFullDiskInTheMiddleOfAPullLeavesNothing) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root for a small disk";
  }
  shell_program = std::string(3'000'000, 'p');
  start_registry();
  push("1", "one");
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string images = directory / "images";
    EXPECT_EQ(::unshare(CLONE_NEWNS), 0);
    EXPECT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    shell("mkdir -p " + images);
    EXPECT_EQ(::mount("none", images.c_str(), "tmpfs", 0, "size=1m"), 0);
    EXPECT_THAT(error_of(pull("1")), StartsWith("no space left on the disk of the images"));
    posix::PosixFiles files;
    EXPECT_THAT(files.list(images).value(), Not(Contains(StartsWith("new-"))));
    EXPECT_EQ(store.bytes(), 0u);
    EXPECT_EQ(::mount(nullptr, images.c_str(), nullptr, MS_REMOUNT, "size=100m"), 0);
    EXPECT_EQ(version_in(pull("1")), "one");
    ::_exit(HasFailure() ? 1 : 0);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(RegistryTest, ASlowRegistryIsWaitedFor) {
  start_registry();
  push("1", "one");
  ::kill(servers_.front(), SIGSTOP);
  posix::PosixClock clock;
  bool done = false;
  {
    posix::WorkerThread puller(clock, "puller");
    puller.post([&] { done = version_in(pull("1")) == "one"; });
    await_pull();
    ::kill(servers_.front(), SIGCONT);
  }
  EXPECT_TRUE(done);
}

// The registry stands still, so that the pull is in the middle when it is killed.
TEST_F(RegistryTest, AKilledPullLeavesNothingThatIsSeen) {
  start_registry();
  push("1", "one");
  ::kill(servers_.front(), SIGSTOP);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    static_cast<void>(pull("1"));
    ::_exit(0);
  }
  await_pull();
  ::kill(-child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::kill(servers_.front(), SIGCONT);
  EXPECT_THAT(store.catalog().list(), IsEmpty());
  EXPECT_EQ(version_in(pull("1")), "one");
  shell("touch -d '5 minutes ago' " + directory / "images" + "/new-*");
  ASSERT_TRUE(store.begin());
  posix::PosixFiles files;
  EXPECT_THAT(files.list(directory / "images").value(), Not(Contains(StartsWith("new-"))));
}

}  // namespace
}  // namespace windlass::images
