#include "bench/paper/results_page.hpp"

#include <algorithm>
#include <system_error>

namespace saccade::bench {
namespace {

std::string summary_of(const std::vector<Finding>& findings) {
  std::string text = "| experiment | required | found | |\n|---|---|---|---|\n";
  for (const Finding& finding : findings) {
    for (const Requirement& each : finding.requirements) {
      text += "| " + finding.name + " | " + each.what + " | " + each.found + " | " +
              (each.met ? "met" : "**not met**") + " |\n";
    }
  }
  return text + '\n';
}

std::string model_words(const EnergyModel& energy) {
  const auto watts = [](Watts power) { return number(power.value(), 1).text + " W"; };
  return "## Where energy comes from\n\nThe machine that measured the profiles has no meter that a program "
         "may read. The "
         "experiments that limit or minimise energy run on the same profiles with energy of a model; its "
         "figures are "
         "labelled modelled and say nothing of any device. One inference costs e = P·t + c·m: P what the "
         "core draws "
         "above idle while it computes (fp32 " +
         watts(energy.fp32) + ", fp16 " + watts(energy.fp16) + ", int8 " + watts(energy.int8) +
         "), t the measured time, c = " + number(1e12 * energy.per_byte.value(), 0).text +
         " pJ per byte, m the measured memory of the engine. Power is e / t and differs from variant to "
         "variant. The device draws " +
         watts(energy.idle) + " idle. The sets are written to `profiles/` below the output folder.\n";
}

Status copy_charts(const std::vector<Finding>& findings, const std::filesystem::path& out,
                   const std::filesystem::path& page) {
  const std::filesystem::path images = page.parent_path() / "images";
  std::error_code failure;
  std::filesystem::create_directories(images, failure);
  for (const Finding& finding : findings) {
    for (const Figure& figure : finding.figures) {
      const std::string name = "paper-" + figure.name + ".svg";
      std::filesystem::copy_file(out / name, images / name, std::filesystem::copy_options::overwrite_existing,
                                 failure);
      if (failure) {
        return Error{(out / name).string(),
                     "cannot be copied to " + images.string() + ": " + failure.message(),
                     "install gnuplot: scripts/setup --bench"};
      }
    }
  }
  return Done{};
}

}  // namespace

std::string results_page(const std::vector<Finding>& findings, const EnergyModel& energy,
                         const Provenance& provenance) {
  std::string text =
      "# The paper's experiments\n\n<!-- Written by `saccade bench paper`; change the experiments, not this "
      "page. -->\n\n"
      "Minhas et al., *Leveraging Transprecision Computing for Machine Vision Applications at the Edge*, and "
      "what the same "
      "experiments give here: the measured profiles of the [shipped networks](zoo.md), run in the "
      "[simulation](simulation.md) of the product's own controller, dispatcher and planner. The paper's "
      "device is "
      "a Jetson Nano with 600 variants per network; so the shapes are to be compared, not the digits.\n\n";
  text += "Written " + provenance.date + " by `" + provenance.command + "`: " + one_line(provenance) +
          ", seed " + std::to_string(provenance.first_seed) +
          ". All simulated figures but the CPU times of decisions are the same wherever they are computed. "
          "Ranges and rates: `bench/paper/experiments.json`.\n\n";
  text += summary_of(findings);
  for (const Finding& finding : findings) {
    text += "<!-- " + finding.name + ": begin -->\n" + markdown(finding, "images") + "<!-- " + finding.name +
            ": end -->\n\n";
  }
  return text + model_words(energy);
}

std::string headline_of(const std::vector<Finding>& findings, const Provenance& provenance) {
  std::string text = summary_of(findings) + "| beside the paper | paper | here |\n|---|--:|--:|\n";
  for (const Finding& finding : findings) {
    for (const Comparison& each : finding.comparisons) {
      if (each.headline) text += "| " + each.what + " | " + each.paper + " | " + each.ours + " |\n";
    }
  }
  return text + "\nWritten by `" + provenance.command + "`: " + one_line(provenance) + ".\n";
}

Status write_results_page(const std::vector<Finding>& findings, const EnergyModel& energy,
                          const Provenance& provenance, const std::filesystem::path& out,
                          const std::filesystem::path& page) {
  if (const Status copied = copy_charts(findings, out, page); !copied) return copied.errors();
  return write_text(page, results_page(findings, energy, provenance));
}

Status write_sections(const std::vector<Finding>& findings, const Provenance& provenance,
                      const std::filesystem::path& out, const std::filesystem::path& page) {
  if (const Status copied = copy_charts(findings, out, page); !copied) return copied.errors();
  for (const Finding& finding : findings) {
    const std::string text = markdown(finding, "images") + "Written " + provenance.date + " by `" +
                             provenance.command + "`: " + one_line(provenance) + ".\n\n";
    if (const Status written = replace_between_markers(page, finding.name, text); !written)
      return written.errors();
  }
  return Done{};
}

}  // namespace saccade::bench
