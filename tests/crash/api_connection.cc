#include "api_connection.h"

#include <fmt/format.h>

#include <cstdlib>

#include "api/codec/base64.h"
#include "base/check.h"
#include "net/tls/tls_testing.h"
#include "plane/kubeconfig_text.h"

namespace windlass::crash {
namespace {

constexpr std::string_view kEndOfLine = "\r\n";

std::string authority_of(const std::string& kubeconfig) {
  const std::string label = "certificate-authority-data: ";
  const size_t begin = kubeconfig.find(label) + label.size();
  std::string pem;
  CHECK(!api::decode_base64(kubeconfig.substr(begin, kubeconfig.find('\n', begin) - begin), pem),
        "a kubeconfig that windlass wrote");
  return pem;
}

net::Endpoint endpoint_of(const std::string& kubeconfig) {
  const std::string scheme = "https://";
  return *net::parse_endpoint(plane::server_of_kubeconfig(kubeconfig)->substr(scheme.size()));
}

}  // namespace

struct ApiConnection::Socket {
  explicit Socket(const std::string& kubeconfig)
      : client(endpoint_of(kubeconfig), authority_of(kubeconfig)) {}
  net::testing::TlsClient client;
};

ApiConnection::ApiConnection(const std::string& kubeconfig)
    : socket_(std::make_unique<Socket>(kubeconfig)),
      token_(*plane::token_of_kubeconfig(kubeconfig)) {}

ApiConnection::~ApiConnection() = default;

Answer ApiConnection::request(const std::string& method, const std::string& target,
                              const std::string& content_type, const std::string& body) {
  if (!send(method, target, content_type, body)) {
    return {};
  }
  const Head head = read_head();
  if (head.status == 0) {
    return {};
  }
  Answer answer{head.status, {}};
  if (!head.chunked) {
    const auto text = take(head.length);
    return text ? Answer{head.status, *text} : Answer{};
  }
  while (true) {
    const auto chunk = take_chunk();
    if (!chunk) {
      return {};
    }
    if (chunk->empty()) {
      return answer;
    }
    answer.body += *chunk;
  }
}

int ApiConnection::open_stream(const std::string& target) {
  return send("GET", target, "", "") ? read_head().status : 0;
}

std::optional<std::string> ApiConnection::next_line() {
  size_t end = 0;
  while ((end = line_.find('\n')) == std::string::npos) {
    const auto chunk = take_chunk();
    if (!chunk || chunk->empty()) {
      return std::nullopt;
    }
    line_ += *chunk;
  }
  std::string line = line_.substr(0, end);
  line_.erase(0, end + 1);
  return line;
}

bool ApiConnection::send(const std::string& method, const std::string& target,
                         const std::string& content_type, const std::string& body) {
  if (!socket_->client.connected()) {
    return false;
  }
  socket_->client.send(fmt::format(
      "{} {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nAccept: application/json\r\n"
      "Content-Type: {}\r\nContent-Length: {}\r\n\r\n{}",
      method, target, token_, content_type, body.size(), body));
  return true;
}

ApiConnection::Head ApiConnection::read_head() {
  Head head;
  auto line = take_line();
  const size_t code = std::string("HTTP/1.1 ").size();
  if (!line || line->size() < code) {
    return {};
  }
  head.status = std::atoi(line->c_str() + code);
  while ((line = take_line()) && !line->empty()) {
    for (char& c : *line) {
      c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const std::string length = "content-length: ";
    if (line->starts_with(length)) {
      head.length = std::strtoull(line->c_str() + length.size(), nullptr, 10);
    }
    head.chunked = head.chunked || *line == "transfer-encoding: chunked";
  }
  return line ? head : Head{};
}

std::optional<std::string> ApiConnection::take_chunk() {
  const auto size = take_line();
  if (!size) {
    return std::nullopt;
  }
  const auto chunk = take(std::strtoull(size->c_str(), nullptr, 16));
  return take_line() ? chunk : std::nullopt;
}

std::optional<std::string> ApiConnection::take(size_t bytes) {
  while (received_.size() < bytes) {
    if (!read_more()) {
      return std::nullopt;
    }
  }
  std::string taken = received_.substr(0, bytes);
  received_.erase(0, bytes);
  return taken;
}

std::optional<std::string> ApiConnection::take_line() {
  size_t end = 0;
  while ((end = received_.find(kEndOfLine)) == std::string::npos) {
    if (!read_more()) {
      return std::nullopt;
    }
  }
  std::string line = received_.substr(0, end);
  received_.erase(0, end + kEndOfLine.size());
  return line;
}

bool ApiConnection::read_more() {
  const std::string more = socket_->client.receive(1);
  received_ += more;
  return !more.empty();
}

}  // namespace windlass::crash
