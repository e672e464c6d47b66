// Reads a COCO JSON document (box annotations) as a stream: memory grows with the pictures and annotations,
// not with the document; segmentations, key points and captions are skipped. Types of numbers are checked
// here, names and places by the caller. Internal to vision/accuracy. Threads: functions without state.
// Errors: into the report.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "vision/accuracy/data_checks.hpp"

namespace saccade::vision {

inline constexpr std::size_t kMostCocoMebibytes = 256;

struct CocoPlace {
  std::uint32_t line = 0;
  std::uint32_t index = 0;  // in its list
};
struct CocoPicture {
  std::int64_t id = 0;
  std::string file;
  std::optional<PictureSize> size;
  CocoPlace place;
  bool damaged = false;  // reported; kept so that references to it are not reported as well
};
struct CocoCategory {
  std::int64_t id = 0;
  std::string name;
  CocoPlace place;
  bool damaged = false;
};
struct CocoAnnotation {
  std::int64_t picture = 0;
  std::int64_t category = 0;
  BoxNumbers box{};
  std::optional<double> area;
  bool crowd = false;
  CocoPlace place;
};
struct CocoDocument {
  std::vector<CocoPicture> pictures;
  std::vector<CocoCategory> categories;
  std::vector<CocoAnnotation> annotations;
  bool whole = true;      // false: the reader stopped before the end
  bool ids_known = true;  // of all pictures and categories
};

// "file:12 /annotations/7"
[[nodiscard]] std::string coco_place(const std::string& name, const char* list, const CocoPlace& place);

[[nodiscard]] CocoDocument read_coco_document(std::istream& in, const std::string& name, DataReport& report);

}  // namespace saccade::vision
