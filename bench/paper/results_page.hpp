// The report: all findings on one page, docs/results.md, with the charts that are small enough beside it.
// Threads: pure but for the files. Errors: Result.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/paper/energy_model.hpp"
#include "bench/paper/finding.hpp"
#include "bench/report.hpp"

namespace saccade::bench {

[[nodiscard]] std::string results_page(const std::vector<Finding>& findings, const EnergyModel& energy,
                                       const Provenance& provenance);

// For the README: what is required and found, and the few figures that stand beside the paper's.
[[nodiscard]] std::string headline_of(const std::vector<Finding>& findings, const Provenance& provenance);

// Writes the page to `page` and copies the SVG charts of `out` into images/ beside it.
[[nodiscard]] Status write_results_page(const std::vector<Finding>& findings, const EnergyModel& energy,
                                        const Provenance& provenance, const std::filesystem::path& out,
                                        const std::filesystem::path& page);

// Writes every finding between its markers of `page`, with where it comes from; the rest of the page stays.
[[nodiscard]] Status write_sections(const std::vector<Finding>& findings, const Provenance& provenance,
                                    const std::filesystem::path& out, const std::filesystem::path& page);

}  // namespace saccade::bench
