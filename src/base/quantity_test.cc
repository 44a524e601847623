#include "base/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>
#include <vector>

namespace windlass {
namespace {

constexpr const char* kFormatError =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr const char* kNumberError = "unable to parse numeric part of quantity";
constexpr const char* kSuffixError = "unable to parse quantity's suffix";

Quantity parsed(std::string_view text) {
  const Result<Quantity> quantity = Quantity::parse(text);
  EXPECT_TRUE(quantity.has_value()) << text;
  return quantity.value_or(Quantity());
}

std::string printed(std::string_view text) {
  return parsed(text).to_string();
}

std::string quantity_error(std::string_view text) {
  const Result<Quantity> quantity = Quantity::parse(text);
  return quantity ? "parsed as " + quantity->to_string() : quantity.error().message;
}

// What kubectl prints for them, except where said.
TEST(Quantity, PrintsTheCanonicalForm) {
  const std::map<std::string, std::string> cases = {
      {"0", "0"},
      {"-0", "0"},
      {"00", "0"},
      {"0.", "0"},
      {"0e5", "0"},
      {"0Ki", "0"},
      {"0.5", "500m"},
      {".5", "500m"},
      {"-1.5", "-1500m"},
      {"1000", "1k"},
      {"2048", "2048"},
      {"1.5E", "1500P"},
      {"1E+5", "100e3"},
      {"10e1", "100"},
      {"1.2e2", "120"},
      {"1e5", "100e3"},
      {"1e-1", "100e-3"},
      {"1e400", "10e399"},
      {"1.5Gi", "1536Mi"},
      {"1.5Mi", "1536Ki"},
      {"-0.5Gi", "-512Mi"},
      {"-1Ki", "-1Ki"},
      {"16Mi", "16Mi"},
      {"1023.5Ki", "1048064"},
      {"0.5Ki", "512"},
      {"-1.5Ki", "-1536"},
      {"1024Ki", "1Mi"},
      {"12345678901234567890", "12345678901234567890"},
      {"+12345678901234567890", "12345678901234567890"},
      {"1234567890123456000", "1234567890123456k"},
      {"00000000000000000000000001.5", "1500m"},
      {"+5Pi", "5Pi"},
      {"100000Ti", "100000Ti"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(printed(text), expected) << text;
  }
}

TEST(Quantity, KeepsTextThatIsAlmostCanonical) {
  for (const char* text : {"1E3", "1e03", "1e+3", "1e0", "+5Ki", "0005", "5.", "5.e3", "12.Ki",
                           "1.500", "1.234", "12345.678m", "123456789012345678"}) {
    EXPECT_EQ(printed(text), text);
  }
}

TEST(Quantity, WithoutDigitsIsZeroAsInKubernetes) {
  for (const char* text : {".", "-", "+", "-.", "m", "e5", "Ki", ".Ki"}) {
    EXPECT_EQ(printed(text), "0") << text;
  }
}

TEST(Quantity, FinerThanNanoRoundsAwayFromZero) {
  const std::map<std::string, std::string> cases = {
      {"0.1n", "1n"},
      {"-0.1n", "-1n"},
      {"12e-10", "2e-9"},
      {"1e-10", "1e-9"},
      {"1e-400", "1e-9"},
      {"0.00000000000000000001", "1n"},
      {"1.0000000001", "1000000001n"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(printed(text), expected) << text;
  }
}

TEST(Quantity, BinaryThatIsNotWholePrintsAsDecimal) {
  const std::map<std::string, std::string> cases = {
      {"0.0005Ki", "512m"},       {"0.00001Ki", "10240u"}, {"1.00001Ki", "1024010240u"},
      {"0.1Gi", "107374182400m"}, {"1.1Ki", "1126400m"},   {"0.1Ki", "102400m"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(printed(text), expected) << text;
  }
}

TEST(Quantity, BinaryIsCappedAtTheLargestInt64) {
  EXPECT_EQ(printed("7Ei"), "7Ei");
  EXPECT_EQ(printed("8Ei"), "9223372036854775807");
  EXPECT_EQ(printed("-9Ei"), "-9223372036854775807");
  EXPECT_EQ(printed("9223372036854775807Ei"), "9223372036854775807");
}

// Kubernetes before 1.37 prints these as "1", which loses the value.
TEST(Quantity, AboveTheLargestSuffixPrintsAnExponent) {
  EXPECT_EQ(printed("1000E"), "1e21");
  EXPECT_EQ(printed("1000000E"), "1e24");
  EXPECT_EQ(printed("1e21"), "1e21");
}

TEST(Quantity, M31_ErrorTexts) {
  for (const char* text : {"", "abc", "1z", "1.2.3", "1e1.5", "1e1e1", "1 ", " 1", "1_000", "0x10",
                           "5.5.5", "\xff", "1\n", "NaN"}) {
    EXPECT_EQ(quantity_error(text), kFormatError) << text;
  }
  for (const char* text :
       {"1e", "1mm", "1mi", "1Kii", "1ki", "1K", "1i", "--1", "1e+", "1e-", "5Ki3", "5m3", "5mk"}) {
    EXPECT_EQ(quantity_error(text), kSuffixError) << text;
  }
  for (const char* text : {".e-10", "e-10"}) {
    EXPECT_EQ(quantity_error(text), kNumberError) << text;
  }
}

TEST(Quantity, LimitsWhatItComputesWith) {
  EXPECT_EQ(printed("1e999"), "1e999");
  EXPECT_EQ(quantity_error("1e1001"), kSuffixError);
  EXPECT_EQ(quantity_error("1e-1001"), kSuffixError);
  EXPECT_EQ(quantity_error("1e2147483648"), kSuffixError);
  EXPECT_EQ(quantity_error("1e99999999999999999999"), kSuffixError);
  EXPECT_EQ(quantity_error(std::string(Quantity::kMaxTextLength + 1, '1')), kNumberError);
  EXPECT_EQ(quantity_error("1000e999"), kNumberError) << "would print as 1e1002";
  const std::string longest(Quantity::kMaxExponent, '1');
  EXPECT_EQ(printed(longest), longest);
  EXPECT_EQ(quantity_error(longest + "1"), kNumberError);
}

TEST(Quantity, P17_RoundsUpToMilli) {
  const std::map<std::string, std::string> cases = {
      {"0.5", "500m"},
      {"0.0005", "1m"},
      {"1e3", "1e3"},
      {"1n", "1m"},
      {"-1n", "-1m"},
      {"1.0001", "1001m"},
      {"1.500", "1.500"},
      {"1.500000", "1500m"},
      {"0", "0"},
      {"1Gi", "1Gi"},
      {"12345678901234567890.12345", "12345678901234567890124m"},
  };
  for (const auto& [text, expected] : cases) {
    Quantity quantity = parsed(text);
    const Quantity before = quantity;
    const bool exact = quantity.round_up_to_milli();
    EXPECT_EQ(quantity.to_string(), expected) << text;
    EXPECT_EQ(exact, quantity == before) << text;
  }
}

TEST(Quantity, ComparesByValue) {
  EXPECT_EQ(parsed("1Ki"), parsed("1024"));
  EXPECT_EQ(parsed("1"), parsed("1000m"));
  EXPECT_EQ(parsed("0"), parsed("0e100"));
  const std::vector<std::string> ascending = {
      "-1e30", "-9Ei", "-1", "-1n", "0", "1n", "1m", "1", "1k", "1Ki", "8Ei", "9223372036854775808",
      "1e30",  "1e999"};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(parsed(ascending[i]) <=> parsed(ascending[j]), i <=> j)
          << ascending[i] << " and " << ascending[j];
    }
  }
}

TEST(Quantity, ValuesRoundAwayFromZeroAndSaturate) {
  EXPECT_EQ(parsed("1500m").value(), 2);
  EXPECT_EQ(parsed("-1500m").value(), -2);
  EXPECT_EQ(parsed("1500u").milli_value(), 2);
  EXPECT_EQ(parsed("2").milli_value(), 2000);
  EXPECT_EQ(parsed("1Gi").value(), 1073741824);
  EXPECT_EQ(parsed("1e30").value(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(parsed("-1e30").milli_value(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(parsed("9223372036854775807").value(), std::numeric_limits<int64_t>::max());
}

TEST(Quantity, AddsAndSubtracts) {
  const auto sum = [](std::string_view a, std::string_view b) {
    Quantity quantity = parsed(a);
    quantity.add(parsed(b));
    return quantity.to_string();
  };
  const auto difference = [](std::string_view a, std::string_view b) {
    Quantity quantity = parsed(a);
    quantity.subtract(parsed(b));
    return quantity.to_string();
  };
  EXPECT_EQ(sum("1", "500m"), "1500m");
  EXPECT_EQ(sum("1Gi", "1Gi"), "2Gi");
  EXPECT_EQ(sum("0", "1Gi"), "1Gi") << "a zero takes on the other's format";
  EXPECT_EQ(sum("1", "1Gi"), "1073741825");
  EXPECT_EQ(sum("9223372036854775807", "1"), "9223372036854775808");
  EXPECT_EQ(sum("1.500", "0"), "1500m");
  EXPECT_EQ(difference("1", "1"), "0");
  EXPECT_EQ(difference("500m", "1"), "-500m");
  EXPECT_EQ(difference("0", "1Ki"), "-1Ki");
  EXPECT_EQ(difference("9223372036854775808", "1"), "9223372036854775807");
}

TEST(Quantity, FromNumbers) {
  EXPECT_EQ(Quantity(1000).to_string(), "1k");
  EXPECT_EQ(Quantity(1 << 20, Quantity::Format::binary_si).to_string(), "1Mi");
  EXPECT_EQ(Quantity::from_milli(250).to_string(), "250m");
  EXPECT_EQ(Quantity(std::numeric_limits<int64_t>::min()).to_string(), "-9223372036854775808");
  EXPECT_EQ(Quantity().to_string(), "0");
}

// Any well-formed text, canonical or not.
rc::Gen<std::string> quantity_text() {
  const auto digits =
      rc::gen::container<std::string>(rc::gen::inRange('0', static_cast<char>('9' + 1)));
  return rc::gen::map(
      rc::gen::tuple(
          rc::gen::element<std::string>("", "-", "+"), digits, rc::gen::arbitrary<bool>(), digits,
          rc::gen::element<std::string>("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi",
                                        "Gi", "Ti", "Pi", "Ei", "e3", "E-7", "e+12", "e100")),
      [](const auto& parts) {
        const auto& [sign, whole, point, fraction, suffix] = parts;
        return sign + whole + (point ? "." + fraction : "") + suffix;
      });
}

RC_GTEST_PROP(QuantityProperty, PrintedTextParsesToTheSameAndPrintsTheSame, ()) {
  const std::string text = *quantity_text();
  const Result<Quantity> quantity = Quantity::parse(text);
  RC_PRE(quantity.has_value());
  const std::string print = quantity->to_string();
  const Result<Quantity> again = Quantity::parse(print);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == *quantity);
  RC_ASSERT(again->to_string() == print);
}

RC_GTEST_PROP(QuantityProperty, AddThenSubtractGivesTheSameValue, ()) {
  const Result<Quantity> a = Quantity::parse(*quantity_text());
  const Result<Quantity> b = Quantity::parse(*quantity_text());
  RC_PRE(a.has_value() && b.has_value());
  Quantity result = *a;
  result.add(*b);
  RC_ASSERT((result <=> *a) == (b->sign() <=> 0));
  result.subtract(*b);
  RC_ASSERT(result == *a);
}

RC_GTEST_PROP(QuantityProperty, AgreesWithIntegersOfMilli, (int64_t a, int32_t b)) {
  a /= 4;
  Quantity sum = Quantity::from_milli(a);
  sum.add(Quantity::from_milli(b));
  RC_ASSERT(sum.milli_value() == a + b);
  RC_ASSERT((Quantity::from_milli(a) <=> Quantity::from_milli(b)) == (a <=> int64_t{b}));
  const Result<Quantity> again = Quantity::parse(sum.to_string());
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->milli_value() == a + b);
}

RC_GTEST_PROP(QuantityProperty, RoundingUpIsTheSmallestMilliThatIsEnough, ()) {
  const Result<Quantity> quantity = Quantity::parse(*quantity_text());
  RC_PRE(quantity.has_value() && quantity->sign() >= 0);
  Quantity rounded = *quantity;
  rounded.round_up_to_milli();
  RC_ASSERT(rounded >= *quantity);
  Quantity less = rounded;
  less.subtract(Quantity::from_milli(1));
  RC_ASSERT(less < *quantity || quantity->is_zero());
}

}  // namespace
}  // namespace windlass
