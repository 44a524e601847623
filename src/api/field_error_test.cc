#include "api/field_error.h"

#include <gtest/gtest.h>

#include "schema/meta/v1/meta.pb.h"

namespace windlass::api {
namespace {

std::string only_text(const FieldErrors& errors) {
  EXPECT_EQ(errors.size(), 1U);
  return errors.all().at(0).text();
}

TEST(FieldPath, PrintsNamesIndexesAndKeys) {
  const FieldPath spec = FieldPath("spec").child("template").child("spec");
  EXPECT_EQ(spec.child("containers").index(3).child("name").text(),
            "spec.template.spec.containers[3].name");
  EXPECT_EQ(spec.child("requests").key("example.com/gpu").text(),
            "spec.template.spec.requests[example.com/gpu]");
  EXPECT_EQ(FieldPath().text(), "");
  EXPECT_EQ(FieldPath().child("spec").text(), "spec");
  EXPECT_EQ(FieldPath("").text(), "[]");  // N60: an error about the object as a whole
}

TEST(FieldPath, IsAValue) {
  FieldPath path("spec");
  const FieldPath before = path;
  path = path.child("a").index(0);
  EXPECT_EQ(before.text(), "spec");
  EXPECT_EQ(path.text(), "spec.a[0]");
}

TEST(FieldErrors, M26_BodiesOfAllTypes) {
  const FieldPath path("f");
  const auto text = [&](auto add) {
    FieldErrors errors;
    add(errors);
    return only_text(errors);
  };
  EXPECT_EQ(text([&](FieldErrors& e) { e.required(path); }), "f: Required value");
  EXPECT_EQ(text([&](FieldErrors& e) { e.required(path, "why"); }), "f: Required value: why");
  EXPECT_EQ(text([&](FieldErrors& e) { e.forbidden(path, "why"); }), "f: Forbidden: why");
  EXPECT_EQ(text([&](FieldErrors& e) { e.invalid(path, "a\"b", "why"); }),
            "f: Invalid value: \"a\\\"b\": why");
  EXPECT_EQ(text([&](FieldErrors& e) { e.invalid(path, BadValue::number(-1), "why"); }),
            "f: Invalid value: -1: why");
  EXPECT_EQ(text([&](FieldErrors& e) { e.invalid(path, BadValue::null(), "why"); }),
            "f: Invalid value: null: why");
  EXPECT_EQ(text([&](FieldErrors& e) { e.invalid(path, BadValue::omitted(), "why"); }),
            "f: Invalid value: why");
  EXPECT_EQ(text([&](FieldErrors& e) {
              e.not_supported(path, "x", {"a", "b"});
            }),
            "f: Unsupported value: \"x\": supported values: \"a\", \"b\"");
  EXPECT_EQ(text([&](FieldErrors& e) { e.not_supported(path, "x", {}); }),
            "f: Unsupported value: \"x\"");
  EXPECT_EQ(text([&](FieldErrors& e) { e.duplicate(path, "x"); }), "f: Duplicate value: \"x\"");
  EXPECT_EQ(text([&](FieldErrors& e) { e.not_found(path, "x"); }), "f: Not found: \"x\"");
  EXPECT_EQ(text([&](FieldErrors& e) { e.too_long(path, 63); }),
            "f: Too long: may not be more than 63 bytes");
  EXPECT_EQ(text([&](FieldErrors& e) { e.too_many(path, 21, 20); }),
            "f: Too many: 21: must have at most 20 items");
}

TEST(FieldErrors, M26a_MessagesArePrintedAsJson) {
  meta::v1::OwnerReference reference;
  reference.set_api_version("v1");
  reference.set_kind("Event");
  reference.set_name("e");
  reference.set_uid("u");
  FieldErrors errors;
  errors.invalid(FieldPath("f"), BadValue::message(reference), "no");
  EXPECT_EQ(only_text(errors),
            R"(f: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":"u"}: no)");
}

TEST(FieldErrors, M27_CauseReasons) {
  const FieldPath path("f");
  FieldErrors errors;
  errors.required(path);
  errors.invalid(path, "x", "d");
  errors.not_supported(path, "x", {"a"});
  errors.duplicate(path, "x");
  errors.forbidden(path, "d");
  errors.too_long(path, 1);
  errors.too_many(path, 2, 1);
  errors.not_found(path, "x");
  std::vector<std::string> reasons;
  for (const StatusCause& cause : errors.to_status(kinds::job(), "j").details.causes) {
    reasons.push_back(cause.reason);
  }
  EXPECT_EQ(reasons, (std::vector<std::string>{"FieldValueRequired", "FieldValueInvalid",
                                               "FieldValueNotSupported", "FieldValueDuplicate",
                                               "FieldValueForbidden", "FieldValueTooLong",
                                               "FieldValueTooMany", "FieldValueNotFound"}));
}

// api.md M20a, word for word.
TEST(FieldErrors, M25_StatusOfTwoErrors) {
  FieldErrors errors;
  errors.invalid(FieldPath("spec").child("parallelism"), BadValue::number(-1),
                 "must be greater than or equal to 0");
  errors.required(FieldPath("spec").child("template").child("spec").child("restartPolicy"),
                  "valid values: \"OnFailure\", \"Never\"");
  const Status status = errors.to_status(kinds::job(), "j");
  EXPECT_EQ(status.code, 422);
  EXPECT_EQ(status.reason, "Invalid");
  EXPECT_EQ(status.message,
            "Job.batch \"j\" is invalid: [spec.parallelism: Invalid value: -1: must be greater "
            "than or equal to 0, spec.template.spec.restartPolicy: Required value: valid values: "
            "\"OnFailure\", \"Never\"]");
  EXPECT_EQ(status.details.name, "j");
  EXPECT_EQ(status.details.group, "batch");
  EXPECT_EQ(status.details.kind, "Job");
  ASSERT_EQ(status.details.causes.size(), 2U);
  EXPECT_EQ(
      status.details.causes[0],
      (StatusCause{"FieldValueInvalid", "Invalid value: -1: must be greater than or equal to 0",
                   "spec.parallelism"}));
  EXPECT_EQ(status.details.causes[1].field, "spec.template.spec.restartPolicy");
}

TEST(FieldErrors, M25_IdenticalTextsAppearOnceButEveryCauseStays) {
  FieldErrors errors;
  errors.required(FieldPath("spec"));
  errors.required(FieldPath("spec"));
  const Status one = errors.to_status(kinds::pod(), "p");
  EXPECT_EQ(one.message, "Pod \"p\" is invalid: spec: Required value");
  EXPECT_EQ(one.details.causes.size(), 2U);

  errors.required(FieldPath("metadata"));
  const Status two = errors.to_status(kinds::pod(), "p");
  EXPECT_EQ(two.message, "Pod \"p\" is invalid: [spec: Required value, metadata: Required value]");
  EXPECT_EQ(two.details.causes.size(), 3U);
}

TEST(FieldErrors, TheFirstThousandAreKept) {
  FieldErrors many;
  for (size_t i = 0; i < 2 * kMaxFieldErrors; ++i) {
    many.required(FieldPath("spec").index(i));
  }
  EXPECT_EQ(many.size(), kMaxFieldErrors);
  many.append(FieldErrors(many));
  EXPECT_EQ(many.size(), kMaxFieldErrors);

  FieldErrors long_ones;
  const std::string text(1 << 20, 'x');
  for (int i = 0; i < 10; ++i) {
    long_ones.invalid(FieldPath("spec"), text, "is too much");
  }
  EXPECT_EQ(long_ones.size(), kMaxFieldErrorBytes / text.size());
}

TEST(FieldErrors, AppendKeepsTheOrder) {
  FieldErrors first;
  first.required(FieldPath("a"));
  FieldErrors second;
  second.required(FieldPath("b"));
  first.append(second);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first.all()[1].field, "b");
  EXPECT_FALSE(first.empty());
}

}  // namespace
}  // namespace windlass::api
