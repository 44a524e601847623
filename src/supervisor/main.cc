// The supervisor as a small program of its own, which windlass carries and starts from memory.
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "supervisor/server/serve.h"

int main(int argc, char** argv) {
  using std::string_view;
  if (argc != 4 || string_view(argv[1]) != "supervisor" || string_view(argv[2]) != "--dir") {
    std::fputs("error: usage: windlass supervisor --dir DIR\n", stderr);
    return 2;
  }
  windlass::supervisor::SupervisorOptions options;
  options.directory = argv[3];
  if (const auto served = windlass::supervisor::serve(options); !served) {
    std::fputs(fmt::format("error: {}\n", served.error().message).c_str(), stderr);
    return 1;
  }
  return 0;
}
