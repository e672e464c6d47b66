#include "config/rules_config.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "config/motion_condition.hpp"
#include "rules/overlay.hpp"

namespace saccade::config {
namespace {

using rules::Rule;
using text::in_quotes;
using text::JsonAt;
using text::JsonReport;
using text::JsonValue;
using text::ObjectReader;

constexpr std::size_t kMostRules = 64;
constexpr double kLongestHoldOfRule = 86'400.0;
constexpr int kMostFramesInARow = 100;
constexpr int kNoTime = -1;

const std::vector<std::string>& day_names() {
  static const std::vector<std::string> names = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
  return names;
}

class RulesReader {
 public:
  RulesReader(const std::vector<scheduler::Task>& tasks, const std::vector<runtime::TaskConfig>& configs,
              const std::vector<runtime::TimelineState>& timeline, double fps_scale, JsonReport& report)
      : tasks_(tasks),
        timeline_(timeline),
        fps_scale_(fps_scale),
        report_(report),
        feeds_(timeline.size() + 1) {
    for (const scheduler::Task& task : tasks) ids_.push_back(task.id.str());
    for (const runtime::TaskConfig& config : configs) {
      if (config.pushed()) pushed_.insert(config.id.str());
    }
  }

  std::vector<Rule> read(const JsonAt& at) {
    std::vector<Rule> rules;
    const std::vector<JsonAt> items = text::read_list(at, report_);
    if (items.size() > kMostRules) {
      report_.add(at,
                  "there are " + std::to_string(items.size()) + " rules, at most " +
                      std::to_string(kMostRules) + " are allowed",
                  "one rule may name several tasks");
      return rules;
    }
    for (const JsonAt& item : items) {
      rules.push_back(read_rule(item));
      look_for_circle(rules.back(), item);
    }
    return rules;
  }

 private:
  Rule read_rule(const JsonAt& at) {
    Rule rule;
    ObjectReader reader(at, report_);
    read_rule_id(reader, rule);
    read_targets(reader, rule);
    if (const auto when = reader.require("when")) read_when(*when, rule);
    read_hold(reader, rule);
    if (const auto set = reader.require("set")) {
      read_set(*set, rule.set);
      bool blind = false;
      reader.boolean("blind", blind);
      if (rule.set.fps == Fps(0.0)) look_for_blindness(rule, blind, set->member("fps", *(*set)->find("fps")));
    }
    return rule;
  }

  void look_for_blindness(const Rule& rule, bool blind, const JsonAt& fps) {
    const auto of_itself = [&](const std::string& seen_in) {
      return seen_in.empty() || std::find(rule.tasks.begin(), rule.tasks.end(), seen_in) != rule.tasks.end();
    };
    if ((rule.presence && of_itself(rule.presence->task)) || (rule.motion && of_itself(rule.motion->task))) {
      report_.add(fps, "the task would be switched off by what it sees itself, and then see nothing",
                  "write a low rate, for example 0.5");
    } else if (rule.motion && !blind) {
      report_.add(fps, "what stands does not move: the task would not see it either",
                  "write a low rate, or \"blind\": true in the rule");
    }
  }

  void read_rule_id(ObjectReader& reader, Rule& rule) {
    const auto id = reader.require("id");
    if (!id) return;
    rule.id = text::read_id(*id, report_).value_or("");
    if (rule.id.empty()) return;
    const std::set<std::string> words = {"all", "none", "worst"};
    if (words.contains(rule.id))
      report_.add(*id, in_quotes(rule.id) + " is a word of `saccade plan --rules`", "choose another id");
    const auto [first, fresh] = first_line_.try_emplace(rule.id, (*id)->line);
    if (fresh) return;
    report_.add(*id, "the id " + in_quotes(rule.id) + " is used by two rules",
                "rename one of the two; the other is in line " + std::to_string(first->second));
  }

  void read_targets(ObjectReader& reader, Rule& rule) {
    const auto task = reader.find("task");
    const auto tasks = reader.find("tasks");
    if (task.has_value() == tasks.has_value()) {
      report_.add(task ? *tasks : reader.at(),
                  task ? "`task` and `tasks` are both given" : "neither `task` nor `tasks` is given",
                  "name what the rule changes: \"task\": \"ID\" or \"tasks\": [\"ID\", ...]");
    }
    if (task) add_target(*task, rule);
    if (!tasks) return;
    const std::vector<JsonAt> items = text::read_list(*tasks, report_);
    if (items.empty() && (*tasks)->kind == JsonValue::Kind::array)
      report_.add(*tasks, "the rule changes no task", "name at least one");
    for (const JsonAt& item : items) add_target(item, rule);
  }

  void add_target(const JsonAt& at, Rule& rule) {
    const std::optional<std::string> id = read_task(at);
    if (!id) return;
    if (std::find(rule.tasks.begin(), rule.tasks.end(), *id) != rule.tasks.end()) {
      report_.add(at, "the task " + in_quotes(*id) + " is named twice", "remove one of the two");
      return;
    }
    rule.tasks.push_back(*id);
  }

  std::optional<std::string> read_task(const JsonAt& at) {
    std::optional<std::string> id = text::read_text(at, report_);
    if (!id) return std::nullopt;
    if (std::find(ids_.begin(), ids_.end(), *id) != ids_.end()) return id;
    const std::string meant = text::nearest(*id, ids_);
    report_.add(at, "there is no task " + in_quotes(*id),
                meant.empty() ? "`tasks` of the configuration lists them" : "did you mean `" + meant + "`?");
    return std::nullopt;
  }

  void read_when(const JsonAt& at, Rule& rule) {
    ObjectReader reader(at, report_);
    const auto presence = reader.find("presence");
    const auto clock = reader.find("clock");
    if (presence) read_presence(*presence, rule);
    rule.motion = read_motion(reader, [this](const JsonAt& task) { return read_task(task); });
    if (rule.motion) look_for_pushed(at, rule);
    if (clock) read_clock(*clock, rule);
    if (!presence && !clock && !rule.motion && at->is_object() && at->members.empty())
      report_.add(at, "the rule has no condition",
                  "for example {\"presence\": {\"labels\": [\"person\"]}} or {\"clock\": {\"from\": "
                  "\"22:00\", \"to\": \"06:00\"}}");
  }

  // Motion is measured where pictures are captured; those that clients send are not.
  void look_for_pushed(const JsonAt& at, const Rule& rule) {
    const std::vector<std::string> of =
        rule.motion->task.empty() ? rule.tasks : std::vector{rule.motion->task};
    for (const std::string& task : of) {
      if (!pushed_.contains(task)) continue;
      report_.add(at, "motion is not measured in " + in_quotes(task) + ", whose frames clients send",
                  "use `presence`");
    }
  }

  void read_presence(const JsonAt& at, Rule& rule) {
    rules::PresenceCondition condition;
    ObjectReader reader(at, report_);
    bool known_task = true;
    if (const auto task = reader.find("task")) {
      const std::optional<std::string> id = read_task(*task);
      known_task = id.has_value();
      condition.task = id.value_or("");
    }
    if (const auto labels = reader.find("labels"))
      read_labels(*labels, rule, known_task ? std::optional(condition.task) : std::nullopt, condition);
    reader.number("min_score", condition.min_score, {0.0, false, 1.0, "scores are shares of 1, not percent"});
    int frames = static_cast<int>(condition.frames);
    reader.integer("frames", frames, 1, kMostFramesInARow);
    condition.frames = static_cast<std::size_t>(frames);
    rule.presence = std::move(condition);
  }

  // `seen_in`: the task that is looked at; empty: each that the rule changes; absent: not known.
  void read_labels(const JsonAt& at, const Rule& rule, const std::optional<std::string>& seen_in,
                   rules::PresenceCondition& condition) {
    for (const JsonAt& item : text::read_list(at, report_)) {
      const std::optional<std::string> label = text::read_text(item, report_);
      if (!label) continue;
      condition.labels.push_back(*label);
      if (!seen_in) continue;
      const std::vector<std::string> of = seen_in->empty() ? rule.tasks : std::vector{*seen_in};
      for (const std::string& task : of) {
        if (lacks_label(item, task, *label)) break;
      }
    }
  }

  bool lacks_label(const JsonAt& at, const std::string& id, const std::string& label) {
    const auto task = std::find_if(tasks_.begin(), tasks_.end(),
                                   [&](const scheduler::Task& each) { return each.id.str() == id; });
    if (task == tasks_.end() || !task->profiles) return false;  // it has been complained of
    const std::vector<std::string>& known = task->profiles->labels;
    if (std::find(known.begin(), known.end(), label) != known.end()) return false;
    const std::string meant = text::nearest(label, known);
    report_.add(at, "the task " + in_quotes(id) + " has no label " + in_quotes(label),
                meant.empty() ? "`labels` of its profile set lists them" : "did you mean `" + meant + "`?");
    return true;
  }

  void read_clock(const JsonAt& at, Rule& rule) {
    rules::ClockWindow window;
    ObjectReader reader(at, report_);
    const auto from = reader.require("from");
    const auto to = reader.require("to");
    const int begin = from ? read_time(*from) : kNoTime;
    const int end = to ? read_time(*to) : kNoTime;
    if (begin == rules::kMinutesPerDay)
      report_.add(*from, "no window begins at the end of a day", "write \"00:00\"");
    if (begin != kNoTime && begin == end)
      report_.add(*to, "the window ends when it begins",
                  "for whole days write \"from\": \"00:00\", \"to\": \"24:00\"");
    window.from = begin;
    window.to = end % rules::kMinutesPerDay;
    if (const auto days = reader.find("days")) read_days(*days, window);
    rule.clock = window;
  }

  // The minute of the day; "24:00" is its end.
  int read_time(const JsonAt& at) {
    const std::optional<std::string> text = text::read_text(at, report_);
    if (!text) return kNoTime;
    int hour = 0;
    int minute = 0;
    char rest = 0;
    const bool form =
        text->size() == 5 && std::sscanf(text->c_str(), "%2d:%2d%c", &hour, &minute, &rest) == 2;
    const bool digits =
        std::all_of(text->begin(), text->end(), [](char c) { return c == ':' || (c >= '0' && c <= '9'); });
    if (form && digits && minute < 60 && (hour < 24 || (hour == 24 && minute == 0)))
      return hour * 60 + minute;
    report_.add(at, in_quotes(*text) + " is no time of the day",
                "write hours and minutes: \"06:00\", \"22:30\"");
    return kNoTime;
  }

  void read_days(const JsonAt& at, rules::ClockWindow& window) {
    window.days.fill(false);
    const std::vector<JsonAt> items = text::read_list(at, report_);
    if (items.empty() && at->kind == JsonValue::Kind::array)
      report_.add(at, "the window is on no day", "leave out `days` for all of them");
    for (const JsonAt& item : items) {
      if (const auto day = text::read_choice(item, day_names(), report_)) window.days[*day] = true;
    }
  }

  void read_hold(ObjectReader& reader, Rule& rule) {
    const auto given = reader.find("hold_seconds");
    Seconds hold = to_seconds(rules::PresenceCondition{}.hold);
    reader.quantity("hold_seconds", hold, {0.0, true, kLongestHoldOfRule});
    if (rule.presence) rule.presence->hold = to_duration(hold);
    const bool moving = rule.motion && !rule.motion->still;
    if (moving) rule.motion->hold = to_duration(hold);
    if (!given || rule.presence || moving) return;
    if (rule.motion)
      report_.add(*given, "a rule of stillness ends with the first motion", "leave out `hold_seconds`");
    else if (rule.clock)
      report_.add(*given, "a rule of the clock alone ends when its window ends", "move `to` instead");
  }

  // As the keys of a task (config/state_settings.cpp).
  void read_set(const JsonAt& at, rules::Settings& set) {
    constexpr double kMaxFps = 10'000.0;
    constexpr int kMaxPriority = 1000;
    ObjectReader reader(at, report_);
    if (at->is_object() && at->members.empty())
      report_.add(at, "the rule sets nothing", "for example {\"fps\": 15}");
    for (const char* key : {"fps", "weight", "priority", "min_fps", "min_accuracy", "min_relative_accuracy",
                            "max_frame_time_seconds", "max_latency_seconds"}) {
      const JsonValue* value = at->find(key);
      if (value != nullptr && value->kind == JsonValue::Kind::null)
        report_.add(at.member(key, *value), "a rule cannot take a setting back", "leave out the key");
    }
    reader.quantity("fps", set.fps, {0.0, false, kMaxFps});
    if (set.fps) set.fps = *set.fps * fps_scale_;
    reader.number("weight", set.weight, text::kPositive);
    reader.integer("priority", set.priority, -kMaxPriority, kMaxPriority);
    reader.quantity("min_fps", set.min_fps, text::kNotNegative);
    reader.number("min_accuracy", set.min_accuracy, text::kAccuracy);
    reader.number("min_relative_accuracy", set.min_relative_accuracy, text::kAccuracy);
    reader.quantity("max_frame_time_seconds", set.max_frame_time, text::kPositive);
    reader.quantity("max_latency_seconds", set.max_latency, text::kPositive);
  }

  // By task, those whose rates are raised by what is seen in it.
  using Feeds = std::map<std::string, std::set<std::string>>;

  // Of tasks whose view raises the rate of the next one.
  void look_for_circle(const Rule& rule, const JsonAt& at) {
    if (rule.presence) look_for_circle(rule, rule.presence->task, at);
    if (rule.motion && !rule.motion->still) look_for_circle(rule, rule.motion->task, at);
  }

  void look_for_circle(const Rule& rule, const std::string& from, const JsonAt& at) {
    if (from.empty() || !rule.set.fps) return;
    for (const std::string& to : rule.tasks) {
      if (to == from || !closes_circle(*rule.set.fps, from, to)) continue;
      report_.add(at,
                  "what is seen in " + in_quotes(from) + " raises " + in_quotes(to) +
                      ", and what is seen there raises " + in_quotes(from) + " again",
                  "let one of the tasks follow the other, or both a third one");
      return;
    }
  }

  // What is seen in `from` sets the rate of `to`: a circle with the rules before, in one state of the
  // timeline?
  [[nodiscard]] bool closes_circle(Fps fps, const std::string& from, const std::string& to) {
    const auto closes = [&](const std::vector<scheduler::Task>& tasks, Feeds& feeds) {
      const bool raises = std::any_of(tasks.begin(), tasks.end(), [&](const scheduler::Task& each) {
        return each.id.str() == to && fps > each.demand;
      });
      if (raises) feeds[from].insert(to);
      return raises && leads(feeds, to, from);
    };
    bool circle = closes(tasks_, feeds_.front());
    for (std::size_t i = 0; i < timeline_.size(); ++i)
      circle = closes(timeline_[i].snapshot.tasks, feeds_[i + 1]) || circle;
    return circle;
  }

  [[nodiscard]] static bool leads(const Feeds& feeds, const std::string& from, const std::string& to) {
    std::vector<std::string> open = {from};
    std::set<std::string> known = {from};
    while (!open.empty()) {
      const std::string task = std::move(open.back());
      open.pop_back();
      if (task == to) return true;
      const auto next = feeds.find(task);
      if (next == feeds.end()) continue;
      for (const std::string& each : next->second) {
        if (known.insert(each).second) open.push_back(each);
      }
    }
    return false;
  }

  const std::vector<scheduler::Task>& tasks_;
  const std::vector<runtime::TimelineState>& timeline_;
  const double fps_scale_;
  JsonReport& report_;
  std::vector<std::string> ids_;
  std::set<std::string> pushed_;                   // tasks whose frames clients send
  std::map<std::string, std::size_t> first_line_;  // of each rule's id
  std::vector<Feeds> feeds_;                       // of the tasks, and of each state of the timeline
};

// The complaints about `state` once the rules are laid over it; each is told once.
void tell_if_not_planned(const std::vector<Rule>& rules, scheduler::Snapshot state, const JsonAt& at,
                         std::set<std::string>& told, JsonReport& report) {
  rules::lay_over(rules::overlay_of(rules), state);
  for (const Error& error : scheduler::validate(state)) {
    if (!told.insert(error.where + error.what).second) continue;
    report.add(at, "makes a state that cannot be planned: " + error.where.substr(1) + ": " + error.what,
               error.hint);
  }
}

}  // namespace

std::vector<Rule> read_rules(ObjectReader& top, const std::vector<scheduler::Task>& tasks,
                             const std::vector<runtime::TaskConfig>& configs,
                             const std::vector<runtime::TimelineState>& timeline, double fps_scale) {
  const auto list = top.find("rules");
  if (!list) return {};
  return RulesReader(tasks, configs, timeline, fps_scale, top.report()).read(*list);
}

void check_rules(const std::vector<Rule>& rules, const std::vector<runtime::TimelineState>& timeline,
                 const JsonValue& root, JsonReport& report) {
  if (rules.empty()) return;
  const JsonAt list = JsonAt{&root, ""}.member("rules", *root.find("rules"));
  std::set<std::string> told;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const JsonAt rule = list.item(i);
    tell_if_not_planned({rules[i]}, timeline.front().snapshot, rule.member("set", *rule->find("set")), told,
                        report);
  }
  for (const runtime::TimelineState& state : timeline)
    tell_if_not_planned(rules, state.snapshot, list, told, report);
}

}  // namespace saccade::config
