#include "runtime/profiling/own_data.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/engines/model_file.hpp"
#include "runtime/sources/picture_files.hpp"
#include "runtime/sources/video_pictures.hpp"
#include "vision/accuracy/labelled_data.hpp"

namespace saccade::runtime {

namespace {

namespace fs = std::filesystem;
using profiles::NetworkTask;
using vision::LabelledData;
using vision::LabelledPicture;

constexpr std::size_t kMostReported = 20;

Status check_task(const profiles::ProfileSet& set) {
  if (set.interface.task != NetworkTask::tensor) return Done{};
  return Error{set.network,
               "its outputs are handed on as they are, so their accuracy cannot be measured here",
               "write accuracy, and provenance.accuracy_source \"declared\", into the profile set"};
}

Status check_kind(const profiles::ProfileSet& set, const fs::path& path, const LabelledData& data) {
  const bool finds_objects = set.interface.task == NetworkTask::detect;
  const bool any_object = std::any_of(data.pictures.begin(), data.pictures.end(), [](const auto& picture) {
    return std::any_of(picture.truths.begin(), picture.truths.end(),
                       [](const vision::Truth& truth) { return !truth.crowd; });
  });
  if (finds_objects && !data.boxes) {
    return Error{path.string(), "the data has one label per picture, but " + set.network + " finds objects",
                 "boxes come as COCO JSON, YOLO folders, or CSV with x, y, width and height"};
  }
  if (!finds_objects && data.boxes) {
    return Error{path.string(), "the data has boxes, but " + set.network + " names whole pictures",
                 "labels of pictures come as a folder per class, or as CSV of file and label"};
  }
  if (finds_objects && !any_object)
    return Error{path.string(), "no picture has an object", "without one there is no accuracy"};
  return Done{};
}

std::string size_text(int width, int height) {
  return std::to_string(width) + " x " + std::to_string(height) + " pixels";
}

// What is wrong with a picture that was read.
std::optional<Error> mistake_in(const LabelledPicture& labelled, const Picture& picture) {
  if (!labelled.size) return std::nullopt;
  const vision::PictureSize& said = *labelled.size;
  if (said.width == picture.frame_width && said.height == picture.frame_height) return std::nullopt;
  return Error{labelled.file.string(),
               "the picture has " + size_text(picture.frame_width, picture.frame_height) +
                   ", but the data says " + size_text(said.width, said.height),
               "its boxes would be in other places; was it resized, or turned by its EXIF orientation?"};
}

// Reads all of them. A picture that cannot be read, or has another size, is an error.
Status check_pictures(const std::string& where, const std::vector<LabelledPicture>& pictures,
                      PictureFiles& files) {
  Errors errors;
  std::size_t more = 0;
  Picture picture;
  for (const LabelledPicture& labelled : pictures) {
    std::optional<Error> wrong;
    if (files.show(labelled.file, picture)) {
      wrong = mistake_in(labelled, picture);
    } else {
      wrong = Error{labelled.file.string(), "the picture cannot be read", "check that the file is whole"};
    }
    if (!wrong) continue;
    if (errors.size() < kMostReported) {
      errors.push_back(*wrong);
    } else {
      ++more;
    }
  }
  if (more > 0) errors.push_back({where, "and " + std::to_string(more) + " more pictures", ""});
  if (!errors.empty()) return errors;
  return Done{};
}

// Of names, sizes of files and truths: what was measured on other data is not taken for this one's.
std::string identity_of(const std::vector<LabelledPicture>& pictures, const fs::path& path) {
  std::ostringstream text;
  for (const LabelledPicture& picture : pictures) {
    std::error_code unknown;
    text << picture.file.lexically_relative(path).generic_string() << ' '
         << fs::file_size(picture.file, unknown) << ' ' << picture.label.value_or(-1);
    for (const vision::Truth& truth : picture.truths) {
      text << ' ' << truth.label << ' ' << truth.box.x << ' ' << truth.box.y << ' ' << truth.box.width << ' '
           << truth.box.height << ' ' << truth.crowd << ' ' << truth.area.value_or(-1.0);
    }
    text << '\n';
  }
  return sha256_hex(text.str());
}

fs::path without_trailing_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

LabelledImages images_of(std::vector<LabelledPicture> pictures, std::shared_ptr<PictureFiles> files,
                         const fs::path& path) {
  LabelledImages images;
  images.count = pictures.size();
  images.identity = identity_of(pictures, path);
  auto kept = std::make_shared<const std::vector<LabelledPicture>>(std::move(pictures));
  images.show = [kept, files = std::move(files)](std::size_t index,
                                                 Picture& picture) -> Result<PictureTruth> {
    const LabelledPicture& labelled = kept->at(index);
    if (!files->show(labelled.file, picture))
      return Error{labelled.file.string(), "the picture can no longer be read", ""};
    return PictureTruth{labelled.label.value_or(-1), labelled.truths};
  };
  return images;
}

Result<LabelledImages> images_of_video(const profiles::ProfileSet& set, const fs::path& file) {
  auto decoded = video_pictures(file, inputs_of(set));
  if (!decoded) return decoded.errors();
  auto kept = std::make_shared<const std::vector<PicturePtr>>(std::move(decoded).value());
  LabelledImages images;
  images.count = kept->size();
  std::string sums;
  for (const PicturePtr& picture : *kept) {
    const auto& pixels = picture->pixels;
    sums += sha256_hex({reinterpret_cast<const char*>(pixels.data()), pixels.size()});
  }
  images.identity = sha256_hex(sums);
  images.name = file.filename().string() + ", " + std::to_string(kept->size()) +
                (kept->size() == 1 ? " frame" : " frames") + " without labels";
  images.show = [kept](std::size_t index, Picture& picture) -> Result<PictureTruth> {
    picture = *kept->at(index);
    return PictureTruth{};
  };
  return images;
}

}  // namespace

Result<LabelledImages> labelled_images(const profiles::ProfileSet& set, const OwnData& own) {
  if (const Status suits = check_task(set); !suits) return suits.errors();
  auto files = std::make_shared<PictureFiles>(inputs_of(set));
  const auto size_of = [&](const fs::path& file) -> std::optional<vision::PictureSize> {
    Picture picture;
    if (!files->show(file, picture)) return std::nullopt;
    return vision::PictureSize{picture.frame_width, picture.frame_height};
  };
  auto data = vision::read_labelled_data({own.path, own.images, set.labels, size_of});
  if (!data) return data.errors();
  if (const Status suits = check_kind(set, own.path, data.value()); !suits) return suits.errors();
  std::string name = without_trailing_slash(own.path).filename().string() + ", " + describe(data.value());
  std::vector<LabelledPicture>& pictures = data.value().pictures;
  const Status whole = check_pictures(own.path.string(), pictures, *files);
  if (!whole) return whole.errors();
  LabelledImages images = images_of(std::move(pictures), std::move(files), own.path);
  images.name = std::move(name);
  return images;
}

Result<LabelledImages> unlabelled_images(const profiles::ProfileSet& set, const fs::path& data) {
  if (const Status suits = check_task(set); !suits) return suits.errors();
  std::error_code unknown;
  if (fs::is_regular_file(data, unknown)) return images_of_video(set, data);
  const auto found = vision::find_pictures(data);
  if (!found) return found.errors();
  std::vector<LabelledPicture> pictures;
  for (const fs::path& file : found.value())
    pictures.push_back({data / file, std::nullopt, std::nullopt, {}});
  auto files = std::make_shared<PictureFiles>(inputs_of(set));
  const Status whole = check_pictures(data.string(), pictures, *files);
  if (!whole) return whole.errors();
  const std::size_t count = pictures.size();
  LabelledImages images = images_of(std::move(pictures), std::move(files), data);
  images.name = without_trailing_slash(data).filename().string() + ", " + std::to_string(count) +
                (count == 1 ? " picture" : " pictures") + " without labels";
  return images;
}

}  // namespace saccade::runtime
