/// Tuning of the whole model: a job like that of one kernel, whose result becomes the kernels'
/// schedules. Layouts and algorithms may be tried before it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/session/arranging.h"
#include "engine/session/state/tuned_on.h"

namespace tw::session {

struct Parts;

class ModelTuning {
public:
  explicit ModelTuning(Parts& parts) : parts_(parts) {}
  /// Errors: bad_budget, no_model, no_network, model_is_cut, tuning_goes_on, those of devices and
  /// searches.
  Status start(TuneModel const& wanted);

private:
  struct Job;     ///< of all kinds
  struct OnKind;  ///< of one
  using Change = std::function<void(ModelTuningView&)>;

  // On the tuner's thread.
  void run(Job& job);
  void search_kinds(Job& job, std::vector<DeviceKind> const& kinds);
  Status prepare(OnKind& on, DeviceKind const& kind);
  SearchOnKind search_of(OnKind& on, DeviceKind const& kind);
  // Layouts and algorithms (model_arranging.cpp).
  Status arrange_first(Job& job, std::vector<DeviceKind> const& kinds);
  Result<Arranged> arranged_on(Job& job, DeviceKind const& kind);
  Status take_arranged(Job& job, Model const& model);
  void show_arranging(Job& job, Change const& change);
  // On the thread of a search.
  void take_attempt(OnKind& on, int kernel, Attempt const& attempt);
  void pause_between_trials(OnKind& on);
  void take_device(OnKind& on, int device, DeviceShare const& share);
  void end(OnKind& on, FoundOnKind const& found);
  Status take_tuned(OnKind& on, TunedModel const& tuned);
  /// Not `shown`: it is with the next change.
  void show(OnKind& on, Change const& change, bool shown = true);

  // Of one kind, while the state is edited (model_tuning_views.cpp).
  static TuningRun& run_of(OnKind& on, int kernel);
  static void place_view(State& state, OnKind const& on);
  static void end_view(OnKind& on, FoundOnKind const& found, Status const& taken);
  void keep_runs(State& state, OnKind& on, TunedModel const* tuned);
  static Status apply_tuned(State& state, OnKind const& on, int kernel, std::string const& script,
                            double ms);
  static void keep_tuned(State& state, OnKind const& on, int kernel, std::string const& script,
                         double ms);

  Parts& parts_;
};

}  // namespace tw::session
