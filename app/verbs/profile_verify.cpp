#include "app/verbs/profile_verify.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/report/table.hpp"
#include "base/check.hpp"
#include "profiles/origin.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/profiling/picture_accuracy.hpp"
#include "runtime/profiling/profile_statistics.hpp"
#include "runtime/sources/held_out_images.hpp"

namespace saccade::app {

namespace {

using Align = Table::Align;

using profiles::ProfileSet;
using profiles::Variant;
using Json = nlohmann::ordered_json;

// Two standard errors of an accuracy measured on so many images, or half of its 95 % interval.
double two_standard_errors(const Variant& variant) {
  if (const auto& interval = variant.accuracy_interval) return (interval->second - interval->first) / 2.0;
  const double images = variant.accuracy_images.value_or(1);
  return 2.0 * std::sqrt(variant.accuracy * (1.0 - variant.accuracy) / images);
}

void compare_order(Verification& result) {
  std::vector<double> shipped;
  std::vector<double> now;
  std::vector<double> ratios;
  for (const VerifiedVariant& variant : result.variants) {
    shipped.push_back(variant.seconds_shipped);
    now.push_back(variant.seconds_now);
    ratios.push_back(variant.ratio());
  }
  result.median_ratio = runtime::median(ratios);
  result.least_ratio = *std::min_element(ratios.begin(), ratios.end());
  result.most_ratio = *std::max_element(ratios.begin(), ratios.end());
  result.kendall = runtime::kendall(shipped, now);
  result.spearman = runtime::spearman(shipped, now);
  for (const VerifiedVariant& fast : result.variants) {
    for (const VerifiedVariant& slow : result.variants) {
      if (slow.seconds_shipped < kClearlyApart * fast.seconds_shipped) continue;
      ++result.clear_pairs;
      if (slow.seconds_now <= fast.seconds_now) result.swapped.emplace_back(fast.id, slow.id);
    }
  }
}

Result<std::vector<int>> labels_by(const runtime::EngineBackend& backend, const ProfileSet& set,
                                   std::size_t variant, const runtime::LabelledImages& images) {
  constexpr int kBatch = 16;
  const auto answered = runtime::answer_images(backend, runtime::engine_spec(set, variant, kBatch), set,
                                               variant, runtime::kLeastScore, images);
  if (!answered) return answered.errors();
  std::vector<int> labels;
  for (const runtime::Answer& answer : answered.value().answers) labels.push_back(answer.label);
  return labels;
}

std::string accuracy_origin(const profiles::Provenance& provenance) {
  if (!provenance.accuracy_source) return provenance.accuracy_data;
  return std::string(to_string(*provenance.accuracy_source)) + ": " + provenance.accuracy_data;
}

std::string pictures_named(const std::string& origin) {
  return origin.empty() ? "the zoo's held-out images" : origin;
}

}  // namespace

bool VerifiedVariant::accuracy_holds() const {
  return std::abs(accuracy_now - accuracy_shipped) <= tolerance;
}

bool Verification::holds() const {
  return std::all_of(variants.begin(), variants.end(),
                     [](const VerifiedVariant& v) { return v.accuracy_holds(); }) &&
         (!same_machine || swapped.empty());
}

bool Agreement::holds() const {
  return std::all_of(variants.begin(), variants.end(), [](const AgreeingVariant& v) { return v.holds(); });
}

Verification verify(const ProfileSet& shipped, const ProfileSet& now) {
  SACCADE_CHECK(!now.variants.empty());
  Verification result;
  result.network = shipped.network;
  const profiles::Provenance& was = shipped.provenance;
  const profiles::Provenance& is = now.provenance;
  const profiles::Origin origin =
      profiles::origin_of(shipped, {now.device.name, is.instruction_set, {now.device.name}});
  const bool same_instructions = origin == profiles::Origin::here || origin == profiles::Origin::other_device;
  result.same_arithmetic = same_instructions && was.engine == is.engine;
  result.same_machine = result.same_arithmetic && origin == profiles::Origin::here;
  result.accuracy_shipped = accuracy_origin(was);
  result.accuracy_now = accuracy_origin(is);
  const bool same_pictures = result.accuracy_shipped == result.accuracy_now;
  const ProcessorId& processor = shipped.device.processors.front();
  for (const Variant& variant : now.variants) {
    const auto index = shipped.index_of(variant.id);
    SACCADE_CHECK(index);
    const Variant& before = shipped.variants[*index];
    VerifiedVariant verified;
    verified.id = variant.id.str();
    verified.accuracy_shipped = before.accuracy;
    verified.accuracy_now = variant.accuracy;
    verified.tolerance = kSameAccuracy;
    if (!same_pictures) {
      verified.tolerance = std::hypot(two_standard_errors(before), two_standard_errors(variant));
    } else if (!result.same_arithmetic) {
      verified.tolerance = std::max(two_standard_errors(before), kSameAccuracy);
    }
    verified.seconds_shipped = before.frame_time.at(processor).value();
    verified.seconds_now = variant.frame_time.at(processor).value();
    result.variants.push_back(std::move(verified));
  }
  compare_order(result);
  return result;
}

Agreement compare_engines(const runtime::EngineBackend& left, const runtime::EngineBackend& right,
                          const ProfileSet& set, const runtime::LabelledImages& images,
                          const std::function<void(double)>& progress) {
  Agreement result;
  result.network = set.network;
  result.left = left.version();
  result.right = right.version();
  result.images = images.count;
  for (std::size_t v = 0; v < set.variants.size(); ++v) {
    const Variant& variant = set.variants[v];
    progress(static_cast<double>(v) / static_cast<double>(set.variants.size()));
    if (variant.precision != profiles::Precision::fp32 || variant.model.empty()) continue;
    AgreeingVariant compared{variant.id.str(), std::nullopt, {}};
    const auto one = labels_by(left, set, v, images);
    const auto other = labels_by(right, set, v, images);
    if (one && other) compared.agreement = runtime::agreement(one.value(), other.value());
    for (const auto* labels : {&one, &other}) {
      if (*labels) continue;
      compared.errors.insert(compared.errors.end(), labels->errors().begin(), labels->errors().end());
    }
    result.variants.push_back(std::move(compared));
  }
  return result;
}

Result<Agreement> compare_engines(const ProfileSet& set, std::size_t images,
                                  const std::function<void(double)>& progress) {
  const auto left = runtime::make_backend("onnxruntime");
  if (!left) return left.errors();
  const auto right = runtime::make_backend("opencv");
  if (!right) return right.errors();
  const auto held_out = runtime::held_out_images(set, images);
  if (!held_out) return held_out.errors();
  return compare_engines(*left.value(), *right.value(), set, held_out.value(), progress);
}

void print(const Verification& verification, std::ostream& out) {
  out << verification.network << ": "
      << (verification.same_machine      ? "the machine it was measured on"
          : verification.same_arithmetic ? "another machine with the same instructions"
                                         : "another machine, engine or instruction set")
      << '\n';
  if (verification.accuracy_shipped != verification.accuracy_now) {
    out << "the accuracies are of different pictures: then " << pictures_named(verification.accuracy_shipped)
        << "; now " << pictures_named(verification.accuracy_now) << '\n';
  }
  Table table({{"variant", Align::left},
               {"accuracy then", Align::right},
               {"now", Align::right},
               {"allowed", Align::right},
               {"holds", Align::left},
               {"frame ms then", Align::right},
               {"now", Align::right},
               {"ratio", Align::right}});
  for (const VerifiedVariant& v : verification.variants) {
    table.add_row({v.id, short_number(v.accuracy_shipped), short_number(v.accuracy_now),
                   "± " + short_number(v.tolerance), v.accuracy_holds() ? "yes" : "NO",
                   short_number(1e3 * v.seconds_shipped), short_number(1e3 * v.seconds_now),
                   short_number(v.ratio())});
  }
  table.print(out);
  out << "time ratio: median " << short_number(verification.median_ratio) << ", "
      << short_number(verification.least_ratio) << " to " << short_number(verification.most_ratio)
      << "; rank correlation: Kendall " << short_number(verification.kendall) << ", Spearman "
      << short_number(verification.spearman) << "\npairs 20 % or more apart: " << verification.clear_pairs
      << ", in another order now: " << verification.swapped.size() << '\n';
  for (const auto& [fast, slow] : verification.swapped) out << "  " << fast << " and " << slow << '\n';
  out << (verification.holds() ? "holds\n" : "DOES NOT HOLD\n");
}

void print(const Agreement& agreement, std::ostream& out) {
  out << agreement.network << ": " << agreement.left << " and " << agreement.right << ", " << agreement.images
      << " held-out images\n";
  Table table({{"variant", Align::left}, {"same label", Align::right}, {"holds", Align::left}});
  for (const AgreeingVariant& v : agreement.variants) {
    table.add_row(
        {v.id, v.agreement ? short_percent(*v.agreement) : "not readable", v.holds() ? "yes" : "NO"});
  }
  table.print(out);
  for (const AgreeingVariant& v : agreement.variants) {
    for (const Error& error : v.errors) out << v.id << ": " << to_string(error) << '\n';
  }
}

Json to_json(const Verification& verification) {
  Json variants = Json::array();
  for (const VerifiedVariant& v : verification.variants) {
    variants.push_back({{"id", v.id},
                        {"accuracy_shipped", v.accuracy_shipped},
                        {"accuracy_now", v.accuracy_now},
                        {"accuracy_tolerance", v.tolerance},
                        {"accuracy_holds", v.accuracy_holds()},
                        {"frame_time_seconds_shipped", v.seconds_shipped},
                        {"frame_time_seconds_now", v.seconds_now},
                        {"time_ratio", v.ratio()}});
  }
  Json swapped = Json::array();
  for (const auto& [fast, slow] : verification.swapped) swapped.push_back({fast, slow});
  return {{"network", verification.network},
          {"holds", verification.holds()},
          {"same_machine", verification.same_machine},
          {"same_arithmetic", verification.same_arithmetic},
          {"accuracy_data_shipped", verification.accuracy_shipped},
          {"accuracy_data_now", verification.accuracy_now},
          {"time_ratio",
           {{"median", verification.median_ratio},
            {"least", verification.least_ratio},
            {"most", verification.most_ratio}}},
          {"rank_correlation", {{"kendall", verification.kendall}, {"spearman", verification.spearman}}},
          {"pairs_20_percent_apart", verification.clear_pairs},
          {"pairs_in_another_order", std::move(swapped)},
          {"variants", std::move(variants)}};
}

Json to_json(const Agreement& agreement) {
  Json variants = Json::array();
  for (const AgreeingVariant& v : agreement.variants) {
    Json entry{{"id", v.id}};
    if (v.agreement) entry["same_label"] = *v.agreement;
    entry["holds"] = v.holds();
    if (!v.errors.empty()) entry["errors"] = to_string(v.errors);
    variants.push_back(std::move(entry));
  }
  return {{"network", agreement.network},
          {"holds", agreement.holds()},
          {"engines", {agreement.left, agreement.right}},
          {"images", agreement.images},
          {"variants", std::move(variants)}};
}

}  // namespace saccade::app
