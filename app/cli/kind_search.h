/// The search of `tw tune` on one kind of devices, alone or beside those of other kinds: what is
/// fast on one kind says nothing of another.
#pragma once

#include <optional>

#include "app/cli/output.h"
#include "app/cli/team.h"
#include "engine/records/trial_store.h"
#include "engine/tuner/model/point_model.h"

namespace tw::cli {

struct TuneArguments {
  std::string path, kernel, out, script;
  std::string cost_model{name_of(ModelKind::kTrees)};
  std::vector<std::string> pins;
  std::vector<std::string> devices;  ///< the first is the context's
  TuneOptions options;
  std::string job;
  TeamArguments team;
  bool list = false, no_store = false;
  bool keeps_arrangement = false;  ///< layouts and algorithms are not searched for
  bool has_trials = false;
};

/// The same code is made for all of these devices, so that they share one search.
struct DeviceKind {
  Context context;                 ///< of the first
  std::vector<std::string> names;  ///< as they were typed
  std::vector<std::function<Result<std::unique_ptr<Device>>()>> open;
  bool holds(Backend const& other) const;
  std::string label() const;  ///< the first's name, as a part of a file's name
};
/// In the order of their first devices. Errors: those of `make_environment`.
Result<std::vector<DeviceKind>> device_kinds(Context const& context,
                                             std::vector<std::string> const& devices);

/// What a command line asks for. Errors: those of pins and scripts.
Result<session::TuneRequest> request_of(Context const& context, TuneArguments const& arguments);

/// A search from its devices to its words. Its parts come in this order; `run` may be on any
/// thread.
class KindSearch {
public:
  /// `alone`: no other kind is searched for meanwhile. `arguments` outlives it.
  KindSearch(DeviceKind kind, TuneArguments const& arguments, bool alone);

  /// Opens the model, the store and the devices, and measures the first one's roofs where they are
  /// not known. Errors: those of all these.
  /// `job`: a name for the trials of a model, where nobody gave one.
  Status prepare(std::shared_ptr<MachineTurns> turns, std::string const& job = "");
  /// How the search goes on after it was cut off.
  void tell_job() const;
  /// There will be no search. Told at once, and at the end.
  void fail(Error error);
  /// A failure is told at once where there are others, and at the end.
  void run();
  /// Says what came out and writes it. The exit code.
  int tell();
  /// Nothing else may follow `prepare`.
  int join();

private:
  bool is_of_kernel() const;
  Result<session::Tuned> tune_kernel();
  Status arrange();
  Result<session::TunedModel> tune_model();
  session::ModelTuneRequest model_request();
  int tell_kernel(session::Tuned const& tuned);
  int tell_model(session::TunedModel const& tuned);
  int tell_failure(Error const& error);
  std::string file() const;

  DeviceKind kind_;
  TuneArguments const& arguments_;
  bool alone_;
  session::Model model_;
  int kernel_ = 0;
  session::TuneRequest request_;
  std::unique_ptr<records::TrialStore> store_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::optional<Error> failure_;
  std::optional<session::Tuned> tuned_;
  std::optional<session::TunedModel> tuned_model_;
};

/// All kinds at once; the exit code is that of the first that failed. With several, their trials
/// are no job that others can join.
int search_kinds(Context const& context, std::vector<DeviceKind> kinds,
                 TuneArguments const& arguments);

}  // namespace tw::cli
