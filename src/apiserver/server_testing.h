// What the tests of this folder share: a server on an empty store in virtual time, objects from
// JSON, and answers as short texts.
#pragma once

#include <gmock/gmock.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/json.h"
#include "apiserver/server.h"
#include "apiserver/verbs/watch_stream.h"
#include "base/check.h"
#include "client/object_identity.h"
#include "schema/meta/v1/meta.pb.h"
#include "store/store.h"
#include "virtual_world/world.h"

namespace windlass::apiserver {

inline std::unique_ptr<Message> from_json(const api::Kind& kind, std::string_view json) {
  std::unique_ptr<Message> object = kind.make();
  const auto decoded = api::decode_json(json, *object);
  CHECK(decoded.has_value(), decoded ? "" : decoded.error().message);
  CHECK(decoded->problems.empty(), json);
  return object;
}

inline std::unique_ptr<Message> copy_of(const Message& object) {
  std::unique_ptr<Message> copy(object.New());
  copy->CopyFrom(object);
  return copy;
}

// A pod and a Job that are valid and say as little as possible.
inline constexpr std::string_view kPodSpec = R"({"containers":[{"name":"c","image":"i"}]})";
inline constexpr std::string_view kJobSpec =
    R"({"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}})";

inline std::string with_spec(std::string_view metadata, std::string_view spec) {
  return R"({"metadata":)" + std::string(metadata) + R"(,"spec":)" + std::string(spec) + "}";
}

inline std::string error_text(const Status& status) {
  return std::to_string(status.code) + " " + status.reason + ": " + status.message;
}

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() { server.create_system_namespaces(); }

  static ObjectRef pod(std::string name) {
    return {&api::kinds::pod(), "default", std::move(name)};
  }
  static ObjectRef job(std::string name) {
    return {&api::kinds::job(), "default", std::move(name)};
  }
  static ObjectRef config_map(std::string name) {
    return {&api::kinds::config_map(), "default", std::move(name)};
  }

  WriteResult create(const ObjectRef& ref, std::string_view json) {
    return server.create(ref, from_json(*ref.kind, json));
  }
  ObjectPtr must_create(const ObjectRef& ref, std::string_view json) {
    const WriteResult result = create(ref, json);
    CHECK(result.answer.has_value(), result.answer ? "" : result.answer.error().message);
    return *result.answer;
  }
  ObjectPtr must_create_pod(const std::string& name, std::string_view metadata = "{}") {
    return must_create(pod(name), with_spec(metadata, kPodSpec));
  }
  ObjectPtr must_create_job(const std::string& name, std::string_view metadata = "{}") {
    return must_create(job(name), with_spec(metadata, kJobSpec));
  }

  ObjectPtr stored(const ObjectRef& ref) {
    const auto found = server.get(ref);
    return found ? *found : nullptr;
  }
  const api::meta::v1::ObjectMeta& meta(const ObjectRef& ref) {
    return api::metadata_of(*stored(ref));
  }

  // The answer's error, or "" when there is none.
  static std::string error(const WriteResult& result) {
    return result.answer ? "" : error_text(result.answer.error());
  }

  // `+pods/default/a@7`, in order, from behind this revision.
  std::vector<std::string> events(const api::Kind& kind, store::Revision after) {
    return events({&kind, "", "", ""}, after);
  }
  std::vector<std::string> events(const Collection& collection, store::Revision after) {
    const auto stream = WatchStream::open(server, collection, std::to_string(after), [] {});
    CHECK(stream.has_value(), "the history reaches back so far");
    std::vector<std::string> seen;
    while (true) {
      int looks = WatchStream::kLooksPerTask;
      const auto next = (*stream)->next(looks);
      CHECK(next.has_value(), "the stream keeps its place");
      if (*next) {
        seen.push_back(event_text(**next));
      } else if (looks > 0) {
        return seen;
      }
    }
  }
  static std::string event_text(const client::WatchEvent& event) {
    const char* sign = event.type == client::EventType::added      ? "+"
                       : event.type == client::EventType::modified ? "~"
                                                                   : "-";
    return sign + client::key_of(*event.object) + "@" + client::resource_version_of(*event.object);
  }

  virtual_world::VirtualWorld world{1};
  store::Store store;
  Server server{store, world.clock(), world.random(), api::FeatureGates()};
};

}  // namespace windlass::apiserver
