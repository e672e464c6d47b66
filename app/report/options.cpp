#include "app/report/options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <ostream>

#include "app/report/exit_codes.hpp"

namespace saccade::app {
namespace {

namespace po = boost::program_options;

constexpr const char* kArguments = "arguments";

void print_help(const CommandSpec& spec, const po::options_description& options, std::ostream& out) {
  out << "Usage: saccade " << spec.verb << (spec.arguments.empty() ? "" : " " + spec.arguments)
      << " [options]\n\n"
      << spec.summary << "\n\n"
      << options;
  if (!spec.epilogue.empty()) out << "\n" << spec.epilogue << "\n";
}

}  // namespace

std::optional<std::string> Invocation::value(const std::string& option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::nullopt : std::optional(found->second.front());
}

std::vector<std::string> Invocation::values(const std::string& option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

Invocation parse_command_line(const CommandSpec& spec, const std::vector<std::string>& args,
                              std::ostream& out, std::ostream& err) {
  Invocation invocation;
  po::options_description visible("Options");
  for (const OptionSpec& option : spec.options) {
    if (option.value.empty()) {
      visible.add_options()(option.name.c_str(), option.help.c_str());
    } else if (option.repeated) {
      visible.add_options()(option.name.c_str(),
                            po::value<std::vector<std::string>>()->value_name(option.value),
                            option.help.c_str());
    } else {
      visible.add_options()(option.name.c_str(), po::value<std::string>()->value_name(option.value),
                            option.help.c_str());
    }
  }
  visible.add_options()("help", "show this text");
  po::options_description all;
  all.add(visible).add_options()(kArguments, po::value<std::vector<std::string>>());
  po::positional_options_description positions;
  positions.add(kArguments, -1);

  try {
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::variables_map values;
    po::store(po::command_line_parser(args).options(all).positional(positions).style(style).run(), values);
    if (values.contains("help")) {
      print_help(spec, visible, out);
      invocation.exit_code_ = kExitOk;
      return invocation;
    }
    if (values.contains(kArguments)) {
      invocation.arguments_ = values[kArguments].as<std::vector<std::string>>();
    }
    for (const OptionSpec& option : spec.options) {
      if (!values.contains(option.name)) continue;
      std::vector<std::string>& given = invocation.values_[option.name];
      if (option.repeated) {
        given = values[option.name].as<std::vector<std::string>>();
      } else {
        given = {option.value.empty() ? "" : values[option.name].as<std::string>()};
      }
    }
  } catch (const po::error& error) {
    invocation.exit_code_ = usage_error(spec.verb, error.what(), err);
    return invocation;
  }

  const std::size_t count = invocation.arguments_.size();
  if (count < spec.least_arguments) {
    invocation.exit_code_ = usage_error(spec.verb, spec.arguments + " is missing", err);
  } else if (count > spec.most_arguments) {
    invocation.exit_code_ = usage_error(
        spec.verb, "there is one argument too many: " + invocation.arguments_[spec.most_arguments], err);
  }
  return invocation;
}

std::optional<double> number_from(const std::string& text, double least) {
  double value = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(value) || value < least) return std::nullopt;
  return value;
}

std::optional<Duration> duration_from(const std::string& text) {
  constexpr double kLongestSeconds = 1e9;
  double unit = 1.0;
  std::string number = text;
  if (!number.empty()) {
    const char last = number.back();
    if (last == 'm') unit = 60.0;
    if (last == 'h') unit = 3600.0;
    if (last == 's' || last == 'm' || last == 'h') number.pop_back();
  }
  const std::optional<double> count = number_from(number, 0.0);
  if (!count || *count * unit > kLongestSeconds) return std::nullopt;
  return to_duration(Seconds(*count * unit));
}

std::optional<std::uint64_t> whole_number_from(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<PixelSize> pixel_size_from(const std::string& text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string::npos) return std::nullopt;
  const auto width = whole_number_from(text.substr(0, cross));
  const auto height = whole_number_from(text.substr(cross + 1));
  constexpr std::uint64_t kMost = 1'000'000;
  if (!width || !height || std::max(*width, *height) > kMost) return std::nullopt;
  return PixelSize{static_cast<int>(*width), static_cast<int>(*height)};
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

int usage_error(const std::string& verb, const std::string& what, std::ostream& err) {
  return usage_error(verb, std::vector<std::string>{what}, err);
}

int usage_error(const std::string& verb, const std::vector<std::string>& mistakes, std::ostream& err) {
  const std::string command = verb.empty() ? "saccade" : "saccade " + verb;
  for (const std::string& mistake : mistakes) err << command << ": " << mistake << '\n';
  err << "Try `" << command << " --help`.\n";
  return kExitUsage;
}

}  // namespace saccade::app
