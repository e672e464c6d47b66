#include "bench/service/service_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace saccade::bench {
namespace {

constexpr Duration kDocumentPatience = std::chrono::seconds(10);
constexpr int kTries = 50;  // while it is crowded
constexpr std::chrono::milliseconds kBetweenTries(20);
constexpr int kToBegin = 60'000;  // ms without a word

bool read_some(int descriptor, std::string& text) {
  std::array<char, 4096> bytes;
  const ssize_t count = read(descriptor, bytes.data(), bytes.size());
  if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0;
}

[[noreturn]] void become(const std::string& program, const std::string& config, int out, int errors) {
  dup2(out, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execl(program.c_str(), program.c_str(), "run", config.c_str(), "--json", nullptr);
  _exit(127);
}

}  // namespace

Result<std::unique_ptr<ServiceProcess>> ServiceProcess::start(const std::filesystem::path& config) {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  const std::string program = (self.parent_path() / "saccade").string();
  const std::string file = config.string();
  std::array<int, 2> out{};
  std::array<int, 2> errors{};
  if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(errors.data(), O_CLOEXEC) != 0) {
    return Error{program, "no pipe to it can be made", ""};
  }
  const pid_t id = fork();
  if (id == 0) become(program, file, out[1], errors[1]);
  close(out[1]);
  close(errors[1]);
  if (id < 0) return Error{program, "cannot be started", ""};
  std::unique_ptr<ServiceProcess> process(new ServiceProcess(id, out[0], errors[0]));
  const auto serving = process->line_with("event=serving");
  const auto ready = serving ? process->line_with("event=transition_end") : std::nullopt;
  if (!ready) return Error{program, "did not begin to serve: " + process->said_, "build the target saccade"};
  const std::size_t colon = serving->rfind(':');
  process->port_ = static_cast<std::uint16_t>(std::atoi(serving->c_str() + colon + 1));
  process->read_on();
  return process;
}

ServiceProcess::~ServiceProcess() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  if (out_reader_.joinable()) out_reader_.join();
  if (errors_reader_.joinable()) errors_reader_.join();
  close(out_);
  close(errors_);
}

std::optional<std::string> ServiceProcess::line_with(std::string_view part) {
  for (std::size_t begin = 0;;) {
    const std::size_t end = said_.find('\n', begin);
    if (end == std::string::npos) {
      pollfd wait{errors_, POLLIN, 0};
      if (poll(&wait, 1, kToBegin) != 1 || !read_some(errors_, said_)) return std::nullopt;
      continue;
    }
    std::string line = said_.substr(begin, end - begin);
    if (line.find(part) != std::string::npos) return line;
    begin = end + 1;
  }
}

void ServiceProcess::read_on() {
  out_reader_ = std::thread([this] {
    while (read_some(out_, summary_)) {
    }
  });
  errors_reader_ = std::thread([this] {
    constexpr std::size_t kKept = 4096;  // of the log, for an error
    while (read_some(errors_, said_)) {
      if (said_.size() > 2 * kKept) said_.erase(0, said_.size() - kKept);
    }
  });
}

Result<HttpAnswer> ServiceProcess::ask(std::string_view method, std::string_view target,
                                       std::string_view body) const {
  std::optional<HttpAnswer> answer;
  for (int i = 0; i < kTries && (!answer || answer->status == 503) && runs(); ++i) {
    if (i > 0) std::this_thread::sleep_for(kBetweenTries);
    Connection connection(port_);
    connection.send(plain_request(method, target, body));
    answer = connection.answer(kDocumentPatience);
  }
  if (!answer) return Error{std::string(target), "the service does not answer", ""};
  return *std::move(answer);
}

Result<nlohmann::json> ServiceProcess::document(std::string_view target) const {
  const Result<HttpAnswer> answer = ask("GET", target);
  if (!answer) return answer.errors();
  nlohmann::json json = nlohmann::json::parse(answer.value().body, nullptr, false);
  if (answer.value().status != 200 || json.is_discarded()) {
    return Error{std::string(target), "no document came: " + answer.value().body, ""};
  }
  return json;
}

bool ServiceProcess::runs() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

std::optional<Bytes> ServiceProcess::resident_memory() const {
  std::ifstream file("/proc/" + std::to_string(id_) + "/status");
  constexpr double kKibibyte = 1024.0;
  for (std::string key; file >> key;) {
    double value = 0.0;
    if (key == "VmRSS:" && file >> value) return Bytes(value * kKibibyte);
    std::getline(file, key);
  }
  return std::nullopt;
}

Result<nlohmann::json> ServiceProcess::stop() {
  kill(id_, SIGTERM);
  int status = 0;
  waitpid(std::exchange(id_, -1), &status, 0);
  out_reader_.join();
  errors_reader_.join();
  nlohmann::json summary = nlohmann::json::parse(summary_, nullptr, false);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || summary.is_discarded()) {
    return Error{"saccade run",
                 "did not end in good order (wait status " + std::to_string(status) + "): " + said_, ""};
  }
  return summary;
}

}  // namespace saccade::bench
