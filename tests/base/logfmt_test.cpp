#include "base/logfmt.hpp"

#include <gtest/gtest.h>

namespace saccade {
namespace {

TEST(Logfmt, AValueStaysOnOneLineAndInItsQuotes) {
  EXPECT_EQ(log_quoted("w0.50-int8"), "\"w0.50-int8\"");
  EXPECT_EQ(log_quoted(""), "\"\"");
  EXPECT_EQ(log_quoted("config.json:3 /tasks: unknown key \"a\"\n    did you mean `b`?"),
            "\"config.json:3 /tasks: unknown key \\\"a\\\"\\n    did you mean `b`?\"");
  EXPECT_EQ(log_quoted("C:\\models\\gate"), "\"C:\\\\models\\\\gate\"");
  EXPECT_EQ(log_quoted(std::string("\r\t\x01\x1b[0m\x7f", 8)), "\"\\r\\t\\u0001\\u001b[0m\\u007f\"");
  EXPECT_EQ(log_quoted("Kamera \xc3\xbc"), "\"Kamera \xc3\xbc\"");
}

}  // namespace
}  // namespace saccade
