// Writes images of the generator to files, for training and calibration with other tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace saccade::images {

// The names of all data sets, of images and then of scenes, as the text of a hint or help: "defects, glyphs,
// ...".
[[nodiscard]] std::string known_data_sets();

// Writes images 0 .. count-1 of a split (train, calibration, held_out or live) of a data set into an
// existing folder:
//   <name>-<split>.u8         count x 64 x 64 x 3 bytes, RGB, row by row, image after image
//   <name>-<split>.labels.u8  count bytes, the index of each image's label
//   <name>-<split>.json       format, data set, split, seed, count, width, height, channels, labels
// Existing files are replaced. Errors: an unknown data set or split, a file that cannot be written
// (files may then be incomplete). Runs on the calling thread.
[[nodiscard]] Status export_images(const std::string& data_set, const std::string& split, std::uint64_t count,
                                   const std::filesystem::path& folder);

}  // namespace saccade::images
