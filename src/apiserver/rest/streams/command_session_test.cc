#include "apiserver/rest/streams/command_session.h"

#include "apiserver/rest/rest_testing.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

using ::testing::HasSubstr;

// What a client sends: one frame with a mask of zeros.
std::string client_frame(uint8_t start, std::string_view payload) {
  std::string out(1, static_cast<char>(start));
  if (payload.size() < 126) {
    out.push_back(static_cast<char>(0x80 | payload.size()));
  } else {
    out.push_back(static_cast<char>(0x80 | 126));
    out.push_back(static_cast<char>(payload.size() >> 8));
    out.push_back(static_cast<char>(payload.size()));
  }
  return out + std::string(4, '\0') + std::string(payload);
}
std::string message(uint8_t channel, std::string_view text) {
  return client_frame(0x82, std::string(1, static_cast<char>(channel)) + std::string(text));
}

// A server's frames, as `channel:text` lines; `close` for the last.
std::vector<std::string> messages_of(std::string_view bytes) {
  std::vector<std::string> messages;
  while (bytes.size() >= 2) {
    const auto opcode = static_cast<uint8_t>(bytes[0]) & 0xf;
    size_t length = static_cast<uint8_t>(bytes[1]);
    size_t head = 2;
    if (length == 126) {
      length =
          static_cast<size_t>(static_cast<uint8_t>(bytes[2])) << 8 | static_cast<uint8_t>(bytes[3]);
      head = 4;
    }
    const std::string_view payload = bytes.substr(head, length);
    bytes.remove_prefix(head + length);
    if (opcode == 8) {
      messages.emplace_back("close");
    } else if (opcode == 10) {
      messages.push_back("pong:" + std::string(payload));
    } else {
      messages.push_back(std::to_string(static_cast<uint8_t>(payload[0])) + ":" +
                         std::string(payload.substr(1)));
    }
  }
  return messages;
}

// A command that does what the test says.
struct Script {
  std::vector<std::string> done;  // to it
  size_t room = 1000;             // for input
  bool open = false;
  std::optional<Status> refuses;
  CommandListener* listener = nullptr;
  CommandOrder order;
};

class ScriptedCommand final : public RunningCommand {
 public:
  explicit ScriptedCommand(Script& script) : script_(script) { script_.open = true; }
  ~ScriptedCommand() override { script_.open = false; }
  size_t write_input(std::string_view bytes) override {
    const size_t taken = std::min(bytes.size(), script_.room);
    script_.room -= taken;
    script_.done.push_back("input " + std::string(bytes.substr(0, taken)));
    return taken;
  }
  void end_input() override { script_.done.emplace_back("end of input"); }
  void resize(uint16_t columns, uint16_t rows) override {
    script_.done.push_back(std::to_string(columns) + "x" + std::to_string(rows));
  }
  void hold_output(bool hold) override { script_.done.emplace_back(hold ? "hold" : "go on"); }

 private:
  Script& script_;
};

class CommandSessionTest : public RestTest {
 protected:
  CommandSessionTest() {
    RestOptions options;
    options.hooks.open_command =
        [this](const CommandOrder& order,
               CommandListener& listener) -> Result<std::unique_ptr<RunningCommand>> {
      if (script.refuses) {
        return fail(*script.refuses);
      }
      script.order = order;
      script.listener = &listener;
      return std::make_unique<ScriptedCommand>(script);
    };
    streams = std::make_unique<RestHandler>(server, world.executor(), world.clock(), world.random(),
                                            test_authenticator(), std::move(options));
    must_create_pod("p");
    server.bind({&api::kinds::pod(), "default", "p"}, {.node = "n1"}, {});
    settle();
  }

  // Sessions live as long as their clients.
  ~CommandSessionTest() override {
    for (const auto& exchange : asked) {
      exchange->close();
    }
  }

  static http::Headers websocket(const std::string& protocols = "v5.channel.k8s.io") {
    return {{"Connection", "keep-alive, Upgrade"},
            {"Upgrade", "websocket"},
            {"Host", "here:1"},
            {"Sec-WebSocket-Version", "13"},
            {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
            {"Sec-WebSocket-Protocol", protocols}};
  }
  std::shared_ptr<FakeExchange> ask(http::Request what) {
    auto exchange = std::make_shared<FakeExchange>();
    asked.push_back(exchange);
    Prepared prepared = streams->prepare(std::move(what));
    if (auto* response = std::get_if<http::Response>(&prepared)) {
      exchange->respond(std::move(*response));
    } else {
      std::get<std::unique_ptr<http::Call>>(prepared)->run(exchange);
    }
    return exchange;
  }
  std::shared_ptr<FakeExchange> exec(const std::string& query,
                                     http::Headers headers = websocket()) {
    return ask(
        request("GET", "/api/v1/namespaces/default/pods/p/exec?" + query, "", std::move(headers)));
  }
  std::shared_ptr<FakeExchange> begin_exec(const std::string& query,
                                           http::Headers headers = websocket()) {
    auto exchange = exec(query, std::move(headers));
    EXPECT_NE(script.listener, nullptr) << exchange->body;
    script.listener->on_started();
    return exchange;
  }

  Script script;
  std::unique_ptr<RestHandler> streams;
  std::vector<std::shared_ptr<FakeExchange>> asked;
};

constexpr const char* kAll = "command=sh&command=-c&command=a+b&stdin=true&stdout=true&stderr=true";

TEST_F(CommandSessionTest, ACommandsStreamsAreChannels) {
  const auto exchange = begin_exec(kAll);
  EXPECT_EQ(exchange->status, 101);
  EXPECT_EQ(exchange->upgraded_to, "websocket");
  // The example of RFC 6455, 1.3.
  EXPECT_EQ(exchange->header("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(exchange->header("Sec-WebSocket-Protocol"), "v5.channel.k8s.io");
  EXPECT_EQ(script.order.command, (std::vector<std::string>{"sh", "-c", "a b"}));
  EXPECT_EQ(script.order.container, script.order.pod->spec().containers(0).name());
  EXPECT_TRUE(exchange->say(message(0, "typed") + client_frame(0x89, "you?")));
  EXPECT_TRUE(exchange->say(message(255, std::string(1, '\0'))));
  script.listener->on_output(OutputStream::output, "out");
  script.listener->on_output(OutputStream::errors, "err");
  script.listener->on_ended(0);
  EXPECT_EQ(script.done, (std::vector<std::string>{"input typed", "end of input"}));
  EXPECT_EQ(messages_of(exchange->body),
            (std::vector<std::string>{"1:", "pong:you?", "1:out", "2:err",
                                      R"(3:{"metadata":{},"status":"Success"})", "close"}));
  EXPECT_TRUE(exchange->finished);
  EXPECT_FALSE(script.open);
}

TEST_F(CommandSessionTest, AnExitCodeAndAnErrorAreInTheStatus) {
  auto exchange = begin_exec(kAll);
  script.listener->on_ended(42);
  EXPECT_THAT(exchange->body,
              HasSubstr(R"("details":{"causes":[{"message":"42","reason":"ExitCode"}]})"));
  EXPECT_THAT(exchange->body, HasSubstr(R"("reason":"NonZeroExitCode","status":"Failure")"));
  exchange = begin_exec(kAll);
  script.listener->on_ended(fail(plain_error("exec: \"x\": not found")));
  EXPECT_THAT(exchange->body, HasSubstr(R"(exec: \"x\": not found)"));
  EXPECT_THAT(exchange->body, HasSubstr(R"("reason":"InternalError")"));
}

TEST_F(CommandSessionTest, ATerminalHasASizeAndOneOutput) {
  const auto exchange =
      begin_exec("command=sh&stdin=true&stdout=true&stderr=true&tty=true&container=");
  EXPECT_TRUE(script.order.terminal);
  exchange->say(message(4, R"({"Width":80,"Height":24})") + message(4, "{") +
                message(4, R"({"Width":-1,"Height":99999999})") + message(9, "?"));
  EXPECT_EQ(script.done, (std::vector<std::string>{"80x24", "0x65535"}));
}

TEST_F(CommandSessionTest, StreamsThatAreNotAskedForAreNotUsed) {
  const auto exchange = begin_exec("command=sh&stdout=true", websocket("v4.channel.k8s.io"));
  exchange->say(message(0, "typed") + message(255, std::string(1, '\0')) + message(4, "{}"));
  script.listener->on_output(OutputStream::errors, "err");
  EXPECT_TRUE(script.done.empty());
  EXPECT_EQ(messages_of(exchange->body), std::vector<std::string>{"1:"});
}

// Fragments, and bytes that come one by one.
TEST_F(CommandSessionTest, AMessageMayComeInPieces) {
  const auto exchange = begin_exec(kAll);
  const std::string bytes = client_frame(0x02, "") + client_frame(0x00, std::string("\0a", 2)) +
                            client_frame(0x80, "b") + client_frame(0x81, std::string("\0c", 2));
  for (const char byte : bytes) {
    EXPECT_TRUE(exchange->say(std::string(1, byte)));
  }
  std::string typed;
  for (const std::string& each : script.done) {
    typed += each.substr(6);
  }
  EXPECT_EQ(typed, "abc");
}

TEST_F(CommandSessionTest, AClientWaitsWhileItsInputIsNotTaken) {
  const auto exchange = begin_exec(kAll);
  script.room = 3;
  EXPECT_TRUE(exchange->say(message(0, "abcdef") + message(0, "gh")));
  EXPECT_FALSE(exchange->say("not read yet"));
  script.room = 2;
  script.listener->on_input_room();
  EXPECT_FALSE(exchange->say("not read yet"));
  script.room = 1000;
  script.listener->on_input_room();
  EXPECT_EQ(script.done,
            (std::vector<std::string>{"input abc", "input de", "input f", "input gh"}));
  EXPECT_TRUE(exchange->say(message(0, "i")));
}

TEST_F(CommandSessionTest, ACommandWaitsForAClientThatDoesNotRead) {
  const auto exchange = begin_exec(kAll);
  exchange->reads = false;
  for (int i = 0; i < 10 && script.done.empty(); ++i) {
    script.listener->on_output(OutputStream::output, std::string(60'000, 'x'));
  }
  EXPECT_EQ(script.done, std::vector<std::string>{"hold"});
  EXPECT_LT(exchange->most_unsent, CommandSession::kMaxUnsentBytes + 70'000);
  exchange->take();
  EXPECT_EQ(script.done, (std::vector<std::string>{"hold", "go on"}));
}

TEST_F(CommandSessionTest, ACommandIsHungUpWhenItsClientGoes) {
  auto exchange = begin_exec(kAll);
  exchange->close();
  EXPECT_FALSE(script.open);
  exchange = begin_exec(kAll);
  exchange->say(client_frame(0x88, std::string("\x03\xe8", 2)));
  EXPECT_FALSE(script.open);
  EXPECT_EQ(messages_of(exchange->body).back(), "close");
  exchange = begin_exec(kAll);
  exchange->say("GET / HTTP/1.1\r\n");
  EXPECT_FALSE(script.open);
  EXPECT_TRUE(exchange->finished);
}

TEST_F(CommandSessionTest, WhatIsWrongIsAPlainAnswer) {
  EXPECT_EQ(exec("stdout=true")->status, 400);
  EXPECT_EQ(exec("command=sh")->status, 400);
  EXPECT_EQ(exec("command=sh&stdout=true&container=zork")->status, 400);
  EXPECT_EQ(exec("command=sh&stdout=true", websocket("v1.channel.k8s.io"))->status, 400);
  auto headers = websocket();
  headers[4].value = "short";
  EXPECT_EQ(exec("command=sh&stdout=true", headers)->status, 400);
  EXPECT_EQ(script.listener, nullptr);
  script.refuses = bad_request("container main: not running");
  EXPECT_EQ(exec("command=sh&stdout=true")->status, 400);
  script.refuses.reset();
  const auto late = exec("command=sh&stdout=true");
  script.listener->on_refused(bad_request("container main: too many sessions"));
  EXPECT_EQ(late->status, 400);
  EXPECT_FALSE(script.open);
  EXPECT_EQ(ask(request("GET", "/api/v1/namespaces/default/pods/q/exec?command=sh&stdout=true", "",
                        websocket()))
                ->status,
            404);
  const auto spdy =
      ask(request("POST", "/api/v1/namespaces/default/pods/p/exec?command=sh&stdout=1"));
  EXPECT_EQ(spdy->status, 400);
  EXPECT_THAT(spdy->body, HasSubstr("over WebSocket only"));
  EXPECT_EQ(get("/api/v1/namespaces/default/pods/p/exec?command=sh&stdout=1", websocket())->status,
            404)
      << "a server without nodes";
}

// A browser connects a page of any site to any server, with the user's certificate.
TEST_F(CommandSessionTest, PagesOfOtherSitesMayNotConnect) {
  auto headers = websocket();
  headers.push_back({"Origin", "https://elsewhere:1"});
  EXPECT_EQ(exec(kAll, headers)->status, 403);
  headers.back().value = "null";
  EXPECT_EQ(exec(kAll, headers)->status, 403);
  EXPECT_EQ(script.listener, nullptr);
  headers.back().value = "https://HERE:1";  // as some clients say of themselves
  EXPECT_EQ(begin_exec(kAll, headers)->status, 101);
}

TEST_F(CommandSessionTest, OnlyAdminsMayRunCommands) {
  for (const char* token : {kViewerToken, kNodeToken}) {
    for (const char* method : {"GET", "POST"}) {
      auto headers = websocket();
      headers.push_back({"Authorization", std::string("Bearer ") + token});
      const auto answer = ask(
          {method, "/api/v1/namespaces/default/pods/p/exec?" + std::string(kAll), headers, "", {}});
      EXPECT_EQ(answer->status, 403) << token << ' ' << method;
    }
  }
  EXPECT_EQ(script.listener, nullptr);
}

}  // namespace
}  // namespace windlass::apiserver
