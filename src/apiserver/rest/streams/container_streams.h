// The streams of containers as the API server sees them: what it asks of a node, and what a node
// tells. Implemented where the nodes are (plane/streams). Core executor only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::apiserver {

// pods/NAME/exec, checked.
struct CommandOrder {
  std::shared_ptr<const api::core::v1::Pod> pod = {};
  std::string container = {};
  std::vector<std::string> command = {};
  // The streams that the client uses.
  bool input = false;
  bool output = false;
  bool errors = false;
  bool terminal = false;
};

enum class OutputStream : uint8_t { output = 1, errors = 2 };

// What a command tells, never inside a call to it.
class CommandListener {
 public:
  // One of the two comes first: it could be asked for, or not.
  virtual void on_started() = 0;
  virtual void on_refused(const Status& why) = 0;

  virtual void on_output(OutputStream stream, std::string bytes) = 0;
  // The input that was not taken may be offered again.
  virtual void on_input_room() = 0;
  // Its exit code, after all its output; or why there is none.
  virtual void on_ended(const Result<int>& code) = 0;

 protected:
  ~CommandListener() = default;
};

// A command that was asked for. Destroyed, it is hung up; then nothing more is told.
class RunningCommand {
 public:
  virtual ~RunningCommand() = default;
  // How many of the bytes it takes now. After fewer than all, on_input_room() follows.
  virtual size_t write_input(std::string_view bytes) = 0;
  virtual void end_input() = 0;
  virtual void resize(uint16_t columns, uint16_t rows) = 0;
  // For a client that does not read as fast as the command writes.
  virtual void hold_output(bool hold) = 0;
};

// The listener outlives the command.
using OpenCommand =
    std::function<Result<std::unique_ptr<RunningCommand>>(const CommandOrder&, CommandListener&)>;

}  // namespace windlass::apiserver
