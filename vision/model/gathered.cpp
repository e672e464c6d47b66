#include "vision/model/gathered.hpp"

#include <algorithm>

namespace saccade::vision {

void Gathered::add(const Error& error, const std::string& file) {
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.error == error; });
  Entry& entry = known != entries_.end() ? *known : entries_.emplace_back(Entry{error, {}});
  if (entry.files.empty() || entry.files.back() != file) entry.files.push_back(file);
}

Errors Gathered::take() const {
  constexpr std::size_t kMostNames = 3;
  Errors errors;
  for (const Entry& entry : entries_) {
    errors.push_back(entry.error);
    if (entry.files.size() == files_) continue;
    std::string names;
    for (std::size_t i = 0; i < std::min(entry.files.size(), kMostNames); ++i)
      names += (i > 0 ? ", " : "") + entry.files[i];
    if (entry.files.size() > kMostNames)
      names += " and " + std::to_string(entry.files.size() - kMostNames) + " more";
    errors.back().what += " (" + names + ")";
  }
  return errors;
}

}  // namespace saccade::vision
