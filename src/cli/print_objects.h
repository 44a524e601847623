#pragma once

#include <string>
#include <vector>

#include "api/kind.h"
#include "cli/command_line.h"

namespace windlass::cli {

struct PrintableObject {
  const api::Kind* kind = nullptr;
  api::ObjectPtr object;
};

// Objects as kubectl prints them: one JSON object alone, several as a v1 List; YAML documents
// separated by `---`. Always ends in a newline.
std::string print_objects(const std::vector<PrintableObject>& objects, OutputFormat format);

}  // namespace windlass::cli
