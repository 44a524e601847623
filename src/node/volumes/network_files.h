// /etc/hosts and /etc/resolv.conf of a pod that asks for more than the machine's: hostAliases and
// dnsConfig. Pods share the machine's network, so both begin with what the machine has. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace windlass::node {

struct HostAliasPlan {
  std::string ip;
  std::vector<std::string> names;
};

struct DnsPlan {
  bool alone = false;  // dnsPolicy None: without what the machine has
  std::vector<std::string> nameservers;
  std::vector<std::string> searches;
  std::vector<std::pair<std::string, std::optional<std::string>>> options;
};

std::string hosts_text(std::string_view of_machine, const std::vector<HostAliasPlan>& aliases);

// The machine's servers and domains come first, and those of the pod that are new after them; of
// options the pod's value wins.
std::string resolv_text(std::string_view of_machine, const DnsPlan& dns);

}  // namespace windlass::node
