// The readers of labelled pictures: what they read, and that they report every mistake at once.
#include "vision/accuracy/labelled_data.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "tests/vision/accuracy/data_folder.hpp"
#include "vision/accuracy/class_names.hpp"
#include "vision/accuracy/coco_document.hpp"

namespace saccade::vision {
namespace {

using testing::DataFolder;

constexpr const char* kCoco = R"({"info": {"year": 2026, "deep": [[["x"]]]}, "licenses": [],
"annotations": [
 {"id": 1, "image_id": 7, "category_id": 3, "bbox": [10, 20, 30.5, 40], "area": 600.25, "iscrowd": 0,
  "segmentation": [[1, 2, 3, 4, 5, 6]]},
 {"id": 2, "image_id": 7, "category_id": 1, "bbox": [0, 0, 640, 480], "iscrowd": 1,
  "segmentation": {"counts": [3, 4], "size": [480, 640], "id": 99, "bbox": [1, 1]}}
],
"categories": [{"id": 1, "name": "person", "supercategory": "x"}, {"id": 3, "name": "dog"}, {"id": 9, "name": "ufo"}],
"images": [
 {"id": 7, "file_name": "b.jpg", "width": 640, "height": 480, "date": null},
 {"id": 2, "file_name": "sub/a.jpg", "height": 100, "width": 200}
]}
)";

struct CocoFolder : DataFolder {
  CocoFolder() {
    picture("b.jpg");
    picture("sub/a.jpg", 200, 100);
    write("data.json", kCoco);
  }
};

// As a writer of other data: the good document with one text replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string coco_complaints(const std::string& from, const std::string& to) {
  const CocoFolder folder;
  folder.write("data.json", replaced(kCoco, from, to));
  return folder.complaints("data.json");
}

TEST(CocoJson, ReadsPicturesByIdWithTheirTruths) {
  const CocoFolder folder;
  const auto data = read_labelled_data(folder.request("data.json"));
  ASSERT_TRUE(data.ok()) << to_string(data.errors());
  const auto& pictures = data.value().pictures;
  ASSERT_EQ(pictures.size(), 2U);
  EXPECT_EQ(pictures[0].file, folder / "sub/a.jpg");
  EXPECT_EQ(pictures[0].size, (PictureSize{200, 100}));
  EXPECT_TRUE(pictures[0].truths.empty());
  EXPECT_EQ(pictures[1].truths,
            (Truths{{{10, 20, 30.5F, 40}, 2, false, 600.25}, {{0, 0, 640, 480}, 0, true, std::nullopt}}));
  EXPECT_EQ(describe(data.value()),
            "COCO JSON: 2 pictures, 2 objects of 2 labels, 1 picture without objects");
}

TEST(CocoJson, PicturesMayLieElsewhereAndSizesMayBeAbsent) {
  const DataFolder folder;
  folder.picture("elsewhere/b.jpg", 64, 48);
  folder.write("data.json",
               R"({"images": [{"id": 0, "file_name": "b.jpg"}], "categories": [{"id": 0, "name": "car"}],
    "annotations": [{"image_id": 0, "category_id": 0, "bbox": [0, 0, 64.5, 48]}]})");
  DataRequest request = folder.request("data.json");
  request.images = folder / "elsewhere";
  const auto data = read_labelled_data(request);
  ASSERT_TRUE(data.ok()) << to_string(data.errors());
  EXPECT_EQ(data.value().pictures.at(0).size, (PictureSize{64, 48}));
  EXPECT_EQ(data.value().pictures.at(0).truths.size(), 1U);
}

TEST(CocoJson, TakesTheLastOfAKeyThatIsGivenTwice) {
  EXPECT_EQ(coco_complaints("\"bbox\": [10", "\"bbox\": [1, 2, 3, 4], \"bbox\": [10"), "");
  EXPECT_EQ(coco_complaints("\"image_id\": 7", "\"image_id\": 5, \"image_id\": 7"), "");
}

TEST(CocoJson, ReportsEachMistakeWithItsPlace) {
  EXPECT_EQ(coco_complaints("[10, 20, 30.5, 40]", "[10, 20, 30.5]"),
            "data.json:3 /annotations/0: `bbox` must be a list of four numbers (left, top, width and height "
            "in pixels)");
  EXPECT_EQ(coco_complaints("[10, 20, 30.5, 40]", "[[10, 20, 30.5, 40]]").substr(0, 43),
            "data.json:3 /annotations/0: `bbox` must be ");
  EXPECT_EQ(coco_complaints("[10, 20, 30.5, 40]", "[10, 20, -30.5, 40]"),
            "data.json:3 /annotations/0: the box [10, 20, -30.5, 40] has no area (boxes are left, top, "
            "width, height)");
  EXPECT_EQ(coco_complaints("[10, 20, 30.5, 40]", "[10, 20, 632, 40]"),
            "data.json:3 /annotations/0: the box [10, 20, 632, 40] is not in its picture of 640 x 480 "
            "(boxes are left, top, width, height in pixels)");
  EXPECT_EQ(coco_complaints("[10, 20, 30.5, 40]", "[10, 20, 1e400, 40]"),
            "data.json:3: the number is too large to be represented (numbers must be finite)");
  EXPECT_EQ(coco_complaints("[10, 20, 30.5, 40]", "[10, 20, NaN, 40]"),
            "data.json:3: this is not JSON from here on (the file may be cut off or damaged)");
  EXPECT_EQ(coco_complaints("\"image_id\": 7, \"category_id\": 3", "\"image_id\": 8, \"category_id\": 4"),
            "data.json:3 /annotations/0: no picture has the id 8\n"
            "data.json:3 /annotations/0: no category has the id 4");
  EXPECT_EQ(coco_complaints("\"dog\"", "\"dogg\""),
            "data.json:8 /categories/1: `dogg` is not a label of the profile set (did you mean `dog`?)");
  EXPECT_EQ(coco_complaints("\"dog\"", "\"elephant\""),
            "data.json:8 /categories/1: `elephant` is not a label of the profile set "
            "(its labels are `person`, `car`, `dog`)");
  EXPECT_EQ(coco_complaints("\"area\": 600.25", "\"area\": -1"),
            "data.json:3 /annotations/0: `area` must be 0 or above");
  EXPECT_EQ(coco_complaints("\"area\": 600.25", "\"area\": \"much\""),
            "data.json:3 /annotations/0: `area` must be 0 or above");
  EXPECT_EQ(coco_complaints("\"iscrowd\": 1", "\"iscrowd\": 2"),
            "data.json:5 /annotations/1: `iscrowd` must be 0 or 1");
  EXPECT_EQ(coco_complaints("\"id\": 7", "\"id\": 7.5"),
            "data.json:10 /images/0: `id` must be a whole number");
  EXPECT_EQ(coco_complaints("\"id\": 7", "\"id\": 2"),
            "data.json:11 /images/1: the id 2 is given twice (the other is in line 10)\n"
            "data.json:3 /annotations/0: no picture has the id 7\n"
            "data.json:5 /annotations/1: no picture has the id 7");
  EXPECT_EQ(coco_complaints("\"width\": 640", "\"width\": 0"),
            "data.json:10 /images/0: `width` and `height` must be above 0");
  EXPECT_EQ(coco_complaints("\"file_name\": \"b.jpg\"", "\"file_name\": 5"),
            "data.json:10 /images/0: `file_name` is missing, or no text");
  EXPECT_EQ(coco_complaints("\"images\"", "\"pictures\""),
            "data.json: the document has no list `images` (COCO's labelled data have images, annotations and "
            "categories)\n"
            "data.json:3 /annotations/0: no picture has the id 7\n"
            "data.json:5 /annotations/1: no picture has the id 7");
  EXPECT_EQ(coco_complaints("[{\"id\": 1, \"name\"", "[5, {\"id\": 1, \"name\""),
            "data.json:8 /categories/0: must be an object");
}

TEST(CocoJson, RefusesNamesThatLeadOut) {
  const std::string hint = " cannot be the name of a picture (names are relative to ";
  for (const char* name : {"../b.jpg", "sub/../../b.jpg", "/etc/passwd", "", "..", "b\\u0000.jpg"}) {
    const std::string said = coco_complaints("b.jpg", name);
    EXPECT_NE(said.find(hint), std::string::npos) << name << ": " << said;
  }
  EXPECT_EQ(coco_complaints("b.jpg", "sub").substr(0, 60),
            "data.json:10 /images/0: the picture `sub` is missing (looked");
}

TEST(CocoJson, RefusesDocumentsOfAnotherKind) {
  const auto refused = [](const std::string& text) {
    const DataFolder folder;
    folder.write("data.json", text);
    return folder.complaints("data.json");
  };
  EXPECT_NE(refused(R"([{"image_id": 1, "category_id": 1, "bbox": [1,1,1,1], "score": 0.5}])")
                .find("file of results"),
            std::string::npos);
  EXPECT_NE(refused("5").find("not an object"), std::string::npos);
  EXPECT_NE(refused("").find("not JSON"), std::string::npos);
  EXPECT_NE(refused("{}").find("no list `images`"), std::string::npos);
  EXPECT_NE(refused(R"({"images": [], "categories": [], "annotations": []})").find("names no pictures"),
            std::string::npos);
  EXPECT_NE(refused(std::string(100'000, '[')).find("is a list"), std::string::npos);
  EXPECT_NE(refused("{\"images\": " + std::string(100'000, '[')).find("nested more than 32 deep"),
            std::string::npos);
  EXPECT_NE(refused("{\"a\": " + std::string(100'000, '{')).find("not JSON"), std::string::npos);
  EXPECT_NE(refused("{\"a\": \"" + std::string(4'000'000, 'x')).find("longer than 2 MiB"), std::string::npos);
  EXPECT_NE(refused("{\"a\": \"\xff\"}").find("not JSON"), std::string::npos);
}

TEST(CocoJson, StopsReadingAValueThatDoesNotEnd) {
  std::istringstream in("{\"a\": \"" + std::string(8U << 20U, 'x'));
  DataReport report("data.json");
  EXPECT_FALSE(read_coco_document(in, "data.json", report).whole);
  ASSERT_TRUE(in.good());
  EXPECT_LT(in.tellg(), 3 << 20);
}

TEST(CocoJson, RefusesAFileThatIsTooLarge) {
  const DataFolder folder;
  folder.write("data.json", "{");
  std::filesystem::resize_file(folder / "data.json", 257ULL * 1024 * 1024);  // sparse
  EXPECT_EQ(folder.complaints("data.json"),
            "data.json: the file is larger than 256 MiB (measure on a part of the pictures)");
}

TEST(CocoJson, ReportsTwentyMistakesAndCountsTheOthers) {
  const DataFolder folder;
  std::string text = "{\"categories\": [], \"annotations\": [], \"images\": [\n";
  for (int i = 0; i < 50; ++i) {
    text += (i > 0 ? ",\n" : "") +
            std::string("{\"file_name\": \"x.jpg\", \"width\": 5, \"height\": 5, \"id\": ") +
            std::to_string(i) + "}";
  }
  folder.write("data.json", text + "]}");
  const auto data = read_labelled_data(folder.request("data.json"));
  ASSERT_FALSE(data.ok());
  ASSERT_EQ(data.errors().size(), 21U);
  EXPECT_EQ(data.errors()[19].where, (folder / "data.json").string() + ":21 /images/19");
  EXPECT_EQ(data.errors()[20].what, "and 30 more mistakes");
}

// The same drawn pictures in three formats are the same truths.
TEST(LabelledData, SaysTheSameInEveryFormat) {
  std::mt19937 random(3);
  const std::vector<std::string> labels = {"person", "car", "dog"};
  const DataFolder folder;
  std::ostringstream coco, images, csv;
  csv << "file,label,x,y,width,height\n";
  for (int i = 0; i < 30; ++i) {
    const std::string name = "p" + std::to_string(100 + i) + ".jpg";
    folder.picture("images/" + name, 512, 256);
    images << (i > 0 ? "," : "") << R"({"width":512,"height":256,"id":)" << i << R"(,"file_name":")" << name
           << "\"}\n";
    std::ostringstream yolo;
    for (std::size_t k = random() % 5; k > 0; --k) {
      const int label = static_cast<int>(random() % 3);
      const double x = static_cast<int>(random() % 256), y = static_cast<int>(random() % 128);
      const double width = 2 + 2 * static_cast<int>(random() % 100),
                   height = 2 + 2 * static_cast<int>(random() % 60);
      coco << (coco.tellp() > 0 ? ",\n" : "") << R"({"image_id":)" << i << R"(,"category_id":)" << 10 + label
           << R"(,"bbox":[)" << x << "," << y << "," << width << "," << height << "]}";
      csv << name << "," << labels[static_cast<std::size_t>(label)] << "," << x << "," << y << "," << width
          << "," << height << "\n";
      yolo.precision(12);
      yolo << label << " " << (x + width / 2) / 512 << " " << (y + height / 2) / 256 << " " << width / 512
           << " " << height / 256 << "\n";
    }
    if (yolo.str().empty()) csv << name << ",,,,,\n";
    folder.write("labels/p" + std::to_string(100 + i) + ".txt", yolo.str());
  }
  folder.write("data.json",
               R"({"categories":[{"id":10,"name":"person"},{"id":11,"name":"car"},{"id":12,"name":"dog"}],)"
               "\"annotations\":[" +
                   coco.str() + "],\"images\":[" + images.str() + "]}");
  folder.write("data.csv", csv.str());
  std::vector<LabelledData> all;
  for (const char* name : {"data.json", "data.csv", ""}) {
    DataRequest request = folder.request(name);
    request.images = folder / "images";
    const auto data = read_labelled_data(request);
    ASSERT_TRUE(data.ok()) << to_string(data.errors());
    all.push_back(data.value());
  }
  for (const LabelledData& data : all) {
    ASSERT_EQ(data.pictures.size(), 30U);
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_EQ(data.pictures[i].file, all[0].pictures[i].file);
      EXPECT_EQ(data.pictures[i].truths, all[0].pictures[i].truths);
    }
  }
}

// Some bytes of a text changed, taken out or repeated.
std::string damaged(std::string text, std::mt19937& random) {
  static const std::string likely = "[]{}\",:0123456789-.eE \nnulltrue\\#'\xff";
  for (std::size_t n = 1 + random() % 3; n > 0 && !text.empty(); --n) {
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        text[at] = likely[random() % likely.size()];
        break;
      case 2:
        text.erase(at, 1 + random() % 8);
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), random() % 16));
    }
  }
  return text;
}

constexpr const char* kYamlBlock = "nc: 3\nnames:\n  0: dog\n  1: 'person'\n  2: car\n";
constexpr const char* kYamlFlow = "names: [dog, \"person\", 'car']  # x\n";

TEST(LabelledData, DamagedTextsAreReadOrRefused) {
  std::mt19937 random(19);
  int read = 0;
  constexpr int kTexts = 10'000;
  for (int i = 0; i < kTexts; ++i) {
    DataReport report("fuzz");
    std::istringstream coco(damaged(kCoco, random));
    const CocoDocument document = read_coco_document(coco, "fuzz.json", report);
    EXPECT_TRUE(document.whole || !report.empty());
    read += report.empty() ? 1 : 0;
    (void)names_of_yaml(damaged(i % 2 == 0 ? kYamlBlock : kYamlFlow, random), "fuzz.yaml", report);
    (void)names_of_lines(damaged("dog\ncar\r\n", random), "classes.txt", report);
  }
  EXPECT_GT(read, kTexts / 20);
  EXPECT_LT(read, kTexts / 2);
  RecordProperty("read", read);
}

// Any damage to a good file gives data or complaints, and never more than 21 of them.
TEST(LabelledData, DamagedFilesAreReadOrRefused) {
  std::mt19937 random(17);
  const CocoFolder folder;
  folder.picture("yolo/images/a.jpg");
  const std::string boxes = "1 0.5 0.5 0.5 0.5\n0 0.1 0.2 0.1 0.2\n";
  const std::string csv =
      "file,label,x,y,width,height\nb.jpg,car,1,2,3,4.5\n\"b.jpg\",dog,5,6,7,8\nsub/a.jpg,,,,,\n";
  int read = 0;
  int refused = 0;
  const auto check = [&](const std::string& name) {
    const auto data = read_labelled_data(folder.request(name));
    data.ok() ? ++read : ++refused;
    if (data.ok()) return;
    EXPECT_LE(data.errors().size(), 21U);
    for (const Error& error : data.errors()) EXPECT_FALSE(error.where.empty());
  };
  for (int i = 0; i < 200; ++i) {
    folder.write("data.json", damaged(kCoco, random));
    check("data.json");
    folder.write("data.csv", damaged(csv, random));
    check("data.csv");
    folder.write("yolo/data.yaml", damaged(i % 2 == 0 ? kYamlBlock : kYamlFlow, random));
    folder.write("yolo/labels/a.txt", i % 3 == 0 ? damaged(boxes, random) : boxes);
    check("yolo");
  }
  EXPECT_GT(read, 10);
  EXPECT_GT(refused, 100);
  RecordProperty("read", read);
  RecordProperty("refused", refused);
}

}  // namespace
}  // namespace saccade::vision
