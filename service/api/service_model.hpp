// What the API knows of the service behind it. The handlers (api.hpp) turn requests into these calls and
// their outcomes into responses; the application implements them for a real run, tests with stubs. Documents
// are JSON text: the API passes them on without parsing.
//
// Threads: the API calls from one thread at a time, push() from a second one, readiness(), store_age() and
// metrics() from a third one as well; what gather() returns is called on a further one, after the call, while
// others run. Implementations guard what they share. No call waits for an engine to
// load; a dry run may take as long as the solver's deadline. Errors: outcomes are values. `where` of an Error
// is a JSON pointer as a fragment ("#/fps") into what was sent, or into the configuration if the mistake
// shows there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/real/pushed_frame.hpp"
#include "service/api/fleet_model.hpp"
#include "service/api/metrics.hpp"
#include "service/api/result_feed.hpp"

namespace saccade::service {

enum class Document { version, schema, status, plan, history, models, tasks, server };

struct Readiness {
  bool ready = false;
  std::string reason = {};  // why it is not ready; empty if it is
  struct Check {
    std::string name;
    bool ok = false;
    std::string detail;
  };
  std::vector<Check> checks = {};
};

struct Versioned {  // the wanted configuration
  std::string text;
  std::string etag;  // as the header has it: with quotes
};

struct Change {
  enum class Kind {
    replace,    // by a whole configuration
    reload,     // by the file the service was started with
    parts,      // a merge patch of the configuration, its tasks by id
    task,       // a merge patch of one task
    limits,     // a merge patch of the limits
    objective,  // a JSON string
  };
  Kind kind = Kind::replace;
  std::string text = {};
  std::string task = {};                    // the id of an existing task
  std::optional<std::string> only_if = {};  // the configuration's etag
  bool check_only = false;                  // report mistakes, change nothing; of replace
};

struct ChangeOutcome {
  enum class Kind { accepted, invalid, stale, unavailable };
  Kind kind = Kind::accepted;
  std::uint64_t generation = 0;  // of the change; status, plan and events report its progress
  std::string etag = {};         // of the configuration now in force
  Errors errors = {};            // invalid; for unavailable: the reason
  Errors warnings = {};
};

struct DryRun {
  enum class Kind { feasible, infeasible, unknown, invalid };
  Kind kind = Kind::feasible;
  std::string plan = {};  // JSON
  Errors errors = {};     // invalid
};

struct NetworkTensor {
  std::string name;
  std::string datatype;             // in KServe's terms: "FP32", "BYTES"
  std::vector<std::int64_t> shape;  // -1: open
};
struct NetworkFacts {  // of a task, in KServe v2's terms: a task is a model
  profiles::NetworkTask kind = profiles::NetworkTask::classify;
  std::string platform;
  std::vector<std::string> versions;  // its variants
  std::vector<NetworkTensor> inputs;
  std::vector<NetworkTensor> outputs;  // empty: unknown until an engine serves
  std::string serving;                 // the serving version; empty: none, the task is not ready
  // For clients that push frames:
  bool pushed = false;  // the task accepts them
  runtime::TaskIndex task = 0;
  profiles::InputShape input;    // of tensors
  runtime::NetworkInputs takes;  // what pictures are converted to
  runtime::Regions regions;
  std::int64_t region_count = 1;
  std::vector<std::string> labels;
  std::vector<std::string> processors;  // by index
};

struct Thumbnail {
  std::string jpeg;  // empty: no frame yet
  // Labels from the network: of a classifier one per region, of a detector those of its best objects; empty:
  // none yet.
  std::vector<std::string> labels;
};

// A frame together with the network's result for it.
struct Snapshot {
  std::int64_t frame = 0;        // its number, as in the record
  std::string captured_at = {};  // as in the record
  // Draws the picture as JPEG, with or without boxes and labels; may take milliseconds, on any thread, and is
  // independent of the model. Empty: there is no frame yet. The text is empty if it cannot be drawn.
  std::function<std::string(bool boxes)> draw = {};
};

class ServiceModel {
 public:
  virtual ~ServiceModel() = default;

  [[nodiscard]] virtual Readiness readiness() const = 0;
  // Of a box in a fleet: seconds since the store last answered it. Absent: in no fleet, or never.
  [[nodiscard]] virtual std::optional<double> store_age() const { return {}; }
  // Of a box in a fleet: where a task is served that it had until a minute ago.
  [[nodiscard]] virtual std::optional<MovedTask> moved(const std::string&) const { return {}; }
  [[nodiscard]] virtual std::string document(Document which) const = 0;
  // The same in two steps, for a long one: what there is to tell is gathered now, the text is made by the
  // returned function, once, on any thread and independent of the model.
  [[nodiscard]] virtual std::function<std::string()> gather(Document which) const {
    return [text = document(which)] { return text; };
  }
  [[nodiscard]] virtual bool has_task(const std::string& id) const = 0;
  // Absent: the task does not exist.
  [[nodiscard]] virtual std::optional<std::string> task(const std::string& id) const = 0;
  [[nodiscard]] virtual std::optional<NetworkFacts> network(const std::string& id) const = 0;
  // Labels known to the networks of these tasks, of all tasks if none is named; sorted, unique.
  [[nodiscard]] virtual std::vector<std::string> labels(const std::set<std::string>& tasks) const = 0;
  // A frame for that task; called from a thread of its own. It has the size that network() returns.
  [[nodiscard]] virtual runtime::PushVerdict push(runtime::TaskIndex task, runtime::PushedFrame frame,
                                                  runtime::AnswerFrame answer) = 0;
  // A call requests the next frame: the first call returns none.
  [[nodiscard]] virtual std::optional<Thumbnail> thumbnail(const std::string& id) = 0;
  // The same: none for a task that has not been viewed for some seconds.
  [[nodiscard]] virtual std::optional<Snapshot> snapshot(const std::string& id) = 0;
  // Lives as long as the model; from any thread.
  [[nodiscard]] virtual ResultFeed& results() = 0;
  [[nodiscard]] virtual MetricsSnapshot metrics() const = 0;

  [[nodiscard]] virtual Versioned configuration() const = 0;
  // The same document with the effect of timeline entries up to now folded in.
  [[nodiscard]] virtual std::string configuration_in_force() const = 0;
  [[nodiscard]] virtual ChangeOutcome change(const Change& change) = 0;
  // Of a planner, which serves the paths below /v1/fleet, health, metrics and version alone; null: of a box,
  // which serves all others.
  [[nodiscard]] virtual FleetModel* fleet() { return nullptr; }
  // What would run if the patch were applied; nothing changes.
  [[nodiscard]] virtual DryRun dry_run(const std::string& patch) = 0;
};

}  // namespace saccade::service
