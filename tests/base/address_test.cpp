// Secrets of addresses: whatever is secret is gone, whatever helps to find the camera is not.
#include "base/address.hpp"

#include <gtest/gtest.h>

namespace saccade {
namespace {

TEST(Address, IsShownWithoutItsSecrets) {
  const struct {
    const char* address;
    const char* shown;
  } table[] = {
      {"rtsp://user:secret@camera.local:554/stream", "rtsp://***@camera.local:554/stream"},
      {"rtsp://secret@camera/stream", "rtsp://***@camera/stream"},
      {"rtsp://user:sec@ret@camera/stream@2", "rtsp://***@camera/stream@2"},
      {"rtsp://user:sec/ret@camera/stream", "rtsp://***@camera/stream"},
      {"rtsp://user:sec?ret#secret@camera/stream", "rtsp://***@camera/stream"},
      {"rtsp://user:secret@[fe80::1]:554/stream", "rtsp://***@[fe80::1]:554/stream"},
      {"http://camera/stream?token=secret", "http://camera/stream?***"},
      {"http://camera/stream?secret", "http://camera/stream?***"},
      {"http://camera/stream#secret", "http://camera/stream#***"},
      {"http://user:secret@camera/stream?token=secret&again=secret@home", "http://***@camera/stream?***"},
      {"http://camera?token=a@secret", "http://camera?***"},
      {"rtsp://camera:554/user=me&password=secret&channel=1", "rtsp://camera:554/user=***"},
      {"rtsp:/user:secret@camera/stream", "***@camera/stream"},
      {"user:secret@camera", "***@camera"},
      {"/etc/http:/user:secret@camera/x.json", "***@camera/x.json"},
      {"http:/camera/stream?token=secret", "http:/camera/stream?***"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(without_secrets(row.address), row.shown);
    EXPECT_EQ(without_secrets(row.shown), row.shown) << "once is enough";
  }
}

TEST(Address, WithoutSecretsIsLeftAsItIs) {
  for (const char* address : {"rtsp://camera/stream@2", "rtsp://camera:554/stream@2", "rtsp://[fe80::1]/a@b",
                              "rtsp://[fe80::1]:554/a@b", "folder/file@home.avi", "gate.mp4", "", "://", "@",
                              "C:/videos/gate.avi", "what is it?", "tasks.gate.fps=3"}) {
    EXPECT_EQ(without_secrets(address), address);
  }
}

}  // namespace
}  // namespace saccade
