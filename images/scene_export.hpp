// Writes scenes of the generator to files, for training, calibration and measurement with the readers of own
// data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace saccade::images {

// The names of all data sets of scenes as the text of a hint or help.
[[nodiscard]] std::string known_scene_sets();

enum class SceneFiles {
  raw,  // all pictures in <name>-<split>.u8: height x width x 3 bytes each, RGB, row by row
  png   // one file per picture: <name>-<split>/000000.png, 000001.png, ...
};

// Writes scenes 0 .. count-1 of a split (train, calibration, held_out or live) into an existing folder: the
// pictures, and <name>-<split>.coco.json, their boxes in the format of COCO's detections: `images` (id =
// index, file_name relative to the folder, width, height; raw: also `offset` in bytes), `annotations` (bbox
// as left, top, width, height in pixels, area = that of the box, iscrowd 0, category_id) and `categories` (id
// from 1 in the order of the labels). `info` has the data set, the split and its seed. Existing files are
// replaced. Errors: an unknown data set or split, a size out of range, a file that cannot be written (files
// may then be incomplete). Runs on the calling thread.
struct SceneSize {
  int width = 0;
  int height = 0;
};
[[nodiscard]] Status export_scenes(const std::string& data_set, const std::string& split, std::uint64_t count,
                                   SceneSize size, SceneFiles files, const std::filesystem::path& folder);

}  // namespace saccade::images
