// What agent and supervisor say to each other over the socket, one message per frame.
//
// The agent opens with Hello; the supervisor answers Welcome, one RunReport for every run it knows,
// and Synced. After that the agent sends Start, Signal, Exec, Forget, Shutdown and AskUse at will,
// and the supervisor sends a RunReport for every change, one ExecDone per Exec, a Forgotten per
// Forget and a Use per AskUse. A Start that nothing came of is answered with NotCreated.
// A run's id says what a report is about, and a message may come twice.
//
// A connection that opens with OpenSession instead is for one command in a container. The answer is
// SessionStarted with descriptors, or SessionEnded; after SessionStarted comes one SessionEnded.
// The end of the connection hangs up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "env/containers.h"
#include "supervisor/protocol/isolation.h"

namespace windlass::supervisor {

constexpr uint32_t kProtocolVersion = 8;
constexpr uint32_t kFirstVersionWithUse = 3;
constexpr uint32_t kFirstVersionWithRefusals = 4;
constexpr uint32_t kFirstVersionWithSharedMemory = 5;  // and with NotCreated
constexpr uint32_t kFirstVersionWithConfinement = 6;
constexpr uint32_t kFirstVersionWithBoundary = 7;
constexpr uint32_t kFirstVersionWithRunUse = 8;

struct Hello {
  uint32_t version = kProtocolVersion;
  bool end_with_me = false;  // when this connection ends, kill everything and exit

  bool operator==(const Hello&) const = default;
};

struct Start {
  env::ContainerRequest request;

  bool operator==(const Start&) const = default;
};

struct Signal {
  std::string id;
  int number = 0;

  bool operator==(const Signal&) const = default;
};

struct Exec {
  uint64_t number = 0;  // given back in ExecDone
  env::ContainerExec exec;

  bool operator==(const Exec&) const = default;
};

struct Forget {
  std::string id;

  bool operator==(const Forget&) const = default;
};

// Kills what runs, records it, and exits.
struct Shutdown {
  bool operator==(const Shutdown&) const = default;
};

struct Welcome {
  uint32_t version = kProtocolVersion;
  int32_t pid = 0;
  Isolation isolation;

  bool operator==(const Welcome&) const = default;
};

struct RunReport {
  env::ContainerRunInfo run;

  bool operator==(const RunReport&) const = default;
};

struct Synced {
  bool operator==(const Synced&) const = default;
};

struct ExecDone {
  uint64_t number = 0;
  std::string error;  // "" when it ran
  env::ContainerExecResult result;

  bool operator==(const ExecDone&) const = default;
};

// Answer to Forget, also for an id that is not known.
struct Forgotten {
  std::string id;

  bool operator==(const Forgotten&) const = default;
};

// What do the running containers take? Not to be sent to one of an older version.
struct AskUse {
  bool operator==(const AskUse&) const = default;
};

struct Use {
  std::vector<env::ContainerUse> containers;

  bool operator==(const Use&) const = default;
};

// NotCreated without its reason, for agents of the version before it.
struct Refused {
  std::string id;
  std::string why;

  bool operator==(const Refused&) const = default;
};

// Answer to a Start that cannot be carried out now. Nothing has run, nothing is recorded: it may be
// asked for again. Not to be sent to one of an older version.
struct NotCreated {
  std::string id;
  std::string reason;
  std::string why;

  bool operator==(const NotCreated&) const = default;
};

// Start of a container whose confinement is not the usual one. Not to be sent to one of an older
// version.
struct StartConfined {
  env::ContainerRequest request;

  bool operator==(const StartConfined&) const = default;
};

// The same for one whose boundary is not the usual one either.
struct StartBounded {
  env::ContainerRequest request;

  bool operator==(const StartBounded&) const = default;
};

// What the run took that the next RunReport says is over. Not to be sent to one of an older
// version.
struct RunUse {
  std::string id;
  std::optional<uint64_t> peak_memory_bytes;
  std::optional<uint64_t> cpu_microseconds;

  bool operator==(const RunUse&) const = default;
};

// A command with the container's environment, directory and user, and with streams of its own.
struct OpenSession {
  std::string container;  // `<pod uid>/<container>`: in the run of it that is running
  std::vector<std::string> command;
  bool input = false;     // else its input is empty
  bool terminal = false;  // one for all its streams

  bool operator==(const OpenSession&) const = default;
};

// Comes with descriptors: of the terminal; or of standard output and error, and of input where it
// was asked for.
struct SessionStarted {
  bool operator==(const SessionStarted&) const = default;
};

struct SessionEnded {
  std::string error;  // "" when it ran
  int code = 0;
  bool refused = false;  // nothing was tried: the container does not run, or has too many sessions

  bool operator==(const SessionEnded&) const = default;
};

using Message =
    std::variant<Hello, Start, Signal, Exec, Forget, Shutdown, Welcome, RunReport, Synced, ExecDone,
                 Forgotten, AskUse, Use, Refused, NotCreated, StartConfined, StartBounded, RunUse,
                 OpenSession, SessionStarted, SessionEnded>;

// Start, StartConfined or StartBounded.
Message start_message(const env::ContainerRequest& request);

std::string encode(const Message& message);
Result<Message> decode(std::string_view bytes);

// What no supervisor should be asked for: a bad id, no command, a NUL in a string, a relative path,
// a mount at a path with `..`, memory without a name, more than a message can carry, a
// setting of the kernel that is not the container's own.
Result<void> check_request(const env::ContainerRequest& request);
Result<void> check_exec(const env::ContainerExec& exec);
Result<void> check_session(const OpenSession& session);

}  // namespace windlass::supervisor
