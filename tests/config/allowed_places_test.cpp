// What a change by the API may name, and that its answers tell nothing about files elsewhere.
#include "config/allowed_places.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include "tests/support/temporary_folder.hpp"

namespace saccade::config {
namespace {

namespace fs = std::filesystem;

class Allowed : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"config", "config/pics", "videos", "elsewhere"}) {
      fs::create_directories(folder_.path() / folder);
    }
    for (const char* file : {"config/own.mp4", "videos/a.mp4", "elsewhere/secret.mp4"}) {
      std::ofstream(folder_.path() / file) << "x";
    }
  }
  static text::JsonValue parsed(const std::string& text) {
    text::JsonReport report("");
    return *text::parse_json(text, report);
  }
  static std::string document(const std::string& source) {
    return R"({"tasks": [{"id": "t", "source": )" + source + "}]}";
  }
  static std::string video(const std::string& path) {
    return document(R"({"type": "video", "path": ")" + path + "\"}");
  }
  Errors check(const std::string& text) const {
    AllowedPlaces places(rules_, (folder_ / "config").string());
    if (!first_.empty()) places.allow_all_of(parsed(first_));
    text::JsonReport report("");
    places.check(parsed(text), report);
    return report.errors();
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_.path() / name).string(); }

  test::TemporaryFolder folder_;
  AllowRules rules_;
  std::string first_;  // the operator's document
};

TEST_F(Allowed, TheFolderOfTheConfigurationAndNothingElse) {
  EXPECT_EQ(to_string(check(video("own.mp4"))), "");
  EXPECT_EQ(to_string(check(document(R"({"type": "images", "path": "pics"})"))), "");
  const Errors errors = check(video(at("videos/a.mp4")));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].where.find("/tasks/0/source/path"), std::string::npos) << errors[0].where;
  EXPECT_NE(errors[0].hint.find("`api.allow`"), std::string::npos);
  EXPECT_EQ(check(R"({"tasks": [{"profiles": "/etc/passwd"}]})").size(), 1u);
  EXPECT_EQ(check(document(R"({"type": "images", "path": "/etc"})")).size(), 1u);
}

// It is read while the document is, and what is wrong with its files is told.
TEST_F(Allowed, TheFolderOfAFleetsProfiles) {
  EXPECT_EQ(to_string(check(R"({"fleet": {"profiles": "pics"}})")), "");
  const Errors errors = check(R"({"fleet": {"profiles": "/etc"}})");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].where.find("/fleet/profiles"), std::string::npos) << errors[0].where;
  EXPECT_NE(errors[0].what.find("there is no folder"), std::string::npos) << "not whether there is one";
  first_ = R"({"fleet": {"profiles": "/etc"}})";
  EXPECT_EQ(to_string(check(first_)), "") << "the operator named it";
}

TEST_F(Allowed, APasswordIsOneThatTheFileNamesAndGoesToNoOtherHost) {
  const auto stream = [](const std::string& url, const std::string& file) {
    return document(R"({"type": "stream", "url": ")" + url + R"(", "password_file": ")" + file + "\"}");
  };
  first_ = stream("rtsp://yard/1", "camera-password");
  EXPECT_EQ(to_string(check(stream("rtsp://yard/2", "camera-password"))), "");
  const Errors errors = check(stream("rtsp://elsewhere/1", "own.mp4"));
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_NE(errors[0].where.find("/source/url"), std::string::npos) << errors[0].where;
  EXPECT_NE(errors[1].where.find("/source/password_file"), std::string::npos) << errors[1].where;
}

TEST_F(Allowed, SinksWriteAndReadThereToo) {
  const auto sink = [](const std::string& key, const std::string& path) {
    return R"({"results": [{"id": "log", ")" + key + R"(": ")" + path + "\"}]}";
  };
  for (const char* key : {"path", "password_file", "token_file", "ca_file"}) {
    EXPECT_EQ(to_string(check(sink(key, "results.jsonl"))), "") << key;
    const Errors errors = check(sink(key, "/etc/results.jsonl"));
    ASSERT_EQ(errors.size(), 1u) << key;
    EXPECT_NE(errors[0].where.find("/results/0/" + std::string(key)), std::string::npos) << errors[0].where;
  }
}

TEST_F(Allowed, DotsAndLinksDoNotLeadOut) {
  fs::create_symlink(at("elsewhere/secret.mp4"), folder_ / "config/link.mp4");
  fs::create_directory_symlink(at("elsewhere"), folder_ / "config/way");
  EXPECT_EQ(check(video("../elsewhere/secret.mp4")).size(), 1u);
  EXPECT_EQ(check(video("link.mp4")).size(), 1u);
  EXPECT_EQ(check(video("way/secret.mp4")).size(), 1u);
  fs::create_symlink(at("config/own.mp4"), folder_ / "config/inner.mp4");
  EXPECT_EQ(to_string(check(video("inner.mp4"))), "");
  // A name that only begins like an allowed folder.
  rules_.folders = {at("else")};
  EXPECT_EQ(check(video(at("elsewhere/secret.mp4"))).size(), 1u);
}

TEST_F(Allowed, AMissingFileAndAForbiddenOneAreTheSame) {
  const auto told = [&](const std::string& path) {
    const Errors errors = check(video(path));
    return errors.size() == 1 ? std::pair(errors[0].what, errors[0].hint)
                              : std::pair<std::string, std::string>();
  };
  EXPECT_EQ(told("../elsewhere/secret.mp4").second, told("../elsewhere/absent.mp4").second);
  EXPECT_EQ(told("../elsewhere/secret.mp4").second, told("absent.mp4").second);
  EXPECT_EQ(told("../elsewhere/secret.mp4").first, "there is no video `../elsewhere/secret.mp4`");
  EXPECT_EQ(told("absent.mp4").first, "there is no video `absent.mp4`");
}

TEST_F(Allowed, WhatIsListedAndWhatTheFileNamesAlready) {
  rules_.folders = {at("videos"), "/dev/video*"};
  EXPECT_EQ(to_string(check(video(at("videos/a.mp4")))), "");
  EXPECT_EQ(to_string(check(document(R"({"type": "camera", "device": 3})"))), "");
  rules_.folders.clear();
  EXPECT_EQ(check(document(R"({"type": "camera", "device": 3})")).size(), 1u);
  first_ = R"({"tasks": [{"source": {"type": "camera", "device": 3}},
                         {"source": {"type": "video", "path": ")" +
           at("elsewhere/secret.mp4") + "\"}}]}";
  EXPECT_EQ(to_string(check(document(R"({"type": "camera", "device": 3})"))), "");
  EXPECT_EQ(check(document(R"({"type": "camera", "device": 4})")).size(), 1u);
  EXPECT_EQ(to_string(check(video("../elsewhere/secret.mp4"))), "");
}

TEST_F(Allowed, HostsAndSchemes) {
  rules_.hosts = {"10.0.0.5", "gate.local:554"};
  for (const char* good : {"rtsp://10.0.0.5/a", "rtsp://me:secret@10.0.0.5:8554/a", "http://10.0.0.5/x?y=1",
                           "rtsp://GATE.local:554/"}) {
    EXPECT_EQ(to_string(check(video(good))), "") << good;
  }
  for (const char* bad : {"rtsp://10.0.0.6/", "rtsp://gate.local/", "file:///etc/passwd",
                          "rtsp://10.0.0.5@evil/", "tcp://10.0.0.5:1/", "rtsp://a@10.0.0.5@evil/",
                          "rtsp://evil/@10.0.0.5", "rtsp://evil?@10.0.0.5", "concat://10.0.0.5/"}) {
    EXPECT_EQ(check(video(bad)).size(), 1u) << bad;
  }
  first_ = video("rtsp://me:secret@10.0.0.9/one");
  EXPECT_EQ(to_string(check(video("rtsp://10.0.0.9/two"))), "") << "a host that is named already";
  EXPECT_EQ(to_string(check(video("rtsp://me:secret@10.0.0.6/"))).find("secret"), std::string::npos);
}

}  // namespace
}  // namespace saccade::config
