#include "vision/accuracy/coco_document.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <utility>

#include "text/strict_json.hpp"

namespace saccade::vision {
namespace {

using nlohmann::json;

// Hands a stream on in chunks and knows the line that the reader has come to. Ends early when no value ended
// for so long that none of this format can be meant: the library keeps the text of a value until it ends.
class LineCounter final : public std::streambuf {
 public:
  explicit LineCounter(std::istream& in) : in_(in), chunk_(kChunk) {}

  [[nodiscard]] std::uint32_t line() {
    lines_ += std::count(counted_, static_cast<const char*>(gptr()), '\n');
    counted_ = gptr();
    return static_cast<std::uint32_t>(lines_);
  }
  void value_ended() { silent_chunks_ = 0; }
  [[nodiscard]] bool too_long() const { return silent_chunks_ > kMostSilentChunks; }

 protected:
  int_type underflow() override {
    (void)line();
    if (++silent_chunks_ > kMostSilentChunks) return traits_type::eof();
    in_.read(chunk_.data(), static_cast<std::streamsize>(chunk_.size()));
    setg(chunk_.data(), chunk_.data(), chunk_.data() + in_.gcount());
    counted_ = chunk_.data();
    return in_.gcount() == 0 ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

 private:
  static constexpr std::size_t kChunk = 65536;
  static constexpr std::size_t kMostSilentChunks = 32;  // 2 MiB

  std::istream& in_;
  std::vector<char> chunk_;
  const char* counted_ = nullptr;  // lines up to here are in lines_
  std::ptrdiff_t lines_ = 1;
  std::size_t silent_chunks_ = 0;
};

enum class CocoList : std::uint8_t { none, images, categories, annotations };
constexpr std::array<const char*, 4> kListNames = {"", "images", "categories", "annotations"};

// What is kept of one item, whichever list it is in.
struct CocoItem {
  std::optional<double> id, image_id, category_id, width, height, area, crowd;
  std::optional<std::string> name, file_name;
  std::array<double, 4> box{};
  std::size_t box_numbers = 0;
  CocoPlace place;
};

class CocoBuilder final : public json::json_sax_t {
 public:
  CocoBuilder(LineCounter& source, const std::string& name, DataReport& report)
      : source_(source), name_(name), report_(report) {}

  bool null() override { return value(); }
  bool boolean(bool given) override {
    return number_field_ == &item_.crowd ? number(given ? 1.0 : 0.0) : value();
  }
  bool number_integer(std::int64_t given) override { return number(static_cast<double>(given)); }
  bool number_unsigned(std::uint64_t given) override { return number(static_cast<double>(given)); }
  bool number_float(double given, const std::string&) override { return number(given); }
  bool binary(json::binary_t&) override { return false; }

  bool string(std::string& given) override {
    if (depth_ == kInItem && text_field_ != nullptr) *text_field_ = std::move(given);
    return number(std::numeric_limits<double>::quiet_NaN());  // where a number should be
  }

  bool start_object(std::size_t) override {
    if (depth_ == kInList && list_ != CocoList::none) {
      item_ = CocoItem{};
      item_.place = {source_.line(), static_cast<std::uint32_t>(index_)};
    }
    return open();
  }
  bool end_object() override {
    --depth_;
    return depth_ != kInList || list_ == CocoList::none || keep_item();
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) {
      report_.add(place(), "the document is a list, not an object with images, annotations and categories",
                  "this may be a file of results; the labelled data are in another one");
      return stop();
    }
    if (depth_ == kInDocument) {
      list_ = pending_;
      index_ = 0;
      if (list_ != CocoList::none) seen_.at(static_cast<std::size_t>(list_)) = true;
    }
    in_box_ = depth_ == kInItem && is_box_;
    if (in_box_) item_.box_numbers = 0;
    return open();
  }
  bool end_array() override {
    --depth_;
    in_box_ = false;
    if (depth_ == kInDocument) list_ = CocoList::none;
    return value();
  }

  bool key(std::string& key) override {
    source_.value_ended();
    if (depth_ == kInDocument) {
      const auto found = std::find(kListNames.begin() + 1, kListNames.end(), key);
      pending_ =
          found == kListNames.end() ? CocoList::none : static_cast<CocoList>(found - kListNames.begin());
    }
    if (depth_ == kInItem && list_ != CocoList::none) choose_field(key);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    if (source_.too_long()) {
      report_.add(place(), "a value is longer than 2 MiB", "look for a quote that is not closed");
    } else if (error.id == 406) {
      report_.add(place(), "the number is too large to be represented", "numbers must be finite");
    } else {
      report_.add(place(), "this is not JSON from here on", "the file may be cut off or damaged");
    }
    return stop();
  }

  [[nodiscard]] CocoDocument take() {
    for (const CocoList list : {CocoList::images, CocoList::categories, CocoList::annotations}) {
      const auto index = static_cast<std::size_t>(list);
      if (!seen_.at(index) && document_.whole) {
        report_.add(name_, std::string("the document has no list `") + kListNames.at(index) + "`",
                    "COCO's labelled data have images, annotations and categories");
      }
    }
    return std::move(document_);
  }

 private:
  // Depth of the open objects and lists around a value.
  static constexpr std::size_t kInDocument = 1;
  static constexpr std::size_t kInList = 2;
  static constexpr std::size_t kInItem = 3;

  [[nodiscard]] std::string place() { return name_ + ":" + std::to_string(source_.line()); }
  bool stop() {
    document_.whole = false;
    return false;
  }

  bool open() {
    source_.value_ended();
    if (++depth_ <= text::kMaxJsonDepth) return true;
    report_.add(place(), "objects and lists are nested more than 32 deep",
                "no key of this format needs that; look for a bracket that is not closed");
    return stop();
  }

  // Something that is no object has ended.
  bool value() {
    source_.value_ended();
    if (depth_ == 0) {
      report_.add(place(), "the document is not an object", "");
      return stop();
    }
    if (depth_ == kInList && list_ != CocoList::none) {
      report_.add(coco_place(name_, list_name(), {source_.line(), static_cast<std::uint32_t>(index_)}),
                  "must be an object", "");
      ++index_;
    }
    return true;
  }

  bool number(double given) {
    if (in_box_ && depth_ == kInItem + 1) {
      if (item_.box_numbers < item_.box.size()) item_.box.at(item_.box_numbers) = given;
      ++item_.box_numbers;
    } else if (depth_ == kInItem && number_field_ != nullptr) {
      *number_field_ = given;
    }
    return value();
  }

  void choose_field(const std::string& key) {
    number_field_ = nullptr;
    text_field_ = nullptr;
    is_box_ = key == "bbox";
    for (const auto& [name, field] : {std::pair{"id", &item_.id}, std::pair{"image_id", &item_.image_id},
                                      std::pair{"category_id", &item_.category_id},
                                      std::pair{"width", &item_.width}, std::pair{"height", &item_.height},
                                      std::pair{"area", &item_.area}, std::pair{"iscrowd", &item_.crowd}}) {
      if (key == name) number_field_ = field;
    }
    if (key == "name") text_field_ = &item_.name;
    if (key == "file_name") text_field_ = &item_.file_name;
  }

  [[nodiscard]] const char* list_name() const { return kListNames.at(static_cast<std::size_t>(list_)); }
  void complain(std::string what, std::string hint = {}) {
    report_.add(coco_place(name_, list_name(), item_.place), std::move(what), std::move(hint));
    complained_ = true;
  }

  std::int64_t whole(const std::optional<double>& given, const char* name, double most = 9007199254740992.0) {
    if (given && *given == std::floor(*given) && std::abs(*given) <= most)
      return static_cast<std::int64_t>(*given);
    complain(std::string("`") + name + "` must be a whole number");
    return 0;
  }
  std::int64_t whole_id() {
    const std::int64_t id = whole(item_.id, "id");
    document_.ids_known = document_.ids_known && !complained_;
    return id;
  }
  template <class T>
  bool has_room(const std::vector<T>& items, std::size_t most) {
    if (items.size() < most) return true;
    complain("there are more than " + std::to_string(most) + " " + list_name(), "measure on a part of them");
    return stop();
  }

  bool keep_item() {
    ++index_;
    complained_ = false;
    switch (list_) {
      case CocoList::images:
        return keep_picture();
      case CocoList::categories:
        return keep_category();
      case CocoList::annotations:
        return keep_annotation();
      case CocoList::none:
        break;
    }
    return true;
  }

  bool keep_picture() {
    if (!has_room(document_.pictures, kMostPictures)) return false;
    CocoPicture picture{whole_id(), {}, {}, item_.place};
    if (!item_.file_name) complain("`file_name` is missing, or no text");
    if (item_.width || item_.height) {
      constexpr double kMostPixels = 1e6;
      picture.size = {static_cast<int>(whole(item_.width, "width", kMostPixels)),
                      static_cast<int>(whole(item_.height, "height", kMostPixels))};
      if (!complained_ && (picture.size->width < 1 || picture.size->height < 1)) {
        complain("`width` and `height` must be above 0");
      }
    }
    picture.damaged = complained_;
    if (complained_) {
      picture.size.reset();
    } else {
      picture.file = std::move(*item_.file_name);
    }
    document_.pictures.push_back(std::move(picture));
    return true;
  }

  bool keep_category() {
    if (!has_room(document_.categories, kMostClasses)) return false;
    CocoCategory category{whole_id(), {}, item_.place};
    if (!item_.name) complain("`name` is missing, or no text");
    category.damaged = complained_;
    if (!complained_) category.name = std::move(*item_.name);
    document_.categories.push_back(std::move(category));
    return true;
  }

  bool keep_annotation() {
    if (!has_room(document_.annotations, kMostTruths)) return false;
    CocoAnnotation annotation;
    annotation.picture = whole(item_.image_id, "image_id");
    annotation.category = whole(item_.category_id, "category_id");
    annotation.place = item_.place;
    if (item_.box_numbers != item_.box.size()) {
      complain("`bbox` must be a list of four numbers", "left, top, width and height in pixels");
    }
    annotation.box = {item_.box[0], item_.box[1], item_.box[2], item_.box[3]};
    if (item_.area && !(*item_.area >= 0.0)) complain("`area` must be 0 or above");
    annotation.area = item_.area;
    if (item_.crowd && *item_.crowd != 0.0 && *item_.crowd != 1.0) complain("`iscrowd` must be 0 or 1");
    annotation.crowd = item_.crowd == 1.0;
    if (!complained_) document_.annotations.push_back(annotation);
    return true;
  }

  LineCounter& source_;
  const std::string& name_;
  DataReport& report_;
  CocoDocument document_;
  std::size_t depth_ = 0;
  CocoList pending_ = CocoList::none;  // the list that the last key of the document names
  CocoList list_ = CocoList::none;     // the list that is open
  std::array<bool, kListNames.size()> seen_{};
  std::size_t index_ = 0;  // of the item in the open list
  CocoItem item_;
  std::optional<double>* number_field_ = nullptr;
  std::optional<std::string>* text_field_ = nullptr;
  bool is_box_ = false;
  bool in_box_ = false;
  bool complained_ = false;
};

}  // namespace

std::string coco_place(const std::string& name, const char* list, const CocoPlace& place) {
  return name + ":" + std::to_string(place.line) + " /" + list + "/" + std::to_string(place.index);
}

CocoDocument read_coco_document(std::istream& in, const std::string& name, DataReport& report) {
  LineCounter source(in);
  std::istream counted(&source);
  CocoBuilder builder(source, name, report);
  (void)json::sax_parse(counted, &builder);
  return builder.take();
}

}  // namespace saccade::vision
