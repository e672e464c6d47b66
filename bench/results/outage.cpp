#include "bench/results/outage.hpp"

#include <csignal>
#include <fstream>

#include "bench/report.hpp"

namespace saccade::bench {
namespace {

Manner manner_of(const std::string& kind) {
  if (kind == "hangs") return Manner::hangs;
  if (kind == "fails") return Manner::fails;
  return kind == "drips" ? Manner::drips : Manner::takes;
}

}  // namespace

Status write_config(const ResultsScenario& scenario, const std::filesystem::path& file,
                    const nlohmann::json& sinks) {
  std::ifstream in(scenario.file);
  nlohmann::json config = nlohmann::json::parse(in, nullptr, false);
  if (config.is_discarded()) return Error{scenario.file.string(), "is no JSON", ""};
  const std::filesystem::path folder = std::filesystem::absolute(scenario.file).parent_path();
  const auto make_absolute = [&](nlohmann::json& path) {
    path = (folder / path.get<std::string>()).lexically_normal().string();
  };
  for (nlohmann::json& task : config.at("tasks")) make_absolute(task.at("profiles"));
  const auto engine = config.find("engine");
  if (engine != config.end() && engine->contains("library") && engine->at("library").is_string()) {
    make_absolute(engine->at("library"));
  }
  config["results"] = sinks;
  return write_text(file, config.dump(1) + '\n');
}

Outage::Outage(const std::string& kind, const BenchFolder& folder, const std::vector<int>& cpus)
    : kind_(kind), broker_(folder.path(), kind != "refusing", cpus) {
  if (manner_of(kind) != Manner::takes) receiver_ = std::make_unique<BenchReceiver>(cpus, manner_of(kind));
}

Status Outage::begin() {
  const bool has_broker = kind_ == "none" || kind_ == "killed" || kind_ == "stopped" || kind_ == "refusing";
  return has_broker ? broker_.start() : Status(Done{});
}

Status Outage::at(double share) {
  if (kind_ == "none") return Done{};
  if (!away_ && share >= 0.25) {
    away_ = true;
    if (kind_ == "killed") broker_.kill();
    if (kind_ == "stopped") broker_.signal(SIGSTOP);
  }
  if (away_ && !back_ && share >= 0.75) {
    back_ = true;
    if (kind_ == "killed") return broker_.start();
    if (kind_ == "stopped") broker_.signal(SIGCONT);
  }
  return Done{};
}

nlohmann::json Outage::sink() const {
  if (receiver_) return {{"id", kSinkId}, {"type", "webhook"}, {"url", receiver_->url()}};
  // A file of which every write fails as on a disk without room.
  if (kind_ == "full") return {{"id", kSinkId}, {"type", "file"}, {"path", "/dev/full"}};
  return {{"id", kSinkId}, {"type", "mqtt"}, {"url", "mqtt://127.0.0.1:" + std::to_string(broker_.port())}};
}

}  // namespace saccade::bench
