#include "bench/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>
#include <thread>

#include "base/check.hpp"
#include "build_facts.hpp"
#include "runtime/machine/machine.hpp"

namespace saccade::bench {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0 ? text : "";
}

std::string compiler_name() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + cells[i];
  return line + '\n';
}

}  // namespace

std::string command_of(const std::string& bench, const std::vector<std::string>& args) {
  std::string command = "saccade bench " + bench;
  for (const std::string& arg : args) command += " " + arg;
  return command;
}

Provenance provenance(const std::string& command, std::uint64_t first_seed) {
  return {kCommit,   compiler_name(), kFlags,    runtime::machine_name(), std::thread::hardware_concurrency(),
          utc_now(), command,         first_seed};
}

nlohmann::ordered_json to_json(const Provenance& provenance) {
  return {{"commit", provenance.commit},   {"compiler", provenance.compiler},    {"flags", provenance.flags},
          {"machine", provenance.machine}, {"cores", provenance.cores},          {"date", provenance.date},
          {"command", provenance.command}, {"first_seed", provenance.first_seed}};
}

Status may_publish(const std::string& commit, const std::vector<std::string>& args) {
  const bool publishes = std::any_of(args.begin(), args.end(), [](const std::string& arg) {
    return arg == "--docs" || arg.starts_with("--docs=") || arg == "--section" ||
           arg.starts_with("--section=");
  });
  if (!publishes || !(commit.ends_with("-dirty") || commit == "unknown")) return Done{};
  return Error{"--docs", "the program was built from " + commit + ", not from a commit",
               "commit, build again, and measure with that"};
}

const char* built_commit() { return kCommit; }

std::string one_line(const Provenance& provenance) {
  return "commit " + provenance.commit + ", " + provenance.compiler + ", " + provenance.machine;
}

nlohmann::ordered_json json_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

Csv::Csv(const Provenance& provenance, const std::vector<std::string>& titles) {
  const nlohmann::ordered_json facts = to_json(provenance);
  for (const auto& [key, value] : facts.items()) {
    text_ += "# " + key + ": " + (value.is_string() ? value.get<std::string>() : value.dump()) + '\n';
  }
  text_ += line_of(titles);
}

void Csv::add_row(const std::vector<std::string>& cells) { text_ += line_of(cells); }

Status write_text(const std::filesystem::path& path, const std::string& text) {
  std::error_code failure;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failure);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return Error{path.string(), "cannot be written", "name a folder that may be written to"};
  return Done{};
}

Status replace_between_markers(const std::filesystem::path& file, const std::string& name,
                               const std::string& text) {
  std::ifstream in(file, std::ios::binary);
  std::string all{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) return Error{file.string(), "cannot be read", "name an existing file"};
  const std::string end_marker = "<!-- " + name + ": end -->";
  const std::size_t begin = all.find("<!-- " + name + ": begin");
  const std::size_t first = begin == std::string::npos ? begin : all.find('\n', begin);
  const std::size_t end = first == std::string::npos ? first : all.find(end_marker, first);
  if (end == std::string::npos) {
    return Error{file.string(), "has no lines `<!-- " + name + ": begin -->` and `" + end_marker + "`",
                 "add both where the figures are to stand"};
  }
  all.replace(first + 1, end - first - 1, text);
  return write_text(file, all);
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + '\n';
}

double quantile(const std::vector<double>& sorted, double share) {
  SACCADE_CHECK(!sorted.empty());
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

Progress::Progress(std::ostream& err)
    : err_(err), on_terminal_(&err == &std::cerr && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (on_terminal_) err_ << "\r\033[K" << std::flush;
}

void Progress::show(const std::string& what, double share) {
  if (!on_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < std::chrono::milliseconds(200)) return;
  shown_ = now;
  err_ << "\r\033[K" << std::lround(100.0 * share) << " % " << what;
  if (share > 0.02) {
    const double elapsed = std::chrono::duration<double>(now - began_).count();
    err_ << ", " << std::lround(elapsed * (1.0 - share) / share) << " s left";
  }
  err_ << std::flush;
}

}  // namespace saccade::bench
