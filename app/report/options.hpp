// The command line of one verb, parsed by one table that is also its help. Nothing is guessed: an
// abbreviated, unknown or repeated option is an error.
// Order: describe the verb, parse, return the exit code if there is one, otherwise get the values.
// Threads: plain values. Errors: printed on `err` with a pointer to the help; nothing throws.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace saccade::app {

struct OptionSpec {
  std::string name;   // without the dashes
  std::string value;  // name of the value in the help; empty = a flag
  std::string help;
  bool repeated = false;  // may be given several times; only with a value
};

struct CommandSpec {
  std::string verb;
  std::string arguments;  // as shown in the usage line: "CONFIG", "[FILE...]"
  std::string summary;
  std::vector<OptionSpec> options;  // --help is always included
  std::size_t least_arguments = 0;
  std::size_t most_arguments = std::numeric_limits<std::size_t>::max();
  std::string epilogue = {};  // below the options in the help
};

class Invocation {
 public:
  // Set if the verb is finished: help was printed, or the command line was wrong.
  [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }

  [[nodiscard]] const std::vector<std::string>& arguments() const { return arguments_; }
  [[nodiscard]] bool has(const std::string& option) const { return values_.contains(option); }
  [[nodiscard]] std::optional<std::string> value(const std::string& option) const;
  // Of a repeated option, in order; empty if it was not given.
  [[nodiscard]] std::vector<std::string> values(const std::string& option) const;

 private:
  friend Invocation parse_command_line(const CommandSpec&, const std::vector<std::string>&, std::ostream&,
                                       std::ostream&);
  std::optional<int> exit_code_;
  std::vector<std::string> arguments_;
  std::map<std::string, std::vector<std::string>> values_;  // of a flag: one empty string
};

[[nodiscard]] Invocation parse_command_line(const CommandSpec& spec, const std::vector<std::string>& args,
                                            std::ostream& out, std::ostream& err);

// A finite number >= least; nothing if `text` is not one.
[[nodiscard]] std::optional<double> number_from(const std::string& text, double least);

// A time: 90, 90s, 5m, 24h; nothing if `text` is not one or is above 1e9 seconds.
[[nodiscard]] std::optional<Duration> duration_from(const std::string& text);
inline constexpr const char* kDurationWords = "a time from 0 to 1e9 seconds, as in 90, 90s, 5m or 24h";

// A whole number; nothing if `text` is not one.
[[nodiscard]] std::optional<std::uint64_t> whole_number_from(const std::string& text);

// "640x360"; nothing if `text` is not that, or a side is above 1,000,000.
struct PixelSize {
  int width = 0, height = 0;
};
[[nodiscard]] std::optional<PixelSize> pixel_size_from(const std::string& text);

// "a,b" as "a" and "b"; at least one part, which may be empty.
[[nodiscard]] std::vector<std::string> split_at_commas(const std::string& text);

// Prints what is wrong with a command line and how to get help; returns the exit code for it.
int usage_error(const std::string& verb, const std::string& what, std::ostream& err);
// The same for all mistakes at once; there is at least one.
int usage_error(const std::string& verb, const std::vector<std::string>& mistakes, std::ostream& err);

}  // namespace saccade::app
