// The help of the program and of its commands, and the completion script, made from the flags that
// the commands declared.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace windlass::cli {

// At most kTextColumns wide.
std::string help_text(const CLI::App& command);

// The words that name a command: `windlass policy test`.
std::string command_words(const CLI::App& command);

// Makes bash complete commands and flags.
std::string bash_completion(const CLI::App& program);

}  // namespace windlass::cli
