// HTTP as values: what a request says and what is answered, without sockets. The API server's
// front is a function of these, and so are its tests. Plain data; any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace windlass::http {

struct Header {
  std::string name;  // any case
  std::string value;
};

using Headers = std::vector<Header>;

// The first header of that name, whatever its case; nothing when there is none.
std::optional<std::string_view> find_header(const Headers& headers, std::string_view name);

// Who is on the other side, as far as the transport knows.
struct Peer {
  std::string address = {};  // 127.0.0.1:40312
  // From a client certificate that our own authority has signed; empty without one.
  std::string common_name = {};
  std::vector<std::string> organizations = {};
  std::string reached = {};  // which address of ours: 127.0.0.1:6443
};

// Whose share of the transport's limits a request counts against (net/server_limits.h).
struct Caller {
  enum class Rank { unknown, ordinary, node, admin };

  std::string user = {};  // "" without credentials
  Rank rank = Rank::admin;
};

// The results of reading a request's head, so that no later step repeats the work. Handlers derive
// their own from it (http/handler.h).
struct RequestContext {
  virtual ~RequestContext() = default;

  Caller caller = {};
};

struct Request {
  std::string method;  // GET
  std::string target;  // path and query as they were sent, still encoded
  Headers headers = {};
  std::string body = {};
  Peer peer = {};
  std::shared_ptr<RequestContext> context = {};  // from Handler::read_head
};

// Bytes that may be on their way to many clients at once.
using Chunk = std::shared_ptr<const std::string>;

struct Response {
  int status = 200;
  Headers headers = {};
  std::string body = {};
  Chunk shared = {};  // instead of `body`, if it is there
  // Instead of `body`: makes it on the transport's thread, so that coding does not hold up the
  // core.
  std::function<std::string()> make_body = {};

  // Wherever it is. Once.
  std::string take_body();
};

}  // namespace windlass::http
