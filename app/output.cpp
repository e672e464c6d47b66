#include "app/output.hpp"

#include <ostream>
#include <string>

namespace saccade::app {
namespace {

void print(const char* kind, const Errors& errors, std::ostream& err) {
  for (const Error& error : errors) {
    if (!error.where.empty()) err << error.where << ": ";
    err << kind << error.what << '\n';
    if (!error.hint.empty()) err << "    " << error.hint << '\n';
  }
}

}  // namespace

void print_errors(const Errors& errors, std::ostream& err) { print("", errors, err); }

void print_warnings(const Errors& warnings, std::ostream& err) { print("warning: ", warnings, err); }

}  // namespace saccade::app
