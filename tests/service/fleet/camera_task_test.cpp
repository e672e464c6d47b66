// The task that a box serves for a camera of its fleet: the camera's document with a profile set of the box.
#include "service/fleet/camera_task.hpp"

#include <gtest/gtest.h>

#include <string>

namespace saccade::service {
namespace {

TEST(FleetCameraTask, IsTheDocumentWithTheProfileSetOfTheBox) {
  const std::string gate =
      R"({"format": 1, "id": "gate", "network": "net", "fps": 5, "exclusive": false, "where": {"boxes": ["b"]}})";
  const BoxNetworks networks{{"net", "/p/net.json"}};
  EXPECT_TRUE(task_of_camera("gate", gate, networks).ok());
  const auto nameless = task_of_camera("gate", R"({"network": "net", "fps": 5})", networks);
  ASSERT_TRUE(nameless.ok());
  EXPECT_EQ(nameless.value().find("id")->string, "gate");
  EXPECT_FALSE(task_of_camera("dock", gate, networks).ok());
  for (const char* text : {"", "[]", "{}", R"({"id": "gate"})", R"({"id": "gate", "network": 3})",
                           R"({"id": "gate", "id": "gate", "network": "net"})"}) {
    EXPECT_FALSE(task_of_camera("gate", text, networks).ok()) << text;
  }
}

}  // namespace
}  // namespace saccade::service
