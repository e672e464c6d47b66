#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include "text/strict_json.hpp"
#include "vision/accuracy/coco_document.hpp"
#include "vision/accuracy/data_checks.hpp"
#include "vision/accuracy/labelled_data.hpp"

namespace saccade::vision {
namespace {

namespace fs = std::filesystem;

// Items by id, each id once. Sorted, not hashed: the ids are the file's.
template <class Item>
std::vector<Item> by_id(std::vector<Item> items, const char* list, const std::string& name,
                        DataReport& report) {
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (items[i].id == items[i - 1].id && !items[i].damaged && !items[i - 1].damaged) {
      report.add(coco_place(name, list, items[i].place),
                 "the id " + std::to_string(items[i].id) + " is given twice",
                 "the other is in line " + std::to_string(items[i - 1].place.line));
    }
  }
  return items;
}

template <class Item>
const Item* find_id(const std::vector<Item>& items, std::int64_t id) {
  const auto found = std::lower_bound(items.begin(), items.end(), id,
                                      [](const Item& item, std::int64_t wanted) { return item.id < wanted; });
  return found != items.end() && found->id == id ? &*found : nullptr;
}

// The document's names as files, labels and boxes.
class CocoResolver {
 public:
  CocoResolver(const DataRequest& request, DataReport& report)
      : request_(request), name_(request.path.string()), report_(report), labels_(request.labels) {}

  [[nodiscard]] LabelledData resolve(CocoDocument document) {
    LabelledData data{DataFormat::coco_json, true, {}};
    const auto pictures = by_id(std::move(document.pictures), "images", name_, report_);
    const auto categories = by_id(std::move(document.categories), "categories", name_, report_);
    for (const CocoPicture& picture : pictures) data.pictures.push_back(open(picture));
    for (const CocoAnnotation& annotation : document.annotations) {
      const std::string where = coco_place(name_, "annotations", annotation.place);
      const CocoPicture* picture = find_id(pictures, annotation.picture);
      const CocoCategory* category = find_id(categories, annotation.category);
      if (picture == nullptr && document.ids_known) {
        report_.add(where, "no picture has the id " + std::to_string(annotation.picture));
      }
      if (category == nullptr && document.ids_known) {
        report_.add(where, "no category has the id " + std::to_string(annotation.category));
      }
      std::optional<int> label;
      if (category != nullptr && !category->damaged) {
        label = labels_.require(category->name, coco_place(name_, "categories", category->place), report_);
      }
      if (picture == nullptr) continue;
      LabelledPicture& labelled = data.pictures[static_cast<std::size_t>(picture - pictures.data())];
      const std::optional<Box> box = checked_box(annotation.box, labelled.size, where, report_);
      if (box && label) labelled.truths.push_back({*box, *label, annotation.crowd, annotation.area});
    }
    return data;
  }

 private:
  [[nodiscard]] LabelledPicture open(const CocoPicture& picture) {
    const std::string where = coco_place(name_, "images", picture.place);
    const fs::path folder = request_.images.empty() ? request_.path.parent_path() : request_.images;
    LabelledPicture labelled{{}, picture.size, std::nullopt, {}};
    if (picture.damaged) return labelled;
    const std::optional<fs::path> file = file_below(folder, picture.file, where, report_);
    if (!file) return labelled;
    labelled.file = *file;
    if (!labelled.size) labelled.size = request_.size_of(*file);
    if (!labelled.size)
      report_.add(where, "the picture " + text::in_quotes(picture.file) + " cannot be read");
    return labelled;
  }

  const DataRequest& request_;
  const std::string name_;
  DataReport& report_;
  LabelNames labels_;
};

}  // namespace

Result<LabelledData> read_coco_json(const DataRequest& request) {
  const std::string name = request.path.string();
  std::error_code failure;
  const std::uintmax_t bytes = fs::file_size(request.path, failure);
  if (failure) return Error{name, "the file cannot be read: " + failure.message(), "check the path"};
  if (bytes > kMostCocoMebibytes * 1024 * 1024) {
    return Error{name, "the file is larger than " + std::to_string(kMostCocoMebibytes) + " MiB",
                 "measure on a part of the pictures"};
  }
  std::ifstream in(request.path, std::ios::binary);
  if (!in) return Error{name, "the file cannot be read", "check its permissions"};
  DataReport report(name);
  CocoDocument document = read_coco_document(in, name, report);
  if (!document.whole) return report.errors();
  LabelledData data = CocoResolver(request, report).resolve(std::move(document));
  if (!report.empty()) return report.errors();
  if (data.pictures.empty()) return Error{name, "the file names no pictures", ""};
  return data;
}

}  // namespace saccade::vision
