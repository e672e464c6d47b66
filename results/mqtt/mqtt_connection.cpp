#include "results/mqtt/mqtt_connection.hpp"

#include <mosquitto.h>
#include <mqtt_protocol.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "results/mqtt/mqtt_session.hpp"
#include "results/secret_file.hpp"

namespace saccade::results {
namespace {

constexpr int kKeepAliveSeconds = 15;
constexpr int kFirstRefusal = 128;  // of the reason codes of MQTT 5

struct Destroy {
  void operator()(mosquitto* client) const { mosquitto_destroy(client); }
};

void start_library_once() {
  static const int started = mosquitto_lib_init();
  SACCADE_CHECK(started == MOSQ_ERR_SUCCESS);
}

std::string words_of(int code, int system_error) {
  if (code == MOSQ_ERR_ERRNO) return std::generic_category().message(system_error);
  std::string words = mosquitto_strerror(code);
  if (words.ends_with('.')) words.pop_back();
  return words;
}

// The text that a broker of MQTT 5 may add.
std::string with_reason(std::string words, const mosquitto_property* properties) {
  char* text = nullptr;
  if (mosquitto_property_read_string(properties, MQTT_PROP_REASON_STRING, &text, false) == nullptr || !text)
    return words;
  words += " (" + std::string(text) + ")";
  std::free(text);  // the library's, made with malloc
  return words;
}

saccade::Result<std::string> password_of(const MqttSettings& settings) {
  if (settings.password_file.empty()) return std::string();
  return secret_in(settings.password_file);
}

}  // namespace

struct MqttConnection::Inside {
  std::unique_ptr<mosquitto, Destroy> client;
  int version = MQTT_PROTOCOL_V311;
  bool answered = false;  // the broker, to CONNECT
  bool is_over = false;   // `lost` or `refused` has been told
  std::string library_words;
  std::string broker_words;
  std::map<int, std::int64_t> tickets;     // by the library's message number
  std::map<int, int> answers_before_them;  // to a message whose number is not known yet: number to reason
  std::map<int, std::string> filters;      // that the broker has not answered, by the message number
  bool publishes = false;
  std::vector<MqttEvent> events;

  void tell(MqttEvent event) { events.push_back(std::move(event)); }

  void lose(int code, int system_error) {
    if (is_over) return;
    is_over = true;
    std::string words = !broker_words.empty() ? broker_words : words_of(code, system_error);
    if (code == MOSQ_ERR_TLS && !library_words.empty()) words += ": " + library_words;
    tell({.kind = MqttEvent::Kind::lost, .words = words, .topic = {}});
  }

  void check(int code) {
    const int system_error = errno;
    if (code != MOSQ_ERR_SUCCESS) lose(code, system_error);
    if (mosquitto_socket(client.get()) < 0) lose(MOSQ_ERR_CONN_LOST, system_error);
  }

  void on_answer(int code, const mosquitto_property* properties) {
    answered = true;
    if (code == 0) {
      tell({.kind = MqttEvent::Kind::connected, .words = {}, .topic = {}});
      return;
    }
    const bool is_5 = version == MQTT_PROTOCOL_V5;
    std::string words = is_5 ? mosquitto_reason_string(code) : mosquitto_connack_string(code);
    if (words.ends_with('.')) words.pop_back();
    is_over = true;
    tell({.kind = MqttEvent::Kind::refused,
          .words = with_reason(words, properties),
          .topic = {},
          .credentials = is_5 ? code == MQTT_RC_BAD_USERNAME_OR_PASSWORD || code == MQTT_RC_NOT_AUTHORIZED
                              : code == CONNACK_REFUSED_BAD_USERNAME_PASSWORD ||
                                    code == CONNACK_REFUSED_NOT_AUTHORIZED});
  }

  void on_published(int number, int reason, const mosquitto_property* properties) {
    const auto found = tickets.find(number);
    if (found == tickets.end()) {
      if (publishes) answers_before_them[number] = reason;  // from within publish(): written at once
      return;
    }
    const bool is_refused = reason >= kFirstRefusal;
    std::string words = is_refused ? with_reason(mosquitto_reason_string(reason), properties) : "";
    tell({.kind = is_refused ? MqttEvent::Kind::rejected : MqttEvent::Kind::acknowledged,
          .ticket = found->second,
          .words = std::move(words),
          .topic = {}});
    tickets.erase(found);
  }

  // One filter was asked for at a time. A broker of version 3.1.1 gives no reason.
  void on_subscribed(int number, int answer, const mosquitto_property* properties) {
    const auto found = filters.find(number);
    if (found == filters.end()) return;
    if (answer >= kFirstRefusal) {
      const bool is_5 = version == MQTT_PROTOCOL_V5;
      tell({.kind = MqttEvent::Kind::not_subscribed,
            .words = is_5 ? with_reason(mosquitto_reason_string(answer), properties) : "",
            .topic = found->second});
    }
    filters.erase(found);
  }
};

namespace {

template <class Inside>
Inside& inside_of(void* object) {
  return *static_cast<Inside*>(object);
}

}  // namespace

MqttConnection::MqttConnection(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {
  mosquitto* client = inside_->client.get();
  mosquitto_user_data_set(client, inside_.get());
  mosquitto_connect_v5_callback_set(
      client, [](mosquitto*, void* object, int code, int, const mosquitto_property* properties) {
        inside_of<Inside>(object).on_answer(code, properties);
      });
  mosquitto_disconnect_v5_callback_set(
      client, [](mosquitto*, void* object, int code, const mosquitto_property* properties) {
        if (code >= kFirstRefusal)
          inside_of<Inside>(object).broker_words = with_reason(mosquitto_reason_string(code), properties);
      });
  mosquitto_publish_v5_callback_set(
      client, [](mosquitto*, void* object, int number, int reason, const mosquitto_property* properties) {
        inside_of<Inside>(object).on_published(number, reason, properties);
      });
  mosquitto_subscribe_v5_callback_set(client, [](mosquitto*, void* object, int number, int count,
                                                 const int* answers, const mosquitto_property* properties) {
    if (count > 0) inside_of<Inside>(object).on_subscribed(number, answers[0], properties);
  });
  mosquitto_message_callback_set(client, [](mosquitto*, void* object, const mosquitto_message* message) {
    const auto* bytes = static_cast<const char*>(message->payload);
    const std::string payload(bytes != nullptr ? bytes : "", static_cast<std::size_t>(message->payloadlen));
    inside_of<Inside>(object).tell({.kind = MqttEvent::Kind::message,
                                    .words = payload,
                                    .topic = message->topic,
                                    .was_kept = message->retain});
  });
  mosquitto_log_callback_set(client, [](mosquitto*, void* object, int level, const char* text) {
    if (level == static_cast<int>(MOSQ_LOG_ERR)) inside_of<Inside>(object).library_words = text;
  });
}

saccade::Result<std::unique_ptr<MqttConnection>> MqttConnection::open(const MqttSettings& settings,
                                                                      const std::string& will_topic,
                                                                      Addresses addresses) {
  start_library_once();
  saccade::Result<std::string> password = password_of(settings);
  if (!password) return password.errors();
  auto inside = std::make_unique<Inside>();
  inside->version = settings.version == "5" ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311;
  inside->client.reset(mosquitto_new(settings.client_id.c_str(), true, nullptr));
  mosquitto* client = inside->client.get();
  if (client == nullptr) return Error{"", std::generic_category().message(errno), ""};
  std::unique_ptr<MqttConnection> connection(new MqttConnection(std::move(inside)));

  static constexpr std::string_view kOffline = "offline";
  int code = mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, connection->inside_->version);
  if (code == MOSQ_ERR_SUCCESS)
    code = mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, static_cast<int>(MqttSession::kWindow));
  // Else a small message may wait for the acknowledgment of the one before, which brokers delay by 40 ms.
  if (code == MOSQ_ERR_SUCCESS) code = mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  if (code == MOSQ_ERR_SUCCESS)
    code = mosquitto_will_set(client, will_topic.c_str(), static_cast<int>(kOffline.size()), kOffline.data(),
                              1, true);
  if (code == MOSQ_ERR_SUCCESS && !settings.username.empty())
    code = mosquitto_username_pw_set(client, settings.username.c_str(),
                                     settings.password_file.empty() ? nullptr : password.value().c_str());
  if (code == MOSQ_ERR_SUCCESS && settings.tls) {
    const bool own = !settings.ca_file.empty();
    code = mosquitto_tls_set(client, own ? settings.ca_file.c_str() : nullptr,
                             own ? nullptr : "/etc/ssl/certs", nullptr, nullptr, nullptr);
  }
  if (code == MOSQ_ERR_SUCCESS)
    // From an address of IPv4 the library reaches no other ones.
    code = mosquitto_connect_bind_async(client, settings.host.c_str(), settings.port, kKeepAliveSeconds,
                                        addresses == Addresses::ipv4 ? "0.0.0.0" : nullptr);
  if (code == MOSQ_ERR_SUCCESS) return connection;
  const int system_error = errno;
  std::string words = words_of(code, system_error);
  if (code == MOSQ_ERR_TLS || (code == MOSQ_ERR_INVAL && settings.tls))
    words += ": " + connection->inside_->library_words;
  return Error{"", words, ""};
}

MqttConnection::~MqttConnection() = default;

int MqttConnection::socket() const { return inside_->is_over ? -1 : mosquitto_socket(inside_->client.get()); }

bool MqttConnection::wants_to_write() const { return mosquitto_want_write(inside_->client.get()); }

void MqttConnection::serve(bool readable, bool writable) {
  mosquitto* client = inside_->client.get();
  if (readable && !inside_->is_over) inside_->check(mosquitto_loop_read(client, 1));
  if (writable && !inside_->is_over) inside_->check(mosquitto_loop_write(client, 1));
  if (!inside_->is_over) inside_->check(mosquitto_loop_misc(client));
}

bool MqttConnection::has_events() const { return !inside_->events.empty(); }

std::vector<MqttEvent> MqttConnection::take_events() { return std::exchange(inside_->events, {}); }

void MqttConnection::publish(std::int64_t ticket, const std::string& topic, const std::string& payload,
                             int qos, bool retained) {
  Inside& inside = *inside_;
  if (inside.is_over) return;
  int number = 0;
  inside.publishes = true;
  const int code = mosquitto_publish(inside.client.get(), &number, topic.c_str(),
                                     static_cast<int>(payload.size()), payload.data(), qos, retained);
  const int system_error = errno;
  inside.publishes = false;
  const auto answers = std::exchange(inside.answers_before_them, {});
  switch (code) {
    case MOSQ_ERR_SUCCESS:
      inside.tickets[number] = ticket;
      if (answers.contains(number)) inside.on_published(number, answers.at(number), nullptr);
      break;
    case MOSQ_ERR_NO_CONN:
    case MOSQ_ERR_CONN_LOST:
    case MOSQ_ERR_ERRNO:
    case MOSQ_ERR_TLS:
      inside.lose(code, system_error);
      break;
    default:  // of this message alone: too large for the broker, not UTF-8
      inside.tell({.kind = MqttEvent::Kind::rejected,
                   .ticket = ticket,
                   .words = words_of(code, system_error),
                   .topic = {}});
  }
}

void MqttConnection::subscribe(const std::string& filter) {
  if (inside_->is_over) return;
  int number = 0;
  inside_->check(mosquitto_subscribe(inside_->client.get(), &number, filter.c_str(), 1));
  inside_->filters[number] = filter;
}

void MqttConnection::disconnect() {
  if (!inside_->is_over) mosquitto_disconnect(inside_->client.get());
  inside_->is_over = true;
}

}  // namespace saccade::results
