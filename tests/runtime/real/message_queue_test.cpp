// The queue into the main loop: the order of its messages, and that lost frames cannot fill it.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "runtime/real/message_queue.hpp"

namespace saccade::runtime::message_queue_test {
namespace {

class Messages : public ::testing::Test {
 protected:
  void drain(EngineKey engine) { queue_.post(Event(event::Drained{engine})); }
  void lose(TaskIndex task, int frames = 1) {
    for (int i = 0; i < frames; ++i) queue_.post(Event(event::FramesLost{task}));
  }
  // The oldest message; "": none waits.
  std::string take() {
    const std::optional<Message> message = queue_.take(clock_.now());
    if (!message) return "";
    const Event& event = std::get<Event>(message->what);
    if (const auto* lost = std::get_if<event::FramesLost>(&event))
      return std::to_string(lost->frames) + " of " + std::to_string(lost->task);
    return "drained " + std::to_string(std::get<event::Drained>(event).engine);
  }
  std::vector<std::string> take_all() {
    std::vector<std::string> messages;
    for (std::string next = take(); !next.empty(); next = take()) messages.push_back(next);
    return messages;
  }

 private:
  ManualClock clock_;
  MessageQueue queue_{clock_};
};

TEST_F(Messages, ComeInTheOrderInWhichTheyWerePosted) {
  for (EngineKey engine = 1; engine <= 3; ++engine) drain(engine);
  EXPECT_EQ(take_all(), (std::vector<std::string>{"drained 1", "drained 2", "drained 3"}));
}

TEST_F(Messages, OfATasksLostFramesAreOneHoweverManyTheyAre) {
  for (int i = 0; i < 1000; ++i) {
    lose(2);
    lose(0);
  }
  drain(7);
  lose(2, 500);
  EXPECT_EQ(take_all(), (std::vector<std::string>{"1500 of 2", "1000 of 0", "drained 7"}));
}

TEST_F(Messages, OfFramesLostAfterOneWasTakenAreNewOnes) {
  lose(1, 3);
  drain(7);
  EXPECT_EQ(take(), "3 of 1");
  lose(1, 2);
  lose(0);
  EXPECT_EQ(take_all(), (std::vector<std::string>{"drained 7", "2 of 1", "1 of 0"}))
      << "behind what is still to be done, none lost or doubled";
  EXPECT_TRUE(take_all().empty());
}

}  // namespace
}  // namespace saccade::runtime::message_queue_test
