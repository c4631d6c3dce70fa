/// What a session knows, behind its mutex, and how snapshots are made of it.
#pragma once

#include <set>

#include <map>

#include "engine/analysis/time_model.h"
#include "engine/history/history.h"
#include "engine/session/compare.h"
#include "engine/session/loaded_model.h"
#include "engine/session/session.h"

namespace tw::session {

/// One kernel that was looked at.
struct KernelWork {
  History history;
  int default_node = -1;  ///< leaf of the schedule by rule; -1 = no rule fits
  std::set<int> checked;  ///< nodes that ran with every access checked, or are too large for it
  std::map<int, std::shared_ptr<analysis::TimeModel const>> models;  ///< by node, for these roofs
  std::map<int, std::shared_ptr<StateFacts const>> facts;            ///< of nodes once compared
};

struct State {
  Model model;
  std::string source;  ///< what `load_model` was given
  std::shared_ptr<ModelView const> model_view;
  std::shared_ptr<GraphView const> graph;
  std::shared_ptr<KernelTable const> table;
  int kernel = -1;
  std::map<int, KernelWork> kernels;
  std::shared_ptr<MachineView const> machine;
  std::shared_ptr<RefusalView const> refusal;
  std::shared_ptr<std::string const> error;
  std::shared_ptr<ReplayView const> replay;
  int measuring = -1;  ///< history node that a job is measuring now
  uint64_t version = 0;

  KernelWork& now() { return kernels.at(kernel); }
  bool has_kernel() const { return model && kernels.contains(kernel); }
};

std::shared_ptr<HistoryView const> history_view(State const& state);
/// Of the states on the way to the current one, as far as they are modelled.
std::shared_ptr<RooflineView const> roofline_view(State const& state);
/// The table with the states and times that the histories know.
std::shared_ptr<KernelTable const> table_with_states(State const& state);
/// A kernel's history: the plain nest, and the schedule by rule as a second branch.
Result<KernelWork> begin_kernel(LoadedModel const& model, int kernel, Backend const& backend);

nlohmann::ordered_json save_state(State const& state);
/// The model with the kernels that the user had written beside it.
Result<Model> with_saved_kernels(Model model, nlohmann::ordered_json const& saved);
/// A saved state without what another device said about its steps; kernels without a step by hand
/// begin anew.
nlohmann::ordered_json without_times(nlohmann::ordered_json saved);
/// Puts saved histories back into a state whose model was loaded.
Status restore_histories(State& state, nlohmann::ordered_json const& saved, Backend const& backend);

}  // namespace tw::session
