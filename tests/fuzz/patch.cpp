// Any text is a change of a running service's configuration or a list of complaints, and a change that is
// taken can be changed again. The first byte says what is patched.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "service/live/live_config.hpp"

using saccade::service::Candidate;
using saccade::service::LiveConfig;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path folder = SACCADE_SOURCE_DIR "/tests/config/corpus/good";
  static const saccade::Result<Candidate> first = saccade::service::read_candidate(
      R"({"version": 1, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"},
          "tasks": [{"id": "a", "profiles": "../../../support/profiles/powered.json", "fps": 5,
                     "source": {"type": "synthetic", "data_set": "glyphs"}}],
          "timeline": [{"at_seconds": 1, "patch": {"tasks": {"a": {"fps": 3}}, "limits": {"memory_bytes": 9e7}}},
                       {"at_seconds": 9, "patch": {"objective": "min_memory"}}]})",
      "", folder);
  if (!first) std::abort();
  if (size == 0) return 0;
  LiveConfig live(first.value(), folder);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr std::chrono::seconds kNow(2);
  constexpr int kDocument = 3;
  const int kind = data[0] % 5;
  const auto propose = [&](const LiveConfig& now) {
    switch (kind) {
      case 0:
        return now.task_patched("a", text, kNow);
      case 1:
        return now.limits_patched(text, kNow);
      case 2:
        return now.objective_put(text, kNow);
      case kDocument:
        return now.replaced(std::string(text));
      default:
        return now.patched(text, kNow);
    }
  };
  saccade::Result<Candidate> candidate = propose(live);
  if (!candidate) return 0;
  live.accept(std::move(candidate).value());
  // What was accepted is a configuration, and the same patch fits again (a patch is idempotent).
  if (!saccade::service::read_candidate(live.text(), "", folder)) std::abort();
  if (kind != kDocument && !propose(live)) std::abort();
  return 0;
}
