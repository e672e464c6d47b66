// A place for the files of a bench's run. Threads: one. Errors: no folder can be made is fatal (checked).
#pragma once

#include <filesystem>

namespace saccade::bench {

// A folder below the system's temporary one that goes with its object.
class BenchFolder {
 public:
  BenchFolder();
  ~BenchFolder();
  BenchFolder(const BenchFolder&) = delete;
  BenchFolder& operator=(const BenchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace saccade::bench
