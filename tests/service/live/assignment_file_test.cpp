// The last good assignment of a box, on disk.
#include "service/live/assignment_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

TEST(AssignmentFile, GivesWhatWasSaved) {
  const test::TemporaryFolder folder;
  AssignmentFile file(folder.path());
  EXPECT_FALSE(file.load().value());
  ASSERT_TRUE(file.save("{\"a\": \"\\\"\"}"));
  EXPECT_EQ(file.load().value(), "{\"a\": \"\\\"\"}");
  ASSERT_TRUE(file.save("second"));
  EXPECT_EQ(AssignmentFile(folder.path()).load().value(), "second");
}

TEST(AssignmentFile, WhatIsDamagedIsNotUsed) {
  const test::TemporaryFolder folder;
  AssignmentFile file(folder.path());
  ASSERT_TRUE(file.save("gate"));
  std::ifstream in(file.file());
  std::string text((std::istreambuf_iterator<char>(in)), {});
  text.replace(text.find("gate"), 4, "yard");
  for (const std::string& broken : {text, std::string("{"), std::string("[]"), std::string()}) {
    std::ofstream(file.file()) << broken;
    EXPECT_FALSE(file.load().ok()) << broken;
  }
}

}  // namespace
}  // namespace saccade::service
