#include "cli/commands/dashboard/browser.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "posix/process/inherited.h"
#include "posix/process/program.h"

namespace windlass::cli {
namespace {

// In an attribute of HTML they mean themselves.
bool is_plain_url(std::string_view url) {
  return std::all_of(url.begin(), url.end(), [](char c) {
    return c > ' ' && c < 0x7F && std::string_view("\"'<>&;").find(c) == std::string_view::npos;
  });
}

}  // namespace

Browser desktop_browser(const std::string& directory) {
  const bool has_desktop = !posix::environment_variable("DISPLAY").empty() ||
                           !posix::environment_variable("WAYLAND_DISPLAY").empty();
  return has_desktop ? Browser{"xdg-open", directory + "/dashboard.html"} : Browser{};
}

Result<void> open_browser(env::Files& files, const Browser& browser, const std::string& url) {
  if (browser.program.empty() || !is_plain_url(url)) {
    return {};
  }
  TRY_VOID(files.write(
      browser.file,
      fmt::format("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={}\">\n", url),
      0600));
  return posix::run_program(
      {"/bin/sh", "-c", "\"$0\" \"$1\" >/dev/null 2>&1 &", browser.program, browser.file});
}

}  // namespace windlass::cli
