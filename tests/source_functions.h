// The functions of a C++ file, wherever their bodies are: at namespace scope, in a class, or in a
// class inside a function. Reads clang-formatted text; not a parser.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace windlass::house {

struct SourceFunction {
  size_t line = 0;   // of the first line of its signature
  size_t lines = 0;  // from there to the closing brace
};

std::vector<SourceFunction> functions_of(const std::string& text);

}  // namespace windlass::house
