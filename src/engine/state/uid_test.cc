#include "engine/state/uid.h"

#include <gtest/gtest.h>

namespace windlass::engine {
namespace {

TEST(Uids, CanonicalAndOddTexts) {
  UidNames names;
  for (const char* text :
       {"0e8a7b9c-1234-4abc-8def-0123456789ab", "a", "", "ffffffff-ffff-ffff-0000-000000000000",
        "0E8A7B9C-1234-4ABC-8DEF-0123456789AB", "0e8a7b9c-1234-4abc-8def-0123456789a"}) {
    const Uid uid = names.intern(text);
    EXPECT_EQ(names.text(uid), text);
    EXPECT_EQ(names.intern(text), uid);
    EXPECT_EQ(names.find(text), uid);
    names.forget(uid);
  }
  EXPECT_EQ(names.find("a"), std::nullopt);
}

}  // namespace
}  // namespace windlass::engine
