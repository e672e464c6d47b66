// IV-B: what deciding costs and what switching costs, on the random steps.
#include "bench/paper/random_steps.hpp"

namespace saccade::bench {

Result<Finding> overheads(const Context& context) {
  Finding finding;
  finding.name = "overheads";
  finding.title = "Overheads: deciding and switching";
  finding.about = ranges_words(context.bed.scenario.random) +
                  ". CPU time of a whole decision, filters, front, solve and explanation included, on this "
                  "machine; loads take the measured load time of the variant and an inference to warm up, "
                  "two where every task runs at its full rate meanwhile.";
  const std::vector<Contestant> all = {
      {"active", scheduler::PolicyKind::transprecision},
      {"time", scheduler::PolicyKind::transprecision, pareto::Selection::time}};
  const std::vector<Outcome> outcomes = run_contestants(context, context.bed.scenario.random, all);
  collect_breaches(all, outcomes, finding);
  FindingTable table{"overheads",
                     "Deciding and switching",
                     {"selection", "decisions", "median ms", "99th percentile ms", "worst ms", "switches",
                      "switches per step", "load and warm-up median ms", "worst ms of a load",
                      "frames lost to switching", "overhead"},
                     {},
                     true};
  std::vector<Spread> decide, load;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    decide.push_back(spread_of(outcome.decide_cpu_seconds));
    load.push_back(spread_of(outcome.load_seconds));
    table.rows.push_back(
        {word(all[i].name), number(static_cast<double>(decide[i].n), 0), scaled(decide[i].median, 1e3, 3),
         scaled(decide[i].p99, 1e3, 3), scaled(decide[i].most, 1e3, 3),
         number(static_cast<double>(outcome.switches), 0),
         number(static_cast<double>(outcome.switches) / static_cast<double>(outcome.steps.size()), 2),
         scaled(load[i].median, 1e3, 2), scaled(load[i].most, 1e3, 2),
         number(static_cast<double>(outcome.lost_to_switching), 0), percent(outcome.overhead, 4)});
  }
  finding.tables.push_back(std::move(table));
  const Outcome& active = outcomes[0];
  finding.comparisons = {
      {"solver time", "80 to 180 ms",
       number(1e3 * decide[0].median, 2).text + " ms median, " + number(1e3 * decide[0].most, 2).text +
           " ms worst",
       true},
      {"engine load", "20 to 80 ms, 400 ms at most",
       number(1e3 * load[0].median, 1).text + " ms median, " + number(1e3 * load[0].most, 1).text +
           " ms at most",
       true},
      {"engines to update per step", "1 to 2",
       number(static_cast<double>(active.switches) / static_cast<double>(active.steps.size()), 2).text},
      {"overhead", "below 0.06 %", percent(active.overhead, 4).text, true}};
  finding.remarks = {
      "In the simulation a solve takes one millisecond, whatever it took; the CPU times above are told "
      "apart. They depend "
      "on the machine and on what else it does; all other figures of this page do not.",
      "Every step changes all demands and limits at once, so that more engines are exchanged per step than "
      "in the "
      "paper. What is lost is lost while the old engines serve the new demand, until the new ones are warm."};
  return finding;
}

}  // namespace saccade::bench
