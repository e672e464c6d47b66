// The benches of `saccade bench NAME`. Each is a function of its own file that reads its arguments,
// writes its figures to `out`, progress and complaints to `err`, and returns an exit code
// (app/report/exit_codes.hpp). A new bench is a file and a line in the table of main.cpp.
// Figures are never judged by an exit code: a slow machine is no failure. What is one is an answer
// that is wrong.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace saccade::bench {

using BenchArguments = std::vector<std::string>;  // without the program's and the bench's name

int bench_accelerator(const BenchArguments& args, std::ostream& out, std::ostream& err);
int bench_detectors(const BenchArguments& args, std::ostream& out, std::ostream& err);
int bench_fleet(const BenchArguments& args, std::ostream& out, std::ostream& err);
int bench_paper(const BenchArguments& args, std::ostream& out, std::ostream& err);
int bench_placement(const BenchArguments& args, std::ostream& out, std::ostream& err);
int bench_policies(const BenchArguments& args, std::ostream& out, std::ostream& err);
int bench_results(const BenchArguments& args, std::ostream& out, std::ostream& err);
int bench_service(const BenchArguments& args, std::ostream& out, std::ostream& err);
int bench_solver(const BenchArguments& args, std::ostream& out, std::ostream& err);
int bench_sources(const BenchArguments& args, std::ostream& out, std::ostream& err);
int bench_switch(const BenchArguments& args, std::ostream& out, std::ostream& err);

}  // namespace saccade::bench
