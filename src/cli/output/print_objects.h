#pragma once

#include <string>
#include <vector>

#include "api/kind.h"

namespace windlass::cli {

// -o of a command: text is what it prints for people.
enum class OutputFormat { text, yaml, json };

struct PrintableObject {
  const api::Kind* kind = nullptr;
  api::ObjectPtr object;
};

// Whether one JSON object is printed alone, and none as nothing.
enum class ListShape { for_several, always };

// Objects as kubectl prints them: one JSON object alone, several as a v1 List; YAML documents
// separated by `---`. Ends in a newline, unless there is nothing to print.
std::string print_objects(const std::vector<PrintableObject>& objects, OutputFormat format,
                          ListShape shape = ListShape::for_several);

}  // namespace windlass::cli
