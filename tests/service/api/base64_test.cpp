#include "service/api/base64.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/service/api/infer_case.hpp"

namespace saccade::service {
namespace {

using testing::to_base64;

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
}  // namespace saccade::service
