#include "net/stream/endpoint.h"

#include <gtest/gtest.h>

namespace windlass::net {
namespace {

TEST(NetworkOf, IsTheAddressOfIpv4AndTheSubnetOfIpv6) {
  EXPECT_EQ(network_of("127.0.0.1:40312"), "127.0.0.1");
  EXPECT_EQ(network_of("[2001:db8:1:2:3:4:5:6]:443"), "2001:db8:1:2::/64");
  EXPECT_EQ(network_of("[::ffff:192.0.2.7]:443"), "192.0.2.7") << "IPv4 over an IPv6 socket";
  EXPECT_EQ(network_of(""), "");
}

}  // namespace
}  // namespace windlass::net
