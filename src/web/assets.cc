#include "web/assets.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"

// The files of src/web/page, one after the other, each behind a line `NAME LENGTH`
// (cmake/page.cmake).
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".globl windlass_page_begin\n"
    ".hidden windlass_page_begin\n"
    "windlass_page_begin:\n"
    ".incbin \"" WINDLASS_PAGE_FILE
    "\"\n"
    ".globl windlass_page_end\n"
    ".hidden windlass_page_end\n"
    "windlass_page_end:\n"
    ".byte 0\n"
    ".text\n");

extern "C" {
__attribute__((visibility("hidden"))) extern const char windlass_page_begin[];
__attribute__((visibility("hidden"))) extern const char windlass_page_end[];
}

namespace windlass::web {
namespace {

std::string_view content_type(std::string_view name) {
  if (name.ends_with(".html")) {
    return "text/html; charset=utf-8";
  }
  if (name.ends_with(".css")) {
    return "text/css; charset=utf-8";
  }
  if (name.ends_with(".svg")) {
    return "image/svg+xml";
  }
  CHECK(name.ends_with(".js"), "a file of the page is of no known type");
  return "text/javascript; charset=utf-8";
}

std::string tag_of(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string tag = "\"";
  for (size_t i = 0; i < digest.size() / 2; ++i) {
    tag += fmt::format("{:02x}", digest[i]);
  }
  return tag + "\"";
}

std::vector<Asset> read_assets() {
  std::vector<Asset> found;
  std::string_view rest(windlass_page_begin,
                        static_cast<size_t>(windlass_page_end - windlass_page_begin));
  while (!rest.empty()) {
    const size_t line = rest.find('\n');
    const size_t blank = rest.find(' ');
    CHECK(line != std::string_view::npos && blank < line, "the page has no line NAME LENGTH");
    const std::string_view name = rest.substr(0, blank);
    size_t length = 0;
    for (const char digit : rest.substr(blank + 1, line - blank - 1)) {
      length = length * 10 + static_cast<size_t>(digit - '0');
    }
    CHECK(rest.size() > line + 1 + length, "a file of the page is cut off");
    const std::string_view text = rest.substr(line + 1, length);
    found.push_back({name, content_type(name), text, tag_of(text)});
    rest.remove_prefix(line + 1 + length + 1);
  }
  return found;
}

}  // namespace

std::span<const Asset> assets() {
  static const std::vector<Asset> all = read_assets();
  return all;
}

const Asset* find_asset(std::string_view name) {
  const auto all = assets();
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const Asset& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace windlass::web
