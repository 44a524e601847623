// The manual page of a command in roff, made from its help. Pure.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace windlass::cli {

struct ManPage {
  std::string name;  // windlass-policy-test.1
  std::string text;
};

// Of the program, its commands and their subcommands. `version` stands at the foot of each page.
std::vector<ManPage> man_pages(const CLI::App& program, const std::string& version);

}  // namespace windlass::cli
