#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

#include "base/check.hpp"

namespace saccade::test {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "saccade-test-XXXXXX").string();
  SACCADE_CHECK(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace saccade::test
