// Optimised graphs on disk, so that later loads of a model skip the optimisation. An entry is a file that
// names its key and carries a checksum: incomplete, damaged or mismatching entries are deleted when found,
// and re-created. Entries are written to a temporary file and renamed, so that processes may share a folder;
// the least recently used are evicted when the limit is reached.
// The checksum protects against accidents only: anyone who can write to the folder determines what the
// engines compute. A folder that belongs to another user (except root) or is writable by its group or by
// others is therefore not used; a new folder is accessible to its owner only.
// Order: open; find, or compute into scratch_file() and adopt.
// Threads: any number, in any number of processes. Errors: none; if the cache fails, a load takes longer.
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
  // Null if the cache is off: by request, without a home directory, or (with one warning in the log) because
  // the folder cannot be used.
  [[nodiscard]] static std::shared_ptr<const GraphCache> open(const GraphCacheOptions& options);

  GraphCache(std::filesystem::path folder, Bytes limit);

  // `key` is a text that names everything the graph depends on. An empty graph is an entry too: this graph
  // cannot be cached.
  [[nodiscard]] std::optional<GraphBytes> find(const std::string& key) const;
  void store(const std::string& key, std::span<const char> graph) const;

  // A unique file name, for a library that writes files itself; adopt() makes the file there the entry, if it
  // exists, and removes it.
  [[nodiscard]] std::filesystem::path scratch_file() const;
  void adopt(const std::string& key, const std::filesystem::path& scratch) const;

  [[nodiscard]] std::filesystem::path entry_file(const std::string& key) const;

 private:
  // Makes room for an entry of that many bytes that replaces `replaced`.
  void make_room(double bytes, const std::filesystem::path& replaced) const;

  std::filesystem::path folder_;
  Bytes limit_;
};

}  // namespace saccade::runtime
