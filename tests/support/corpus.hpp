// A corpus of broken files: a folder with an expected.json that lists, for every file, exactly the
// places that must be complained about: {"file.json": [{"at": pointer, "says": fragment, "line": n}]}.
// "at" is the JSON pointer in the file itself, or "other.json /pointer" in another file; "line" is
// optional. Header only: needs nlohmann-json and GoogleTest of its user.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace saccade::testing {

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// An error's `where` taken apart: "dir/file.json:12 /pointer".
struct Place {
  std::string file;
  std::size_t line = 0;  // 0 = the file as a whole
  std::string pointer;
};
inline Place place_of(const Error& error) {
  Place place;
  const std::size_t space = error.where.find(" /");
  if (space != std::string::npos) place.pointer = error.where.substr(space + 1);
  place.file = error.where.substr(0, space);
  const std::size_t colon = place.file.rfind(':');
  if (colon != std::string::npos) {
    place.line = static_cast<std::size_t>(std::stoul(place.file.substr(colon + 1)));
    place.file.resize(colon);
  }
  return place;
}

// Every file of the folder must be refused with its expected complaints and no other.
inline void expect_refused_as_listed(const std::filesystem::path& folder,
                                     const std::function<Errors(const std::filesystem::path&)>& errors_of) {
  const auto expected = nlohmann::json::parse(file_text(folder / "expected.json"));
  std::size_t listed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "expected.json") continue;
    ++listed;
    SCOPED_TRACE(name);
    ASSERT_TRUE(expected.contains(name)) << "expected.json does not list the file";
    Errors left = errors_of(entry.path());
    for (const auto& want : expected[name]) {
      const std::string at = want["at"];
      const std::string says = want["says"];
      const auto fits = [&](const Error& error) {
        const Place place = place_of(error);
        const std::string file = std::filesystem::path(place.file).filename().string();
        const std::string where = file == name ? place.pointer : file + " " + place.pointer;
        return where == at && to_string(error).find(says) != std::string::npos &&
               (!want.contains("line") || want["line"] == place.line);
      };
      const auto found = std::find_if(left.begin(), left.end(), fits);
      if (found == left.end()) {
        ADD_FAILURE() << "nothing was said of " << want.dump() << "; said was:\n" << to_string(left);
      } else {
        left.erase(found);
      }
    }
    EXPECT_TRUE(left.empty()) << "not expected:\n" << to_string(left);
  }
  EXPECT_EQ(listed, expected.size()) << "expected.json lists a file that does not exist";
}

}  // namespace saccade::testing
