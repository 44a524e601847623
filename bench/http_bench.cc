// What the transport costs: CPU of the server's threads (I/O and core) per request over a kept
// connection, plain and TLS, and per event delivered to many watchers. The client runs on the
// benchmark's own thread, so the server's share is the process' CPU time without that thread's.
#include <benchmark/benchmark.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <time.h>

#include <future>

#include "net/testing.h"
#include "net/tls/certificates.h"
#include "net/tls/openssl_handles.h"

namespace windlass::net {
namespace {

using namespace net::testing;

constexpr size_t kAnswerBytes = 3800;  // a pod as JSON
constexpr const char* kGet =
    "GET /api/v1/namespaces/default/pods/p HTTP/1.1\r\nHost: x\r\n"
    "User-Agent: bench\r\nAccept: application/json\r\n"
    "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n\r\n";

double seconds_of(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The server's CPU time since it was made.
class ServerCpu {
 public:
  double micros() const { return (now() - start_) * 1e6; }

 private:
  static double now() {
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - seconds_of(CLOCK_THREAD_CPUTIME_ID);
  }
  double start_ = now();
};

LambdaHandler answers_on_core() {
  LambdaHandler lambdas;
  lambdas.on_core = [](const http::Request&, const ExchangePtr& exchange) {
    exchange->respond(
        {200, {{"Content-Type", "application/json"}}, std::string(kAnswerBytes, 'x')});
  };
  return lambdas;
}

void report(benchmark::State& state, const ServerCpu& cpu) {
  state.counters["server_cpu_us"] = cpu.micros() / static_cast<double>(state.iterations());
}

void get_plain(benchmark::State& state) {
  TestServer server({}, answers_on_core());
  Client client(*server.server);
  const ServerCpu cpu;
  for (auto _ : state) {
    client.send(kGet);
    benchmark::DoNotOptimize(client.receive());
  }
  report(state, cpu);
}
BENCHMARK(get_plain)->UseRealTime();

// As many clients of a busy server do it: the next request is there when the answer goes out.
void get_pipelined(benchmark::State& state) {
  TestServer server({}, answers_on_core());
  Client client(*server.server);
  constexpr int kAhead = 16;
  for (int i = 0; i < kAhead; ++i) {
    client.send(kGet);
  }
  const ServerCpu cpu;
  for (auto _ : state) {
    client.send(kGet);
    benchmark::DoNotOptimize(client.receive());
  }
  report(state, cpu);
}
BENCHMARK(get_pipelined)->UseRealTime();

void get_tls(benchmark::State& state) {
  const Time now = posix::PosixClock().now();
  const CertifiedKey authority = *make_authority("bench", now);
  const CertifiedKey own = *issue_server(authority, {"127.0.0.1"}, now);
  ServerOptions options;
  options.tls = *TlsContext::make({own.certificate_pem, own.key_pem, authority.certificate_pem});
  TestServer server(options, answers_on_core());
  Client client(*server.server);
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL* connection = SSL_new(context);
  SSL_set_fd(connection, client.fd());
  if (SSL_connect(connection) != 1) {
    state.SkipWithError("handshake");
  }
  const std::string request = kGet;
  std::string buffer(65536, '\0');
  const ServerCpu cpu;
  for (auto _ : state) {
    SSL_write(connection, request.data(), static_cast<int>(request.size()));
    size_t got = 0;
    while (got < kAnswerBytes) {
      const int more = SSL_read(connection, buffer.data(), static_cast<int>(buffer.size()));
      if (more <= 0) {
        state.SkipWithError("read");
        break;
      }
      got += static_cast<size_t>(more);
    }
  }
  report(state, cpu);
  SSL_free(connection);
  SSL_CTX_free(context);
}
BENCHMARK(get_tls)->UseRealTime();

// One event to all watchers. `core_us` is what it costs the thread that writes.
void watch_fan_out(benchmark::State& state) {
  const auto watchers = static_cast<size_t>(state.range(0));
  std::vector<ExchangePtr> exchanges;
  LambdaHandler lambdas;
  lambdas.on_core = [&](const http::Request&, const ExchangePtr& exchange) {
    exchange->start(200, {});
    exchanges.push_back(exchange);
  };
  TestServer server({}, lambdas);
  std::vector<std::unique_ptr<Client>> clients;
  for (size_t i = 0; i < watchers; ++i) {
    clients.push_back(std::make_unique<Client>(*server.server));
    clients.back()->request("GET /api/v1/pods?watch=1");
    clients.back()->receive(false);
  }
  const auto event = std::make_shared<const std::string>(kAnswerBytes, 'x');
  double core_seconds = 0;
  const ServerCpu cpu;
  for (auto _ : state) {
    server.on_core([&] {
      const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
      for (const auto& exchange : exchanges) {
        exchange->write(event);
      }
      core_seconds += seconds_of(CLOCK_THREAD_CPUTIME_ID) - before;
    });
    for (const auto& client : clients) {
      client->receive_exactly(kAnswerBytes + 7);  // with its framing
    }
  }
  const auto deliveries = static_cast<double>(state.iterations()) * static_cast<double>(watchers);
  state.counters["server_cpu_us_per_delivery"] = cpu.micros() / deliveries;
  state.counters["core_us"] = core_seconds * 1e6 / static_cast<double>(state.iterations());
  server.on_core([&] { exchanges.clear(); });
}
BENCHMARK(watch_fan_out)->Arg(1)->Arg(1000)->UseRealTime();

}  // namespace
}  // namespace windlass::net

BENCHMARK_MAIN();
