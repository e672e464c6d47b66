// Folders per class, CSV, and how a format is recognised: what is read, and that every mistake is reported at
// once.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/vision/accuracy/data_folder.hpp"
#include "vision/accuracy/labelled_data.hpp"

namespace saccade::vision {
namespace {

using testing::DataFolder;

TEST(ClassFolder, ReadsOneLabelPerPicture) {
  const DataFolder folder;
  folder.picture("set/dog/a.jpg");
  folder.picture("set/car/b.bmp");
  folder.picture("set/car/a.jpg");
  folder.write("set/car/notes.txt", "");
  folder.write("set/empty/notes.txt", "");
  folder.picture("set/.hidden/a.jpg");
  const auto data = read_labelled_data(folder.request("set"));
  ASSERT_TRUE(data.ok()) << to_string(data.errors());
  EXPECT_FALSE(data.value().boxes);
  ASSERT_EQ(data.value().pictures.size(), 3U);
  EXPECT_EQ(data.value().pictures[0].file, folder / "set/car/a.jpg");
  EXPECT_EQ(data.value().pictures[0].label, 1);
  EXPECT_EQ(data.value().pictures[2].label, 2);
  EXPECT_EQ(describe(data.value()), "folder per class: 3 pictures of 2 labels");
  folder.picture("set/cars/a.jpg");
  folder.picture("set/stray.jpg");
  EXPECT_EQ(folder.complaints("set"),
            "set/cars: `cars` is not a label of the profile set (did you mean `car`?)\n"
            "set/stray.jpg: the picture is in no folder of a class");
}

TEST(CsvLabels, ReadsLabelsOrBoxes) {
  const DataFolder folder;
  folder.picture("a.jpg");
  folder.picture("b, c.jpg");
  folder.picture("d.jpg");
  folder.write("labels.csv", "file,label\na.jpg,car\n\"b, c.jpg\",dog\n");
  const auto labels = read_labelled_data(folder.request("labels.csv"));
  ASSERT_TRUE(labels.ok()) << to_string(labels.errors());
  EXPECT_FALSE(labels.value().boxes);
  EXPECT_EQ(labels.value().pictures.at(0).label, 1);
  EXPECT_EQ(labels.value().pictures.at(1).file, folder / "b, c.jpg");
  folder.write("boxes.csv",
               "file,x,y,width,height,label\na.jpg,1,2,3,4.5,car\nd.jpg,,,,,\na.jpg,5,6,7,8,dog\n");
  const auto boxes = read_labelled_data(folder.request("boxes.csv"));
  ASSERT_TRUE(boxes.ok()) << to_string(boxes.errors());
  ASSERT_EQ(boxes.value().pictures.size(), 2U);
  EXPECT_EQ(boxes.value().pictures[0].truths,
            (Truths{{{1, 2, 3, 4.5F}, 1, false, std::nullopt}, {{5, 6, 7, 8}, 2, false, std::nullopt}}));
  EXPECT_TRUE(boxes.value().pictures[1].truths.empty());
}

TEST(CsvLabels, ReportsEveryMistakeAtOnce) {
  const DataFolder folder;
  folder.picture("a.jpg");
  folder.write("bad.jpg", "no size");
  folder.write(
      "boxes.csv",
      "file,label,x,y,width,height\na.jpg,care,1,2,3,4\na.jpg,care,1,2,3,4\nnone.jpg,car,1,2,3,4\n"
      "a.jpg,car,1,2,nan,4\na.jpg,car,600,2,50,4\n../a.jpg,car,1,2,3,4\na.jpg,car,1\na.jpg,car,1e999,1,1,1\n"
      "bad.jpg,car,1,2,3,4\n");
  EXPECT_EQ(folder.complaints("boxes.csv")
                .find("boxes.csv:2:7: `care` is not a label of the profile set (did you mean `car`?)\n"
                      "boxes.csv:4:1: the picture `none.jpg` is missing (looked for in "),
            0U);
  for (const char* said :
       {"boxes.csv:5:15: `nan` is not a number",
        "boxes.csv:6:11: the box [600, 2, 50, 4] is not in its picture",
        "boxes.csv:7:1: `../a.jpg` cannot be the name", "boxes.csv:8:1: the row has 3 cells, the header 6",
        "boxes.csv:9:11: `1e999` is not a number", "boxes.csv:10:1: the picture `bad.jpg` cannot be read"}) {
    EXPECT_NE(folder.complaints("boxes.csv").find(said), std::string::npos)
        << said << folder.complaints("boxes.csv");
  }
  folder.write("twice.csv", "file,label\na.jpg,car\na.jpg,dog\n");
  EXPECT_EQ(folder.complaints("twice.csv"),
            "twice.csv:3:1: `a.jpg` has a label already (the other is in line 2)");
  folder.write("header.csv", "file,lable\n");
  EXPECT_EQ(folder.complaints("header.csv"),
            "header.csv:1:6: there is no column `lable` (did you mean `label`?)");
  folder.write("columns.csv", "file,label,x,label\n");
  EXPECT_NE(folder.complaints("columns.csv").find("`label` is given twice"), std::string::npos);
  folder.write("few.csv", "file,label,x\n");
  EXPECT_NE(folder.complaints("few.csv").find("there is no column `y`"), std::string::npos);
  folder.write("only.csv", "file,label\n");
  EXPECT_EQ(folder.complaints("only.csv"), "only.csv: the file names no pictures");
  folder.write("commas.csv", std::string(4'000'000, ','));
  EXPECT_NE(folder.complaints("commas.csv").find("more than 3000000 cells"), std::string::npos);
}

TEST(FindFormat, ReportsWhatItFoundOrWhyNot) {
  const DataFolder folder;
  const auto found = [&](const std::string& name) {
    const auto format = find_format(folder / name);
    return format.ok() ? std::string(to_string(format.value().format)) + ": " + format.value().why
                       : folder.complaints(format.errors());
  };
  folder.write("x.JSON", "");
  folder.write("x.csv", "");
  folder.write("data.yaml", "");
  folder.write("x.txt", "");
  EXPECT_EQ(found("x.JSON"), "COCO JSON: a file named .json");
  EXPECT_EQ(found("x.csv"), "CSV: a file named .csv");
  EXPECT_NE(found("data.yaml").find("name the folder that has images/ and labels/"), std::string::npos);
  EXPECT_NE(found("x.txt").find("known are COCO's JSON"), std::string::npos);
  EXPECT_EQ(found("nothing"), "nothing: there is no such path (check the path)");
  folder.picture("yolo/images/a.jpg");
  EXPECT_NE(found("yolo").find("yolo: the folder holds images/ but no labels/"), std::string::npos);
  folder.write("yolo/labels/a.txt", "");
  EXPECT_EQ(found("yolo"), "YOLO folder: a folder with images/ and labels/");
  folder.picture("classes/cat/a.jpg");
  EXPECT_EQ(found("classes"), "folder per class: a folder with 1 folder of pictures, `cat`");
  folder.picture("classes/dog/a.jpg");
  EXPECT_EQ(found("classes"), "folder per class: a folder with 2 folders of pictures, `cat` the first");
  EXPECT_NE(found("classes/cat").find("holds 1 picture without labels"), std::string::npos);
  folder.write("coco/instances.json", "{}");
  EXPECT_NE(found("coco").find("name the file itself: coco/instances.json"), std::string::npos);
  std::filesystem::create_directories(folder / "empty");
  EXPECT_NE(found("empty").find("empty: the folder holds no labelled pictures (known are"),
            std::string::npos);
}

TEST(Pictures, AreFoundInAllFoldersBelowInTheOrderOfTheirNames) {
  const DataFolder folder;
  for (const char* name : {"frames/b.jpg", "frames/a/c.PNG", "frames/notes.txt", "frames/.hidden.png"})
    folder.picture(name);
  const auto found = find_pictures(folder / "frames");
  ASSERT_TRUE(found.ok()) << to_string(found.errors());
  EXPECT_EQ(found.value(), (std::vector<std::filesystem::path>{"a/c.PNG", "b.jpg"}));
  folder.write("empty/notes.txt", "no picture");
  EXPECT_FALSE(find_pictures(folder / "empty").ok());
  EXPECT_FALSE(find_pictures(folder / "frames/b.jpg").ok());
  EXPECT_FALSE(find_pictures(folder / "nowhere").ok());
}

}  // namespace
}  // namespace saccade::vision
