#include "evidence/redactor.h"

#include <gtest/gtest.h>

namespace windlass::evidence {
namespace {

using Cut = Redactor::Cut;

TEST(Redactor, ReplacesEachValueWhereverItStands) {
  const Redactor redactor({"hunter2", "correct horse"});
  EXPECT_EQ(redactor.redact("hunter2: login hunter2 with correct horse!"),
            "[redacted]: login [redacted] with [redacted]!");
  EXPECT_EQ(redactor.redact("nothing here"), "nothing here");
  EXPECT_EQ(Redactor().redact("hunter2"), "hunter2");
}

TEST(Redactor, LeavesValuesThatAreTooShortToHide) {
  const Redactor redactor({"abc", "", "\n\n"});
  EXPECT_TRUE(redactor.empty());
  EXPECT_EQ(redactor.redact("abc"), "abc");
}

TEST(Redactor, KnowsAValueWithoutItsWhiteSpaceAndAsBase64) {
  const Redactor redactor({"hunter2\n"});
  EXPECT_EQ(redactor.redact("password=hunter2;"), "password=[redacted];");
  EXPECT_EQ(redactor.redact("Basic aHVudGVyMg=="), "Basic [redacted]==");
  EXPECT_EQ(redactor.redact("Basic aHVudGVyMgo="), "Basic [redacted]=");
}

TEST(Redactor, KnowsTheLinesOfAKey) {
  const Redactor redactor(
      {"-----BEGIN KEY-----\nMIIBVgIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n"});
  const std::string out = redactor.redact("loaded kqhkiG9w0BAQEF\r\nand MIIBVgIBADANBg");
  EXPECT_EQ(out, "loaded [redacted]\r\nand [redacted]");
}

TEST(Redactor, ReplacesTheLongerOfTwoValuesFirst) {
  const Redactor redactor({"pass", "password"});
  EXPECT_EQ(redactor.redact("password pass"), "[redacted] [redacted]");
}

TEST(Redactor, KnowsTheRestOfAValueWhereTheTextWasCut) {
  const Redactor redactor({"correct horse battery"});
  EXPECT_EQ(redactor.redact("horse battery\nnext", Cut::front), "[redacted]\nnext");
  EXPECT_EQ(redactor.redact("next: correct hor", Cut::back), "next: [redacted]");
  EXPECT_EQ(redactor.redact("tery x corr", Cut::both), "[redacted] x [redacted]");
  EXPECT_EQ(redactor.redact("tery x corr"), "tery x corr");
  // One text that is both ends of one value.
  EXPECT_EQ(redactor.redact("ery", Cut::both), "ery");
}

TEST(Redactor, KnowsBytesThatAreNotUtf8InBothForms) {
  const Redactor redactor({std::string("key\xff\xfe tail")});
  EXPECT_EQ(redactor.redact("a key\xff\xfe tail b"), "a [redacted] b");
  EXPECT_EQ(redactor.redact("a key?? tail b"), "a [redacted] b");
}

}  // namespace
}  // namespace windlass::evidence
