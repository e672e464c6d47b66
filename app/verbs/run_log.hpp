// The log of `saccade run`: one line of `key=value` pairs per event, on standard error, from a given level
// up.
// Threads: any. Errors: none.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "runtime/control/actions.hpp"
#include "service/live/sink_watch.hpp"

namespace saccade::app {

inline constexpr const char* kLogLevelWords = "trace, debug, info, warning or error";

enum class LogLevel { trace, debug, info, warning, error };
// "warning"; absent: not one of kLogLevelWords.
[[nodiscard]] std::optional<LogLevel> log_level_from(const std::string& name);
// For the whole process, from now on; overrides the environment.
void set_log_level(LogLevel level);

// event=swap task=gate detail="w0.50-int8"
void log_line(LogLevel level, const std::string& event, const std::string& detail,
              const std::string& task = "-");
void log_event(const runtime::action::Report& report);
// event=sink_fault task=- detail="home: no answer from hub.lan: ...", event=sink_back task=- detail=home
void log_sink(const service::SinkNews& news);
// event=certificate task=- detail=replaced, or event=certificate_refused with what is wrong with its files.
void log_certificate(const Status& news);
void log_warnings(const std::string& event, const Errors& warnings);

}  // namespace saccade::app
