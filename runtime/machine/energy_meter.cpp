#include "runtime/machine/energy_meter.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/machine/sysfs.hpp"

namespace saccade::runtime {

namespace {

namespace fs = std::filesystem;

// Counters in microjoules that start again at 0 after their range.
class RaplMeter final : public EnergyMeter {
 public:
  struct Domain {
    fs::path file;
    double range;  // microjoules
    std::optional<double> last = {};
  };
  RaplMeter(std::string name, std::vector<Domain> domains)
      : name_(std::move(name)), domains_(std::move(domains)) {}

  [[nodiscard]] std::string name() const override { return name_; }

  [[nodiscard]] std::optional<Joules> total(TimePoint) override {
    for (Domain& domain : domains_) {
      const std::optional<double> count = number_in(domain.file);
      if (!count) failed_ = true;
      if (failed_) return std::nullopt;
      if (domain.last) drawn_ += *count - *domain.last + (*count < *domain.last ? domain.range : 0.0);
      domain.last = count;
    }
    return Joules(drawn_ * 1e-6);
  }

 private:
  std::string name_;
  std::vector<Domain> domains_;
  double drawn_ = 0.0;  // microjoules
  bool failed_ = false;
};

// Power at the moment of reading, summed up by the trapezoidal rule.
class RailMeter final : public EnergyMeter {
 public:
  struct Rail {
    fs::path power;    // microwatts; or, where it is empty,
    fs::path voltage;  // millivolts and
    fs::path current;  // milliamperes
  };
  RailMeter(std::string name, std::vector<Rail> rails) : name_(std::move(name)), rails_(std::move(rails)) {}

  [[nodiscard]] std::string name() const override { return name_; }

  [[nodiscard]] std::optional<Joules> total(TimePoint now) override {
    double watts = 0.0;
    for (const Rail& rail : rails_) {
      const std::optional<double> one = power(rail);
      if (!one) failed_ = true;
      if (failed_) return std::nullopt;
      watts += *one;
    }
    if (last_) drawn_ += Watts(0.5 * (watts + last_watts_)) * to_seconds(now - *last_);
    last_ = now;
    last_watts_ = watts;
    return drawn_;
  }

  [[nodiscard]] static std::optional<double> power(const Rail& rail) {
    if (!rail.power.empty()) {
      const std::optional<double> microwatts = number_in(rail.power);
      return microwatts ? std::optional(*microwatts * 1e-6) : std::nullopt;
    }
    const std::optional<double> millivolts = number_in(rail.voltage);
    const std::optional<double> milliamperes = number_in(rail.current);
    if (!millivolts || !milliamperes) return std::nullopt;
    return *millivolts * *milliamperes * 1e-6;
  }

 private:
  std::string name_;
  std::vector<Rail> rails_;
  std::optional<TimePoint> last_;
  double last_watts_ = 0.0;
  Joules drawn_;
  bool failed_ = false;
};

// The counters of cards, which step every 100 ms. A counter that falls has passed the end of its 64 bits, or
// begins again at 0 because the driver was loaded anew: the smaller of the two explanations is taken.
class CardMeter final : public EnergyMeter {
 public:
  explicit CardMeter(std::shared_ptr<const Nvml> cards) : cards_(std::move(cards)), last_(cards_->cards()) {}

  [[nodiscard]] std::string name() const override {
    std::string names = "nvml";
    for (std::size_t card = 0; card < cards_->cards(); ++card)
      names += (card == 0 ? " " : ", ") + cards_->name(card);
    return names;
  }
  [[nodiscard]] Duration step() const override { return std::chrono::milliseconds(100); }

  [[nodiscard]] std::optional<Joules> total(TimePoint) override {
    for (std::size_t card = 0; card < last_.size(); ++card) {
      const std::optional<std::uint64_t> count = cards_->millijoules(card);
      if (!count) failed_ = true;
      if (failed_) return std::nullopt;
      if (last_[card]) {
        const std::uint64_t further = *count - *last_[card];  // modulo 2^64
        drawn_ += *count < *last_[card] ? std::min(further, *count) : further;
      }
      last_[card] = count;
    }
    return Joules(static_cast<double>(drawn_) * 1e-3);
  }

 private:
  std::shared_ptr<const Nvml> cards_;
  std::vector<std::optional<std::uint64_t>> last_;
  std::uint64_t drawn_ = 0;  // millijoules
  bool failed_ = false;
};

// The processor's packages and the cards, of which neither counts the other.
class SumMeter final : public EnergyMeter {
 public:
  SumMeter(std::unique_ptr<EnergyMeter> a, std::unique_ptr<EnergyMeter> b)
      : a_(std::move(a)), b_(std::move(b)) {}

  [[nodiscard]] std::string name() const override { return a_->name() + " + " + b_->name(); }
  [[nodiscard]] Duration step() const override { return std::max(a_->step(), b_->step()); }
  [[nodiscard]] std::optional<Joules> total(TimePoint now) override {
    const std::optional<Joules> a = a_->total(now);
    const std::optional<Joules> b = b_->total(now);
    return a && b ? std::optional(*a + *b) : std::nullopt;
  }

 private:
  std::unique_ptr<EnergyMeter> a_;
  std::unique_ptr<EnergyMeter> b_;
};

// Cards whose counters can be read; null: there is none.
std::unique_ptr<EnergyMeter> find_cards(const std::string& library) {
  std::shared_ptr<const Nvml> cards = Nvml::open(library);
  for (std::size_t card = 0; cards && card < cards->cards(); ++card) {
    if (!cards->millijoules(card)) return nullptr;
  }
  return cards ? std::make_unique<CardMeter>(std::move(cards)) : nullptr;
}

// The packages ("intel-rapl:0"), not their parts ("intel-rapl:0:1"), which the packages contain.
std::unique_ptr<EnergyMeter> find_rapl(const fs::path& sysfs, Errors& notes) {
  std::vector<RaplMeter::Domain> domains;
  std::string names;
  for (const fs::path& folder : folders_in(sysfs / "class" / "powercap")) {
    const std::string id = folder.filename().string();
    const std::string name = word_in(folder / "name");
    if (std::count(id.begin(), id.end(), ':') != 1 || !name.starts_with("package")) continue;
    const fs::path file = folder / "energy_uj";
    const std::optional<double> range = number_in(folder / "max_energy_range_uj");
    if (!range || !number_in(file)) {
      notes.push_back({file.string(), "the energy counter may not be read",
                       "run as root, or let your group read it: chmod g+r, chgrp"});
      return nullptr;
    }
    domains.push_back({file, *range});
    names += (names.empty() ? "" : ", ") + name;
  }
  if (domains.empty()) return nullptr;
  return std::make_unique<RaplMeter>("rapl " + names, std::move(domains));
}

struct NamedRail {
  std::string label;
  RailMeter::Rail rail;
};

std::vector<NamedRail> rails_of(const fs::path& chip) {
  std::vector<NamedRail> rails;
  constexpr int kMostChannels = 8;
  for (int channel = 0; channel <= kMostChannels; ++channel) {
    const std::string number = std::to_string(channel);
    NamedRail found{word_in(chip / ("in" + number + "_label")), {}};
    RailMeter::Rail& rail = found.rail;
    rail = {chip / ("power" + number + "_input"), {}, {}};
    if (!number_in(rail.power))
      rail = {{}, chip / ("in" + number + "_input"), chip / ("curr" + number + "_input")};
    if (RailMeter::power(rail)) rails.push_back(std::move(found));
  }
  return rails;
}

// The rail that feeds the board where one is named so ("VDD_IN", "POM_5V_IN"), else all of the chip's.
std::unique_ptr<EnergyMeter> find_rails(const fs::path& sysfs) {
  for (const fs::path& chip : folders_in(sysfs / "class" / "hwmon")) {
    const std::string name = word_in(chip / "name");
    if (!name.starts_with("ina2") && !name.starts_with("ina3")) continue;
    std::vector<NamedRail> rails = rails_of(chip);
    if (rails.empty()) continue;
    const auto feeds_board = [](const NamedRail& rail) { return rail.label.ends_with("_IN"); };
    if (std::any_of(rails.begin(), rails.end(), feeds_board)) {
      std::erase_if(rails, [&](const NamedRail& rail) { return !feeds_board(rail); });
    }
    std::string label = name;
    std::vector<RailMeter::Rail> kept;
    for (NamedRail& rail : rails) {
      if (!rail.label.empty()) label += " " + rail.label;
      kept.push_back(std::move(rail.rail));
    }
    return std::make_unique<RailMeter>(label, std::move(kept));
  }
  return nullptr;
}

}  // namespace

FoundMeter find_energy_meter(const fs::path& sysfs, const std::string& nvml) {
  FoundMeter found;
  found.meter = find_rails(sysfs);  // of the whole board, where there is one
  if (found.meter) return found;
  found.meter = find_rapl(sysfs, found.notes);
  std::unique_ptr<EnergyMeter> cards = find_cards(nvml);
  if (!cards) return found;
  found.meter =
      found.meter ? std::make_unique<SumMeter>(std::move(found.meter), std::move(cards)) : std::move(cards);
  return found;
}

}  // namespace saccade::runtime
