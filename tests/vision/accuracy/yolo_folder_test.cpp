// YOLO folders: boxes as shares, names of classes from where they are, parts of a set, every mistake at once.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/vision/accuracy/data_folder.hpp"
#include "vision/accuracy/class_names.hpp"
#include "vision/accuracy/labelled_data.hpp"

namespace saccade::vision {
namespace {

using testing::DataFolder;

struct YoloSet : DataFolder {
  YoloSet(const char* names_file, const std::string& names) {
    picture("images/a.jpg", 200, 100);
    picture("images/deep/b.PNG", 100, 100);
    picture("images/c.jpeg");
    write("labels/a.txt", "1 0.5 0.5 0.5 0.5\r\n\n0 0.1 0.2 0.1 0.2\n");
    write("labels/deep/b.txt", "2 0.5 0.5 1 1");
    if (!names.empty()) write(names_file, names);
  }
};

TEST(YoloFolder, ReadsBoxesAsShares) {
  const YoloSet folder("data.yaml", "");
  const auto data = read_labelled_data(folder.request(""));
  ASSERT_TRUE(data.ok()) << to_string(data.errors());
  const auto& pictures = data.value().pictures;
  ASSERT_EQ(pictures.size(), 3U);
  EXPECT_EQ(pictures[0].file, folder / "images/a.jpg");
  EXPECT_EQ(pictures[0].truths, (Truths{{{50, 25, 100, 50}, 1, false, std::nullopt},
                                        {{10, 10, 20, 20}, 0, false, std::nullopt}}));
  EXPECT_TRUE(pictures[1].truths.empty());
  EXPECT_EQ(pictures[2].truths, (Truths{{{0, 0, 100, 100}, 2, false, std::nullopt}}));
}

TEST(YoloFolder, TakesTheNamesOfClassesFromWhereTheyAre) {
  const std::vector<std::pair<const char*, std::string>> all = {
      {"data.yaml", "nc: 3\nnames: ['dog', \"person\", car]  # three\n"},
      {"data.yaml", "names:\n- dog\n- person\n- car\nval: images\n"},
      {"data.yaml",
       "# names: [x]\nnames:   # by number\n  0: dog\n\n  # two more\n  2: 'car'\n  1: person\npath: .\n"},
      {"data.yml", "names: [dog,\n  person, # second\n  car]\n"},
      {"dataset.yaml", "names: {0: dog, 1: person, 2: car}"},
      {"classes.txt", "dog\nperson\r\ncar\n"},
      {"labels/classes.txt", "dog\nperson\ncar"},
  };
  for (const auto& [file, names] : all) {
    const YoloSet folder(file, names);
    const auto data = read_labelled_data(folder.request(""));
    ASSERT_TRUE(data.ok()) << names << to_string(data.errors());
    EXPECT_EQ(data.value().pictures[0].truths.at(0).label, 0) << names;
    EXPECT_EQ(data.value().pictures[0].truths.at(1).label, 2) << names;
    EXPECT_EQ(data.value().pictures[2].truths.at(0).label, 1) << names;
  }
}

TEST(YoloFolder, ReportsNamesThatItCannotRead) {
  const auto complaints = [](const std::string& names) { return YoloSet("data.yaml", names).complaints(""); };
  EXPECT_EQ(complaints("names: [dog, persn, car]"),
            "data.yaml:1: `persn` is not a label of the profile set (did you mean `person`?)");
  EXPECT_NE(complaints("names: [dog, person").find("data.yaml:1: the list of names does not end"),
            std::string::npos);
  EXPECT_NE(complaints("names: &anchor").find("neither a list nor a mapping"), std::string::npos);
  EXPECT_NE(complaints("names:\n  dog\n").find("data.yaml:2: `dog` is not `number: name`"),
            std::string::npos);
  EXPECT_NE(complaints("names:\n  0: dog\n  0: car\n").find("the class 0 is named twice"), std::string::npos);
  EXPECT_NE(complaints("names:\n  -1: dog\n").find("is not `number: name`"), std::string::npos);
  EXPECT_NE(complaints("nc: 3\n").find("data.yaml: the file has no `names`"), std::string::npos);
  EXPECT_NE(complaints("names: [person]").find("labels/a.txt:1: the class 1 has no name"), std::string::npos);
  EXPECT_NE(complaints("names: ['" + std::string(5000, 'x')).find("a name is too long"), std::string::npos);
}

TEST(YoloFolder, ReportsAFileOfNamesOnce) {
  for (const char* names : {"names: {dog, cat}", "names:\n  dog\n  cat\n", "names: {dog, cat"}) {
    DataReport report("data.yaml");
    (void)names_of_yaml(names, "data.yaml", report);
    EXPECT_EQ(report.errors().size(), 1U) << names;
  }
}

TEST(YoloFolder, ReportsEveryMistakeAtOnce) {
  const YoloSet folder("", "");
  folder.write("labels/a.txt",
               "1 0.5 0.5 0.5\n1 0.5 0.5 0.5 0.5 0.5 0.5\ncar 0.5 0.5 0.1 0.1\n3 0.5 0.5 0.1 0.1\n"
               "0 nan 0.5 0.1 0.1\n0 320 240 64 48\n0 0.1 0.5 0.5 0.5\n0 0.5 0.5 0 0.5\n0 0.5 0.5 inf 1\n");
  folder.write("labels/orphan.txt", "");
  folder.write("labels/deep/b.txt", "0 0.5 0.5 0.1 0.1");
  folder.write("images/deep/b.PNG", "no size");
  EXPECT_EQ(folder.complaints(""),
            "labels/a.txt:1: a line has a class and four numbers, not less (class x y width height)\n"
            "labels/a.txt:2: a line has a class and four numbers, not more (outlines and key points are not "
            "boxes)\n"
            "labels/a.txt:3: `car` is not the number of a class (classes are numbered from 0)\n"
            "labels/a.txt:4: the profile set has 3 labels, no class 3 (name the classes in data.yaml)\n"
            "labels/a.txt:5: `nan` is not a number from 0 to 1 (boxes are shares of the picture's width and "
            "height)\n"
            "labels/a.txt:6: `320` is not a number from 0 to 1 (boxes are shares of the picture's width and "
            "height)\n"
            "labels/a.txt:7: the box [-30, 25, 100, 50] is not in its picture of 200 x 100 "
            "(boxes are left, top, width, height in pixels)\n"
            "labels/a.txt:8: the box [100, 25, 0, 50] has no area (boxes are left, top, width, height)\n"
            "labels/a.txt:9: `inf` is not a number from 0 to 1 (boxes are shares of the picture's width and "
            "height)\n"
            "images/deep/b.PNG: the picture cannot be read\n"
            "labels/orphan.txt: the picture of these labels is missing (looked for in images)");
}

TEST(YoloFolder, FindsOnePartOfASet) {
  const DataFolder folder;
  folder.picture("set/images/val/a.jpg", 100, 100);
  folder.write("set/labels/val/a.txt", "0 0.5 0.5 1 1");
  folder.write("set/data.yaml", "names: [car]");
  for (const char* path : {"set", "set/images", "set/images/val", "set/images/val/"}) {
    const auto data = read_labelled_data(folder.request(path));
    ASSERT_TRUE(data.ok()) << path << to_string(data.errors());
    ASSERT_EQ(data.value().pictures.size(), 1U) << path;
    EXPECT_EQ(data.value().pictures[0].truths.at(0).label, 1) << path;
  }
  folder.picture("set/images/train/b.jpg");
  folder.write("set/labels/train/b.txt", "");
  EXPECT_EQ(folder.complaints("set"),
            "set/images: there are several parts: train, val (name one of them, such as set/images/val)");
  EXPECT_EQ(folder.complaints("set/images/val"), "");
  // A folder of its own for each part, with the names above them.
  folder.picture("other/valid/images/a.jpg", 100, 100);
  folder.write("other/valid/labels/a.txt", "0 0.5 0.5 1 1");
  folder.write("other/data.yaml", "names: [dog]");
  const auto data = read_labelled_data(folder.request("other/valid"));
  ASSERT_TRUE(data.ok()) << to_string(data.errors());
  EXPECT_EQ(data.value().pictures[0].truths.at(0).label, 2);
}

// As `--data .` in a folder of the set.
TEST(YoloFolder, FindsTheNamesAboveTheWorkingDirectory) {
  const DataFolder folder;
  folder.picture("set/valid/images/a.jpg", 100, 100);
  folder.write("set/valid/labels/a.txt", "0 0.5 0.5 1 1");
  folder.write("set/data.yaml", "names: [dog]");
  const std::filesystem::path before = std::filesystem::current_path();
  for (const auto& [from, path] : {std::pair{"set/valid", "."},
                                   {"set/valid", "./"},
                                   {"set/valid/images", ".."},
                                   {"set/valid/images", "../"},
                                   {"set/valid/images", "."},
                                   {"set", "valid"},
                                   {"set", "valid/images/.."}}) {
    std::filesystem::current_path(folder / from);
    DataRequest request = folder.request("");
    request.path = path;
    const auto data = read_labelled_data(request);
    std::filesystem::current_path(before);
    ASSERT_TRUE(data.ok()) << from << ' ' << path << to_string(data.errors());
    ASSERT_EQ(data.value().pictures.size(), 1U) << from << ' ' << path;
    EXPECT_EQ(data.value().pictures[0].truths.at(0).label, 2) << from << ' ' << path;
    EXPECT_EQ(describe(data.value()), "YOLO folder: 1 picture, 1 object of 1 label, names from ../data.yaml");
  }
}

TEST(YoloFolder, SaysWhereTheNamesOfClassesAreFrom) {
  const auto described = [](const char* file, const std::string& names) {
    const YoloSet folder(file, names);
    const auto data = read_labelled_data(folder.request(""));
    return data.ok() ? describe(data.value()) : to_string(data.errors());
  };
  const std::string what = "YOLO folder: 3 pictures, 3 objects of 3 labels, 1 picture without objects, ";
  EXPECT_EQ(described("data.yaml", "names: [dog, person, car]"), what + "names from data.yaml");
  EXPECT_EQ(described("labels/classes.txt", "dog\nperson\ncar"), what + "names from labels/classes.txt");
  EXPECT_EQ(described("", ""), what + "classes by number");
}

}  // namespace
}  // namespace saccade::vision
