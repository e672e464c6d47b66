// Capture threads that cannot be started: the source is lost until one can. A source that is still being
// opened when everything ends.
#include "runtime/real/captures.hpp"

#include <gtest/gtest.h>

#include <future>
#include <system_error>
#include <thread>

#include "runtime/sources/source_threads.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

class RealCaptures : public testing::Test {
 protected:
  static FrameDesk::Setup one_task() {
    FrameDesk::Setup setup;
    setup.capacities = {1.0};
    setup.tasks = 1;
    setup.segment_starts = {Duration(0)};
    return setup;
  }
  static TaskConfig yard() {
    TaskConfig config;
    config.id = TaskId("yard");
    config.source = CameraSource{1};
    return config;
  }

  const std::shared_ptr<SteadyClock> clock = std::make_shared<SteadyClock>();
  const std::shared_ptr<MessageQueue> queue = std::make_shared<MessageQueue>(*clock);
  const std::shared_ptr<Serving> serving = std::make_shared<Serving>(one_task(), false, *clock, *queue);
  const profiles::ProfileSetPtr two_variants =
      std::make_shared<const profiles::ProfileSet>(test::two_variants());
};

TEST_F(RealCaptures, ASourceWithoutAThreadIsLostUntilThereIsOne) {
  bool threads = false;
  const auto opener = [](const SourceConfig&, const Regions&, const NetworkInputs&, const auto&) {
    return Result<std::unique_ptr<FrameSource>>(std::make_unique<test::KnownFrames>());
  };
  Captures captures(clock, serving, queue, opener, {}, nullptr, [&](std::function<void()> body) {
    if (!threads) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    Captures::start_thread(std::move(body));
  });
  const auto heard = [&](EventKind kind) {
    int count = 0;
    while (const auto message = queue->take(clock->now())) {
      const auto* report = std::get_if<action::Report>(&message->what);
      if (report && report->event == kind) ++count;
    }
    return count;
  };
  captures.start(0, yard(), two_variants, nullptr);
  EXPECT_FALSE(serving->outline({0}).tasks[0].connected);
  EXPECT_FALSE(captures.ended(0)) << "it will be tried again";
  TimePoint now{};
  captures.look(now);
  captures.look(now += std::chrono::seconds(10));
  EXPECT_EQ(heard(EventKind::fault), 1) << "once, however often it is tried";
  threads = true;
  captures.look(now += std::chrono::seconds(10));
  int back = 0;
  while (back == 0) back = heard(EventKind::source_back);
  EXPECT_TRUE(serving->outline({0}).tasks[0].connected);
  captures.stop(0);
  EXPECT_TRUE(captures.join(std::chrono::seconds(60)));
  EXPECT_TRUE(captures.ended(0));
}

TEST_F(RealCaptures, AnOpenerThatOutlivesItsCaptureIsCountedUntilItReturns) {
  ASSERT_TRUE(source_threads()->wait_for_none(std::chrono::seconds(60))) << "those of other tests";
  std::promise<void> connects, answer;
  const auto opener = [&, answered = answer.get_future().share()](const SourceConfig&, const Regions&,
                                                                  const NetworkInputs&, const auto&) {
    connects.set_value();
    answered.wait();
    return Result<std::unique_ptr<FrameSource>>(std::make_unique<test::KnownFrames>());
  };
  {
    Captures captures(clock, serving, queue, opener, {});
    captures.start(0, yard(), two_variants, nullptr);
    connects.get_future().wait();
    captures.stop(0);
    EXPECT_TRUE(captures.join(std::chrono::seconds(60))) << "no capture waits for a camera";
  }
  EXPECT_EQ(source_threads()->count(), 1U) << "it uses its library, whose static objects have to stay";
  answer.set_value();
  EXPECT_TRUE(source_threads()->wait_for_none(std::chrono::seconds(60)));
}

}  // namespace
}  // namespace saccade::runtime
