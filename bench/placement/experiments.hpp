// The experiments of `saccade bench placement`: what of papers 000 to 003 can be shown without their boards,
// and how far their methods are from the best. Networks and times are made up in the published shapes, or
// modelled from the multiply-adds of shipped networks; what is run says so. Threads: one, and those of a
// shell. Errors: Result with the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/sheet.hpp"

namespace saccade::bench {

struct PlacementSizes {
  std::uint64_t networks = 50;  // made per row
  bool quick = false;
  std::size_t images = 64;  // per cut
};

struct PlacementTable {
  std::string name;  // in JSON
  std::string text;  // what it shows, under which conditions, and what the paper has
  Sheet sheet;
};

[[nodiscard]] std::vector<PlacementTable> transition_tables(const PlacementSizes& sizes);   // paper 002
[[nodiscard]] std::vector<PlacementTable> batch_tables(const PlacementSizes& sizes);        // paper 002
[[nodiscard]] std::vector<PlacementTable> pipe_search_tables(const PlacementSizes& sizes);  // paper 001
[[nodiscard]] std::vector<PlacementTable> duplication_tables(const PlacementSizes& sizes);  // paper 003
[[nodiscard]] std::vector<PlacementTable> method_tables(const PlacementSizes& sizes);       // paper 003
[[nodiscard]] std::vector<PlacementTable> exact_time_tables(const PlacementSizes& sizes);
// Paper 000, and every strategy, on the fp32 networks below `folder`.
[[nodiscard]] Result<std::vector<PlacementTable>> zoo_tables(const std::string& folder,
                                                             const PlacementSizes& sizes);

// Pipelines on this machine: what placements promise against what is served. Needs an idle machine with two
// CPUs.
[[nodiscard]] Result<std::vector<PlacementTable>> measured_tables(
    const std::string& folder, const PlacementSizes& sizes, const std::function<void(double share)>& report);

// Whether cut networks answer as whole ones.
[[nodiscard]] Result<PlacementTable> cut_table(const std::string& folder, const PlacementSizes& sizes);

}  // namespace saccade::bench
