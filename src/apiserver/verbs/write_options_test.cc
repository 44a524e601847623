#include "apiserver/verbs/write_options.h"

#include <gtest/gtest.h>

namespace windlass::apiserver {
namespace {

std::string error(WriteVerb verb, const WriteQuery& query) {
  const auto options = make_write_options(verb, query);
  return options ? "" : options.error().message;
}

TEST(WriteOptions, M56_DryRunIsAllOrNothing) {
  EXPECT_FALSE(make_write_options(WriteVerb::create, {})->dry_run);
  EXPECT_TRUE(make_write_options(WriteVerb::create, {.dry_run = {"All"}})->dry_run);
  EXPECT_EQ(error(WriteVerb::create, {.dry_run = {"x"}}),
            R"(CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["x"]: )"
            R"(supported values: "All")");
}

TEST(WriteOptions, M56_AnEmptyDryRunIsNoneThatIsKnown) {
  EXPECT_EQ(error(WriteVerb::create, {.dry_run = {""}}),
            R"(CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: [""]: )"
            R"(supported values: "All")");
  EXPECT_EQ(error(WriteVerb::update, {.dry_run = {"All", ""}}),
            R"(UpdateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["All",""]: )"
            R"(supported values: "All")");
  EXPECT_TRUE(make_write_options(WriteVerb::create, {.dry_run = {"All", "All"}})->dry_run);
}

TEST(WriteOptions, M96_ForceBelongsToApply) {
  EXPECT_EQ(error(WriteVerb::patch, {.force = true}),
            R"(PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for )"
            "non-apply patch");
  EXPECT_TRUE(make_write_options(WriteVerb::apply, {.field_manager = "m", .force = true})->force);
  EXPECT_FALSE(make_write_options(WriteVerb::apply, {.field_manager = "m"})->force);
}

TEST(WriteOptions, M100_ApplyNamesItsManager) {
  EXPECT_EQ(error(WriteVerb::apply, {.user_agent = "kubectl/v1"}),
            R"(PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required )"
            "for apply patch");
  EXPECT_EQ(error(WriteVerb::update, {.field_manager = std::string(129, 'm')}),
            R"(UpdateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more )"
            "than 128 bytes");
  EXPECT_EQ(error(WriteVerb::update, {.field_manager = std::string(128, 'm')}), "");
  EXPECT_EQ(error(WriteVerb::update, {.field_manager = "a\nb"}),
            R"(UpdateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\nb": )"
            "invalid character U+000A (at position 1)");
  EXPECT_EQ(error(WriteVerb::update, {.field_manager = "\u00fc\u200b"}),
            "UpdateOptions.meta.k8s.io \"\" is invalid: fieldManager: Invalid value: "
            "\"\u00fc\\u200b\": invalid character U+200B (at position 2)");
  EXPECT_EQ(error(WriteVerb::update, {.field_manager = "\u00fc"}), "");
}

TEST(WriteOptions, M105_TheUserAgentNamesTheManager) {
  const auto manager = [](WriteQuery query) {
    return make_write_options(WriteVerb::update, query)->field_manager;
  };
  EXPECT_EQ(manager({.user_agent = "kubectl/v1.36.4 (linux/amd64)"}), "kubectl");
  EXPECT_EQ(manager({.field_manager = "me", .user_agent = "kubectl/v1.36.4"}), "me");
  EXPECT_EQ(manager({.user_agent = "curl"}), "curl");
  EXPECT_EQ(manager({}), "unknown");
}

TEST(WriteOptions, M110_FieldValidation) {
  const auto validation = [](std::string text) {
    return make_write_options(WriteVerb::patch, {.field_validation = std::move(text)})
        ->field_validation;
  };
  EXPECT_EQ(validation(""), FieldValidation::warn);
  EXPECT_EQ(validation("Warn"), FieldValidation::warn);
  EXPECT_EQ(validation("Strict"), FieldValidation::strict);
  EXPECT_EQ(validation("Ignore"), FieldValidation::ignore);
  EXPECT_EQ(error(WriteVerb::patch, {.field_validation = "strict"}),
            R"(PatchOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: )"
            R"("strict": supported values: "", "Ignore", "Strict", "Warn")");
}

}  // namespace
}  // namespace windlass::apiserver
