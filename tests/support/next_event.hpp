// The next event of a kind from a queue; what comes before it is passed over. Waits without limit.
#pragma once

#include <optional>
#include <variant>

#include "runtime/real/message_queue.hpp"

namespace saccade::test {

template <class Kind>
Kind next_event(runtime::MessageQueue& queue) {
  for (;;) {
    const std::optional<runtime::Message> message = queue.take(std::nullopt);
    const auto* const event = std::get_if<runtime::Event>(&message->what);
    if (event != nullptr && std::holds_alternative<Kind>(*event)) return std::get<Kind>(*event);
  }
}

}  // namespace saccade::test
