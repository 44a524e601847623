// Rows of text as a table: every column as wide as its widest cell, two blanks between columns, no
// blanks at the end of a line. Pure.
#pragma once

#include <string>
#include <vector>

namespace windlass::policy {

std::string columns(const std::vector<std::vector<std::string>>& rows,
                    const std::string& indent = "");

}  // namespace windlass::policy
