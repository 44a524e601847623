// The user's browser on a desktop. Only the core thread.
#pragma once

#include <string>

#include "base/result.h"
#include "env/files.h"

namespace windlass::cli {

// The program that opens a file in the browser, and the file that leads it to the page: with the
// address as its argument, every user of the machine could read the login.
struct Browser {
  std::string program = {};  // "": there is none
  std::string file = {};
};

// None without a desktop. `directory` is the user's own.
Browser desktop_browser(const std::string& directory);

// Does not wait for the browser.
Result<void> open_browser(env::Files& files, const Browser& browser, const std::string& url);

}  // namespace windlass::cli
