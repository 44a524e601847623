// What is kept from changes equals what a fresh look at everything gives, after every change.
#include <gtest/gtest.h>

#include "base/generator.h"
#include "scheduler/cluster/match_counts.h"
#include "scheduler/cluster/model_testing.h"
#include "scheduler/local_results.h"

namespace windlass::scheduler {
namespace {

using testing::cpu_shape;
using testing::make_node;
using testing::make_pod;
using testing::on_node;

class RandomCluster {
 public:
  explicit RandomCluster(uint64_t seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) {
      PodShape shape = cpu_shape(random_.between(0, 900), static_cast<int32_t>(i));
      shape.scored_milli_cpu = shape.requests.milli_cpu;
      if (i != 1) {
        (i == 0 ? shape.required_anti_affinity : shape.preferred_affinity).emplace_back();
      }
      if (i == 1) {
        shape.node_selector = {{"disk", "ssd"}};
      } else if (i == 2) {
        shape.host_ports = {{"TCP", "0.0.0.0", 80}};
      }
      shapes.push_back(shape);
    }
  }

  void change() {
    const std::string node = "n" + std::to_string(random_.uniform(4));
    const std::string uid = "u" + std::to_string(random_.uniform(12));
    const PodPtr pod = make_pod(uid, shapes[random_.uniform(shapes.size())],
                                {{"app", random_.chance(0.5) ? "web" : "db"}});
    switch (random_.uniform(6)) {
      case 0: {
        NodeInfo info = make_node(node, random_.between(500, 3000), random_.between(1, 5));
        info.labels["disk"] = random_.chance(0.5) ? "ssd" : "hdd";
        info.unschedulable = random_.chance(0.1);
        cluster.set_node(info);
        break;
      }
      case 1:
        cluster.remove_node(node);
        break;
      case 2:
        cluster.assume(pod, node);
        break;
      case 3:
        cluster.set_pod(on_node(pod, node));
        break;
      case 4:
        cluster.forget(uid);
        break;
      default:
        cluster.remove_pod(uid);
    }
  }

  std::vector<PodShape> shapes;
  Cluster cluster;

 private:
  Generator random_;
};

// By id of the shape, then by slot.
using ShapeCounts = std::map<uint64_t, std::map<size_t, int64_t>>;

// On nodes that are there.
ShapeCounts counts_of(const Cluster& cluster, const Cluster::PlacedShapes& shapes) {
  ShapeCounts out;
  for (const auto& [id, placed] : shapes) {
    EXPECT_FALSE(placed.counts.empty());
    for (const auto& [slot, count] : placed.counts) {
      if (cluster.at(slot) != nullptr) {
        out[id][slot] = count;
      }
    }
  }
  return out;
}

void expect_same(RandomCluster& world, LocalResults& local, MatchCounts& counts) {
  const Cluster& cluster = world.cluster;
  const auto is_web = [](const PodInfo& pod) { return pod.labels.at("app") == "web"; };
  const std::vector<int64_t> webs = counts.count("web", is_web);
  size_t nodes = 0;
  ShapeCounts with_terms;
  ShapeCounts repelling;
  for (size_t slot = 0; slot < cluster.slot_count(); ++slot) {
    const NodeState* node = cluster.at(slot);
    if (node == nullptr) {
      continue;
    }
    ++nodes;
    NodeUsage recount;
    int64_t web = 0;
    for (const auto& [uid, pod] : node->pods) {
      recount.add(*pod->shape);
      web += is_web(*pod) ? 1 : 0;
      if (pod->shape->has_pod_terms()) {
        ++with_terms[pod->shape->id][slot];
      }
      if (!pod->shape->required_anti_affinity.empty()) {
        ++repelling[pod->shape->id][slot];
      }
    }
    EXPECT_EQ(node->usage, recount);
    EXPECT_EQ(webs[slot], web);
    for (const PodShape& shape : world.shapes) {
      const LocalResult result = local.of(shape)[slot];
      EXPECT_EQ(result.fit, fit_locally(shape, node->info, recount));
      if (result.fit.fits()) {
        EXPECT_EQ(result.score.room, score_locally(shape, node->info, recount).room);
      }
    }
  }
  EXPECT_EQ(cluster.node_count(), nodes);
  EXPECT_EQ(counts_of(cluster, cluster.shapes_with_terms()), with_terms);
  EXPECT_EQ(counts_of(cluster, cluster.repelling_shapes()), repelling);
}

TEST(ClusterProperty, RememberedResultsEqualFreshOnes) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    RandomCluster world(seed);
    LocalResults local(world.cluster);
    MatchCounts counts(world.cluster);
    for (int step = 0; step < 200; ++step) {
      world.change();
      expect_same(world, local, counts);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << " step " << step;
    }
  }
}

}  // namespace
}  // namespace windlass::scheduler
