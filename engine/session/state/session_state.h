/// What a session knows, behind its mutex, and how snapshots are made of it.
#pragma once

#include <set>

#include <map>

#include "engine/analysis/time_model.h"
#include "engine/compile/offload.h"
#include "engine/history/history.h"
#include "engine/session/model/kernel_roofs.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/project/project.h"
#include "engine/session/session.h"
#include "engine/session/views/compare.h"

namespace tw::session {

/// One kernel that was looked at.
struct KernelWork {
  History history;
  int default_node = -1;  ///< leaf of the schedule by rule; -1 = no rule fits
  analysis::KernelNeeds needs;
  uint64_t begun = 0;     ///< work_mark of what it began with; 0: it was restored
  std::set<int> checked;  ///< nodes that ran with every access checked, or are too large for it
  std::set<int> judged_further;  ///< nodes that were asked on further inputs
  std::map<int, std::shared_ptr<analysis::TimeModel const>> models;  ///< by node, for these roofs
};

/// What the target's model says of kernels with their schedules by rule, by rows; of another model,
/// or for other roofs, it says nothing.
struct RowModels {
  struct One {
    double ms = 0;  ///< 0: the target has no model of it
    std::optional<KernelRoofView> roof = {};
  };
  Model model = {};
  std::shared_ptr<Roofs const> rates = {};
  std::map<int, One> rows = {};
};

/// What an accelerator beside the device in use takes over of the model that is open.
struct Beside {
  std::string device;                    ///< empty: there is none
  std::vector<OffloadedKernel> kernels;  ///< by rows
  std::vector<CutPoint> points;          ///< of the cut with which it runs what it can
};

/// What is known whatever model is open.
struct DeviceInUse {
  std::shared_ptr<Backend const> backend;                ///< for it; never null
  std::shared_ptr<std::vector<CodeStage> const> stages;  ///< of that backend
  TriedOn here;                                          ///< the device, as histories call it
  std::string kind, kind_words;                          ///< of it
  bool attached = true;                                  ///< else it is only described
  std::shared_ptr<MachineView const> machine;            ///< null: not known yet
  uint64_t devices_asked = 0;  ///< how often somebody wanted to know anew which others there are
};

struct State : DeviceInUse {
  Model model;
  std::string source;              ///< what `load_model` was given
  std::string shapes;              ///< and with which shapes of its inputs
  std::string sha256;              ///< of the model's file; empty: a sample, or not known yet
  int64_t bytes = 0;               ///< of the model's file
  std::vector<ProjectFile> files;  ///< that the model keeps its weights in
  /// Histories that fit no kernel of this model: nothing is done with them, and nothing is lost.
  std::vector<ProjectKernel> kept;
  std::vector<std::string> kept_own;  ///< kernels of the user's own that cannot be read any more
  std::shared_ptr<ModelView const> model_view;
  std::shared_ptr<GraphView const> graph;
  std::shared_ptr<KernelTable const> table;
  std::map<int, std::string> timed_scripts;  ///< with which the table's times were measured
  std::set<int> timed_alone;  ///< rows whose time was measured outside of the network
  RowModels row_models;       ///< of kernels that nobody looked at
  std::vector<CutPoint> cut;  ///< where the model goes on at another device
  std::shared_ptr<CutView const> cut_shown;  ///< null: it runs whole
  Beside beside;                             ///< an accelerator's part
  /// What the model took when it was measured, by its cut.
  struct TimedCut {
    std::map<int, std::string> scripts;
    double ms = 0;
  };
  std::map<std::string, TimedCut> timed_cuts;
  int kernel = -1;
  std::map<int, KernelWork> kernels;
  std::shared_ptr<RefusalView const> refusal;
  std::shared_ptr<ErrorView const> error;
  std::shared_ptr<ExportView const> exported;
  std::shared_ptr<QuantizedView const> quantized;
  std::shared_ptr<ReplayView const> replay;
  std::vector<std::shared_ptr<TuningRun const>> runs;   ///< of the tuner, the oldest first
  std::shared_ptr<ModelTuningView const> model_tuning;  ///< the last one
  std::vector<std::shared_ptr<ModelTuningView const>> tuned_beside;  ///< it, on other kinds
  std::shared_ptr<AblationView const> ablation;                      ///< the last one
  int measuring = -1;                  ///< history node that a job is measuring now
  uint64_t work_kept = 0;              ///< work_mark of what is in a file, or was opened
  std::vector<KindSchedule> on_kinds;  ///< where kernels stand that were searched for elsewhere
  uint64_t version = 0;                ///< how often it was another one

  KernelWork& now() { return kernels.at(kernel); }
  KernelWork const& now() const { return kernels.at(kernel); }
  bool has_kernel() const { return model && kernels.contains(kernel); }
};

std::shared_ptr<ErrorView const> error_view(Error const& error, std::string job);
/// A job went well: an error of an earlier one of its kind is mended.
void mend(State& state, std::string_view job);
/// What is shown of a state, all but the version; of the same nest as in `before` that view.
Snapshot snapshot_of(State const& state, Snapshot const& before);
std::shared_ptr<TuningView const> tuning_view(State const& state);
std::shared_ptr<HistoryView const> history_view(State const& state);
/// Of the states on the way to the current one, as far as they are modelled.
std::shared_ptr<RooflineView const> roofline_view(State const& state);
/// The table with the states and times that the histories know.
std::shared_ptr<KernelTable const> table_with_states(State const& state);
/// Where the model runs the kernel: by rule while its plain nest is looked at.
inline int runs_at(KernelWork const& work) {
  HistoryNode const& node = work.history.node(work.history.current());
  return node.parent < 0 ? work.default_node : node.id;
}
/// The kernels that were shaped by hand, with where each stands, if that was found correct.
std::map<int, std::string> shaped_scripts(State const& state);
/// Where each kernel that was shaped by hand stands, also if nobody has run that yet: an export is
/// run before it is done. `kernel`: the row of the only one that matters, or -1. Errors:
/// wrong_result (a kernel stands at a step that was found wrong).
/// `kind`: of devices that it is exported for, empty where no device is known to be one: kernels
/// that stand elsewhere on that kind than on the one in use are exported as they stand there.
Result<std::map<int, std::string>> scripts_to_export(State const& state, int kernel,
                                                     std::string const& kind = "");
/// A kernel's history: the plain nest, and the schedule by rule as a second branch.
Result<KernelWork> begin_kernel(LoadedModel const& model, int kernel, Backend const& backend);

/// What a state was tried on, in words: the device's name, with its machine where another one has
/// the name now.
std::string name_of(TriedOn const& where, TriedOn const& here);

/// The model with the kernels that the user had written beside it. Those that cannot be read any
/// more go to `kept`, with a sentence each.
Model with_own_kernels(Model model, Project const& project, std::vector<std::string>& kept,
                       std::vector<std::string>& lost);
/// The texts of kernels that the user wrote beside the model.
std::vector<std::string> own_kernels_of(State const& state);
/// Everything but the window's part and the time.
Project project_of(State const& state);
/// Why a project is put into a state.
struct TakenUp {
  std::string device_before;       ///< another one goes on; empty: it is opened
  bool other_arrangement = false;  ///< of the model that is open: some kernels are other ones now
  /// It is asked last, and nothing happens if not; what a tuning shows goes on then. Empty: nobody
  /// is asked.
  std::function<bool(State const&)> still = {};
  Beside beside = {};         ///< that the model was loaded for
  bool other_shapes = false;  ///< of the model that is open
  bool cut_by_rule = false;   ///< the accelerator takes over what it can, whatever was cut before
  /// Somebody waits for just that: without it nothing is taken up.
  bool goes_on() const {
    return other_shapes || other_arrangement || still || !device_before.empty();
  }
  bool offload_asked() const { return cut_by_rule && device_before.empty(); }
};
/// Puts a project's histories into a state whose model was loaded. Says in a sentence each what
/// did not fit; that is kept. Where the project comes from another target, every schedule is judged
/// again: a kernel whose own is refused gets the one by rule, and a sentence, and one that stood at
/// a rule's stands at this one's.
std::vector<std::string> take_project(State& state, Project const& project, Backend const& backend,
                                      TakenUp const& why = {});
/// A project that goes on with another device than `before`: the schedules by that one's rules are
/// called after it.
Project for_other_device(Project project, std::string const& before);

}  // namespace tw::session
