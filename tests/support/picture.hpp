// A picture for tests that need one and do not mind which.
#pragma once

#include <filesystem>

namespace saccade::test {

// A grey picture of 64 x 48 pixels as an uncompressed bitmap.
void write_picture(const std::filesystem::path& file);

}  // namespace saccade::test
