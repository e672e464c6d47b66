// Any bytes in a file of labels are labelled pictures or a list of complaints. The first byte says which file
// it is: j COCO's JSON, c CSV, n the names of a YOLO folder, anything else its labels.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "vision/accuracy/labelled_data.hpp"

namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc)
      .write(text.data(), static_cast<std::streamsize>(text.size()));
}

// Two pictures and a YOLO folder, made once and left for the next run.
fs::path make_folder() {
  const fs::path folder = fs::temp_directory_path() / "saccade-fuzz-labelled-data";
  fs::create_directories(folder / "yolo/images");
  fs::create_directories(folder / "yolo/labels");
  for (const char* name : {"a.jpg", "b.jpg", "yolo/images/a.jpg"}) write(folder / name, "");
  return folder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace saccade::vision;
  static const fs::path folder = make_folder();
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  DataRequest request{folder / "yolo", {}, {"person", "car", "dog"}, [](const fs::path&) {
                        return PictureSize{640, 480};
                      }};
  if (data[0] == 'j' || data[0] == 'c') {
    request.path = folder / (data[0] == 'j' ? "data.json" : "data.csv");
    write(request.path, text);
  } else {
    const bool names = data[0] == 'n';
    write(folder / "yolo/data.yaml", names ? text : "names: [dog, person, car]");
    write(folder / "yolo/labels/a.txt", names ? "1 0.5 0.5 0.5 0.5" : text);
  }
  const auto read = read_labelled_data(request);
  if (!read) {
    SACCADE_CHECK(read.errors().size() <= 21);
    return 0;
  }
  for (const LabelledPicture& picture : read.value().pictures) {
    SACCADE_CHECK(!picture.file.empty() && picture.file.lexically_normal() == picture.file);
    for (const Truth& truth : picture.truths) {
      SACCADE_CHECK(truth.label >= 0 && truth.label < 3);
      SACCADE_CHECK(truth.box.width > 0.0F && truth.box.height > 0.0F &&
                    std::isfinite(truth.box.x + truth.box.y));
      SACCADE_CHECK(!truth.area || *truth.area >= 0.0);
    }
  }
  return 0;
}
