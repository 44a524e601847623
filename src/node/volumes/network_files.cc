#include "node/volumes/network_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace windlass::node {
namespace {

using Options = std::vector<std::pair<std::string, std::optional<std::string>>>;

void add_new(const std::vector<std::string>& more, std::vector<std::string>& list) {
  for (const std::string& each : more) {
    if (std::find(list.begin(), list.end(), each) == list.end()) {
      list.push_back(each);
    }
  }
}

void set_option(const Options::value_type& option, Options& options) {
  const auto found = std::find_if(options.begin(), options.end(), [&option](const auto& each) {
    return each.first == option.first;
  });
  if (found == options.end()) {
    options.push_back(option);
  } else {
    found->second = option.second;
  }
}

// What resolv.conf(5) knows; of several `search` lines the last one counts.
DnsPlan read_resolv(std::string_view text) {
  DnsPlan dns;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find_first_of("#;")));
    std::string key;
    words >> key;
    if (key == "search" || key == "domain") {
      dns.searches.clear();
    }
    for (std::string word; words >> word;) {
      if (key == "nameserver") {
        dns.nameservers.push_back(word);
      } else if (key == "search" || key == "domain") {
        dns.searches.push_back(word);
      } else if (key == "options") {
        const size_t colon = word.find(':');
        set_option(
            {word.substr(0, colon),
             colon == std::string::npos ? std::nullopt : std::optional(word.substr(colon + 1))},
            dns.options);
      }
    }
  }
  return dns;
}

}  // namespace

std::string hosts_text(std::string_view of_machine, const std::vector<HostAliasPlan>& aliases) {
  std::string text = "# The machine's hosts file, and the hostAliases of the pod.\n";
  text += of_machine;
  text += of_machine.empty() || of_machine.ends_with('\n') ? "" : "\n";
  for (const HostAliasPlan& alias : aliases) {
    text += fmt::format("{}\t{}\n", alias.ip, fmt::join(alias.names, "\t"));
  }
  return text;
}

std::string resolv_text(std::string_view of_machine, const DnsPlan& dns) {
  DnsPlan all = dns.alone ? DnsPlan() : read_resolv(of_machine);
  add_new(dns.nameservers, all.nameservers);
  add_new(dns.searches, all.searches);
  for (const auto& option : dns.options) {
    set_option(option, all.options);
  }
  std::string text;
  if (!all.searches.empty()) {
    text += fmt::format("search {}\n", fmt::join(all.searches, " "));
  }
  for (const std::string& server : all.nameservers) {
    text += fmt::format("nameserver {}\n", server);
  }
  std::string options;
  for (const auto& [name, value] : all.options) {
    options += " " + name + (value ? ":" + *value : "");
  }
  return options.empty() ? text : text + "options" + options + "\n";
}

}  // namespace windlass::node
