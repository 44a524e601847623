// Who gets what of the page: hosts, origins, sessions, rights.
#include <gmock/gmock.h>

#include <algorithm>

#include "dashboard/page_testing.h"

namespace windlass::dashboard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PageSecurityTest : public PageTest {
 protected:
  static http::Headers without(http::Headers headers, std::string_view name) {
    std::erase_if(headers, [name](const http::Header& each) { return each.name == name; });
    return headers;
  }
  static http::Headers with(http::Headers headers, const std::string& name,
                            const std::string& value) {
    headers = without(std::move(headers), name);
    headers.push_back({name, value});
    return headers;
  }
  int status_of_overview(const http::Headers& headers) {
    return ask("GET", "/ui/data/overview", headers).status;
  }
};

TEST_F(PageSecurityTest, FilesComeWithAPolicyThatAllowsOnlyTheirOwnScripts) {
  const Reply page = ask("GET", "/ui/", {});
  EXPECT_EQ(page.status, 200);
  const std::string policy = page.header("Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("script-src 'self'"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_EQ(page.header("X-Content-Type-Options"), "nosniff");
  // So there is no inline script or style.
  EXPECT_THAT(page.body, HasSubstr("<script type=\"module\" src=\"app.js\"></script>"));
  EXPECT_THAT(page.body, Not(HasSubstr("<style")));
  EXPECT_THAT(page.body, Not(HasSubstr(" style=")));
}

TEST_F(PageSecurityTest, FilesAreSentOnce) {
  const Reply first = ask("GET", "/ui/app.js", {});
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.header("Content-Type"), "text/javascript; charset=utf-8");
  const Reply second = ask("GET", "/ui/app.js", {{"If-None-Match", first.header("ETag")}});
  EXPECT_EQ(second.status, 304);
  EXPECT_EQ(second.body, "");
  EXPECT_EQ(ask("GET", "/ui/app.js", {{"If-None-Match", "\"other\""}}).status, 200);
  EXPECT_EQ(ask("GET", "/ui/../secret", {}).status, 400);
  EXPECT_EQ(ask("GET", "/ui/nothing.js", {}).status, 404);
  EXPECT_EQ(ask("GET", "/ui", {}).header("Location"), "/ui/");
}

TEST_F(PageSecurityTest, OnlyHostsOfThisServer) {
  for (const char* host : {"127.0.0.1:6443", "localhost:6443", "LOCALHOST", "[::1]:6443",
                           "10.1.2.3", "build1.example.com:6443"}) {
    EXPECT_EQ(ask("GET", "/ui/", {{"Host", host}}).status, 200) << host;
  }
  for (const char* host : {"evil.example.com", "127.0.0.1.evil.example.com", "", "[::1",
                           "localhost.evil.example.com:6443"}) {
    EXPECT_EQ(ask("GET", "/ui/", {{"Host", host}}).status, 421) << host;
    EXPECT_EQ(status_of_overview(with(log_in(), "Host", host)), 421) << host;
  }
}

TEST_F(PageSecurityTest, DataNeedsCookieAndKey) {
  const http::Headers browser = log_in();
  EXPECT_EQ(status_of_overview(browser), 200);
  EXPECT_EQ(status_of_overview({}), 401);
  EXPECT_EQ(status_of_overview(without(browser, "Cookie")), 401);
  EXPECT_EQ(status_of_overview(without(browser, "X-Windlass-Key")), 401);
  EXPECT_EQ(status_of_overview(with(browser, "X-Windlass-Key", "guess")), 401);
  EXPECT_EQ(status_of_overview({{"Authorization", "Bearer good"}}), 401);
  // The cookie of the server at another port of the host.
  EXPECT_EQ(status_of_overview(with(browser, "Host", "127.0.0.1:7443")), 401);
}

TEST_F(PageSecurityTest, DataIsNotKept) {
  const Reply reply = ask("GET", "/ui/data/overview", log_in());
  EXPECT_EQ(reply.header("Cache-Control"), "no-store");
  EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), "");
}

TEST_F(PageSecurityTest, OnlyThePageItselfMayUseASession) {
  const http::Headers browser = log_in();
  for (const char* site : {"cross-site", "same-site", "none"}) {
    EXPECT_EQ(status_of_overview(with(browser, "Sec-Fetch-Site", site)), 403) << site;
  }
  EXPECT_EQ(status_of_overview(with(browser, "Origin", "https://127.0.0.1:6443")), 200);
  for (const char* origin :
       {"https://evil.example.com", "https://127.0.0.1:7443", "http://127.0.0.1:6443", "null"}) {
    EXPECT_EQ(status_of_overview(with(browser, "Origin", origin)), 403) << origin;
  }
  const std::string body = R"({"namespace":"default","name":"sweep","indexes":"1"})";
  EXPECT_EQ(ask("POST", "/ui/data/rerun", with(browser, "Origin", "https://evil.example.com"), body)
                .status,
            403);
  EXPECT_EQ(backend_.reruns.size(), 0u);
}

TEST_F(PageSecurityTest, TheCookieIsOutOfReachOfScriptsAndOtherSites) {
  const Reply reply = ask("POST", "/ui/data/login", {}, R"({"token":")" + login_token() + R"("})");
  const std::string cookie = reply.header("Set-Cookie");
  for (const char* attribute : {"HttpOnly", "Secure", "SameSite=Strict", "Path=/ui/"}) {
    EXPECT_THAT(cookie, HasSubstr(attribute));
  }
  EXPECT_THAT(cookie, HasSubstr("windlass-session-6443="));
}

TEST_F(PageSecurityTest, LoginsAreForProgramsWithCredentials) {
  const auto logins = [this](const http::Headers& headers) {
    return ask("POST", "/ui/data/logins", headers, "{}").status;
  };
  EXPECT_EQ(logins({{"Authorization", "Bearer good"}}), 200);
  EXPECT_EQ(logins({}), 401);
  EXPECT_EQ(logins(log_in()), 403);
  EXPECT_EQ(logins({{"Authorization", "Bearer good"}, {"Origin", "https://127.0.0.1:6443"}}), 403);
}

TEST_F(PageSecurityTest, ALoginWorksOnce) {
  const std::string body = R"({"token":")" + login_token() + R"("})";
  EXPECT_EQ(ask("POST", "/ui/data/login", {}, body).status, 200);
  const Reply again = ask("POST", "/ui/data/login", {}, body);
  EXPECT_EQ(again.status, 401);
  EXPECT_THAT(again.body, HasSubstr("windlass dashboard"));
  EXPECT_EQ(ask("POST", "/ui/data/login", {}, "[").status, 400);
  EXPECT_EQ(ask("POST", "/ui/data/login", {}, std::string(5000, ' ')).status, 413);
}

TEST_F(PageSecurityTest, LogoutEndsTheSession) {
  const http::Headers browser = log_in();
  const Reply reply = ask("POST", "/ui/data/logout", browser, "{}");
  EXPECT_THAT(reply.header("Set-Cookie"), HasSubstr("Max-Age=0"));
  EXPECT_EQ(status_of_overview(browser), 401);
}

TEST_F(PageSecurityTest, ThePageShowsAJobToThoseWhoMayReadAllOfIt) {
  api_.create_job(
      "{metadata: {name: sweep}, spec: {template: {spec: {restartPolicy: Never, containers: "
      "[{name: main, image: i}]}}}}");
  const http::Headers browser = log_in();
  const std::string job = "/ui/data/job?namespace=default&name=sweep";
  EXPECT_EQ(ask("GET", job, browser).status, 200);
  for (const char* denied : {"get jobs", "list pods", "get pods/log", "list attempts"}) {
    backend_.denied = {denied};
    EXPECT_EQ(ask("GET", job, browser).status, 403) << denied;
  }
  backend_.denied = {"list jobs"};
  EXPECT_EQ(status_of_overview(browser), 403);
  backend_.denied = {"get pods/log"};
  EXPECT_EQ(ask("GET", "/ui/data/log?namespace=default&pod=p", browser).status, 403);
  EXPECT_EQ(ask("GET", "/ui/data/kept-log?namespace=default&uid=u", browser).status, 403);
}

TEST_F(PageSecurityTest, OnlyThoseWhoMayCreateJobsRerun) {
  const http::Headers browser = log_in();
  const std::string body = R"({"namespace":"default","name":"sweep","indexes":"1,4-6"})";
  EXPECT_EQ(ask("GET", "/ui/data/rights?namespace=default", browser).body, R"({"rerun":true})");
  EXPECT_EQ(ask("POST", "/ui/data/rerun", browser, body).body, R"({"job":"again"})");
  EXPECT_THAT(backend_.reruns, ::testing::ElementsAre("default/sweep 1,4-6"));
  backend_.denied = {"create jobs"};
  EXPECT_EQ(ask("GET", "/ui/data/rights?namespace=default", browser).body, R"({"rerun":false})");
  EXPECT_EQ(ask("POST", "/ui/data/rerun", browser, body).status, 403);
  EXPECT_EQ(backend_.reruns.size(), 1u);
}

TEST_F(PageSecurityTest, NamesThatAreNoneNeverReachAPath) {
  const http::Headers browser = log_in();
  for (const char* target :
       {"/ui/data/job?namespace=..&name=x", "/ui/data/job?namespace=a&name=",
        "/ui/data/log?namespace=a&pod=x%2F..%2Fsecrets", "/ui/data/log?namespace=a&pod=x%3Fy"}) {
    EXPECT_EQ(ask("GET", target, browser).status, 400) << target;
  }
}

}  // namespace
}  // namespace windlass::dashboard
