// The harm that attackers on this machine do to an honest client of a `windlass up`, which this
// starts and ends. Loopback only. For each attack, the honest client's GETs of one object on a kept
// connection, without and with the attack:
//
//   headers  40 connections without credentials whose few bytes mean large heads (HPACK indexes);
//            one that is closed comes again
//   idle     4,096 connections that say nothing; also the time until a new client is served
//   events   one node's credential writes events as fast as it can; also how many are taken
//   lists    40 slow readers of all ConfigMaps as pretty JSON and as YAML, as admin; also the
//            memory that the server takes for them
//
//   attack_bench [SECONDS [CONFIG_MAPS]]     of each attack (10), and in the store (100,000)
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "api/codec/base64.h"
#include "base/check.h"
#include "net/testing.h"
#include "net/tls/tls_testing.h"
#include "plane/kubeconfig_text.h"
#include "posix/testing.h"
#include "tests/crash/api_connection.h"
#include "tests/crash/up_process.h"

namespace windlass::attack_bench {
namespace {

using Clock = std::chrono::steady_clock;
using crash::ApiConnection;

constexpr int kAttackers = 40;
constexpr int kIdle = 4'096;
constexpr int kWriters = 4;
constexpr const char* kObject = "/api/v1/namespaces/default";
constexpr std::chrono::milliseconds kPause{5};  // of the honest client, between its requests
constexpr size_t kSlowBytes = 100'000;          // a slow reader takes so many in a second

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::string read_all(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string decoded(const std::string& kubeconfig, const std::string& field) {
  const size_t begin = kubeconfig.find(field + ": ") + field.size() + 2;
  std::string text;
  CHECK(!api::decode_base64(kubeconfig.substr(begin, kubeconfig.find('\n', begin) - begin), text),
        "a kubeconfig that windlass wrote");
  return text;
}

struct Victim {
  std::string program;
  std::string data_dir;
  std::string kubeconfig;
  net::Endpoint endpoint;
  std::string authority;
  pid_t pid = -1;
};

size_t peak_memory_mib(const Victim& victim) {
  std::ifstream status(fmt::format("/proc/{}/status", victim.pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::strtoull(line.c_str() + 6, nullptr, 10) / 1024;
    }
  }
  return 0;
}

void forget_peak(const Victim& victim) {
  std::ofstream(fmt::format("/proc/{}/clear_refs", victim.pid)) << "5";
}

// How long the honest client's GETs take, for so long.
std::vector<double> measure(const Victim& victim, std::chrono::seconds lasts) {
  ApiConnection connection(victim.kubeconfig);
  std::vector<double> took;
  for (const auto begin = Clock::now(); Clock::now() - begin < lasts;) {
    const auto sent = Clock::now();
    const crash::Answer answer = connection.request("GET", kObject);
    CHECK(answer.status == 200, "an honest client is served");
    took.push_back(ms_since(sent));
    std::this_thread::sleep_for(kPause);
  }
  std::sort(took.begin(), took.end());
  return took;
}

void report(const char* attack, const std::vector<double>& took, const std::string& more = "") {
  fmt::print("{:<18}GET median {:8.2f} ms   99 % {:8.2f} ms   worst {:8.2f} ms   of {:6}{}\n",
             attack, took[took.size() / 2], took[took.size() * 99 / 100], took.back(), took.size(),
             more);
  std::fflush(stdout);
}

// So many threads that attack until it is destroyed.
class Crowd {
 public:
  Crowd(int threads, const std::function<void(int, const std::atomic<bool>&)>& run) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, run, i] { run(i, over_); });
    }
  }
  ~Crowd() {
    over_ = true;
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

std::string http2_frame(uint8_t type, uint8_t flags, uint32_t stream, const std::string& payload) {
  std::string bytes;
  for (const size_t number : {payload.size() >> 16, payload.size() >> 8, payload.size()}) {
    bytes.push_back(static_cast<char>(number & 0xFF));
  }
  bytes += {static_cast<char>(type), static_cast<char>(flags)};
  for (const int shift : {24, 16, 8, 0}) {
    bytes.push_back(static_cast<char>(stream >> shift));
  }
  return bytes + payload;
}

// One field of nearly 4 KB goes into the table of the connection; each further head means 30 of it.
std::string header_bomb() {
  constexpr size_t kField = 3'900;
  const std::string get("\x82\x84\x87\x01\x01x", 6);
  std::string length;
  for (size_t rest = kField - 127; rest > 0; rest >>= 7) {
    length.push_back(static_cast<char>((rest & 0x7F) | (rest > 0x7F ? 0x80 : 0)));
  }
  std::string bytes =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + http2_frame(4, 0, 0, "") +
      http2_frame(1, 5, 1, get + "\x40\x01v\x7f" + length + std::string(kField, 'v'));
  for (uint32_t stream = 3; stream < 2 * 2'000; stream += 2) {
    bytes += http2_frame(1, 5, stream, get + std::string(30, '\xBE'));
  }
  return bytes;
}

void attack_with_headers(const Victim& victim, std::chrono::seconds lasts) {
  const std::string bomb = header_bomb();
  std::atomic<size_t> connections{0};
  const Crowd crowd(kAttackers, [&](int, const std::atomic<bool>& over) {
    while (!over) {
      net::testing::TlsClient client(victim.endpoint, victim.authority,
                                     {{}, TLS1_3_VERSION, "\x02h2"});
      if (!client.connected()) {
        continue;
      }
      ++connections;
      client.send(bomb);
      while (!over && !client.receive(1).empty()) {
      }
    }
  });
  const auto took = measure(victim, lasts);
  report("headers", took, fmt::format("   {} connections were closed", connections.load()));
}

void make_config_maps(const Victim& victim, int count) {
  std::atomic<int> next{0};
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&] {
      ApiConnection connection(victim.kubeconfig);
      for (int n = next++; n < count; n = next++) {
        const auto answer = connection.request(
            "POST", "/api/v1/namespaces/default/configmaps", "application/json",
            fmt::format(R"({{"metadata":{{"name":"m-{}"}},"data":{{"a":"{}"}}}})", n,
                        std::string(200, 'x')));
        CHECK(answer.status == 201, "a ConfigMap is made");
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
}

void attack_with_lists(const Victim& victim, std::chrono::seconds lasts) {
  const std::string token = *plane::token_of_kubeconfig(victim.kubeconfig);
  forget_peak(victim);
  const size_t before = peak_memory_mib(victim);
  std::atomic<size_t> refused{0};
  const Crowd crowd(kAttackers, [&](int i, const std::atomic<bool>& over) {
    net::testing::TlsClient client(victim.endpoint, victim.authority);
    client.send(
        fmt::format("GET /api/v1/configmaps{} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n"
                    "Accept: {}\r\n\r\n",
                    i % 2 == 0 ? "?pretty=true" : "", token,
                    i % 2 == 0 ? "application/json" : "application/yaml"));
    const std::string head = client.receive(12);
    refused += head.find(" 200") == std::string::npos ? 1 : 0;
    for (size_t taken = 0; !over;) {
      const std::string more = client.receive(1);
      if (more.empty()) {
        return;
      }
      taken += more.size();
      for (; taken > kSlowBytes / 10 && !over; taken -= std::min(taken, kSlowBytes / 10)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
  });
  const auto took = measure(victim, lasts);
  report("lists", took,
         fmt::format("   memory {} MiB before, {} MiB at most, {} lists refused", before,
                     peak_memory_mib(victim), refused.load()));
}

void attack_with_idle(const Victim& victim, std::chrono::seconds lasts) {
  std::vector<std::unique_ptr<net::testing::Client>> idle;
  for (int i = 0; i < kIdle; ++i) {
    idle.push_back(std::make_unique<net::testing::Client>(victim.endpoint));
  }
  std::vector<double> fresh;
  for (int i = 0; i < 20; ++i) {
    const auto begin = Clock::now();
    ApiConnection connection(victim.kubeconfig);
    CHECK(connection.request("GET", kObject).status == 200, "a new client is served");
    fresh.push_back(ms_since(begin));
  }
  std::sort(fresh.begin(), fresh.end());
  report(
      "idle", measure(victim, lasts),
      fmt::format("   a new client: median {:.1f} ms, worst {:.1f} ms", fresh[10], fresh.back()));
}

// A client certificate of one node, as `windlass kubeconfig --role node` prints it.
net::CertifiedKey node_certificate(const Victim& victim) {
  const std::string command = fmt::format("{} kubeconfig --data-dir {} --role node --user attacker",
                                          victim.program, victim.data_dir);
  std::string text;
  FILE* output = ::popen(command.c_str(), "r");
  CHECK(output != nullptr, "windlass kubeconfig starts");
  std::array<char, 4096> buffer;
  for (size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), output)) > 0;) {
    text.append(buffer.data(), got);
  }
  CHECK(::pclose(output) == 0, "windlass kubeconfig ends well");
  return {decoded(text, "client-certificate-data"), decoded(text, "client-key-data")};
}

void attack_with_events(const Victim& victim, std::chrono::seconds lasts) {
  const net::CertifiedKey certificate = node_certificate(victim);
  std::atomic<size_t> taken{0};
  std::atomic<size_t> refused{0};
  const Crowd crowd(kWriters, [&](int i, const std::atomic<bool>& over) {
    net::testing::TlsClient client(victim.endpoint, victim.authority,
                                   {certificate, TLS1_3_VERSION, ""});
    for (int n = 0; !over; ++n) {
      const std::string body = fmt::format(
          R"({{"metadata":{{"name":"e-{}-{}"}},"involvedObject":{{"namespace":"default"}},"reason":"A"}})",
          i, n);
      client.send(
          fmt::format("POST /api/v1/namespaces/default/events HTTP/1.1\r\nHost: x\r\n"
                      "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                      body.size(), body));
      std::string answer = client.receive(12);
      ++(answer.find(" 201") != std::string::npos ? taken : refused);
      while (answer.find("\r\n\r\n") == std::string::npos) {
        answer += client.receive(1);
      }
      const size_t head = answer.find("\r\n\r\n") + 4;
      const size_t length = answer.find("Content-Length: ");
      if (length == std::string::npos) {
        return;
      }
      const size_t size = std::strtoull(answer.c_str() + length + 16, nullptr, 10);
      if (answer.size() < head + size) {
        client.receive(head + size - answer.size());
      }
    }
  });
  const auto took = measure(victim, lasts);
  report("events", took,
         fmt::format("   {} events were taken, {} refused", taken.load(), refused.load()));
}

void run(const Victim& victim, std::chrono::seconds lasts, int config_maps) {
  report("nothing", measure(victim, lasts));
  attack_with_headers(victim, lasts);
  attack_with_idle(victim, lasts);
  attack_with_events(victim, lasts);
  make_config_maps(victim, config_maps);
  report("nothing, again", measure(victim, lasts));
  attack_with_lists(victim, lasts);
}

int measure_all(int count, char** arguments) {
  const rlimit files = {16'384, 16'384};
  CHECK(::setrlimit(RLIMIT_NOFILE, &files) == 0, "enough file descriptors");
  const posix::TemporaryDirectory folder;
  Victim victim{WINDLASS_PROGRAM, folder / "data", "", {}, "", -1};
  crash::UpProcess process(victim.program, victim.data_dir, folder / "log");
  CHECK(process.wait_until_ready(minutes(1)), "windlass up starts");
  victim.pid = process.pid();
  victim.kubeconfig = read_all(victim.data_dir + "/kubeconfig");
  victim.endpoint = *net::parse_endpoint(plane::server_of_kubeconfig(victim.kubeconfig)->substr(8));
  victim.authority = decoded(victim.kubeconfig, "certificate-authority-data");
  run(victim, std::chrono::seconds(count > 1 ? std::atoi(arguments[1]) : 10),
      count > 2 ? std::atoi(arguments[2]) : 100'000);
  return 0;
}

}  // namespace
}  // namespace windlass::attack_bench

int main(int count, char** arguments) {
  return windlass::attack_bench::measure_all(count, arguments);
}
