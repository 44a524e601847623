#include "base/big_integer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace windlass {
namespace {

constexpr int64_t kMinInt64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

TEST(BigInteger, EndsOfInt64) {
  EXPECT_EQ(BigInteger(kMinInt64).to_string(), "-9223372036854775808");
  EXPECT_EQ(BigInteger(kMinInt64).to_int64(), kMinInt64);
  EXPECT_EQ(BigInteger(kMaxInt64).to_int64(), kMaxInt64);
  BigInteger above(kMaxInt64);
  above.add(BigInteger(1));
  EXPECT_EQ(above.to_string(), "9223372036854775808");
  EXPECT_EQ(above.to_int64(), std::nullopt);
  above.negate();
  EXPECT_EQ(above.to_int64(), kMinInt64);
}

TEST(BigInteger, ZeroHasNoSign) {
  BigInteger zero(5);
  zero.subtract(BigInteger(5));
  zero.negate();
  EXPECT_EQ(zero, BigInteger());
  EXPECT_EQ(zero.sign(), 0);
  EXPECT_EQ(zero.to_string(), "0");
}

TEST(BigInteger, PowersOfTen) {
  BigInteger value(7);
  value.multiply_pow10(40);
  EXPECT_EQ(value.to_string(), "7" + std::string(40, '0'));
  EXPECT_TRUE(value.divide_pow10(40));
  EXPECT_EQ(value.to_int64(), 7);
  EXPECT_FALSE(value.divide_pow10(100)) << "rounds away from zero";
  EXPECT_EQ(value.to_int64(), 1);
  BigInteger negative(-11);
  EXPECT_FALSE(negative.divide_pow10(1));
  EXPECT_EQ(negative.to_int64(), -2);
}

RC_GTEST_PROP(BigIntegerProperty, AgreesWithInt64, (int64_t a, int64_t b)) {
  a /= 2;
  b /= 2;
  BigInteger sum(a);
  sum.add(BigInteger(b));
  RC_ASSERT(sum.to_int64() == a + b);
  BigInteger difference(a);
  difference.subtract(BigInteger(b));
  RC_ASSERT(difference.to_int64() == a - b);
  RC_ASSERT((BigInteger(a) <=> BigInteger(b)) == (a <=> b));
  RC_ASSERT(BigInteger(a).to_string() == std::to_string(a));
}

RC_GTEST_PROP(BigIntegerProperty, DigitsSurviveARoundTrip, ()) {
  const auto rest = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789")));
  const std::string digits = "1" + rest;
  RC_ASSERT(BigInteger::from_digits(digits).to_string() == digits);
}

RC_GTEST_PROP(BigIntegerProperty, DivisionUndoesMultiplication, (uint32_t factor, uint32_t rest)) {
  RC_PRE(factor != 0U);
  const auto digits =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789")));
  const BigInteger original = BigInteger::from_digits(digits);
  BigInteger value = original;
  value.multiply(factor);
  value.add(BigInteger(int64_t{rest % factor}));
  RC_ASSERT(value.divide(factor) == rest % factor);
  RC_ASSERT(value == original);
}

}  // namespace
}  // namespace windlass
