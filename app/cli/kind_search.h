/// The search of `tw tune` on one kind of devices, alone or beside those of other kinds: what is
/// fast on one kind says nothing of another.
#pragma once

#include <optional>

#include "app/cli/output.h"
#include "app/cli/team.h"
#include "engine/records/trial_store.h"
#include "engine/session/kinds.h"
#include "engine/tuner/model/point_model.h"

namespace tw::cli {

struct TuneArguments {
  std::string path, kernel, out, script;
  std::string cost_model{name_of(ModelKind::kTrees)};
  std::vector<std::string> learn;  ///< settings of the learned search
  std::vector<std::string> pins;
  std::vector<std::string> devices;  ///< the first is the context's
  TuneOptions options;
  std::string job;
  TeamArguments team;
  bool list = false, no_store = false;
  bool keeps_arrangement = false;  ///< layouts and algorithms are not searched for
  bool has_trials = false;
};

/// The devices of a command line, opened, by their kinds. Errors: those of `make_environment`.
Result<std::vector<session::DeviceKind>> device_kinds(Context const& context,
                                                      std::vector<std::string> const& devices);

/// What a command line asks for. Errors: those of pins and scripts.
Result<session::TuneRequest> request_of(Context const& context, TuneArguments const& arguments);

/// A search from its devices to its words. Its parts come in this order.
class KindSearch {
public:
  /// `context`: of the command. `alone`: no other kind is searched for meanwhile. `arguments`
  /// outlives it.
  KindSearch(session::DeviceKind kind, Context const& context, TuneArguments const& arguments,
             bool alone);

  /// Opens the model and the store, and measures the first device's roofs where they are not known.
  /// Errors: those of all these.
  /// `job`: a name for the trials of a model, where nobody gave one.
  Status prepare(std::string const& job = "");
  /// How the search goes on after it was cut off.
  void tell_job() const;
  /// The same, where it was stopped; with one kernel, too.
  void tell_how_to_go_on() const;
  /// `enough`: ends the search with what it has found.
  void follow(StopToken enough) { request_.options.enough = std::move(enough); }
  /// There will be no search. Told at once, and at the end.
  void fail(Error error);
  bool failed() const { return failure_.has_value(); }
  /// What is searched for; it points into this.
  session::SearchOnKind wanted();
  /// From any thread. A failure is told at once where there are others, and at the end.
  void take(session::FoundOnKind found);
  /// A team makes the trials of a search that is alone.
  bool is_with_team() const;
  session::FoundOnKind search_with_team();
  /// Says what came out and writes it. The exit code.
  int tell();
  /// Nothing else may follow `prepare`.
  int join();

private:
  bool is_of_kernel() const;
  Status arrange();
  void ask_for_kernel(session::TuneRequest& request) const;
  void ask_for_model(session::ModelTuneRequest& request) const;
  int tell_kernel(session::Tuned const& tuned);
  int tell_model(session::TunedModel const& tuned);
  int tell_failure(Error const& error);
  std::string label() const;  ///< as a part of a file's name
  std::string file() const;

  session::DeviceKind kind_;
  Context context_;  ///< of the kind's first device
  TuneArguments const& arguments_;
  bool alone_;
  session::Model model_;
  int kernel_ = 0;
  session::TuneRequest request_;
  std::unique_ptr<records::TrialStore> store_;
  std::optional<Error> failure_;
  session::FoundOnKind found_;
};

/// All kinds at once; the exit code is that of the first that failed. With several, their trials
/// are no job that others can join.
int search_kinds(Context const& context, std::vector<session::DeviceKind> kinds,
                 TuneArguments const& arguments);

}  // namespace tw::cli
