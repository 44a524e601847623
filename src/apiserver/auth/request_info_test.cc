#include "apiserver/auth/request_info.h"

#include <gtest/gtest.h>

namespace windlass::apiserver {
namespace {

RequestInfo parsed(std::string_view method, std::string_view target) {
  return request_info(method, *http::parse_target(target));
}

struct RequestCase {
  const char* method;
  const char* target;
  const char* verb;
  const char* group;
  const char* version;
  const char* ns;
  const char* resource;
  const char* subresource;
  const char* name;
};

TEST(RequestInfo, EveryFormOfAResourceRequest) {
  const RequestCase cases[] = {
      {"GET", "/api/v1/pods", "list", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods?watch=true", "watch", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods?watch=0", "list", "", "v1", "", "pods", "", ""},
      {"HEAD", "/api/v1/pods", "list", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/namespaces/a/pods", "list", "", "v1", "a", "pods", "", ""},
      {"GET", "/api/v1/namespaces/a/pods/p", "get", "", "v1", "a", "pods", "", "p"},
      {"GET", "/api/v1/namespaces/a/pods/p?watch=1", "watch", "", "v1", "a", "pods", "", "p"},
      {"GET", "/api/v1/namespaces/a/pods/p/log?follow=1", "get", "", "v1", "a", "pods", "log", "p"},
      {"PUT", "/api/v1/namespaces/a/pods/p/status", "update", "", "v1", "a", "pods", "status", "p"},
      {"PATCH", "/api/v1/namespaces/a/pods/p", "patch", "", "v1", "a", "pods", "", "p"},
      {"DELETE", "/api/v1/namespaces/a/pods/p", "delete", "", "v1", "a", "pods", "", "p"},
      {"DELETE", "/api/v1/namespaces/a/pods", "deletecollection", "", "v1", "a", "pods", "", ""},
      {"POST", "/api/v1/namespaces/a/pods", "create", "", "v1", "a", "pods", "", ""},
      {"POST", "/api/v1/namespaces/a/pods/p/eviction", "create", "", "v1", "a", "pods", "eviction",
       "p"},
      {"GET", "/apis/batch/v1/jobs", "list", "batch", "v1", "", "jobs", "", ""},
      {"GET", "/apis/batch/v1/namespaces/a/jobs/j", "get", "batch", "v1", "a", "jobs", "", "j"},
      {"GET", "/api/v1/namespaces", "list", "", "v1", "", "namespaces", "", ""},
      {"GET", "/api/v1/namespaces/a", "get", "", "v1", "a", "namespaces", "", "a"},
      {"PUT", "/api/v1/namespaces/a/finalize", "update", "", "v1", "a", "namespaces", "finalize",
       "a"},
      {"PUT", "/api/v1/namespaces/a/status", "update", "", "v1", "a", "namespaces", "status", "a"},
      {"GET", "/api/v1/watch/namespaces/a/pods", "watch", "", "v1", "a", "pods", "", ""},
      {"GET", "/api/v1/nodes/n/status", "get", "", "v1", "", "nodes", "status", "n"},
      {"GET", "/api/v1/pods?fieldSelector=metadata.name%3Dp", "list", "", "v1", "", "pods", "",
       "p"},
      {"GET", "/api/v1/pods?fieldSelector=a=b,metadata.name==p&watch=1", "watch", "", "v1", "",
       "pods", "", "p"},
      {"GET", "/api/v1/pods?fieldSelector=metadata.name=p,metadata.name=q", "list", "", "v1", "",
       "pods", "", ""},
      {"OPTIONS", "/api/v1/pods", "options", "", "v1", "", "pods", "", ""},
  };
  for (const RequestCase& c : cases) {
    const RequestInfo info = parsed(c.method, c.target);
    EXPECT_TRUE(info.is_resource) << c.target;
    EXPECT_EQ(info.verb, c.verb) << c.method << ' ' << c.target;
    EXPECT_EQ(info.group, c.group) << c.target;
    EXPECT_EQ(info.version, c.version) << c.target;
    EXPECT_EQ(info.ns, c.ns) << c.target;
    EXPECT_EQ(info.resource, c.resource) << c.target;
    EXPECT_EQ(info.subresource, c.subresource) << c.target;
    EXPECT_EQ(info.name, c.name) << c.target;
    EXPECT_FALSE(info.has_more_segments) << c.target;
  }
}

TEST(RequestInfo, PlainPathsKeepTheirMethod) {
  for (const char* path : {"/", "/api", "/apis", "/api/v1", "/apis/batch", "/apis/batch/v1",
                           "/healthz", "/openapi/v2"}) {
    const RequestInfo info = parsed("GET", path);
    EXPECT_FALSE(info.is_resource) << path;
    EXPECT_EQ(info.verb, "get");
    EXPECT_EQ(info.path, path);
    EXPECT_TRUE(info.is_read());
  }
  EXPECT_EQ(parsed("POST", "/healthz").verb, "post");
  EXPECT_TRUE(parsed("HEAD", "/healthz").is_read());
}

TEST(RequestInfo, ReadsAreToldFromWrites) {
  EXPECT_TRUE(parsed("GET", "/api/v1/pods?watch=1").is_read());
  EXPECT_TRUE(parsed("GET", "/api/v1/pods").is_read());
  EXPECT_FALSE(parsed("POST", "/api/v1/namespaces/a/pods").is_read());
  EXPECT_FALSE(parsed("DELETE", "/api/v1/pods").is_read());
  EXPECT_FALSE(parsed("OPTIONS", "/api/v1/pods").is_read());
}

TEST(RequestInfo, MoreSegmentsThanAResourceHasAreNoted) {
  EXPECT_TRUE(parsed("GET", "/api/v1/namespaces/a/pods/p/proxy/x").has_more_segments);
  EXPECT_TRUE(parsed("GET", "/api/v1/nodes/n/proxy/x").has_more_segments);
}

TEST(RequestInfo, TheNodeOfAPodSelector) {
  EXPECT_EQ(parsed("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1").selected_node, "n1");
  EXPECT_EQ(parsed("GET", "/api/v1/pods?fieldSelector=spec.nodeName!%3Dn1").selected_node, "");
  EXPECT_EQ(parsed("GET", "/api/v1/pods?fieldSelector=a=b,spec.nodeName==n1").selected_node, "n1");
  EXPECT_EQ(parsed("GET", "/api/v1/pods?labelSelector=spec.nodeName=n1").selected_node, "");
}

// A watch of everything must never look like the request for one object that is allowed.
TEST(RequestInfo, ASelectorCannotNameTheObjectOfACreate) {
  EXPECT_EQ(parsed("POST", "/api/v1/nodes?fieldSelector=metadata.name=n").name, "");
}

}  // namespace
}  // namespace windlass::apiserver
