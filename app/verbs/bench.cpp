#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/output.hpp"
#include "app/verbs/verbs.hpp"

namespace saccade::app {
namespace {

constexpr const char* kProgram = "saccade-bench";

// Becomes the program; comes back only when that fails.
void become(const std::string& program, const VerbArguments& args) {
  std::vector<std::string> words{program};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
}

}  // namespace

// The benches are a program of their own beside this one: what serves cameras carries no bench code.
int verb_bench(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  if (!args.empty() && args[0] == "--help") {
    out << "Usage: saccade bench NAME [options]\n\n"
           "Runs one bench and reports its figures with commit, compiler, machine and seeds. `saccade "
           "bench`\n"
           "alone lists the benches; `saccade bench NAME --help` tells more of one. The program behind it "
           "is\n"
        << kProgram << ", beside this one.\n";
    return kExitOk;
  }
  std::error_code failure;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
  const std::string program = (self.parent_path() / kProgram).string();
  out.flush();
  err.flush();
  if (!failure) become(program, args);
  const std::string why = failure ? failure.message() : std::strerror(errno);
  print_errors(
      {Error{program, "the program with the benches cannot be started: " + why,
             "build the target saccade-bench (cmake --build --preset release --target saccade-bench)"}},
      err);
  return kExitUnavailable;
}

}  // namespace saccade::app
