// What the library is asked for when it connects to a real broker.
#include "results/mqtt/mqtt_connection.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "tests/support/mqtt_broker.hpp"

namespace saccade::results {
namespace {

// Else a message waits for the acknowledgment of the one before, which the other side delays by 40 ms.
TEST(MqttConnection, SmallMessagesAreSentAtOnce) {
  test::MqttBroker broker;
  broker.start();
  MqttSettings settings;
  settings.host = "127.0.0.1";
  settings.port = broker.port();
  settings.client_id = "small";
  const auto opened = MqttConnection::open(settings, "small/available", MqttConnection::Addresses::any);
  ASSERT_TRUE(opened.ok()) << to_string(opened.errors());
  int at_once = 0;
  socklen_t size = sizeof at_once;
  ASSERT_EQ(::getsockopt(opened.value()->socket(), IPPROTO_TCP, TCP_NODELAY, &at_once, &size), 0);
  EXPECT_NE(at_once, 0);
}

}  // namespace
}  // namespace saccade::results
