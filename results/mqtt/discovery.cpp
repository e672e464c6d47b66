#include "results/mqtt/discovery.hpp"

#include <nlohmann/json.hpp>

namespace saccade::results {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string device_id(std::string_view node, std::string_view task) {
  return "saccade_" + topic_word(node) + "_" + topic_word(task);
}

OrderedJson state_component(const std::string& platform, const std::string& id, const std::string& topic) {
  return {{"p", platform}, {"unique_id", id}, {"state_topic", topic}};
}

// What every task has, whatever its network sees. The templates name keys of task_state_payload().
OrderedJson own_components(const DiscoveredTask& task, const Topics& topics, const std::string& device) {
  const std::string state = topics.state(task.task);
  OrderedJson components;
  OrderedJson& rate = components["rate"] = state_component("sensor", device + "_rate", state);
  rate["value_template"] = "{{ value_json.achieved_fps }}";
  rate["unit_of_measurement"] = "fps";
  OrderedJson& accuracy = components["accuracy"] = state_component("sensor", device + "_accuracy", state);
  accuracy["value_template"] = "{{ value_json.accuracy }}";
  components["variant"] = state_component("sensor", device + "_variant", state);
  components["variant"]["value_template"] = "{{ value_json.variant }}";
  OrderedJson& source = components["source"] = state_component("binary_sensor", device + "_source", state);
  source["device_class"] = "connectivity";
  source["value_template"] = "{{ 'ON' if value_json.source_connected else 'OFF' }}";
  if (task.snapshots) {
    components["snapshot"] = {
        {"p", "image"}, {"unique_id", device + "_snapshot"}, {"image_topic", topics.snapshot(task.task)}};
  }
  for (auto& [name, component] : components.items()) component["name"] = name;
  return components;
}

// A label that is called like a component of the task's own stands beside it.
std::string free_key(const OrderedJson& components, const std::string& label) {
  std::string key = topic_word(label);
  while (components.contains(key)) key += "_seen";
  return key;
}

}  // namespace

std::string discovery_topic(std::string_view home_assistant, std::string_view node, std::string_view task) {
  return std::string(home_assistant) + "/device/" + device_id(node, task) + "/config";
}

std::string discovery_payload(const DiscoveredTask& task, const Topics& topics) {
  const std::string device = device_id(task.node, task.task);
  OrderedJson payload;
  payload["dev"] = {{"ids", device}, {"name", task.task}, {"mf", "Saccade"}, {"sw", task.version}};
  payload["o"] = {{"name", "saccade"}, {"sw", task.version}};
  payload["availability_topic"] = topics.available();
  // `stopped` is neither of the two words that Home Assistant knows.
  payload["availability_template"] = "{{ 'online' if value == 'online' else 'offline' }}";
  const OrderedJson own = own_components(task, topics, device);
  OrderedJson components = OrderedJson::object();
  for (const std::string& label : task.labels) {
    const std::string key = free_key(own, label);
    OrderedJson& seen = components[key] = {{"p", "binary_sensor"}, {"device_class", "occupancy"}};
    seen["name"] = label;
    seen["unique_id"] = device + "_" + key;
    seen["state_topic"] = topics.presence(task.task, label);
    seen["payload_on"] = "ON";
    seen["payload_off"] = "OFF";
  }
  for (const std::string& label : task.former_labels) {  // a platform alone: removed
    const std::string key = free_key(own, label);
    if (!components.contains(key)) components[key] = {{"p", "binary_sensor"}};
  }
  components.update(own);
  payload["cmps"] = std::move(components);
  return payload.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace saccade::results
