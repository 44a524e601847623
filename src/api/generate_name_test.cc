#include "api/generate_name.h"

#include <gtest/gtest.h>

#include <set>

namespace windlass::api {
namespace {

class CountingRandom : public env::Random {
 public:
  uint64_t next() override { return ++last_; }
  void fill(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes) {
      byte = static_cast<std::byte>(next());
    }
  }

 private:
  uint64_t last_ = 0;
};

TEST(GenerateName, J53_FiveCharactersFollowTheBase) {
  CountingRandom random;
  EXPECT_EQ(generate_name("job-", random), "job-cdfgh");
  EXPECT_EQ(generate_name("", random).size(), 5U);
}

TEST(GenerateName, J53_ALongBaseIsCutTo58) {
  CountingRandom random;
  const std::string base(80, 'a');
  const std::string name = generate_name(base, random);
  EXPECT_EQ(name.size(), 63U);
  EXPECT_EQ(name.substr(0, 58), base.substr(0, 58));
  EXPECT_NE(name[58], 'a');
}

TEST(GenerateName, J53_OnlyTheLettersOfTheAlphabet) {
  CountingRandom random;
  std::set<char> seen;
  for (int i = 0; i < 100; ++i) {
    for (const char c : generate_name("", random)) {
      seen.insert(c);
    }
  }
  EXPECT_EQ(std::string(seen.begin(), seen.end()), "2456789bcdfghjklmnpqrstvwxz");
  EXPECT_EQ(kMaxGenerateNameAttempts, 8);
}

}  // namespace
}  // namespace windlass::api
