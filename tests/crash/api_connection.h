// A client of a running `windlass up`: one kept connection, one request at a time, over TLS with
// the token of its kubeconfig. Any one thread. A connection that breaks answers with status 0.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace windlass::crash {

struct Answer {
  int status = 0;
  std::string body = {};
};

class ApiConnection {
 public:
  // `kubeconfig` is the text of one.
  explicit ApiConnection(const std::string& kubeconfig);
  ~ApiConnection();
  ApiConnection(const ApiConnection&) = delete;
  ApiConnection& operator=(const ApiConnection&) = delete;

  Answer request(const std::string& method, const std::string& target,
                 const std::string& content_type = "", const std::string& body = "");

  // A watch: its status, and then line by line what it says, until it ends or breaks.
  int open_stream(const std::string& target);
  std::optional<std::string> next_line();

 private:
  struct Head {
    int status = 0;
    size_t length = 0;
    bool chunked = false;
  };

  bool send(const std::string& method, const std::string& target, const std::string& content_type,
            const std::string& body);
  Head read_head();
  // The next so many bytes, or up to and with the end of a line; nothing when the connection broke.
  std::optional<std::string> take(size_t bytes);
  std::optional<std::string> take_line();
  std::optional<std::string> take_chunk();
  bool read_more();

  struct Socket;
  std::unique_ptr<Socket> socket_;
  std::string token_;
  std::string received_;
  std::string line_;  // of a stream, not yet complete
};

}  // namespace windlass::crash
