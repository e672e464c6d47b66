#include "app/verbs/run_log.hpp"

#include <spdlog/spdlog.h>

#include <array>
#include <utility>

#include "base/logfmt.hpp"

namespace saccade::app {
namespace {

struct NamedLevel {
  const char* name;
  LogLevel level;
  spdlog::level::level_enum in_the_library;
};
constexpr std::array kLevels = {NamedLevel{"trace", LogLevel::trace, spdlog::level::trace},
                                NamedLevel{"debug", LogLevel::debug, spdlog::level::debug},
                                NamedLevel{"info", LogLevel::info, spdlog::level::info},
                                NamedLevel{"warning", LogLevel::warning, spdlog::level::warn},
                                NamedLevel{"error", LogLevel::error, spdlog::level::err}};

spdlog::level::level_enum library_level(LogLevel level) {
  return kLevels[static_cast<std::size_t>(level)].in_the_library;
}

}  // namespace

std::optional<LogLevel> log_level_from(const std::string& name) {
  for (const NamedLevel& each : kLevels) {
    if (name == each.name) return each.level;
  }
  return std::nullopt;
}

void set_log_level(LogLevel level) { spdlog::set_level(library_level(level)); }

void log_line(LogLevel level, const std::string& event, const std::string& detail, const std::string& task) {
  spdlog::log(library_level(level), "event={} task={} detail={}", event, task, log_quoted(detail));
}

void log_event(const runtime::action::Report& report) {
  using runtime::EventKind;
  const bool trouble = report.event == EventKind::fault || report.event == EventKind::exclude ||
                       report.event == EventKind::infeasible;
  log_line(trouble ? LogLevel::warning : LogLevel::info, to_string(report.event), report.detail,
           report.task.empty() ? "-" : report.task);
}

void log_sink(const service::SinkNews& news) {
  const std::string before =
      news.untold > 0 ? " (" + std::to_string(news.untold) + " changes before this one were not logged)" : "";
  if (!news.fails) return log_line(LogLevel::info, "sink_back", news.sink + before);
  log_line(LogLevel::warning, "sink_fault", news.sink + ": " + news.words + before);
}

void log_certificate(const Status& news) {
  if (!news) return log_warnings("certificate_refused", news.errors());
  log_line(LogLevel::info, "certificate", "replaced: new connections use it");
}

void log_warnings(const std::string& event, const Errors& warnings) {
  for (const Error& warning : warnings) log_line(LogLevel::warning, event, to_string(warning));
}

}  // namespace saccade::app
