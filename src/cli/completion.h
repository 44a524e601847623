// The script that makes bash complete windlass' commands and flags.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace windlass::cli {

std::string bash_completion(const CLI::App& app);

}  // namespace windlass::cli
