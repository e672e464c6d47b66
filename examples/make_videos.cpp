// Writes the videos that examples/cameras.json plays: what a fixed camera sees of several places at
// once (parking bays, the characters of a plate), each tile an image of the zoo's generator that
// drifts a little and gives way to the next after a while.
//   make_example_videos FOLDER
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <string>

#include "images/image_generator.hpp"

namespace {

using saccade::images::ImageGenerator;

constexpr int kTile = 64;  // pixels, what the networks take
constexpr double kRate = 25.0;
constexpr int kFrames = 150;
constexpr int kStay = 50;  // frames that a tile's image stays

struct Scene {
  const char* file;
  const char* data_set;
  int columns;
  int rows;
  std::uint64_t seed;
};

constexpr Scene kScenes[] = {
    {"parking.mp4", "vehicles", 6, 4, 11},
    {"gate.mp4", "glyphs", 7, 4, 12},
};

// The image, enlarged and shifted by a slow swing.
cv::Mat tile_at(const cv::Mat& image, int frame, int tile) {
  const double phase = 2.0 * CV_PI * frame / kFrames + tile;
  const double scale = static_cast<double>(kTile) / image.cols;
  const cv::Mat move =
      (cv::Mat_<double>(2, 3) << scale, 0.0, 1.5 * std::sin(phase), 0.0, scale, 1.5 * std::cos(phase));
  cv::Mat moved;
  cv::warpAffine(image, moved, move, cv::Size(kTile, kTile), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
  return moved;
}

bool write_scene(const Scene& scene, const std::filesystem::path& folder) {
  const auto generator = ImageGenerator::find(scene.data_set);
  const cv::Size size(scene.columns * kTile, scene.rows * kTile);
  const std::string file = (folder / scene.file).string();
  cv::VideoWriter writer(file, cv::CAP_FFMPEG, cv::VideoWriter::fourcc('m', 'p', '4', 'v'), kRate, size);
  if (!generator || !writer.isOpened()) return false;
  const int tiles = scene.columns * scene.rows;
  for (int frame = 0; frame < kFrames; ++frame) {
    cv::Mat picture(size, CV_8UC3);
    for (int tile = 0; tile < tiles; ++tile) {
      // Tiles change one after the other; the last images give way to the first when the video loops.
      const int shown = (frame + tile * kStay / tiles) / kStay % (kFrames / kStay);
      const auto image = generator->make(scene.seed, static_cast<std::uint64_t>(shown * tiles + tile));
      const cv::Rect place(tile % scene.columns * kTile, tile / scene.columns * kTile, kTile, kTile);
      tile_at(image.bgr, frame, tile).copyTo(picture(place));
    }
    writer.write(picture);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_example_videos FOLDER\n");
    return 2;
  }
  for (const Scene& scene : kScenes) {
    if (!write_scene(scene, argv[1])) {
      std::fprintf(stderr, "cannot write %s\n", scene.file);
      return 1;
    }
  }
  return 0;
}
