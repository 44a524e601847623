// The codec against simdjson's own parse and minify of the same pod: docs/reference/performance.md
// says what the figures mean. The last lines of the output are the ratios that matter.
#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>
#include <simdjson.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/yaml/yaml.h"
#include "schema/core/v1/pod.pb.h"

namespace {

using google::protobuf::Arena;
using windlass::api::core::v1::Pod;

const std::string& pod_json() {
  static const std::string text = [] {
    std::ifstream in(WINDLASS_SOURCE_DIR "/tests/golden/pod.json");
    std::stringstream content;
    content << in.rdbuf();
    return content.str();
  }();
  return text;
}

void must(bool ok) {
  if (!ok) {
    std::fputs("the pod of the benchmark cannot be decoded\n", stderr);
    std::abort();
  }
}

Pod decoded_pod() {
  Pod pod;
  must(windlass::api::decode_json(pod_json(), pod).has_value());
  return pod;
}

void simdjson_parse_and_minify(benchmark::State& state) {
  simdjson::dom::parser parser;
  for (auto _ : state) {
    simdjson::dom::element root = parser.parse(pod_json());
    std::string text = simdjson::minify(root);
    benchmark::DoNotOptimize(text);
  }
}
BENCHMARK(simdjson_parse_and_minify);

void json_decode(benchmark::State& state) {
  for (auto _ : state) {
    Arena arena;
    Pod& pod = *Arena::CreateMessage<Pod>(&arena);
    must(windlass::api::decode_json(pod_json(), pod).has_value());
  }
}
BENCHMARK(json_decode);

void json_encode(benchmark::State& state) {
  Pod pod = decoded_pod();
  for (auto _ : state) {
    std::string text = windlass::api::to_json(pod, {"v1", "Pod"});
    benchmark::DoNotOptimize(text);
  }
}
BENCHMARK(json_encode);

void json_decode_and_encode(benchmark::State& state) {
  for (auto _ : state) {
    Arena arena;
    Pod& pod = *Arena::CreateMessage<Pod>(&arena);
    must(windlass::api::decode_json(pod_json(), pod).has_value());
    std::string text = windlass::api::to_json(pod, {"v1", "Pod"});
    benchmark::DoNotOptimize(text);
  }
}
BENCHMARK(json_decode_and_encode);

// One block holds the pod, as in the server's own decoding.
google::protobuf::ArenaOptions one_block() {
  google::protobuf::ArenaOptions options;
  options.start_block_size = 16 << 10;
  return options;
}

// The library's part, without which nothing is decoded: what is above it is ours.
void protobuf_library_alone(benchmark::State& state) {
  std::string bytes = windlass::api::encode_protobuf(decoded_pod());
  for (auto _ : state) {
    Arena arena(one_block());
    Pod& pod = *Arena::CreateMessage<Pod>(&arena);
    must(pod.ParseFromString(bytes));
    std::string again = pod.SerializeAsString();
    benchmark::DoNotOptimize(again);
  }
}
BENCHMARK(protobuf_library_alone);

void protobuf_decode(benchmark::State& state) {
  std::string bytes = windlass::api::encode_protobuf(decoded_pod());
  for (auto _ : state) {
    Arena arena(one_block());
    Pod& pod = *Arena::CreateMessage<Pod>(&arena);
    must(windlass::api::decode_protobuf(bytes, pod).has_value());
  }
}
BENCHMARK(protobuf_decode);

void protobuf_encode(benchmark::State& state) {
  Pod pod = decoded_pod();
  for (auto _ : state) {
    std::string bytes = windlass::api::encode_protobuf(pod);
    benchmark::DoNotOptimize(bytes);
  }
}
BENCHMARK(protobuf_encode);

void protobuf_decode_and_encode(benchmark::State& state) {
  std::string bytes = windlass::api::encode_protobuf(decoded_pod());
  for (auto _ : state) {
    Arena arena(one_block());
    Pod& pod = *Arena::CreateMessage<Pod>(&arena);
    must(windlass::api::decode_protobuf(bytes, pod).has_value());
    std::string again = windlass::api::encode_protobuf(pod);
    benchmark::DoNotOptimize(again);
  }
}
BENCHMARK(protobuf_decode_and_encode);

// As the API server reads its own store: the bytes are known to be canonical.
void stored_decode_and_encode(benchmark::State& state) {
  std::string bytes = windlass::api::encode_protobuf(decoded_pod());
  for (auto _ : state) {
    windlass::api::ObjectPtr pod = windlass::api::decode_stored(bytes, Pod::default_instance());
    must(pod != nullptr);
    std::string again = windlass::api::encode_protobuf(*pod);
    benchmark::DoNotOptimize(again);
  }
}
BENCHMARK(stored_decode_and_encode);

void yaml_parse(benchmark::State& state) {
  std::string yaml = windlass::api::json_to_yaml(pod_json()).value();
  for (auto _ : state) {
    must(windlass::api::parse_yaml(yaml).has_value());
  }
}
BENCHMARK(yaml_parse);

void yaml_parse_of_json(benchmark::State& state) {
  for (auto _ : state) {
    must(windlass::api::parse_yaml(pod_json()).has_value());
  }
}
BENCHMARK(yaml_parse_of_json);

void yaml_write(benchmark::State& state) {
  for (auto _ : state) {
    must(windlass::api::json_to_yaml(pod_json()).has_value());
  }
}
BENCHMARK(yaml_write);

// Remembers CPU times, to print the ratios that have limits.
class RatioReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) {
        continue;
      }
      double nanos = run.GetAdjustedCPUTime();
      double& best = best_[run.run_name.function_name];
      best = best == 0 || nanos < best ? nanos : best;
    }
  }

  void Finalize() override {
    ConsoleReporter::Finalize();
    double simdjson = best_["simdjson_parse_and_minify"];
    if (simdjson > 0) {
      std::printf("\npod of %zu bytes\n", pod_json().size());
      std::printf("JSON decode + encode: %.2f times simdjson (limit 5)\n",
                  best_["json_decode_and_encode"] / simdjson);
      std::printf("protobuf decode + encode: %.2f us (limit 10), %.2f times the library alone\n",
                  best_["protobuf_decode_and_encode"] / 1000,
                  best_["protobuf_decode_and_encode"] / best_["protobuf_library_alone"]);
      std::printf("the same from the store: %.2f us\n", best_["stored_decode_and_encode"] / 1000);
    }
  }

 private:
  std::map<std::string, double> best_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
