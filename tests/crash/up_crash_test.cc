// Kills `windlass up` itself under load over HTTP, again and again: safety.md S1-S4, S6 with
// the whole program. Clients live on and remember what they were told.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "api_connection.h"
#include "base/generator.h"
#include "ledger.h"
#include "posix/testing.h"
#include "up_process.h"

namespace windlass::crash {
namespace {

// Within what every run of the tests can spare; a slow machine has fewer lives, but not none.
constexpr int kLives = 100;
constexpr auto kBudget = seconds(25);
constexpr int kMinLives = 8;
constexpr auto kPatience = seconds(60);
constexpr size_t kWriters = 6;  // the last one writes Jobs, so that the controllers write, too
constexpr size_t kObjectsPerWriter = 4;

constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kJobs = "/apis/batch/v1/namespaces/default/jobs";
constexpr const char* kJson = "application/json";
constexpr const char* kMergePatch = "application/merge-patch+json";
constexpr const char* kMarker = "marker";

using simdjson::dom::element;

std::string text_at(const element& object, const char* pointer) {
  std::string_view text;
  return object.at_pointer(pointer).get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

uint64_t number_at(const element& object, const char* pointer) {
  return std::strtoull(text_at(object, pointer).c_str(), nullptr, 10);
}

// Both kinds keep number and content in the same annotations.
Found found_in(const element& object) {
  return {number_at(object, "/metadata/resourceVersion"),
          number_at(object, "/metadata/annotations/number"),
          text_at(object, "/metadata/annotations/content")};
}

std::string metadata_of(const std::string& name, uint64_t number) {
  return fmt::format(
      R"({{"name":"{}","labels":{{"crash":"yes"}},"annotations":{{"number":"{}","content":"{}"}}}})",
      name, number, content_of(name, number));
}

std::string body_of(bool is_job, const std::string& name, uint64_t number) {
  const char* spec =
      R"(,"spec":{"parallelism":2,"completions":2,"template":{"spec":{"restartPolicy":"Never",)"
      R"("containers":[{"name":"c","image":"i"}]}}})";
  return fmt::format(R"({{"metadata":{}{}}})", metadata_of(name, number), is_job ? spec : "");
}

using Listed = std::map<std::string, Found>;

// One writer: its objects, and a kept connection in each life.
class Writer {
 public:
  Writer(size_t id, bool is_job) : is_job_(is_job), random_(id) {
    for (size_t i = 0; i < kObjectsPerWriter; ++i) {
      entries_.emplace_back(fmt::format("w{}-{}", id, i), !is_job);
    }
  }

  void settle(const Listed& listed) {
    for (Entry& entry : entries_) {
      const auto found = listed.find(entry.name());
      std::string wrong =
          entry.settle(found == listed.end() ? std::nullopt : std::optional<Found>(found->second));
      if (!wrong.empty()) {
        faults.push_back(std::move(wrong));
      }
    }
  }

  void connect(const std::string& kubeconfig) {
    connection_ = std::make_unique<ApiConnection>(kubeconfig);
  }

  // Until the connection breaks.
  void run() {
    while (write(entries_[random_.uniform(entries_.size())])) {
    }
    connection_.reset();
  }

  std::vector<std::string> faults;
  std::vector<uint64_t> revisions;  // of acknowledged writes

 private:
  bool write(Entry& entry) {
    const std::string collection = is_job_ ? kJobs : kConfigMaps;
    const std::string target = collection + '/' + entry.name();
    if (entry.present() && random_.chance(0.2)) {
      entry.begin_delete();
      return answered(entry, connection_->request("DELETE", target, kJson,
                                                  R"({"propagationPolicy":"Background"})"));
    }
    const bool present = entry.present();
    const std::string body = body_of(is_job_, entry.name(), entry.begin_write());
    if (!present) {
      return answered(entry, connection_->request("POST", collection, kJson, body));
    }
    // A PUT names no version here: this is the only writer.
    return answered(entry, is_job_ || random_.chance(0.5)
                               ? connection_->request("PATCH", target, kMergePatch, body)
                               : connection_->request("PUT", target, kJson, body));
  }

  bool answered(Entry& entry, const Answer& answer) {
    if (answer.status == 0) {
      return false;
    }
    if (answer.status == 429) {
      entry.refuse();
      return true;
    }
    if (answer.status != 200 && answer.status != 201) {
      faults.push_back(fmt::format("{}: {}", entry.name(), answer.body));
      return false;
    }
    element object;
    const uint64_t revision = parser_.parse(answer.body).get(object) == simdjson::SUCCESS
                                  ? number_at(object, "/metadata/resourceVersion")
                                  : 0;
    entry.acknowledge(revision);
    revisions.push_back(revision);
    return true;
  }

  bool is_job_;
  Generator random_;
  std::vector<Entry> entries_;
  std::unique_ptr<ApiConnection> connection_;
  simdjson::dom::parser parser_;
};

// A client that watches, and goes on from where it was when the server comes back.
class Watcher {
 public:
  // Resumes; a view that is too old is told so and lists anew.
  void connect(const std::string& kubeconfig) {
    connection_ = std::make_unique<ApiConnection>(kubeconfig);
    if (revision_ != 0 && open()) {
      return;
    }
    ++listed_;
    ApiConnection lister(kubeconfig);
    view_.clear();
    revision_ = list(lister, kConfigMaps, view_);
    connection_ = std::make_unique<ApiConnection>(kubeconfig);
    if (!open()) {
      faults.push_back("a watch from a fresh list is refused");
    }
  }

  // Reads on until the marker has this number, or the connection breaks.
  bool read_until_marker(uint64_t number) {
    while (true) {
      const auto marker = view_.find(kMarker);
      if (marker != view_.end() && marker->second.number == number) {
        return true;
      }
      if (!read_one()) {
        return false;
      }
    }
  }
  void run() {
    while (read_one()) {
    }
    connection_.reset();
  }

  // The revision of the list.
  static uint64_t list(ApiConnection& connection, const std::string& collection, Listed& into) {
    const Answer answer = connection.request("GET", collection + "?labelSelector=crash");
    simdjson::dom::parser parser;
    element document;
    simdjson::dom::array items;
    if (answer.status != 200 || parser.parse(answer.body).get(document) != simdjson::SUCCESS ||
        document["items"].get(items) != simdjson::SUCCESS) {
      return 0;
    }
    for (const element item : items) {
      into[text_at(item, "/metadata/name")] = found_in(item);
    }
    return number_at(document, "/metadata/resourceVersion");
  }

  const Listed& view() const { return view_; }
  int listed() const { return listed_; }
  std::vector<std::string> faults;

 private:
  bool open() {
    const int status = connection_->open_stream(
        fmt::format("{}?watch=1&labelSelector=crash&resourceVersion={}", kConfigMaps, revision_));
    if (status != 200 && status != 410) {
      faults.push_back(fmt::format("a watch from revision {} is answered {}", revision_, status));
    }
    return status == 200;
  }

  bool read_one() {
    const auto line = connection_->next_line();
    element event;
    element object;
    if (!line || parser_.parse(*line).get(event) != simdjson::SUCCESS ||
        event["object"].get(object) != simdjson::SUCCESS) {
      return false;
    }
    const std::string type = text_at(event, "/type");
    const Found found = found_in(object);
    if (type == "ERROR" || found.revision <= revision_) {
      faults.push_back("an event out of order: " + line->substr(0, 300));
      return false;
    }
    revision_ = found.revision;
    if (type == "DELETED") {
      view_.erase(text_at(object, "/metadata/name"));
    } else {
      view_[text_at(object, "/metadata/name")] = found;
    }
    return true;
  }

  std::unique_ptr<ApiConnection> connection_;
  simdjson::dom::parser parser_;
  uint64_t revision_ = 0;
  int listed_ = 0;
  Listed view_;
};

class UpCrash : public ::testing::Test {
 protected:
  UpCrash() {
    for (size_t id = 0; id < kWriters; ++id) {
      writers_.push_back(std::make_unique<Writer>(id, id + 1 == kWriters));
    }
  }

  // One life; what the one before has left is checked at its start.
  void live(const std::string& program) {
    UpProcess process(program, folder_ / "data", folder_ / "log");
    if (random_.chance(0.1)) {
      wait_for(microseconds(random_.uniform(150'000)));  // killed while it starts, or soon after
      EXPECT_TRUE(process.kill()) << "it ended by itself";
      return;
    }
    if (!process.wait_until_ready(kPatience)) {
      ADD_FAILURE() << "it did not get ready";
      return;
    }
    const std::string kubeconfig = folder_.read("data/kubeconfig");
    check_and_mark(kubeconfig);
    std::vector<std::thread> threads;
    for (const auto& writer : writers_) {
      writer->connect(kubeconfig);
    }
    for (const auto& writer : writers_) {
      threads.emplace_back([&writer] { writer->run(); });
    }
    threads.emplace_back([this] { watcher_.run(); });
    wait_for(microseconds(random_.uniform(300'000)));
    EXPECT_TRUE(process.kill()) << "it ended by itself";
    for (std::thread& thread : threads) {
      thread.join();
    }
    collect();
    ++lives_;
  }

  void check_and_mark(const std::string& kubeconfig) {
    ApiConnection connection(kubeconfig);
    Listed listed;
    const uint64_t revision = Watcher::list(connection, kConfigMaps, listed);
    if (!used_.empty() && revision < *used_.rbegin()) {
      faults_.push_back(fmt::format("the newest revision is {}, but {} was acknowledged", revision,
                                    *used_.rbegin()));
    }
    Listed all = listed;
    Watcher::list(connection, kJobs, all);
    for (const auto& writer : writers_) {
      writer->settle(all);
    }
    start_ = revision;

    watcher_.connect(kubeconfig);
    ++marks_;
    const std::string body = body_of(false, kMarker, marks_);
    const Answer marked =
        listed.contains(kMarker)
            ? connection.request("PUT", std::string(kConfigMaps) + "/marker", kJson, body)
            : connection.request("POST", kConfigMaps, kJson, body);
    EXPECT_TRUE(marked.status == 200 || marked.status == 201) << marked.body;
    EXPECT_TRUE(watcher_.read_until_marker(marks_)) << "the resumed watch ended";
    listed.clear();
    Watcher::list(connection, kConfigMaps, listed);
    compare_views(listed);
  }

  // S4: what a watcher was told before and after the crash is together what is there.
  void compare_views(const Listed& listed) {
    for (const auto& [name, found] : listed) {
      const auto seen = watcher_.view().find(name);
      if (seen == watcher_.view().end() || seen->second.revision != found.revision ||
          seen->second.content != found.content) {
        faults_.push_back(fmt::format("a watcher has another {} than the server", name));
      }
    }
    if (watcher_.view().size() != listed.size()) {
      faults_.push_back(fmt::format("a watcher has {} objects, the server {}",
                                    watcher_.view().size(), listed.size()));
    }
  }

  void collect() {
    for (const auto& writer : writers_) {
      faults_.insert(faults_.end(), writer->faults.begin(), writer->faults.end());
      for (const uint64_t revision : writer->revisions) {
        ++acknowledged_;
        if (revision != 0 && (revision <= start_ || !used_.insert(revision).second)) {
          faults_.push_back(fmt::format("revision {} is not new", revision));
        }
      }
      writer->revisions.clear();
      writer->faults.clear();
    }
    faults_.insert(faults_.end(), watcher_.faults.begin(), watcher_.faults.end());
    watcher_.faults.clear();
  }

  static void wait_for(Duration duration) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(duration));
  }

  const posix::TemporaryDirectory folder_;
  Generator random_{20'261'116};
  std::vector<std::unique_ptr<Writer>> writers_;
  Watcher watcher_;
  std::set<uint64_t> used_;  // every acknowledged revision
  uint64_t start_ = 0;       // the newest revision at the start of this life
  uint64_t marks_ = 0;
  uint64_t acknowledged_ = 0;
  int lives_ = 0;  // those that came as far as writing
  std::vector<std::string> faults_;
};

TEST_F(UpCrash, S1_S2_S3_S4_S6_WhatWasAcknowledgedOverHttpSurvivesEveryKill) {
  const char* program = std::getenv("WINDLASS_CRASH_PROGRAM");
  ASSERT_NE(program, nullptr) << "names windlass; see tests/crash/README.md";
  const char* wanted = std::getenv("WINDLASS_CRASH_LIVES");
  const int lives = wanted == nullptr ? kLives : std::atoi(wanted);
  const auto begin = std::chrono::steady_clock::now();
  int done = 0;
  while (done < lives && faults_.empty() && !HasFailure()) {
    if (wanted == nullptr && done >= kMinLives &&
        std::chrono::steady_clock::now() - begin > kBudget) {
      break;
    }
    live(program);
    ++done;
  }
  for (const std::string& fault : faults_) {
    ADD_FAILURE() << "life " << done << ": " << fault;
  }
  if (HasFailure()) {
    fmt::print("what the server logged:\n{}\n", folder_.read("log"));
  }
  EXPECT_GT(lives_, done / 2) << "most lives come as far as writing";
  EXPECT_GT(acknowledged_, static_cast<uint64_t>(lives_)) << "there was load";
  fmt::print("{} kills, {} acknowledged writes, {} watches resumed, {} listed anew\n", done,
             acknowledged_, lives_ - watcher_.listed(), watcher_.listed());
}

}  // namespace
}  // namespace windlass::crash
