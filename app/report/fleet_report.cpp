#include "app/report/fleet_report.hpp"

#include <algorithm>
#include <ostream>

#include "app/report/table.hpp"
#include "fleet/prices.hpp"

namespace saccade::app {
namespace {

using fleet::Assignment;
using fleet::FleetPlan;
using fleet::kNone;
using fleet::Model;
using nlohmann::ordered_json;

const std::string& name_of(const Model& model, std::size_t box) {
  return model.problem().boxes[box].id.str();
}
const std::string& id_of(const Model& model, std::size_t camera) {
  return model.problem().cameras[camera].task.id.str();
}

std::string plural(std::size_t count, const std::string& word, const std::string& words) {
  return std::to_string(count) + " " + (count == 1 ? word : words);
}

bool accuracy(const Model& model) {
  return model.problem().policy.objective == scheduler::Objective::max_accuracy;
}

// Of a sum over cameras: with max_accuracy the mean, weighted.
double shown(const Model& model, double value) {
  return accuracy(model) && model.weight() > 0.0 ? value / model.weight() : value;
}

std::string value_words(const Model& model, double value) {
  const double of = shown(model, value);
  if (accuracy(model)) return app::percent(of, 3);
  const bool energy = model.problem().policy.objective == scheduler::Objective::min_energy;
  return energy ? short_number(-of) + " J/s" : short_bytes(-of);
}

// How full the rows of a box are, as the fleet sees it.
struct Use {
  double time = 0.0;
  double memory = 0.0;
};
Use use_of_box(const Assignment& assignment, std::size_t box) {
  const Model& model = assignment.model();
  const fleet::Kind& kind = model.kind_of(box);
  std::vector<double> used(kind.capacity.size(), 0.0);
  for (const std::size_t camera : assignment.box(box).cameras) {
    const fleet::Served& served = assignment.served(camera);
    const fleet::Offer& offer = model.menu_on(model.items()[camera], box)[served.offer];
    for (std::size_t row = 0; row < used.size(); ++row)
      used[row] += fleet::use_of(kind, offer, row, served.rate);
  }
  Use use;
  for (std::size_t row = 0; row < used.size(); ++row) {
    const double share = used[row] / std::max(kind.capacity[row], 1e-12);
    if (row < kind.snapshot.processors.size()) use.time = std::max(use.time, share);
    if (!kind.per_frame[row]) use.memory = std::max(use.memory, share);
  }
  return use;
}

std::vector<std::size_t> off_of(const Assignment& assignment) {
  std::vector<std::size_t> off;
  for (std::size_t i = 0; i < assignment.all().size(); ++i) {
    if (assignment.served(i).off() && assignment.model().problem().cameras[i].task.active()) off.push_back(i);
  }
  return off;
}

ordered_json camera_json(const FleetReport& report, std::size_t camera) {
  const Assignment& assignment = report.plan.assignment;
  const Model& model = assignment.model();
  const fleet::Served& served = assignment.served(camera);
  ordered_json json{{"id", id_of(model, camera)}};
  json["box"] = served.off() ? ordered_json() : ordered_json(name_of(model, served.box));
  if (served.off()) {
    const std::string why = fleet::why_off(assignment, camera);
    if (!why.empty()) json["reason"] = why;
    return json;
  }
  const scheduler::Plan& plan = *report.boxes[served.box];
  for (const scheduler::Assignment& task : plan.tasks) {
    if (task.task != model.problem().cameras[camera].task.id || !task.variant) continue;
    const auto& set = *model.problem().boxes[served.box].profiles.at(model.problem().cameras[camera].network);
    json["variant"] = set.variants[*task.variant].id.str();
    json["fps"] = task.granted.value();
    json["relative_accuracy"] = task.relative_accuracy;
  }
  const std::size_t home = model.items()[camera].home;
  json["moved_from"] =
      home != kNone && home != served.box ? ordered_json(name_of(model, home)) : ordered_json();
  return json;
}

ordered_json losses_json(const FleetPlan& plan) {
  ordered_json losses = ordered_json::array();
  const Model& model = plan.assignment.model();
  for (std::size_t rank = 0; rank < model.ranks(); ++rank) {
    losses.push_back({{"priority", model.priorities()[rank]},
                      {"weight_off", plan.losses[2 * rank]},
                      {"weight_off_bound", plan.loss_bounds[2 * rank]},
                      {"weighted_fps", plan.losses[2 * rank + 1]},
                      {"weighted_fps_bound", plan.loss_bounds[2 * rank + 1]}});
  }
  return losses;
}

std::size_t survivable(const FleetPlan& plan) {
  return static_cast<std::size_t>(std::count_if(plan.certificates.begin(), plan.certificates.end(),
                                                [](const auto& each) { return each.survives; }));
}

ordered_json survival_json(const FleetPlan& plan) {
  ordered_json boxes = ordered_json::array();
  const Model& model = plan.assignment.model();
  for (const fleet::Certificate& certificate : plan.certificates) {
    ordered_json backups = ordered_json::object();
    for (std::size_t i = 0; i < certificate.cameras.size(); ++i) {
      const std::size_t backup = certificate.backup[i];
      backups[id_of(model, certificate.cameras[i])] =
          backup == kNone ? ordered_json() : ordered_json(name_of(model, backup));
    }
    boxes.push_back({{"box", name_of(model, certificate.box)},
                     {"certified", certificate.survives},
                     {"backups", std::move(backups)}});
  }
  return boxes;
}

ordered_json loss_json(const FleetLoss& loss) {
  const Model& model = loss.after.model();
  ordered_json moved = ordered_json::object();
  for (const std::size_t camera : loss.failover.orphans) {
    const fleet::Served& served = loss.after.served(camera);
    moved[id_of(model, camera)] = served.off() ? ordered_json() : ordered_json(name_of(model, served.box));
  }
  return {{"box", name_of(model, loss.box)},
          {"by_certificate", loss.failover.by_certificate},
          {"cameras", std::move(moved)},
          {"value", shown(model, loss.after.value())}};
}

void print_boxes(const FleetReport& report, std::ostream& out) {
  const Assignment& assignment = report.plan.assignment;
  const Model& model = assignment.model();
  Table table({{"Box", Table::Align::left},
               {"State", Table::Align::left},
               {"Cameras", Table::Align::right},
               {"Time", Table::Align::right},
               {"Memory", Table::Align::right},
               {"Lowered", Table::Align::right},
               {"Survived without", Table::Align::left}});
  for (std::size_t b = 0; b < model.problem().boxes.size(); ++b) {
    const Use use = use_of_box(assignment, b);
    const auto& cameras = assignment.box(b).cameras;
    const auto lowered = std::count_if(cameras.begin(), cameras.end(), [&](std::size_t camera) {
      return assignment.served(camera).rate < model.items()[camera].rate;
    });
    const auto certificate = std::find_if(report.plan.certificates.begin(), report.plan.certificates.end(),
                                          [&](const auto& each) { return each.box == b; });
    const bool known = certificate != report.plan.certificates.end();
    table.add_row({name_of(model, b), to_string(model.problem().boxes[b].state),
                   std::to_string(cameras.size()), app::percent(use.time),
                   use.memory > 0.0 ? app::percent(use.memory) : "-", std::to_string(lowered),
                   !known                  ? "-"
                   : certificate->survives ? "yes"
                                           : "not certified"});
  }
  table.print(out);
}

void print_losses(const FleetPlan& plan, std::ostream& out) {
  const Model& model = plan.assignment.model();
  for (std::size_t rank = 0; rank < model.ranks(); ++rank) {
    if (plan.losses[2 * rank] == 0.0 && plan.losses[2 * rank + 1] == 0.0) continue;
    out << "Priority " << model.priorities()[rank] << ": weight off " << short_number(plan.losses[2 * rank])
        << " (at least " << short_number(plan.loss_bounds[2 * rank]) << "), weighted frames/s lost "
        << short_number(plan.losses[2 * rank + 1]) << " (at least "
        << short_number(plan.loss_bounds[2 * rank + 1]) << ")\n";
  }
}

}  // namespace

ordered_json to_json(const FleetReport& report) {
  const FleetPlan& plan = report.plan;
  const Model& model = plan.assignment.model();
  ordered_json json{{"objective", to_string(model.problem().policy.objective)},
                    {"value", shown(model, plan.value)},
                    {"bound", shown(model, plan.bound)},
                    {"gap", plan.gap()},
                    {"losses", losses_json(plan)},
                    {"moves", plan.moves},
                    {"cpu_seconds", report.seconds}};
  ordered_json boxes = ordered_json::array();
  for (std::size_t b = 0; b < model.problem().boxes.size(); ++b) {
    const Use use = use_of_box(plan.assignment, b);
    boxes.push_back({{"id", name_of(model, b)},
                     {"state", to_string(model.problem().boxes[b].state)},
                     {"cameras", plan.assignment.box(b).cameras.size()},
                     {"time_used_ratio", use.time},
                     {"memory_used_ratio", use.memory}});
  }
  json["boxes"] = std::move(boxes);
  ordered_json cameras = ordered_json::array();
  for (std::size_t i = 0; i < plan.assignment.all().size(); ++i) cameras.push_back(camera_json(report, i));
  json["cameras"] = std::move(cameras);
  json["survival"] = survival_json(plan);
  ordered_json losses = ordered_json::array();
  for (const FleetLoss& loss : report.losses) losses.push_back(loss_json(loss));
  json["lost"] = std::move(losses);
  return json;
}

void print_fleet(const FleetReport& report, std::ostream& out) {
  const FleetPlan& plan = report.plan;
  const Model& model = plan.assignment.model();
  print_boxes(report, out);
  const std::vector<std::size_t> off = off_of(plan.assignment);
  out << '\n'
      << plural(plan.assignment.all().size() - off.size(), "camera", "cameras") << " served, " << off.size()
      << " off, " << plan.moves << " moved. Value " << value_words(model, plan.value)
      << ", no assignment exceeds " << value_words(model, plan.bound) << " (gap "
      << app::percent(plan.gap(), 3) << (plan.exact ? ", exact" : "") << "), " << short_number(report.seconds)
      << " s.\n";
  print_losses(plan, out);
  out << "Loss of any one box: " << survivable(plan) << " of "
      << plural(plan.certificates.size(), "box", "boxes") << " certified.\n";
  constexpr std::size_t kMostNamed = 20;
  for (std::size_t i = 0; i < std::min(off.size(), kMostNamed); ++i) {
    out << id_of(model, off[i]) << ": off, " << fleet::why_off(plan.assignment, off[i]) << '\n';
  }
  if (off.size() > kMostNamed) out << "and " << off.size() - kMostNamed << " more (--json names all)\n";
  for (const FleetLoss& loss : report.losses) {
    out << "\nWithout " << name_of(model, loss.box) << ": "
        << plural(loss.failover.orphans.size(), "camera moves", "cameras move") << ", "
        << loss.failover.off.size() << " off, value " << value_words(model, loss.after.value()) << ".\n";
    Table table({{"Camera", Table::Align::left}, {"To", Table::Align::left}});
    for (const std::size_t camera : loss.failover.orphans) {
      const fleet::Served& served = loss.after.served(camera);
      table.add_row({id_of(model, camera), served.off() ? "off" : name_of(model, served.box)});
    }
    table.print(out);
  }
}

void print_camera(const FleetPlan& plan, std::size_t camera, std::ostream& out) {
  const Assignment& assignment = plan.assignment;
  const Model& model = assignment.model();
  const fleet::Item& item = model.items()[camera];
  const fleet::Served& served = assignment.served(camera);
  const std::vector<std::size_t> boxes = model.boxes_for(camera);
  if (!model.problem().cameras[camera].task.active()) {
    out << id_of(model, camera) << " demands no frames.\n";
    return;
  }
  out << id_of(model, camera) << " may be on " << plural(boxes.size(), "box", "boxes") << " and is ";
  if (served.off()) {
    out << "off: " << fleet::why_off(assignment, camera) << ".\n";
  } else {
    out << "on " << name_of(model, served.box) << " at " << short_number(served.rate) << " of "
        << short_number(item.rate) << " frames/s.\n";
  }
  struct Row {
    double value;
    std::size_t box;
  };
  std::vector<Row> rows;
  for (const std::size_t box : boxes) {
    const auto best =
        fleet::best_at(model.kind_of(box), model.menu_on(item, box), item, assignment.box(box).prices);
    rows.push_back({best.value - (item.home != kNone && item.home != box ? item.moving_cost : 0.0), box});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.value > b.value; });
  constexpr std::size_t kMostRows = 10;
  Table table(
      {{"Box", Table::Align::left}, {"Worth there", Table::Align::right}, {"Room", Table::Align::left}});
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    const bool here = served.box == rows[i].box;
    const bool room = here || assignment.has_room(camera, rows[i].box);
    table.add_row({name_of(model, rows[i].box) + (here ? " (serves it)" : ""), short_number(rows[i].value),
                   room ? "yes" : "no: spread, together or max_cameras"});
  }
  out << "Worth there: its best variant's value less what it would cost the other cameras of the box, by the "
         "box's "
         "prices (an estimate), less the moving cost.\n";
  table.print(out);
  for (const fleet::Certificate& certificate : plan.certificates) {
    const auto found = std::find(certificate.cameras.begin(), certificate.cameras.end(), camera);
    if (found == certificate.cameras.end()) continue;
    const std::size_t backup =
        certificate.backup[static_cast<std::size_t>(found - certificate.cameras.begin())];
    out << "If " << name_of(model, certificate.box) << " is lost: "
        << (backup == kNone ? std::string("no backup box is certified")
                            : "backup box " + name_of(model, backup))
        << ".\n";
  }
}

}  // namespace saccade::app
