// One `kubectl exec` over WebSocket: the channels of Kubernetes (v4 and v5) on one side, a running
// command on the other. Each message has the number of its channel first. Both directions are
// bounded: the client waits for the command to take its input, and the command for the client to
// take its output.
//
// Keeps itself alive until its exchange is over. Core executor only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/rest/streams/container_streams.h"
#include "apiserver/rest/streams/websocket_upgrade.h"
#include "http/handler.h"
#include "http/websocket/websocket_frames.h"

namespace windlass::apiserver {

inline constexpr std::string_view kCommandProtocols[] = {"v5.channel.k8s.io", "v4.channel.k8s.io"};

class CommandSession final : public CommandListener,
                             public std::enable_shared_from_this<CommandSession> {
 public:
  // Of output that the client has not taken: above it the command waits.
  static constexpr size_t kMaxUnsentBytes = 256 * 1024;

  // Asks for the command, and answers the exchange.
  static void start(const OpenCommand& open, const CommandOrder& order, WebSocketUpgrade upgrade,
                    std::shared_ptr<http::Exchange> exchange);

  CommandSession(const CommandOrder& order, WebSocketUpgrade upgrade,
                 std::shared_ptr<http::Exchange> exchange);

  void on_started() override;
  void on_refused(const Status& why) override;
  void on_output(OutputStream stream, std::string bytes) override;
  void on_input_room() override;
  void on_ended(const Result<int>& code) override;

 private:
  // Of a terminal's size, as text.
  static constexpr size_t kMaxControlBytes = 1024;

  bool serves(OutputStream stream) const;
  void receive();
  void take_received();
  void take(http::WebSocketPiece piece);
  void take_data(http::WebSocketPiece piece);
  void take_message(uint8_t channel, std::string_view text);
  void write_input(std::string_view bytes);
  void send(uint8_t channel, std::string_view bytes);
  void end(uint16_t code);

  const bool input_;
  const bool output_;
  const bool errors_;
  const bool terminal_;
  const bool closes_channels_;  // v5
  WebSocketUpgrade upgrade_;
  std::shared_ptr<http::Exchange> exchange_;  // null once it is over
  std::unique_ptr<RunningCommand> command_;
  http::WebSocketReader reader_;
  std::string received_;     // and not read yet
  size_t read_ = 0;          // of it
  std::string input_bytes_;  // that the command has not taken
  int channel_ = -1;         // of the present message; -1 before its first byte
  std::string control_;      // the present message, on a channel that is read as a whole
  bool held_ = false;        // the command waits for the client
};

}  // namespace windlass::apiserver
