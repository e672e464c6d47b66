#include "bench/accelerator/report.hpp"

#include <ostream>

#include "bench/sheet.hpp"

namespace saccade::bench {
namespace {

constexpr double kMostAtP99 = 1.6;  // times of inferences beside loads, as multiples of the quiet ones
constexpr double kMostAtP50 = 1.1;

using Json = nlohmann::ordered_json;

double at_share(const std::vector<double>& sorted, double share) {
  return sorted.empty() ? 0.0 : quantile(sorted, share);
}

std::vector<FigureCheck> checks_of(const std::string& device, const LoadsBeside& part) {
  const AcceleratorFigures& of = part.figures;
  const std::string name = device + ", " + part.name;
  const auto ratio = [&](double share) -> std::optional<double> {
    if (of.quiet_ms.empty() || of.loaded_ms.empty()) return std::nullopt;
    return at_share(of.loaded_ms, share) / at_share(of.quiet_ms, share);
  };
  std::vector<FigureCheck> checks;
  if (part.asked) {
    checks.push_back({name + ": p99 beside loads / quiet", kMostAtP99, false, ratio(0.99)});
    checks.push_back({name + ": p50 beside loads / quiet", kMostAtP50, false, ratio(0.5)});
  }
  checks.push_back({name + ": failed inferences", 0.0, false, static_cast<double>(of.failed_inferences)});
  checks.push_back({name + ": failed loads", 0.0, false, static_cast<double>(of.failed_loads)});
  return checks;
}

Sheet beside_sheet(const DeviceReport& device) {
  Sheet sheet{{"engines", "load p50 ms", "load max ms", "quiet p50 ms", "quiet p99 ms", "beside loads p50 ms",
               "beside loads p99 ms", "loads beside", "process kB per load"}};
  for (const LoadsBeside& part : device.beside) {
    const AcceleratorFigures& of = part.figures;
    sheet.rows.push_back({device.name + ", " + part.name, fixed(at_share(of.load_ms, 0.5)),
                          fixed(at_share(of.load_ms, 1.0)), fixed(at_share(of.quiet_ms, 0.5)),
                          fixed(at_share(of.quiet_ms, 0.99)), fixed(at_share(of.loaded_ms, 0.5)),
                          fixed(at_share(of.loaded_ms, 0.99)), std::to_string(of.loads_beside),
                          fixed(of.bytes_per_load ? std::optional(*of.bytes_per_load / 1e3) : std::nullopt)});
  }
  return sheet;
}

Sheet network_sheet(const DeviceReport& device) {
  Sheet sheet{{"network", "precision", "engine", "batch", "inference ms", "p99 ms", "first load ms",
               "load ms", "device MB", "peak MB", "left MB", "mJ per image", "W above rest"},
              3};
  for (const NetworkRow& row : device.networks.rows) {
    const std::optional<double> millijoules =
        row.joules_per_image ? std::optional(1e3 * *row.joules_per_image) : std::nullopt;
    sheet.rows.push_back({row.name, row.precision, row.graphs ? "graph" : "plain", std::to_string(row.batch),
                          fixed(row.inference_ms), fixed(row.inference_p99_ms), fixed(row.first_load_ms),
                          fixed(row.load_ms), fixed(row.device_mb), fixed(row.device_peak_mb),
                          fixed(row.left_mb), fixed(millijoules), fixed(row.watts)});
  }
  return sheet;
}

void print_device(const DeviceReport& device, double limit, std::ostream& out) {
  print({beside_sheet(device), network_sheet(device)}, out);
  for (const NetworkRow& row : device.networks.rows) {
    if (!row.note.empty())
      out << row.name << ", batch " << row.batch << (row.graphs ? ", graph: " : ", plain: ") << row.note
          << '\n';
  }
  if (const auto& pair = device.pair) {
    out << "\ntwo engines at full rate, inferences/s: " << fixed(pair->first_alone) << " and "
        << fixed(pair->second_alone) << " alone, " << fixed(pair->first_together) << " and "
        << fixed(pair->second_together) << " at the same time\n";
  }
  if (device.rest_watts || device.rest_context_watts) {
    out << "at rest: " << fixed(device.rest_watts) << " W without a context, "
        << fixed(device.rest_context_watts) << " W with one\n";
  }
  for (const Error& error : device.refused) out << "not loaded: " << to_string(error) << '\n';
  const int left_out = device.left_out + device.networks.left_out;
  if (left_out > 0) out << left_out << " measurements left out after " << fixed(limit) << " s (--limit)\n";
}

Json beside_json(const LoadsBeside& part) {
  const AcceleratorFigures& of = part.figures;
  return {{"engines", part.name},
          {"load_p50_ms", at_share(of.load_ms, 0.5)},
          {"load_max_ms", at_share(of.load_ms, 1.0)},
          {"quiet_p50_ms", at_share(of.quiet_ms, 0.5)},
          {"quiet_p99_ms", at_share(of.quiet_ms, 0.99)},
          {"beside_loads_p50_ms", at_share(of.loaded_ms, 0.5)},
          {"beside_loads_p99_ms", at_share(of.loaded_ms, 0.99)},
          {"loads_beside", of.loads_beside},
          {"process_bytes_per_load", json_or_null(of.bytes_per_load)},
          {"failed_inferences", of.failed_inferences},
          {"failed_loads", of.failed_loads},
          {"first_failure", of.first_failure.empty() ? Json() : Json(of.first_failure)}};
}

Json network_json(const NetworkRow& row) {
  return {{"network", row.name},
          {"precision", row.precision},
          {"engine", row.graphs ? "graph" : "plain"},
          {"batch", row.batch},
          {"inference_ms", json_or_null(row.inference_ms)},
          {"inference_p99_ms", json_or_null(row.inference_p99_ms)},
          {"first_load_ms", json_or_null(row.first_load_ms)},
          {"load_ms", json_or_null(row.load_ms)},
          {"device_mb", json_or_null(row.device_mb)},
          {"device_peak_mb", json_or_null(row.device_peak_mb)},
          {"left_mb", json_or_null(row.left_mb)},
          {"joules_per_image", json_or_null(row.joules_per_image)},
          {"watts", json_or_null(row.watts)},
          {"note", row.note.empty() ? Json() : Json(row.note)}};
}

Json device_json(const DeviceReport& device) {
  Json beside = Json::array();
  for (const LoadsBeside& part : device.beside) beside.push_back(beside_json(part));
  Json networks = Json::array();
  for (const NetworkRow& row : device.networks.rows) networks.push_back(network_json(row));
  Json refused = Json::array();
  for (const Error& error : device.refused) refused.push_back(to_string(error));
  Json pair;
  if (device.pair) {
    pair = {{"first_alone", device.pair->first_alone},
            {"second_alone", device.pair->second_alone},
            {"first_together", device.pair->first_together},
            {"second_together", device.pair->second_together}};
  }
  return {{"device", device.name},
          {"beside_loads", std::move(beside)},
          {"networks", std::move(networks)},
          {"pair_inferences_per_second", std::move(pair)},
          {"rest_watts", json_or_null(device.rest_watts)},
          {"rest_with_context_watts", json_or_null(device.rest_context_watts)},
          {"refused", std::move(refused)},
          {"left_out", device.left_out + device.networks.left_out}};
}

}  // namespace

void print_report(const AcceleratorReport& report, std::ostream& out) {
  if (!report.missing.empty()) {
    out << "no card was measured:\n";
    for (const Error& error : report.missing) out << "  " << to_string(error) << '\n';
    out << '\n';
  }
  std::vector<FigureCheck> checks;
  for (const DeviceReport& device : report.devices) {
    print_device(device, report.limit_seconds, out);
    out << '\n';
    for (const LoadsBeside& part : device.beside) {
      const auto more = checks_of(device.name, part);
      checks.insert(checks.end(), more.begin(), more.end());
    }
  }
  out << "an inference of nothing: " << fixed(report.hand_over.own_thread_us)
      << " us on an engine's own thread, " << fixed(report.hand_over.same_thread_us)
      << " us on the caller's (medians of " << report.hand_overs << ")\n\n";
  print({sheet_of(checks)}, out);
}

nlohmann::ordered_json to_json(const AcceleratorReport& report, const Provenance& from) {
  Json missing = Json::array();
  for (const Error& error : report.missing) missing.push_back(to_string(error));
  Json devices = Json::array();
  for (const DeviceReport& device : report.devices) devices.push_back(device_json(device));
  return {{"provenance", to_json(from)},
          {"missing", std::move(missing)},
          {"devices", std::move(devices)},
          {"hand_over",
           {{"own_thread_us", report.hand_over.own_thread_us},
            {"same_thread_us", report.hand_over.same_thread_us}}}};
}

}  // namespace saccade::bench
