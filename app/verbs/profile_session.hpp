// The measurements of `saccade profile`, one network after the other, each into its profile set. Until all
// are measured, every network keeps a journal next to its profile set (FILE.journal), so that repeating the
// command after an interruption resumes and measures nothing twice.
// Order: open a session, prepare() and check() all subjects, measure() each, finish() at the end.
// Threads: one. Errors: what cannot be read, run or written.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/verbs/profile_subject.hpp"
#include "base/result.hpp"
#include "runtime/engines/graph_cache_options.hpp"
#include "runtime/profiling/own_data.hpp"
#include "runtime/profiling/profiler.hpp"

namespace saccade::app {

struct ModelledPower {  // declared, not measured
  Watts idle;
  Watts active;
};

// The purpose of a measurement: a profile set, its times only, or a comparison with one.
enum class Thoroughness { full, quick, verify };

// The user's own pictures: labelled, or with a teacher whose answers are taken as the truth.
struct AccuracyData {
  runtime::OwnData files;
  std::optional<VariantId> teacher;
};

// What of the engine's library computes (engines/providers.hpp), and where that lies.
struct ProfiledProvider {
  std::string name = "cpu";
  int device = 0;
  bool graphs = true;
  bool block = false;
  std::string library;  // empty: the default
};

struct SessionOptions {
  std::string backend = "auto";
  ProfiledProvider provider;
  runtime::GraphCacheOptions graph_cache;
  Thoroughness thoroughness = Thoroughness::full;
  bool fresh = false;  // discard journals
  int threads = 1;     // of one inference
  std::optional<ModelledPower> power;
  std::optional<AccuracyData> data;  // of one subject; absent: the data set of the zoo that has its labels
};

class ProfileSession {
 public:
  // Errors: the backend is unavailable, or what this machine lacks for the provider.
  [[nodiscard]] static Result<std::unique_ptr<ProfileSession>> open(SessionOptions options);

  // Removes what the backend cannot run; reports what was removed, and meters that may not be read.
  [[nodiscard]] Errors prepare(ProfileSubject& subject);

  // Whether there are images to measure the subject's accuracy on, if accuracy is requested. Own pictures are
  // read, and kept for measure().
  [[nodiscard]] Status check(const ProfileSubject& subject);

  // Batch sizes that the subject's graphs do not accept, of the last measure().
  [[nodiscard]] const Errors& left_out() const { return left_out_; }

  // With `file` the set is recorded in a journal next to it and written to it at the end.
  [[nodiscard]] Result<runtime::MeasuredProfiles> measure(const ProfileSubject& subject,
                                                          const std::optional<std::filesystem::path>& file,
                                                          const runtime::ReportProgress& progress);
  [[nodiscard]] std::size_t resumed() const { return resumed_; }  // journal lines of the last measure()

  // Deletes the journals after everything has been written.
  void finish();

 private:
  explicit ProfileSession(SessionOptions options) : options_(std::move(options)) {}
  [[nodiscard]] Result<runtime::ProfileRequest> request_for(const ProfileSubject& subject) const;
  void take_provider(runtime::ProfileRequest& request) const;
  [[nodiscard]] std::string device_name() const;
  [[nodiscard]] Status add_images(const ProfileSubject& subject, runtime::ProfileRequest& request) const;

  SessionOptions options_;
  std::unique_ptr<runtime::EngineBackend> backend_;
  std::unique_ptr<runtime::EngineBackend> uncached_;  // null if the backend caches no graphs
  runtime::FoundMeter meter_;
  std::unique_ptr<runtime::DeviceMemoryMeter> device_memory_;  // null: the provider has no memory of its own
  SteadyClock clock_;
  std::optional<runtime::LabelledImages> own_images_;
  Errors left_out_;
  std::vector<std::unique_ptr<runtime::ProfileJournal>> journals_;
  std::size_t resumed_ = 0;
};

// The kind of processor that a set is measured for: its own, unless another provider or another number of
// threads computes than did when it was measured.
[[nodiscard]] ProcessorId profiled_processor(const profiles::ProfileSet& set, const SessionOptions& options);

// Times from a few rounds, of the set's own batch sizes. Memory is kept, unless another provider took it.
void make_quick(runtime::ProfileRequest& request);

// Energy and power of every variant from declared constants, labelled as modelled.
void model_power(const ModelledPower& power, const ProcessorId& processor, profiles::ProfileSet& set);

}  // namespace saccade::app
