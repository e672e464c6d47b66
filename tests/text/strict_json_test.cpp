#include "text/strict_json.hpp"

#include <gtest/gtest.h>

#include "text/object_reader.hpp"

namespace saccade::text {
namespace {

Errors errors_in(const std::string& text) {
  JsonReport report("f.json");
  (void)parse_json(text, report);
  return report.errors();
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(StrictJson, EveryValueKeepsItsLine) {
  JsonReport report("f.json");
  const auto root = parse_json("{\n \"a\": 1\n,\n \"b\": [\n  true,\n  \"x\"\n ],\n \"c\":\n 2}\n", report);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->line, 1u);
  EXPECT_EQ(root->find("a")->line, 2u) << "a number that a line break follows";
  EXPECT_EQ(root->find("b")->line, 4u);
  EXPECT_EQ(root->find("b")->items[0].line, 5u);
  EXPECT_EQ(root->find("b")->items[1].line, 6u);
  EXPECT_EQ(root->find("c")->line, 9u);
}

TEST(StrictJson, ThirtyTwoLevelsAreReadAndOneMoreIsRefused) {
  EXPECT_EQ(to_string(errors_in(nested(kMaxJsonDepth))), "");
  ASSERT_EQ(errors_in(nested(kMaxJsonDepth + 1)).size(), 1u);
  EXPECT_EQ(errors_in(nested(100'000)).size(), 1u);
}

TEST(StrictJson, OneMebibyteIsReadAndOneByteMoreIsRefused) {
  const std::string spaces(JsonLimits{}.bytes() - 2, ' ');
  EXPECT_EQ(to_string(errors_in("[]" + spaces)), "");
  ASSERT_EQ(errors_in("[]" + spaces + " ").size(), 1u);
}

TEST(StrictJson, TooManyValuesAreRefused) {
  std::string text = "[0";
  for (std::size_t i = 2; i < JsonLimits{}.values; ++i) text += ",0";
  EXPECT_EQ(to_string(errors_in(text + "]")), "");
  ASSERT_EQ(errors_in(text + ",0]").size(), 1u);
}

TEST(StrictJson, TooManyMembersOfOneObjectAreRefused) {
  std::string text = "[{}";
  for (int object = 0; object < 2; ++object) {
    text += ",{\"k\":0";
    for (std::size_t i = 1; i < JsonLimits{}.members; ++i) text += ",\"k" + std::to_string(i) + "\":0";
    text += "}";
  }
  EXPECT_EQ(to_string(errors_in(text + "]")), "");
  text.pop_back();
  const Errors errors = errors_in(text + ",\"x\":0}]");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].where, "f.json:1 /2");
}

TEST(StrictJson, ALongKeyIsRefusedAndNotRepeated) {
  const std::string longest(JsonLimits{}.key_bytes, 'k');
  EXPECT_EQ(to_string(errors_in("{\"" + longest + "\":0}")), "");
  const Errors errors = errors_in("{\"a\":{\"" + longest + "k\":0}}");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].where, "f.json:1 /a");
  EXPECT_EQ(to_string(errors).find(longest), std::string::npos);
}

TEST(StrictJson, OfManyComplaintsTheFirstByLineAreToldAndTheOthersCounted) {
  constexpr std::size_t kCount = 5000;
  JsonReport report("f.json");
  EXPECT_TRUE(report.empty());
  for (std::size_t line = kCount; line > 0; --line) report.add_at_line(line, "", std::to_string(line));
  const Errors errors = report.errors();
  ASSERT_EQ(errors.size(), 201u);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(errors[i].what, std::to_string(i + 1));
  EXPECT_EQ(errors[200].what, "and 4800 more errors");
}

TEST(StrictJson, EveryDuplicateKeyIsReportedAndTheFirstOneKept) {
  JsonReport report("f.json");
  const auto root = parse_json(
      "{\"a\": {\"x\": 1, \"x\": {\"y\": 1, \"y\": 2}},\n\"b\": [{}, {\"c~/\": 1, \"c~/\": 2}],\n\"a\": 3}",
      report);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->find("a")->find("x")->number, 1.0);
  const Errors errors = report.errors();
  ASSERT_EQ(errors.size(), 4u) << to_string(errors);
  EXPECT_EQ(errors[0].where, "f.json:1 /a/x");
  EXPECT_EQ(errors[1].where, "f.json:1 /a/x/y");
  EXPECT_EQ(errors[2].where, "f.json:2 /b/1/c~0~1");
  EXPECT_EQ(errors[3].where, "f.json:3 /a");
}

TEST(StrictJson, AnOverflowingNumberIsNamedByItsPointer) {
  ASSERT_EQ(errors_in("{\"a\": [1, 1e999]}").size(), 1u);
  EXPECT_EQ(errors_in("{\"a\": [1, 1e999]}")[0].where, "f.json:1 /a/1");
}

TEST(StrictJson, SyntaxErrorsNameLineAndColumnAndNeverQuoteTheFile) {
  const Errors errors = errors_in("{\n \"path\": \"rtsp://user:secret@host/\n}");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].where, "f.json:2");
  EXPECT_EQ(to_string(errors).find("secret"), std::string::npos);
}

TEST(StrictJson, NotJsonIsOneErrorEach) {
  for (const char* text : {"", " ", "{", "[1,]", "{} x", "nul", "NaN", "Infinity", "'a'", "{\"a\"}",
                           "\"\\ud800\"", "[1] // done", "\"\xff\"", "01"}) {
    EXPECT_EQ(errors_in(text).size(), 1u) << text;
  }
}

TEST(InQuotes, HidesCredentialsOfAddressesOnly) {
  EXPECT_EQ(in_quotes("rtsp://me:secret@cam/1"), "`rtsp://***@cam/1`");
  EXPECT_EQ(in_quotes("rtsp://me:se@cret@cam/1"), "`rtsp://***@cam/1`");
  EXPECT_EQ(in_quotes("rtsp://cam/a@b"), "`rtsp://cam/a@b`");
  EXPECT_EQ(in_quotes("a@b"), "`a@b`");
  EXPECT_EQ(in_quotes("a\nb"), "`a?b`");
}

TEST(Nearest, FindsMisspeltAndUnitlessKeysAndNothingForTheRest) {
  const std::vector<std::string> keys = {"fps", "min_accuracy", "memory_bytes", "guard_seconds"};
  EXPECT_EQ(nearest("min_acuracy", keys), "min_accuracy");
  EXPECT_EQ(nearest("memory", keys), "memory_bytes");
  EXPECT_EQ(nearest("memory_megabytes", keys), "memory_bytes");
  EXPECT_EQ(nearest("guard_ms", keys), "guard_seconds");
  EXPECT_EQ(nearest("fsp", keys), "");
  EXPECT_EQ(nearest("fp", keys), "fps");
  EXPECT_EQ(nearest("colour", keys), "");
}

TEST(ObjectReader, WhatIsAbsentLeavesTheTargetAndWhatIsWrongIsReported) {
  JsonReport report("f.json");
  const auto root = parse_json("{\"a\": 2, \"b\": \"2\", \"c\": null, \"d\": 2.5, \"e\": 1}", report);
  double absent = 7.0;
  double a = 0.0;
  double b = 7.0;
  std::optional<double> c = 7.0;
  int d = 7;
  {
    ObjectReader reader({&*root, ""}, report);
    reader.number("absent", absent, kPositive);
    reader.number("a", a, kPositive);
    reader.number("b", b, kPositive);
    reader.number("c", c, kPositive);
    reader.integer("d", d, 0, 9);
  }
  EXPECT_EQ(absent, 7.0);
  EXPECT_EQ(a, 2.0);
  EXPECT_EQ(b, 7.0);
  EXPECT_EQ(c, std::nullopt);
  EXPECT_EQ(d, 7);
  EXPECT_EQ(to_string(report.errors()),
            "f.json:1 /b: must be a number, but is the text `2` (write the number without quotes)\n"
            "f.json:1 /d: must be a whole number, but is 2.5\n"
            "f.json:1 /e: unknown key `e` (known here: absent a b c d)");
}

}  // namespace
}  // namespace saccade::text
