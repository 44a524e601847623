// The cells of each kind: api.md M132-M138.
#include "apiserver/table/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/server_testing.h"

namespace windlass::apiserver {
namespace {

const Time kNow = time_from_unix(1'700'000'000);

// JSON escapes < and >; people write them.
std::string readable(std::string text) {
  for (const auto& [escape, sign] : {std::pair("\\u003c", "<"), std::pair("\\u003e", ">")}) {
    for (size_t at = text.find(escape); at != std::string::npos; at = text.find(escape)) {
      text.replace(at, 6, sign);
    }
  }
  return text;
}

std::string cells(const api::Kind& kind, std::string_view json) {
  std::string text;
  JsonWriter builder(text);
  builder.open_list();
  table_columns(kind).cells(*from_json(kind, json), kNow, builder);
  builder.close_list();
  return readable(std::move(text));
}

std::string pod_cells(std::string_view status, std::string_view metadata = "{}",
                      std::string_view spec = R"({"containers":[{"name":"c","image":"i"}]})") {
  return cells(api::kinds::pod(), R"({"metadata":)" + std::string(metadata) + R"(,"spec":)" +
                                      std::string(spec) + R"(,"status":)" + std::string(status) +
                                      "}");
}

// READY STATUS RESTARTS
std::string pod_line(std::string_view status, std::string_view metadata = "{}",
                     std::string_view spec = R"({"containers":[{"name":"c","image":"i"}]})") {
  const std::string all = pod_cells(status, metadata, spec);
  const size_t begin = all.find(',') + 1;
  const size_t end = all.find("\",\"<unknown>\"");
  return all.substr(begin, end + 1 - begin);
}

TEST(TableColumns, EveryKindHasAsManyCellsAsColumns) {
  for (const api::Kind& kind : api::all_kinds()) {
    if (kind.list_prototype == nullptr) {
      continue;
    }
    std::string text;
    JsonWriter builder(text);
    builder.open_list();
    table_columns(kind).cells(kind.prototype(), kNow, builder);
    builder.close_list();
    size_t count = 1;
    bool quoted = false;
    for (const char c : text) {
      quoted = c == '"' ? !quoted : quoted;
      count += c == ',' && !quoted ? 1 : 0;
    }
    EXPECT_EQ(count, table_columns(kind).columns.size()) << kind.kind;
  }
}

TEST(TableColumns, M133_Job) {
  const auto job = [](std::string_view spec, std::string_view status, std::string_view extra = "") {
    return cells(api::kinds::job(), R"({"metadata":{"name":"j")" + std::string(extra) +
                                        R"(},"spec":)" + std::string(spec) + R"(,"status":)" +
                                        std::string(status) + "}");
  };
  const auto with = [](std::string_view type) {
    return R"({"conditions":[{"type":")" + std::string(type) + R"(","status":"True"}]})";
  };
  EXPECT_EQ(job("{}", "{}"), R"(["j","Running","0/1","","<unknown>","","","<none>"])");
  EXPECT_EQ(job(R"({"parallelism":3})", R"({"succeeded":1})"),
            R"(["j","Running","1/1 of 3","","<unknown>","","","<none>"])");
  EXPECT_THAT(job(R"({"completions":5})", R"({"succeeded":2,"startTime":"2023-11-14T22:11:20Z"})"),
              testing::StartsWith(R"(["j","Running","2/5","2m","<unknown>")"));
  EXPECT_THAT(job("{}", R"({"startTime":"2023-11-14T22:00:00Z",)"
                        R"("completionTime":"2023-11-14T22:00:07Z"})"),
              testing::StartsWith(R"(["j","Running","0/1","7s")"));
  for (const char* type :
       {"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    EXPECT_THAT(job("{}", with(type)), testing::StartsWith("[\"j\",\"" + std::string(type) + "\""));
  }
  EXPECT_THAT(job("{}", with("Suspended"), R"(,"deletionTimestamp":"2023-11-14T22:00:00Z")"),
              testing::StartsWith(R"(["j","Terminating")"));
}

TEST(TableColumns, M135_M136_Pod) {
  EXPECT_EQ(pod_line(R"({"phase":"Pending"})"), R"("0/1","Pending","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Failed","reason":"Evicted"})"), R"("0/1","Evicted","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Running","containerStatuses":[{"name":"c","ready":true,)"
                     R"("state":{"running":{}}}]})"),
            R"("1/1","Running","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Pending","containerStatuses":[{"name":"c",)"
                     R"("state":{"waiting":{"reason":"ImagePullBackOff"}}}]})"),
            R"("0/1","ImagePullBackOff","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Succeeded","containerStatuses":[{"name":"c",)"
                     R"("state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]})"),
            R"("0/1","Completed","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Failed","containerStatuses":[{"name":"c",)"
                     R"("state":{"terminated":{"exitCode":3}}}]})"),
            R"("0/1","ExitCode:3","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Failed","containerStatuses":[{"name":"c",)"
                     R"("state":{"terminated":{"exitCode":137,"signal":9}}}]})"),
            R"("0/1","Signal:9","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Running","containerStatuses":[{"name":"c","restartCount":2,)"
                     R"("ready":true,"state":{"running":{}},"lastState":{"terminated":)"
                     R"({"exitCode":1,"finishedAt":"2023-11-14T22:08:20Z"}}}]})"),
            R"x("1/1","Running","2 (5m ago)")x");
  EXPECT_EQ(pod_line(R"({"phase":"Running"})", R"({"deletionTimestamp":"2023-11-14T22:00:00Z"})"),
            R"("0/1","Terminating","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Succeeded"})", R"({"deletionTimestamp":"2023-11-14T22:00:00Z"})"),
            R"("0/1","Succeeded","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Running","reason":"NodeLost"})",
                     R"({"deletionTimestamp":"2023-11-14T22:00:00Z"})"),
            R"("0/1","Unknown","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",)"
                     R"("reason":"SchedulingGated"}]})"),
            R"("0/1","SchedulingGated","0")");
}

TEST(TableColumns, M135_WhenTheFirstContainerHasCompleted) {
  const std::string done =
      R"({"name":"c","state":{"terminated":{"exitCode":0,"reason":"Completed"}}})";
  const std::string failed =
      R"({"name":"d","state":{"terminated":{"exitCode":1,"reason":"Error"}}})";
  const std::string runs = R"({"name":"e","ready":true,"state":{"running":{}}})";
  const std::string waits = R"({"name":"f","state":{"waiting":{"reason":"ImagePullBackOff"}}})";
  const auto status = [](const std::string& containers, const std::string& ready) {
    return pod_line(R"({"phase":"Running","conditions":[{"type":"Ready","status":")" + ready +
                    R"("}],"containerStatuses":[)" + containers + "]}");
  };
  EXPECT_EQ(status(done + "," + runs, "True"), R"("1/1","Running","0")");
  EXPECT_EQ(status(done + "," + runs, "False"), R"("1/1","NotReady","0")");
  EXPECT_EQ(status(done + "," + failed + "," + runs, "False"), R"("1/1","Error","0")");
  EXPECT_EQ(status(done + "," + failed, "False"), R"("0/1","Error","0")");
  EXPECT_EQ(status(done + "," + waits, "False"), R"("0/1","Completed","0")")
      << "who waits is no error";
}

TEST(TableColumns, M135_InitContainers) {
  const char* spec = R"({"initContainers":[{"name":"a","image":"i"},{"name":"b","image":"i"}],)"
                     R"("containers":[{"name":"c","image":"i"}]})";
  EXPECT_EQ(pod_line(R"({"phase":"Pending"})", "{}", spec), R"("0/1","Pending","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Pending","initContainerStatuses":[{"name":"a","state":)"
                     R"({"terminated":{"exitCode":0}}},{"name":"b","state":{"running":{}}}]})",
                     "{}", spec),
            R"("0/1","Init:1/2","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Pending","initContainerStatuses":[{"name":"a","state":)"
                     R"({"terminated":{"exitCode":4}}}]})",
                     "{}", spec),
            R"("0/1","Init:ExitCode:4","0")");
  EXPECT_EQ(pod_line(R"({"phase":"Pending","initContainerStatuses":[{"name":"a","restartCount":3,)"
                     R"("state":{"waiting":{"reason":"CrashLoopBackOff"}}}]})",
                     "{}", spec),
            R"("0/1","Init:CrashLoopBackOff","3")");
}

TEST(TableColumns, M136_RowsOfPodsThatEndedAreMarked) {
  const auto conditions = [](std::string_view phase) {
    std::string text;
    JsonWriter builder(text);
    builder.open_object();
    const api::Kind& kind = api::kinds::pod();
    table_columns(kind).conditions(
        *from_json(kind, R"({"status":{"phase":")" + std::string(phase) + "\"}}"), builder);
    builder.close_object();
    return text;
  };
  EXPECT_EQ(conditions("Running"), "{}");
  EXPECT_EQ(conditions("Failed"),
            R"({"conditions":[{"type":"Completed","status":"True","reason":"Failed",)"
            R"("message":"The pod failed."}]})");
  EXPECT_THAT(conditions("Succeeded"), testing::HasSubstr("The pod has completed successfully."));
}

TEST(TableColumns, M137_Node) {
  const api::Kind& node = api::kinds::node();
  EXPECT_EQ(cells(node, R"({"metadata":{"name":"n"}})"),
            R"(["n","Unknown","<none>","<unknown>","","<none>","<none>","<unknown>",)"
            R"("<unknown>","<unknown>"])");
  EXPECT_EQ(
      cells(node, R"({"metadata":{"name":"n","labels":{"node-role.kubernetes.io/b":"",)"
                  R"("node-role.kubernetes.io/a":""}},"spec":{"unschedulable":true},"status":)"
                  R"({"conditions":[{"type":"Ready","status":"True"}],"addresses":)"
                  R"([{"type":"InternalIP","address":"10.0.0.1"}],"nodeInfo":)"
                  R"({"kubeletVersion":"v1.33.0","osImage":"os","kernelVersion":"6.1",)"
                  R"("architecture":"amd64","containerRuntimeVersion":"w://1"}}})"),
      R"(["n","Ready,SchedulingDisabled","a,b","<unknown>","v1.33.0","10.0.0.1","<none>",)"
      R"x("os","6.1 (amd64)","w://1"])x");
}

TEST(TableColumns, M138_Event) {
  EXPECT_EQ(cells(api::kinds::event(),
                  R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p"},)"
                  R"("reason":"R","message":"it happened\n","type":"Normal","count":3,)"
                  R"("source":{"component":"c"},"firstTimestamp":"2023-11-14T22:08:20Z",)"
                  R"("lastTimestamp":"2023-11-14T22:13:10Z"})"),
            R"(["10s","Normal","R","pod/p","","c","it happened","5m",3,"e"])");
  EXPECT_EQ(cells(*api::find_kind("events.k8s.io/v1", "Event"),
                  R"({"metadata":{"name":"e"},"regarding":{"kind":"Job","name":"j"},)"
                  R"("eventTime":"2023-11-14T22:13:10.000000Z","note":"n","type":"Warning",)"
                  R"("reportingController":"rc","reportingInstance":"ri"})"),
            R"(["10s","Warning","","job/j","","rc, ri","n","10s",1,"e"])");
  EXPECT_EQ(cells(api::kinds::event(),
                  R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod"},"message":"  m ",)"
                  R"("type":"Normal","source":{"component":"c"},"series":{"count":2},)"
                  R"("firstTimestamp":"2023-11-14T22:08:20Z",)"
                  R"("lastTimestamp":"2023-11-14T22:13:10Z"})"),
            R"(["<unknown>","Normal","","pod","","c","m","5m",2,"e"])");
}

TEST(TableColumns, M138_SmallKinds) {
  EXPECT_EQ(cells(api::kinds::config_map(),
                  R"({"metadata":{"name":"m"},"data":{"a":""},"binaryData":{"b":""}})"),
            R"(["m",2,"<unknown>"])");
  EXPECT_EQ(cells(api::kinds::secret(), R"({"metadata":{"name":"s"},"type":"Opaque"})"),
            R"(["s","Opaque",0,"<unknown>"])");
  EXPECT_EQ(cells(*api::find_kind("policy/v1", "PodDisruptionBudget"),
                  R"({"metadata":{"name":"b"},"spec":{"minAvailable":"50%"},)"
                  R"("status":{"disruptionsAllowed":2}})"),
            R"(["b","50%","N/A",2,"<unknown>"])");
  EXPECT_EQ(cells(*api::find_kind("scheduling.k8s.io/v1", "PriorityClass"),
                  R"({"metadata":{"name":"p"},"value":7,"preemptionPolicy":"Never"})"),
            R"(["p",7,false,"<unknown>","Never"])");
  EXPECT_EQ(
      cells(api::kinds::lease(), R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"h"}})"),
      R"(["l","h","<unknown>"])");
}

}  // namespace
}  // namespace windlass::apiserver
