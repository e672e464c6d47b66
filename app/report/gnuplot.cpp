#include "app/report/gnuplot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

extern char** environ;

namespace saccade::app {
namespace {

namespace fs = std::filesystem;

// What the child opens before it becomes gnuplot; freed with the object.
class SpawnActions {
 public:
  SpawnActions(const fs::path& folder, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

Error cannot_run(const fs::path& program, int code) {
  return {program.string(), std::string("gnuplot cannot be run: ") + std::strerror(code),
          "`scripts/setup --bench` installs gnuplot"};
}

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t count = ::read(from, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

// gnuplot shows the line and points at the word first; the reason comes last.
std::string last_line(const std::string& text) {
  std::string last;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  const std::size_t begin = last.find_first_not_of(" \t");
  return begin == std::string::npos ? "it says nothing" : last.substr(begin);
}

}  // namespace

std::optional<fs::path> find_gnuplot(const std::string& search_path) {
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) continue;  // "" would be the current folder, where no program is looked for
    const fs::path program = fs::path(folder) / "gnuplot";
    std::error_code failure;
    if (fs::is_regular_file(program, failure) && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

Status run_gnuplot(const fs::path& program, const fs::path& script) {
  const std::string folder = script.has_parent_path() ? script.parent_path().string() : ".";
  std::string name = program.filename().string();
  std::string file = script.filename().string();
  const std::array<char*, 3> arguments = {name.data(), file.data(), nullptr};
  std::array<int, 2> errors{};
  if (::pipe2(errors.data(), O_CLOEXEC) != 0) return cannot_run(program, errno);

  pid_t child = 0;
  // The child looks for the program after it went to the script's folder.
  std::error_code failure;
  const fs::path absolute = fs::absolute(program, failure);
  const int spawned = ::posix_spawn(&child, absolute.c_str(), SpawnActions(folder, errors[1]).get(), nullptr,
                                    arguments.data(), environ);
  ::close(errors[1]);
  const std::string said = spawned == 0 ? read_all(errors[0]) : "";
  ::close(errors[0]);
  if (spawned != 0) return cannot_run(program, spawned);

  int state = 0;
  while (::waitpid(child, &state, 0) < 0) {
    if (errno != EINTR) return cannot_run(program, errno);
  }
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return Done{};
  return Error{script.string(), "gnuplot failed: " + last_line(said),
               "run `gnuplot " + file + "` in its folder to see more"};
}

}  // namespace saccade::app
