// The verbs of the command line. Each is a function in a file of its own: it parses its arguments
// (app/report/options.hpp), writes results to `out` and everything else to `err`, and returns the exit code
// (app/report/exit_codes.hpp). A new verb is a file and a row in the table of verbs.cpp.
// Threads: one verb runs at a time. Errors: printed on `err`; nothing throws.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace saccade::app {

using VerbArguments = std::vector<std::string>;  // without the names of the program and the verb

int verb_adopt(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_bench(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_check(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_ctl(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_explain(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_fit(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_fleet(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_images(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_import(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_inspect(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_layers(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_pareto(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_place(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_plan(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_profile(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_run(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_schema(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_sim(const VerbArguments& args, std::ostream& out, std::ostream& err);
int verb_version(const VerbArguments& args, std::ostream& out, std::ostream& err);

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const VerbArguments& args, std::ostream& out, std::ostream& err);
};
[[nodiscard]] std::span<const Verb> verbs();

// The whole program: looks up the verb and runs it.
int run_program(const VerbArguments& args, std::ostream& out, std::ostream& err);

}  // namespace saccade::app
