// The files of the page, which the program carries. Constant; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace windlass::web {

struct Asset {
  std::string_view name;  // job_page.js
  std::string_view content_type;
  std::string_view text;
  std::string tag;  // changes with the text: "3f9c..." with its quotes, as an ETag
};

// By name.
std::span<const Asset> assets();
const Asset* find_asset(std::string_view name);

}  // namespace windlass::web
