#include "api/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace windlass::api {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr auto kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr auto kNamePart =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr auto kLabelValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

TEST(Names, Dns1123Label) {
  for (const char* good : {"a", "0", "a-b", "a--b", "1a2"}) {
    EXPECT_THAT(check_dns1123_label(good), IsEmpty()) << good;
  }
  for (const char* bad : {"", "-a", "a-", "A", "a_b", "a b", "\xc3\xa4", ".", "a..b", ".a"}) {
    EXPECT_THAT(check_dns1123_label(bad), ElementsAre(kLabel)) << bad;
  }
  EXPECT_THAT(check_dns1123_label("a.b"), ElementsAre("must not contain dots"));
  EXPECT_THAT(check_dns1123_label(std::string(63, 'a')), IsEmpty());
  EXPECT_THAT(check_dns1123_label(std::string(64, 'a')),
              ElementsAre("must be no more than 63 characters"));
  EXPECT_THAT(check_dns1123_label(std::string(64, 'A')),
              ElementsAre("must be no more than 63 characters", kLabel));
}

TEST(Names, J60_Dns1123Subdomain) {
  for (const char* good : {"a", "a.b", "a-b.c-d", "1.2"}) {
    EXPECT_THAT(check_dns1123_subdomain(good), IsEmpty()) << good;
  }
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "a.-b", "A", "a_b", "a/b"}) {
    EXPECT_THAT(check_dns1123_subdomain(bad), ElementsAre(kSubdomain)) << bad;
  }
  EXPECT_THAT(check_dns1123_subdomain(std::string(253, 'a')), IsEmpty());
  EXPECT_THAT(check_dns1123_subdomain(std::string(254, 'a')),
              ElementsAre("must be no more than 253 characters"));
}

TEST(Names, Dns1035Label) {
  EXPECT_THAT(check_dns1035_label("a1"), IsEmpty());
  EXPECT_EQ(check_dns1035_label("1a").size(), 1U);
  EXPECT_EQ(check_dns1035_label("").size(), 1U);
}

TEST(Names, M36_QualifiedName) {
  for (const char* good : {"a", "A.b_c-d", "example.com/A", "1", "a.b/c.d"}) {
    EXPECT_THAT(check_qualified_name(good), IsEmpty()) << good;
  }
  EXPECT_THAT(check_qualified_name(""), ElementsAre("name part must be non-empty", kNamePart));
  EXPECT_THAT(check_qualified_name("-a"), ElementsAre(kNamePart));
  EXPECT_THAT(check_qualified_name("/a"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(check_qualified_name("a/"), ElementsAre("name part must be non-empty", kNamePart));
  EXPECT_THAT(check_qualified_name("A/b"), ElementsAre(std::string("prefix part ") + kSubdomain));
  EXPECT_THAT(check_qualified_name(std::string(64, 'a')),
              ElementsAre("name part must be no more than 63 bytes"));
  EXPECT_THAT(check_qualified_name(std::string(254, 'a') + "/b"),
              ElementsAre("prefix part must be no more than 253 bytes"));
  EXPECT_THAT(check_qualified_name("a/b/c"),
              ElementsAre("a valid label key must consist of alphanumeric characters, '-', '_' or "
                          "'.', and must start and end with an alphanumeric character (e.g. "
                          "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
                          "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS "
                          "subdomain prefix and '/' (e.g. 'example.com/MyName')"));
}

TEST(Names, M36_AnnotationKeysAreBlindToCase) {
  EXPECT_THAT(check_annotation_key("Example.COM/Key"), IsEmpty());
  EXPECT_EQ(check_qualified_name("Example.COM/Key").size(), 1U);
  EXPECT_EQ(check_annotation_key("a b").size(), 1U);
}

TEST(Names, M36_LabelValue) {
  for (const char* good : {"", "a", "A_b.c-1"}) {
    EXPECT_THAT(check_label_value(good), IsEmpty()) << good;
  }
  EXPECT_THAT(check_label_value("$"), ElementsAre(kLabelValue));
  EXPECT_THAT(check_label_value(std::string(64, 'a')),
              ElementsAre("must be no more than 63 bytes"));
}

TEST(Names, P34_EnvVarName) {
  for (const char* good : {"A", "a b", "1", "my.env-name", "!@#"}) {
    EXPECT_THAT(check_env_var_name(good), IsEmpty()) << good;
  }
  for (const char* bad : {"a=b", "\x01", "a\x7f", "\xc3\xa4"}) {
    EXPECT_THAT(check_env_var_name(bad),
                ElementsAre("a valid environment variable name must consist only of printable "
                            "ASCII characters other than '='"))
        << bad;
  }
  EXPECT_THAT(check_env_var_name(""), ElementsAre("environment variable name must be non-empty"));
}

TEST(Names, CIdentifier) {
  EXPECT_THAT(check_c_identifier("_a1"), IsEmpty());
  EXPECT_EQ(check_c_identifier("1a").size(), 1U);
  EXPECT_EQ(check_c_identifier("").size(), 1U);
}

TEST(Names, N60_ConfigMapKey) {
  EXPECT_THAT(check_config_map_key("a.b_C-1"), IsEmpty());
  EXPECT_THAT(check_config_map_key("."), ElementsAre("must not be '.'"));
  EXPECT_THAT(check_config_map_key(".."), ElementsAre("must not be '..'"));
  EXPECT_THAT(check_config_map_key("..a"), ElementsAre("must not start with '..'"));
  EXPECT_EQ(check_config_map_key("a/b").size(), 1U);
  EXPECT_THAT(check_config_map_key(std::string(254, 'a')),
              ElementsAre("must be no more than 253 characters"));
}

TEST(Names, PortName) {
  EXPECT_THAT(check_port_name("http-1"), IsEmpty());
  EXPECT_THAT(check_port_name("1"), ElementsAre("must contain at least one letter (a-z)"));
  EXPECT_THAT(check_port_name("a--b"), ElementsAre("must not contain consecutive hyphens"));
  EXPECT_THAT(check_port_name("-a"), ElementsAre("must not begin or end with a hyphen"));
  EXPECT_THAT(check_port_name("abcdefghijklmnop"),
              ElementsAre("must be no more than 15 characters"));
  EXPECT_THAT(
      check_port_name("Aa"),
      ElementsAre("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"));
}

TEST(Names, HttpHeaderName) {
  EXPECT_THAT(check_http_header_name("X-Header-Name"), IsEmpty());
  EXPECT_EQ(check_http_header_name("X_Y").size(), 1U);
  EXPECT_EQ(check_http_header_name("").size(), 1U);
}

TEST(Names, N50_Percent) {
  EXPECT_THAT(check_percent("93%"), IsEmpty());
  for (const char* bad : {"%", "93", "a%", ""}) {
    EXPECT_THAT(check_percent(bad),
                ElementsAre("a valid percent string must be a numeric string followed by an "
                            "ending '%' (e.g. '1%',  or '93%', regex used for validation is "
                            "'[0-9]+%')"))
        << bad;
  }
}

std::vector<std::string> path_errors(std::string_view value) {
  FieldErrors errors;
  validate_domain_prefixed_path(errors, FieldPath("spec").child("managedBy"), value);
  std::vector<std::string> texts;
  for (const FieldError& error : errors.all()) {
    texts.push_back(error.text());
  }
  return texts;
}

TEST(Names, J64_DomainPrefixedPath) {
  EXPECT_THAT(path_errors("acme.io/foo"), IsEmpty());
  EXPECT_THAT(path_errors("acme.io/foo/bar~%!$&'()*+,;=:"), IsEmpty());
  EXPECT_THAT(path_errors(""), ElementsAre("spec.managedBy: Required value"));
  for (const char* bad : {"foo", "/foo", "foo/"}) {
    EXPECT_THAT(path_errors(bad),
                ElementsAre("spec.managedBy: Invalid value: \"" + std::string(bad) +
                            "\": must be a domain-prefixed path (such as \"acme.io/foo\")"));
  }
  EXPECT_THAT(path_errors("Acme/foo"),
              ElementsAre("spec.managedBy: Invalid value: \"Acme\": " + std::string(kSubdomain)));
  EXPECT_THAT(path_errors("acme.io/a b"),
              ElementsAre("spec.managedBy: Invalid value: \"a b\": Invalid path (regex used for "
                          "validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"));
}

}  // namespace

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
