// Sinks of type "webhook" and "socket": the address of a receiver, the path of a socket.
// Threads: functions without state. Errors: into the report; a token appears in no message.
#pragma once

#include <filesystem>

#include "results/socket_settings.hpp"
#include "results/webhook_settings.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {

// Id and queue are read by the caller.
[[nodiscard]] results::WebhookSettings read_webhook(text::ObjectReader& reader,
                                                    const std::filesystem::path& directory);
// The path is empty if none could be read; the caller checks whether its folder exists.
[[nodiscard]] results::SocketSettings read_socket(text::ObjectReader& reader,
                                                  const std::filesystem::path& directory);

}  // namespace saccade::config
