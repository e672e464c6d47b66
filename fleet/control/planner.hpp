// The leading planner: from what the store holds to what is written next. Its decisions are a function of the
// store's documents; what it remembers itself are deadlines and budgets, so that another planner continues
// where it ends. In this order, at every step:
//   tidy       cameras that are no longer configured are taken off, changed tasks are handed on
//   handovers  a box that took over serves: the other is relieved. It did not in time, or failed: it is
//              relieved instead, and the camera rests from that box for a while
//   losses     cameras of lost boxes go elsewhere (fail_over), highest class first; nobody else moves. What
//              the brake holds stays, but for the classes that the policy exempts. A detached box keeps its
//              cameras, but for those that it has never confirmed: nobody may be serving them; one that is
//              about to have a lease again (judge.hpp: returning) keeps all
//   homeless   cameras without a box get one
//   standbys   cameras with `standby` are kept ready by the box that would take them if theirs were lost
//   leases     boxes whose assignment says another lease than the policy get it again
//   round      on change, and every minute: the plan of the whole fleet (plan_fleet); what it would have
//              elsewhere is moved, within the budget. A draining box is emptied whatever the budget. What
//              cannot move at once follows when it can: the plan stands until something else changes.
//              Moves that let the fleet serve more do not need the budget (max_accuracy only)
// A camera that may not be where it is, or is pinned elsewhere by order, moves whatever the budget.
// Moves are make-before-break. An exclusive camera is released first and given away when its box has
// confirmed, or when the box's lease has been gone for the longest that it may have been after the release
// was in the store: the box stops by then by itself (agent.hpp), even if the lease was revoked early. At most
// one write is under way: no decision is made before the view has reached it. What would go to a box that is
// closed (view.hpp) waits, and nothing else does. Threads: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "fleet/control/bearings.hpp"
#include "fleet/control/draft.hpp"
#include "fleet/control/judge.hpp"
#include "fleet/control/move_times.hpp"
#include "fleet/control/present_fleet.hpp"
#include "fleet/control/view.hpp"
#include "fleet/forecast.hpp"
#include "fleet/plan.hpp"

namespace saccade::fleet {

// What no policy says (fleet/problem.hpp).
struct PlannerSettings {
  JudgeSettings judge;
  PlanLimits plan;
  Duration coalesce = std::chrono::milliseconds(500);
  Duration health = std::chrono::seconds(5);        // from a change of which boxes live to the next round
  Duration again = std::chrono::milliseconds(500);  // between tries to serve cameras of lost boxes
  Duration round = std::chrono::seconds(60);
  Duration exclusion = std::chrono::minutes(10);  // of a box from a camera that it did not take over
  Duration rest = std::chrono::minutes(10);       // of a camera between two moves that nothing forces
  double in_flight = 0.01;                        // of all cameras; at least 4
  std::size_t arriving = 2;                       // moves per box at once
  std::size_t starting = 8;                       // cameras per box that are not served yet
  std::size_t most_documents = 50;                // per write; the others come with the next
  double fence = 1.0;  // of an exclusive camera, in lengths of the lease; tests break it
  // The time while a plan of the whole fleet is made: it ends early after the deadline, as good as it is by
  // then, and how long it took is known. Empty: neither, and the same inputs give the same plan.
  std::function<TimePoint()> clock = nullptr;
  Duration deadline = std::chrono::seconds(2);
};

struct PlannerFigures {
  std::int64_t rounds = 0;
  std::int64_t failovers = 0;  // cameras
  std::int64_t moves = 0;      // begun, of cameras whose box could go on
  std::int64_t withdrawn = 0;  // of those
  double value = 0.0;          // of the last round
  double bound = 0.0;
  std::shared_ptr<const Forecast> forecast;  // of the last round; null: there was none
};

struct PlannerTimes {  // since they were last taken
  std::vector<Duration> plans;
  EndedMoves ended;
};

class Planner {
 public:
  explicit Planner(const PlannerSettings& settings) : settings_(settings), judge_(settings.judge) {}

  // What is to be written now, with a comparison of every document's revision and of the term. The view is
  // to have reached what was written before. Empty: nothing.
  [[nodiscard]] std::optional<Write> step(const FleetView& view, Term term, TimePoint now);
  [[nodiscard]] Judge& judge() { return judge_; }
  [[nodiscard]] const Judge& judge() const { return judge_; }
  [[nodiscard]] std::optional<TimePoint> next() const { return next_; }  // when step() has something to do
  [[nodiscard]] const PlannerFigures& figures() const { return figures_; }
  [[nodiscard]] PlannerTimes take_times() { return {std::exchange(plan_times_, {}), move_times_.take()}; }

 private:
  using Pair = std::pair<TaskId, BoxId>;

  enum class When { now, soon, later };

  struct Course;
  struct Scene;  // one step's view with what follows from it

  void observe(const FleetView& view, TimePoint now);
  void tidy(Scene& scene);
  bool tidy(Scene& scene, const BoxId& box, const AssignedCamera& assigned);
  void handovers(Scene& scene);
  void hand_over(Scene& scene, const Camera& camera, const Whereabouts::Camera& at);
  void losses(Scene& scene);
  void releases(Scene& scene);
  void homeless(Scene& scene);
  void standbys(Scene& scene) const;
  void leases(Scene& scene) const;
  void question_standbys(Bearings& bearings) const;
  [[nodiscard]] std::optional<BoxId> standby_of(const Scene& scene, const Camera& camera) const;
  void round(Scene& scene);
  void chart(Scene& scene, std::size_t budget);
  void move(Scene& scene, const Camera& camera, const BoxId& to, Cause cause);
  bool lose(Scene& scene, Assignment& assignment, const BoxId& box);
  [[nodiscard]] bool may_leave(const Scene& scene, const BoxId& lost, const TaskId& camera) const;
  [[nodiscard]] When may_move(const Scene& scene, const Camera& camera, const BoxId& from, const BoxId& to,
                              Cause cause) const;
  [[nodiscard]] bool full(const Scene& scene, const BoxId& box) const;
  [[nodiscard]] std::optional<TimePoint> hold(const Scene& scene, const Course& course,
                                              Problem& problem) const;
  When follow(Scene& scene, const Course& course);
  [[nodiscard]] Cause cause_of_placing(const TaskId& id) const;
  [[nodiscard]] std::size_t most_in_flight(const Scene& scene) const;
  [[nodiscard]] bool fenced(const Scene& scene, const Released& released);
  PresentFleet& present(Scene& scene);                               // as of the step's view
  [[nodiscard]] std::uint64_t inputs_key(const Scene& scene) const;  // of all that a plan depends on
  void fail_over_from(const BoxId& box, const TaskId& camera, TimePoint now);
  [[nodiscard]] std::size_t not_serving(const Scene& scene, const BoxId& box) const;
  void wake(TimePoint at) { next_ = next_ ? std::min(*next_, at) : at; }

  PlannerSettings settings_;
  Judge judge_;
  PlannerFigures figures_;
  std::vector<Duration> plan_times_;
  MoveTimes move_times_;
  std::optional<TimePoint> next_;
  Bearings bearings_;
  PresentFleet present_;
  std::shared_ptr<const Course> course_;  // null: no plan is being carried out
  std::uint64_t problem_version_ = 0;
  std::optional<std::uint64_t> seen_changes_;  // of the judge
  std::set<BoxId> closed_;                     // as in the view of the step before
  std::uint64_t closed_changes_ = 0;
  std::optional<TimePoint> due_;    // the next round
  std::uint64_t settled_key_ = 0;   // of the inputs of a round that moved nothing
  std::size_t settled_budget_ = 0;  // the largest that was tried on these inputs
  TimePoint settled_until_ = TimePoint::max();
  std::uint64_t lost_key_ = 0;            // of the inputs when no orphan found a box
  std::optional<TimePoint> lost_again_;   // when orphans are tried again, unless
  std::uint64_t lost_changes_ = 0;        // the judge has seen more than these changes
  std::uint64_t homeless_key_ = 0;        // of the inputs when the last camera found no box
  std::map<Pair, TimePoint> deadline_;    // of a handover to a box
  std::map<Pair, TimePoint> excluded_;    // until
  std::map<TaskId, TimePoint> rests_;     // until
  std::map<TaskId, TimePoint> released_;  // when the release was first seen in the store
  std::map<BoxId, TimePoint> strays_;     // boxes of those outside the fleet: without a lease since
  std::set<Pair> failed_over_;            // from boxes that are gone: they count once
  std::map<TaskId, Cause> freed_;         // why those were released that are given away since
  double tokens_ = 1.0;                   // of moves for improvement
  std::optional<TimePoint> tokens_at_;
};

}  // namespace saccade::fleet
