// build/release/bench/bench_micro [--benchmark_filter=REGEX] [--benchmark_format=json]
// The small benches of all rooms in one program. To the context that Google Benchmark prints come the
// processor's name, the compiler and, from each bench, its seed.
#include <benchmark/benchmark.h>

#include <fstream>
#include <string>

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::AddCustomContext("machine", processor_name());
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
