// Optimised graphs on disk, so that the next load of a model is spared the optimising. An entry is a
// file that names its key and carries a checksum: what was half written, damaged or made for something
// else is deleted when it is met, and made anew. Entries are written beside and renamed, so that
// processes may share a folder; the least recently used give way when the limit is reached.
// The checksum is against accidents: who may write to the folder decides what the engines compute, so a
// folder that belongs to another user (root aside) or that its group or anybody may write to is not used;
// one that is made is made for its owner only.
// Order: open; find, or compute into scratch_file() and adopt.
// Threads: any number, of any number of processes. Errors: none; a cache that does not work is a load
// that takes longer.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "runtime/engines/graph_cache_options.hpp"

namespace saccade::runtime {

using GraphBytes = std::vector<char>;

class GraphCache {
 public:
  // Null when it is off: asked for, without a home, or (with one warning in the log) in a folder that
  // cannot be used.
  [[nodiscard]] static std::shared_ptr<const GraphCache> open(const GraphCacheOptions& options);

  GraphCache(std::filesystem::path folder, Bytes limit);

  // `key` is a text that names everything the graph depends on. An empty graph is an entry too: it says
  // that this one cannot be kept.
  [[nodiscard]] std::optional<GraphBytes> find(const std::string& key) const;
  void store(const std::string& key, std::span<const char> graph) const;

  // A file name that nobody else uses, for a library that writes files itself; adopt() makes what lies
  // there the entry, when there is something, and removes the file.
  [[nodiscard]] std::filesystem::path scratch_file() const;
  void adopt(const std::string& key, const std::filesystem::path& scratch) const;

  [[nodiscard]] std::filesystem::path entry_file(const std::string& key) const;

 private:
  // For an entry of so many bytes that takes the place of `replaced`.
  void make_room(double bytes, const std::filesystem::path& replaced) const;

  std::filesystem::path folder_;
  Bytes limit_;
};

}  // namespace saccade::runtime
