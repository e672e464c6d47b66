#include "app/report/live_view.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <sstream>

#include "app/report/table.hpp"

namespace saccade::app {
namespace {

using Align = Table::Align;

constexpr Duration kWindow = std::chrono::seconds(2);
constexpr std::size_t kSwitchesShown = 5;
constexpr int kBarWidth = 30;

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
  return size.ws_col;
}

std::string bar(double share) {
  std::string cells(kBarWidth, '.');
  const double filled = std::clamp(std::round(share * kBarWidth), 0.0, double{kBarWidth});
  cells.replace(0, static_cast<std::size_t>(filled), static_cast<std::size_t>(filled), '#');
  cells.insert(cells.begin(), '[');
  cells.push_back(']');
  return cells;
}

// "energy  3.21 W of 8 W, 124 J so far (measured, rapl package-0)"
std::string energy(const runtime::EnergyReading& reading, const std::optional<Watts>& limit) {
  std::string text = "energy  ";
  if (reading.power && limit) text += bar(*reading.power / *limit) + "  ";
  if (reading.power) text += short_number(reading.power->value()) + " W";
  if (reading.power && limit) text += " of " + short_number(limit->value()) + " W";
  if (reading.power) text += ", ";
  text += short_number(reading.total.value()) + " J so far (" + to_string(reading.source);
  return text + (reading.meter.empty() ? ")" : ", " + reading.meter + ")");
}

}  // namespace

void LiveView::show(const runtime::RunStatus& status) {
  const bool same_tasks = !past_.empty() && std::equal(status.tasks.begin(), status.tasks.end(),
                                                       past_.back().tasks.begin(), past_.back().tasks.end(),
                                                       [](const runtime::TaskStatus& task, const TaskId& id) {
                                                         return task.id == id;
                                                       });
  if (!same_tasks) past_.clear();  // nothing to take a difference to
  std::ostringstream page;
  page << "saccade run  " << std::fixed;
  page.precision(1);
  page << to_seconds(status.at).value() << " s";
  if (status.plan) {
    page << "  " << status.plan->policy << ", " << to_string(status.plan->objective) << ", "
         << to_string(status.plan->status) << ", plan " << status.plan->generation;
  } else {
    page << "  planning";
  }
  page << "\n\n" << tasks(status) << '\n' << budgets(status) << '\n' << last_switches(status);
  remember(status);

  // One write, each line cut to the screen and cleared to its end, so that nothing flickers or wraps.
  const std::size_t width = terminal_width();
  std::string screen = lines_ > 0 ? "\x1b[" + std::to_string(lines_) + "A" : "";
  int lines = 0;
  std::istringstream rows(page.str());
  for (std::string row; std::getline(rows, row); ++lines) screen += row.substr(0, width - 1) + "\x1b[K\n";
  screen += "\x1b[J";
  lines_ = lines;
  out_ << screen << std::flush;
}

void LiveView::clear() {
  if (lines_ > 0) out_ << "\x1b[" << lines_ << "A\x1b[J" << std::flush;
  lines_ = 0;
}

std::string LiveView::tasks(const runtime::RunStatus& status) const {
  Table table({{"task", Align::left},
               {"variant", Align::left},
               {"demanded", Align::right},
               {"granted", Align::right},
               {"achieved", Align::right},
               {"of best", Align::right},
               {"measured", Align::right},
               {"dropped", Align::right}});
  for (std::size_t i = 0; i < status.tasks.size(); ++i) {
    const runtime::TaskStatus& task = status.tasks[i];
    const profiles::ProfileSet& profiles = *task.profiles;
    std::int64_t demanded = task.frames.demanded;
    std::int64_t processed = task.frames.processed;
    if (!past_.empty()) {
      demanded -= past_.front().demanded[i];
      processed -= past_.front().processed[i];
    }
    std::int64_t labelled = 0;
    std::int64_t correct = 0;
    for (const runtime::VariantFrames& variant : task.frames.variants) {
      labelled += variant.labelled;
      correct += variant.correct;
    }
    const auto share = [](std::int64_t part, std::int64_t whole) {
      return whole > 0 ? percent(static_cast<double>(part) / static_cast<double>(whole)) : std::string("-");
    };
    const profiles::Variant* serving = task.variant ? &profiles.variants.at(*task.variant) : nullptr;
    table.add_row({task.id.str(), serving ? serving->id.str() : "off", short_number(task.demanded.value()),
                   short_number(task.granted.value()), share(std::min(processed, demanded), demanded),
                   serving ? percent(serving->accuracy / profiles.best_accuracy()) : "-",
                   share(correct, labelled), std::to_string(task.frames.dropped_total())});
  }
  std::ostringstream text;
  table.print(text);
  return text.str();
}

std::string LiveView::budgets(const runtime::RunStatus& status) const {
  std::ostringstream text;
  for (std::size_t p = 0; p < status.busy.size(); ++p) {
    const scheduler::Processor& processor = status.wanted->processors[p];
    const Duration from = past_.empty() ? Duration(0) : past_.front().at;
    const Duration busy = status.busy[p] - (past_.empty() ? Duration(0) : past_.front().busy[p]);
    const double seconds = to_seconds(status.at - from).value();
    const double used = seconds > 0.0 ? to_seconds(busy).value() / seconds : 0.0;
    text << "time " << processor.id.str() << "  " << bar(used / status.budget(p)) << "  " << percent(used)
         << " of " << percent(status.budget(p));
    const double slowdown = runtime::slowdown_of(status.slowdowns, p);
    if (slowdown > 1.0) text << "  emulated " << short_number(slowdown) << " times slower";
    text << '\n';
  }
  const auto& limit = status.wanted->limits.memory;
  text << "memory  " << (limit ? bar(status.reserved / *limit) + "  " : "")
       << short_bytes(status.reserved.value());
  if (limit) text << " of " << short_bytes(limit->value());
  for (const runtime::MemoryUse& memory : status.memories) {
    text << "   " << memory.name << ' ' << short_bytes(memory.reserved.value());
    if (memory.limit) text << " of " << short_bytes(memory.limit->value());
  }
  text << '\n';
  if (status.energy) text << energy(*status.energy, status.wanted->limits.energy_per_second) << '\n';
  return text.str();
}

std::string LiveView::last_switches(const runtime::RunStatus& status) const {
  std::ostringstream text;
  const auto& all = status.last_switches;
  const std::size_t first = all.size() > kSwitchesShown ? all.size() - kSwitchesShown : 0;
  for (std::size_t i = first; i < all.size(); ++i) {
    const runtime::SwitchSummary& shown = all[i];
    const auto name = [](const std::optional<VariantId>& variant) {
      return variant ? variant->str() : "off";
    };
    text << short_number(shown.at.value()) << " s  " << shown.task.str() << "  " << name(shown.from) << " -> "
         << name(shown.to) << "  load " << short_number(shown.load.value() * 1e3) << " ms, lost "
         << shown.frames_lost << '\n';
  }
  return text.str();
}

void LiveView::remember(const runtime::RunStatus& status) {
  Sample sample{status.at, {}, {}, {}, status.busy};
  for (const runtime::TaskStatus& task : status.tasks) {
    sample.tasks.push_back(task.id);
    sample.demanded.push_back(task.frames.demanded);
    sample.processed.push_back(task.frames.processed);
  }
  past_.push_back(std::move(sample));
  while (status.at - past_.front().at > kWindow) past_.pop_front();
}

}  // namespace saccade::app
