// What pages get to see as things change.
#include <gmock/gmock.h>

#include "dashboard/page_testing.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "verify/ledgers/attempt_maker.h"

namespace windlass::dashboard {
namespace {

using ::testing::HasSubstr;

class PageDataTest : public PageTest {
 protected:
  PageDataTest() : browser_(log_in()) {}

  std::string create_job(const std::string& name) {
    return api_
        .create_job("{metadata: {name: " + name +
                    "}, spec: {completions: 4, parallelism: 4, completionMode: Indexed, template: "
                    "{spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}}")
        ->metadata()
        .uid();
  }
  void create_pod(const std::string& name, const std::string& job_uid, int index) {
    api_.create_pod(
        "{metadata: {name: " + name + ", labels: {batch.kubernetes.io/controller-uid: " + job_uid +
        "}, annotations: {batch.kubernetes.io/job-completion-index: '" + std::to_string(index) +
        "'}, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: sweep, uid: " + job_uid +
        ", controller: true}]}, spec: {nodeName: node-1, restartPolicy: Never, containers: "
        "[{name: main, image: i}]}}");
  }
  void set_phase(const std::string& pod, const std::string& phase) {
    api_.change<api::core::v1::Pod>(api::kinds::pod(), "default", pod, "status",
                                    [&](auto& now) { now.mutable_status()->set_phase(phase); });
  }

  simdjson::dom::element parse(const Reply& reply) {
    EXPECT_EQ(reply.status, 200) << reply.body;
    text_ = reply.body;
    return parser_.parse(text_);
  }
  // The next answer about the Job, after the one before.
  std::shared_ptr<apiserver::FakeExchange> begin_next() {
    return begin("GET", "/ui/data/job?namespace=default&name=sweep&since=" + since_, browser_);
  }
  simdjson::dom::element next(const std::shared_ptr<apiserver::FakeExchange>& exchange) {
    const auto document = parse(run(exchange));
    since_ = std::string_view(document["since"]);
    return document;
  }

  // Waits until what is known has been told.
  std::shared_ptr<apiserver::FakeExchange> begin_quiet() {
    auto waits = begin_next();
    api_.world.run_for(seconds(2));
    while (waits->answered) {
      next(waits);
      waits = begin_next();
      api_.world.run_for(seconds(2));
    }
    return waits;
  }

  http::Headers browser_;
  std::string since_;
  std::string text_;
};

TEST_F(PageDataTest, AReaderGetsTheJobAndThenWhatChanged) {
  const std::string uid = create_job("sweep");
  create_pod("a", uid, 0);
  create_pod("b", uid, 1);
  auto document = next(begin_next());
  EXPECT_TRUE(bool(document["full"]));
  EXPECT_EQ(std::string_view(document["page"]["cells"]), "wwnn");
  EXPECT_EQ(document["page"]["attempts"]["pod"].get_array().size(), 2u);

  const auto waits = begin_quiet();
  set_phase("b", "Running");
  document = next(waits);
  EXPECT_FALSE(bool(document["full"]));
  EXPECT_TRUE(document["page"]["cells"].is_null());
  EXPECT_EQ(std::string_view(document["changes"]["cells"]["r"]), "1");
  ASSERT_EQ(document["page"]["attempts"]["pod"].get_array().size(), 1u);
  EXPECT_EQ(std::string_view(document["page"]["attempts"]["pod"].at(0)), "b");
}

TEST_F(PageDataTest, AttemptsThatGoAreNamed) {
  const std::string uid = create_job("sweep");
  create_pod("a", uid, 0);
  const auto before = next(begin_next());
  const std::string pod{std::string_view(before["page"]["attempts"]["uid"].at(0))};
  const auto waits = begin_quiet();
  api_.remove_pod("a", 0);
  const auto document = next(waits);
  EXPECT_EQ(std::string_view(document["changes"]["gone"].at(0)), pod);
  EXPECT_EQ(std::string_view(document["changes"]["cells"]["n"]), "0");
}

TEST_F(PageDataTest, AttemptsOfTheLedgerOutliveTheirPods) {
  const std::string uid = create_job("sweep");
  auto attempt = ledger::AttemptMaker().index(2).pod("old").exit(42).log("bad\n").make();
  auto own = std::make_shared<api::ledger::v1::Attempt>(*attempt);
  own->mutable_metadata()->set_namespace_("default");
  own->mutable_job()->set_uid(uid);
  ledger_.record(own, [](const Result<void>&) {});
  const auto document = next(begin_next());
  EXPECT_TRUE(bool(document["page"]["ledger"]));
  ASSERT_EQ(document["page"]["attempts"]["pod"].get_array().size(), 1u);
  EXPECT_EQ(int64_t(document["page"]["attempts"]["exit"].at(0)), 42);
  const Reply log =
      ask("GET", "/ui/data/kept-log?namespace=default&uid=" + own->metadata().name(), browser_);
  EXPECT_EQ(log.body, R"({"text":"bad\n"})");
}

TEST_F(PageDataTest, ChangesAreSentAtMostTwiceASecond) {
  const std::string uid = create_job("sweep");
  create_pod("a", uid, 0);
  next(begin_next());
  int answers = 0;
  auto waits = begin_next();
  for (int i = 0; i < 100; ++i) {
    set_phase("a", i % 2 == 0 ? "Running" : "Pending");
    api_.world.run_for(milliseconds(50));
    if (waits->answered) {
      next(waits);
      waits = begin_next();
      ++answers;
    }
  }
  EXPECT_GE(answers, 5);
  EXPECT_LE(answers, 11);
}

// A ledger that takes its time.
class SlowLedger final : public ledger::AttemptSource {
 public:
  SlowLedger(env::Executor& executor, ledger::AttemptSource& ledger)
      : executor_(executor), ledger_(ledger) {}
  void find(const ledger::AttemptFilter& filter, size_t limit, const std::string& token,
            std::function<void(Result<ledger::AttemptPage>)> done) override {
    ++searches;
    executor_.schedule(milliseconds(100), [this, filter, limit, token, done = std::move(done)] {
      ledger_.find(filter, limit, token, done);
    });
  }

  int searches = 0;

 private:
  env::Executor& executor_;
  ledger::AttemptSource& ledger_;
};

TEST_F(PageDataTest, ALedgerIsReadForASmallShareOfTheTime) {
  create_pod("a", create_job("sweep"), 0);
  SlowLedger slow(api_.world.executor(), ledger_);
  JobFeed job(api_.client_env(), api_.world.executor(), slow,
              {&api::kinds::job(), "default", "sweep"}, true);
  std::string since;
  int answers = 0;
  const std::function<void(Result<std::string>)> take = [&](const Result<std::string>& json) {
    ASSERT_TRUE(json);
    ++answers;
    since = std::string_view(parser_.parse(*json)["since"]);
    job.feed().ask(since, take);
  };
  job.feed().ask("", take);
  for (int i = 0; i < 100; ++i) {
    set_phase("a", i % 2 == 0 ? "Running" : "Pending");
    api_.world.run_for(milliseconds(100));
  }
  EXPECT_GE(answers, 10);
  EXPECT_GE(slow.searches, 4);
  EXPECT_LE(slow.searches, 7);
}

TEST_F(PageDataTest, AReaderHearsWhenThereIsNothingNew) {
  create_job("sweep");
  next(begin_next());
  const auto waits = begin_quiet();
  api_.world.run_for(Feed::kLongestWait + seconds(1));
  ASSERT_TRUE(waits->answered);
  EXPECT_EQ(next(waits)["page"]["attempts"]["pod"].get_array().size(), 0u);
}

TEST_F(PageDataTest, AnUnknownPastGetsEverything) {
  create_job("sweep");
  since_ = "0123456789abcdef-7";
  EXPECT_TRUE(bool(next(begin_next())["full"]));
}

TEST_F(PageDataTest, AJobThatIsNotThere) {
  const Reply reply = ask("GET", "/ui/data/job?namespace=default&name=sweep", browser_);
  EXPECT_EQ(reply.status, 404);
  EXPECT_THAT(reply.body, HasSubstr("not found"));
}

TEST_F(PageDataTest, AJobThatIsDeletedAndMadeAgainIsAnotherOne) {
  create_pod("a", create_job("sweep"), 0);
  next(begin_next());
  const auto waits = begin_quiet();
  api_.remove(api::kinds::job(), "default", "sweep", {.propagation_policy = "Background"});
  EXPECT_EQ(run(waits).status, 404);
  create_pod("b", create_job("sweep"), 3);
  const auto document = next(begin_next());
  EXPECT_TRUE(bool(document["full"]));
  EXPECT_EQ(std::string_view(document["page"]["cells"]), "nnnw");
}

TEST_F(PageDataTest, TheOverviewTellsOfJobsAndNodes) {
  create_job("sweep");
  api_.create_node("{metadata: {name: node-1}, spec: {unschedulable: true}}");
  auto document = parse(ask("GET", "/ui/data/overview", browser_));
  ASSERT_EQ(document["overview"]["jobs"].get_array().size(), 1u);
  const std::string since{std::string_view(document["since"])};
  const auto waits = begin("GET", "/ui/data/overview?since=" + since, browser_);
  create_job("other");
  document = parse(run(waits));
  EXPECT_FALSE(bool(document["full"]));
  ASSERT_EQ(document["overview"]["jobs"].get_array().size(), 1u);
  EXPECT_EQ(std::string_view(document["overview"]["jobs"].at(0)["name"]), "other");
  EXPECT_EQ(std::string_view(document["overview"]["jobs"].at(0)["state"]), "Waiting");
  EXPECT_EQ(std::string_view(document["overview"]["jobs"].at(0)["headline"]), "");
}

TEST_F(PageDataTest, TheOverviewTellsWhyJobsFail) {
  const std::string uid = create_job("sweep");
  api_.create_node("{metadata: {name: node-1}}");
  const int64_t now = api_.world.clock().now().time_since_epoch() / seconds(1);
  const auto record = [&](const std::string& pod, const ledger::AttemptMaker& maker) {
    auto own = std::make_shared<api::ledger::v1::Attempt>(*maker.make());
    own->mutable_metadata()->set_name("uid-of-" + pod);
    own->mutable_job()->set_uid(uid);
    ledger_.record(own, [](const Result<void>&) {});
  };
  const auto failure = [&] { return ledger::AttemptMaker().at(now).node("node-1").exit(42); };
  record("a", failure().rule(0, "BadInput", "FailIndex").log("bad\n"));
  record("b", failure().rule(0, "BadInput", "FailIndex").log("bad\n"));
  record("c", failure().ignored().rule(1, "", "Ignore").disruption("PreemptionByScheduler"));
  parse(ask("GET", "/ui/data/overview", browser_));
  api_.world.run_for(seconds(2));
  const auto overview = parse(ask("GET", "/ui/data/overview", browser_))["overview"];
  const auto job = overview["jobs"].at(0);
  EXPECT_TRUE(bool(overview["ledger"]));
  EXPECT_EQ(std::string_view(job["causes"].at(0)["title"]), "exit 42 `bad`");
  EXPECT_EQ(int64_t(job["causes"].at(0)["count"]), 2);
  EXPECT_EQ(std::string_view(job["rules"].at(0)), "BadInput");
  EXPECT_EQ(std::string_view(job["rules"].at(1)), "rule 1");
  EXPECT_EQ(int64_t(overview["nodes"].at(0)["failures"]), 2);  // the ignored one does not count
}

TEST_F(PageDataTest, FailuresThatComeAreCountedOnceAndGoWithTheirJob) {
  const std::string uid = create_job("sweep");
  api_.create_node("{metadata: {name: node-1}}");
  const int64_t now = api_.world.clock().now().time_since_epoch() / seconds(1);
  parse(ask("GET", "/ui/data/overview", browser_));
  for (int i = 0; i < 3; ++i) {
    auto own = std::make_shared<api::ledger::v1::Attempt>(
        *ledger::AttemptMaker().at(now + i).node("node-1").exit(1).make());
    own->mutable_metadata()->set_name("uid-" + std::to_string(i));
    own->mutable_job()->set_uid(uid);
    ledger_.record(own, [](const Result<void>&) {});
    api_.change<api::batch::v1::Job>(api::kinds::job(), "default", "sweep", "status",
                                     [i](auto& job) { job.mutable_status()->set_failed(i + 1); });
    api_.world.run_for(seconds(2));
    parse(ask("GET", "/ui/data/overview", browser_));
    api_.world.run_for(seconds(2));
    const auto overview = parse(ask("GET", "/ui/data/overview", browser_))["overview"];
    EXPECT_EQ(int64_t(overview["nodes"].at(0)["failures"]), i + 1);
  }
  api_.remove(api::kinds::job(), "default", "sweep", {.propagation_policy = "Background"});
  api_.world.run_for(seconds(2));
  parse(ask("GET", "/ui/data/overview", browser_));
  const auto overview = parse(ask("GET", "/ui/data/overview", browser_))["overview"];
  EXPECT_EQ(int64_t(overview["nodes"].at(0)["failures"]), 0);
}

TEST_F(PageDataTest, AnEndingServerShowsPagesTheLastStateFirst) {
  create_pod("a", create_job("sweep"), 0);
  next(begin_next());
  auto waits = begin_quiet();
  bool ended = false;
  set_phase("a", "Running");
  page_.end(gone("over"), [&ended] { ended = true; });
  const auto document = next(waits);
  EXPECT_EQ(std::string_view(document["changes"]["cells"]["r"]), "0");
  EXPECT_FALSE(ended);
  EXPECT_EQ(run(begin_next()).status, 410);
  EXPECT_TRUE(api_.world.run_until([&ended] { return ended; }, seconds(1)));
  EXPECT_EQ(ask("GET", "/ui/data/overview", browser_).status, 410);
}

TEST_F(PageDataTest, AnEndingServerWaitsForNoPageThatIsGone) {
  create_job("sweep");
  next(begin_next());
  bool ended = false;
  page_.end(gone("over"), [&ended] { ended = true; });
  EXPECT_TRUE(api_.world.run_until([&ended] { return ended; }, Feed::kLongestAbsence * 2));
}

TEST_F(PageDataTest, ALogIsThatOfTheFirstContainerUnlessAnotherIsNamed) {
  create_pod("a", create_job("sweep"), 0);
  const auto log = [this](const std::string& container) {
    return text(
        ask("GET", "/ui/data/log?namespace=default&pod=a&container=" + container, browser_).body,
        "text");
  };
  EXPECT_THAT(log(""),
              HasSubstr("ann reads /api/v1/namespaces/default/pods/a/log?container=main&"));
  EXPECT_THAT(log("nothing"), HasSubstr("container=main&"));
}

TEST_F(PageDataTest, JobsThatNobodyLooksAtMakeRoom) {
  for (size_t i = 0; i <= PageService::kMaxJobs; ++i) {
    const std::string name = "job-" + std::to_string(i);
    create_job(name);
    EXPECT_EQ(ask("GET", "/ui/data/job?namespace=default&name=" + name, browser_).status, 200);
  }
}

}  // namespace
}  // namespace windlass::dashboard
