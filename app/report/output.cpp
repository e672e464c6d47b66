#include "app/report/output.hpp"

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

int fail(const Errors& errors, int exit_code, std::ostream& err) {
  print_errors(errors, err);
  return exit_code;
}

void print_warnings(const Errors& warnings, std::ostream& err) { print("warning: ", warnings, err); }

void print_note_count(std::size_t notes, const std::string& file, std::ostream& err) {
  if (notes == 0) return;
  err << notes << (notes == 1 ? " note" : " notes") << " on the profiles: saccade check " << file << '\n';
}

}  // namespace saccade::app
