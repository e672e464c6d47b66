#include "bench/bench_folder.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

#include "base/check.hpp"

namespace saccade::bench {

BenchFolder::BenchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "saccade-bench-XXXXXX").string();
  SACCADE_CHECK(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

BenchFolder::~BenchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace saccade::bench
