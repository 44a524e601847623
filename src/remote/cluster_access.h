// How to reach one API server and prove who we are, as a kubeconfig or the cluster's own service
// account says. Plain data; holds secrets, so nothing of it goes into logs but server and context.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::remote {

struct ServerUrl {
  bool tls = true;
  std::string host = {};  // a name or an address, without brackets
  uint16_t port = 0;
  std::string base_path = {};  // /k8s/clusters/c-1; "" mostly

  std::string text() const;       // https://host:6443/base
  std::string authority() const;  // host:port as the Host header has it
  bool operator==(const ServerUrl&) const = default;
};

// https and http, a port, a path; nothing else.
Result<ServerUrl> parse_server_url(std::string_view text);

// On the way to the server.
struct Proxy {
  enum class Kind { http, https, socks5 };  // https: HTTP's CONNECT inside of TLS
  Kind kind = Kind::http;
  ServerUrl server = {};
  std::string user = {};  // "" for none
  std::string password = {};
};

// A program that says who we are when asked: `exec` of a kubeconfig's user.
struct ExecPlugin {
  std::string api_version = {};  // client.authentication.k8s.io/v1 or /v1beta1
  std::vector<std::string> command = {};
  std::vector<std::string> environment = {};  // NAME=value
  std::string install_hint = {};
  std::string cluster_json = {};  // for provideClusterInfo; "" without
};

struct ClusterAccess {
  std::string context = {};  // of the kubeconfig; "in-cluster"
  ServerUrl server = {};
  std::optional<Proxy> proxy = {};
  std::string ns = "default";  // where commands look that name none

  bool verify = true;
  std::string tls_server_name = {};  // "": the host
  // Each as content or, where a file is named, read from there again and again.
  std::string authority_pem = {};
  std::string authority_file = {};
  std::string certificate_pem = {};
  std::string certificate_file = {};
  std::string key_pem = {};
  std::string key_file = {};
  std::string token = {};
  std::string token_file = {};
  std::optional<ExecPlugin> exec = {};  // instead of token and certificate
};

}  // namespace windlass::remote
