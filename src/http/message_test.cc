#include "http/message.h"

#include <gtest/gtest.h>

namespace windlass::http {
namespace {

TEST(Headers, NamesAreFoundInAnyCaseAndTheFirstOneCounts) {
  const Headers headers = {{"Content-Type", "a"}, {"content-type", "b"}};
  EXPECT_EQ(find_header(headers, "CONTENT-TYPE"), "a");
  EXPECT_EQ(find_header(headers, "Content-Typ"), std::nullopt);
  EXPECT_EQ(find_header({}, "Accept"), std::nullopt);
}

}  // namespace
}  // namespace windlass::http
