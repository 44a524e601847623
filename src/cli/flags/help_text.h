// The help of the program and of its commands, made from the flags that the commands declared; and
// its parts, for the other texts that are made from them. Pure.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace windlass::cli {

// At most kTextColumns wide.
std::string help_text(const CLI::App& command);

// The words that name a command: `windlass policy test`.
std::string command_words(const CLI::App& command);

// `Usage: windlass policy test [FLAGS] [FILE...]`, with a line feed.
std::string usage_line(const CLI::App& command);

// `-f, --filename FILE`, with four spaces in place of a missing letter.
std::string flag_name(const CLI::Option& option);

// The subcommands that are for people.
std::vector<const CLI::App*> shown_commands(const CLI::App& app);

}  // namespace windlass::cli
