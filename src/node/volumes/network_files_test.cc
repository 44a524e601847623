#include "node/volumes/network_files.h"

#include <gtest/gtest.h>

namespace windlass::node {
namespace {

TEST(NetworkFiles, AliasesFollowTheMachinesHosts) {
  EXPECT_EQ(hosts_text("127.0.0.1 localhost", {{"10.0.0.1", {"a", "b.example"}}, {"::1", {"c"}}}),
            "# The machine's hosts file, and the hostAliases of the pod.\n"
            "127.0.0.1 localhost\n10.0.0.1\ta\tb.example\n::1\tc\n");
}

TEST(NetworkFiles, DnsOfThePodIsAddedToTheMachines) {
  const std::string machine =
      "# made by hand\nsearch old\nsearch example.com  corp\nnameserver 10.0.0.53 ; near\n"
      "options ndots:1 rotate\n";
  const DnsPlan dns = {
      false, {"10.0.0.53", "10.9.9.9"}, {"corp", "svc"}, {{"ndots", "5"}, {"edns0", {}}}};
  EXPECT_EQ(resolv_text(machine, dns),
            "search example.com corp svc\nnameserver 10.0.0.53\nnameserver 10.9.9.9\n"
            "options ndots:5 rotate edns0\n");
}

TEST(NetworkFiles, DnsPolicyNoneLeavesOutTheMachines) {
  EXPECT_EQ(resolv_text("nameserver 10.0.0.53\n", {true, {"10.9.9.9"}, {}, {}}),
            "nameserver 10.9.9.9\n");
}

}  // namespace
}  // namespace windlass::node
