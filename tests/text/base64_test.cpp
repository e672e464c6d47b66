#include "text/base64.hpp"

#include <gtest/gtest.h>

#include <string>

namespace saccade::text {
namespace {

TEST(Base64, WritesWhatTheStandardSays) {  // RFC 4648, section 10
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(to_base64("\xff\xfe\xfb"), "//77");
}

TEST(Base64, IsTheInverseOfWriting) {
  std::string bytes;
  for (int i = 0; i < 260; ++i) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes.push_back(static_cast<char>(i * 7));
  }
  for (const char* wrong :
       {"A", "AA", "AAA", "A===", "AB==", "AAB=", "AA=A", "AA A", "AA-_", "====", "AAAA\n"}) {
    EXPECT_FALSE(from_base64(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace saccade::text
