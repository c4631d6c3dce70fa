/// The narrow waist between the engine and any front: commands in, snapshots out.
///
/// `execute` is called on the front's thread and answers within 10 ms; whatever takes longer runs
/// as a job on the session's own thread and publishes a new snapshot when it is done. A newer job
/// of the same kind voids an older one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/session/cases/export_cases.h"
#include "engine/session/outlook.h"
#include "engine/session/preview.h"
#include "engine/session/timeline.h"
#include "engine/session/tuning.h"
#include "engine/session/values.h"
#include "engine/support/base/error.h"
#include "engine/support/base/job.h"

namespace tw {
class Backend;
class Device;
class DeviceLog;
class MacroSet;
}  // namespace tw

namespace tw::session {

struct OpenModel {
  std::string path;
};  ///< job; .onnx or .te
struct OpenSample {
  std::string name;
};  ///< job; "resnet18"
/// Job: the open model again with these shapes of its inputs, "x=1x3x48x192; y=2"; those that are
/// not named are what the file says.
struct FixShapes {
  std::string shapes;
};
/// Job: the open model again with another layout or algorithm, "channel_block=8": one of
/// snapshot.model->choices. Kernels that are others then begin anew; their histories come back with
/// their arrangement, and projects keep them.
struct Arrange {
  std::string choice;
};
struct CloseModel {};
struct SelectKernel {
  int row = 0;
};
/// One script line: "o.0, o.1 = split(conv2d.o, factor=16)", or several steps with ";" between them
/// (a repair). Refused: snapshot.refusal says why.
struct ApplyStep {
  std::string line;
};
/// Several lines as one command; stops at the first refused one and keeps the steps before it.
struct ApplyScript {
  std::string text;
};
struct Undo {};
struct Redo {};
struct JumpTo {
  int history_node = 0;
};
struct SetNote {
  int history_node = 0;
  std::string note;
};
/// A star on a state of the current kernel, or none any more.
struct TagState {
  int history_node = 0;
  bool off = false;
};
/// A name for a state of the current kernel; empty: it has none any more.
struct NameState {
  int history_node = 0;
  std::string name;
};
/// Every view shows the difference to this state of the current kernel.
struct SetBaseline {
  int history_node = 0;
};
struct ClearBaseline {};
struct DismissRefusal {};
/// Job: the current branch, step by step, on another kernel of the table, which becomes the
/// current one; what could be taken over is a new branch there. snapshot.replay says what was.
struct ReplayOn {
  std::string kernel;  ///< its name, or its row in the table
};
/// Job: a kernel from the text of a tensor expression, beside those of the open model or alone.
struct AddKernel {
  std::string text;
};
/// Job: another text for a kernel of the user's own. The leaves of its history are replayed on the
/// new kernel.
struct RewriteKernel {
  std::string kernel;
  std::string text;
};
struct MeasureAgain {};  ///< job: the current state, again
struct MeasureModel {};  ///< job: every kernel inside the network
/// The kernels that have no time yet are measured as they are by rule, while nothing else runs and
/// nobody acts.
struct MeasureInBackground {
  bool off = false;
};
struct MeasureRoofs {
  bool again = false;
};  ///< job: cached per machine
/// Job: kernels are compiled for another device and run there. Histories stay; each time belongs to
/// the device that it was measured on.
struct UseDevice {
  std::string name;
};
/// From this node or kernel on, in the order of the plan, the model runs on that device; the device
/// in use ends a stretch on another one. Only measuring the model asks the devices.
struct CutAt {
  std::string node;  ///< its name, "#12", or a kernel's
  std::string device;
};
/// A cut that begins at one node begins at another.
struct MoveCut {
  std::string from, to;
};
/// The whole model runs on the device in use again.
struct RemoveCut {};
/// Job: opens the model again in layouts that an accelerator beside the device in use reads, and
/// cuts it so that what the accelerator can run runs there.
struct OffloadTo {
  std::string device;
};
/// Job: makes a model of bytes of the one of floats that is open, as `tw quantize` does, and opens
/// it.
struct Quantize {
  bool dense = false;  ///< dense layers and averages before them, too
  bool first = false, depthwise = false, unsigned_data = false;  ///< as of `QuantizeOptions`
  bool one_weight_step = false;
  std::string data;  ///< folder of sets of data that calibrate; empty: random inputs
  std::string file;  ///< the ONNX file that is written
};
/// Job: writes the model as a folder that runs alone, kernels as they were shaped, and runs it.
struct Export {
  std::string target;  ///< of Options::exports
  std::string folder;
};
/// Job: writes one kernel of the model alone, as it is shaped now, and runs it.
struct ExportKernel {
  std::string kernel;
  std::string target;
  std::string folder;
};
struct CancelJob {};
using Command =
    std::variant<OpenModel, OpenSample, FixShapes, Arrange, CloseModel, SelectKernel, ApplyStep,
                 ApplyScript, Undo, Redo, JumpTo, SetNote, TagState, NameState, SetBaseline,
                 ClearBaseline, DismissRefusal, MeasureAgain, MeasureInBackground, MeasureModel,
                 MeasureRoofs, CancelJob, Export, ExportKernel, ReplayOn, AddKernel, RewriteKernel,
                 UseDevice, CutAt, MoveCut, RemoveCut, OffloadTo, Quantize, Tune, TuneModel,
                 AblateStep, AblateTrial, PauseTuning, ResumeTuning, StopTuning, OpenTrial,
                 OpenStored, ClearTuning>;

/// A device, and the backend for what it says it is.
struct ChosenDevice {
  std::string title;  ///< of its machine view; empty: this machine
  std::shared_ptr<Backend const> backend;
  std::shared_ptr<Device> device;
};

struct Options {
  std::shared_ptr<Backend const> backend;
  std::string device_program;  ///< path of tw-device; empty: beside the running program
  std::string cache_folder;    ///< roofs and session file
  int threads = 0;             ///< of the device's pool; 0 = all cores
  bool measure = true;         ///< measure after every step (off in tests of pure editing)
  /// Asks a device what it is, by the name that a person gave it; empty: there is only this
  /// machine.
  std::function<Result<ChosenDevice>(std::string const& name, StopToken stop)> open_device = {};
  ExportKit exports = {};  ///< what models can be exported with; empty: they cannot
  std::shared_ptr<DeviceLog> local_log = {};  ///< of what happens on this machine; may be null
  /// How long to wait before what was measured while others used the processors is measured again;
  /// 0: never.
  double patience_seconds = 0;
  /// Devices that `open_device` knows besides this machine, by name; empty: it is not known which
  /// there are.
  std::function<std::vector<std::string>()> device_names = {};
  /// The file in which every trial of a tuning is kept; empty: they are not.
  std::string trial_store = {};
  std::string build = {};  ///< the version of the program, that trials are marked with
  /// What steps may be besides primitives; null: nothing else.
  std::shared_ptr<MacroSet const> macros = {};
};

struct LayersView;  // layers.h
struct MovesView;   // moves.h
struct Marks;       // marks.h
struct KernelDifference;

struct QueryRow;  // state/query.h

class Session {
public:
  static Result<std::unique_ptr<Session>> create(Options options);
  virtual ~Session() = default;

  /// Called on any thread whenever a new snapshot is there; must return at once.
  using Listener = std::function<void()>;
  virtual void set_listener(Listener listener) = 0;

  virtual Snapshot snapshot() const = 0;
  /// Error: the command is unusable (no such kernel, no model, a line that does not parse). A
  /// refused step is no error: it is in the snapshot.
  virtual Status execute(Command const& command) = 0;

  /// Text of the current step at a stage, memoized by (program hash, stage); null: not there yet,
  /// the listener is called when it is. `against_parent` marks the changes to the step before.
  virtual std::shared_ptr<CodeText const> code(std::string const& stage, bool against_parent) = 0;

  /// The same for any state of the current kernel; `against` = another one, or -1.
  virtual std::shared_ptr<CodeText const> code_of(int node, std::string const& stage,
                                                  int against) = 0;
  /// Both texts with gaps, so that equal lines stand beside each other.
  virtual std::shared_ptr<CodePair const> code_pair(int before, int after,
                                                    std::string const& stage) = 0;
  /// Two states of the current kernel; null: not there yet, the listener is called when it is.
  virtual std::shared_ptr<StateComparison const> compare(int before, int after) = 0;
  /// One state of the current kernel on two devices, by the names that its history has for them.
  /// Null: not there yet, or it was not tried on both.
  virtual std::shared_ptr<StateComparison const> compare_devices(int node,
                                                                 std::string const& before,
                                                                 std::string const& after) = 0;

  /// A view by its query (`queries/`), which has a function of its own for whoever asks. Null: not
  /// there yet, the listener is called when it is; or there is nothing to make it of.
  virtual std::shared_ptr<void const> answer(QueryRow const& row, void const* asked) = 0;

  /// What a simulated machine does with a state of the current kernel, cycle by cycle; memoized by
  /// program. Null: not there yet, the listener is called when it is; or there is no such state, or
  /// no simulator.
  std::shared_ptr<SimulatedState const> timeline(int node);

  /// Every kernel of the model below the roofs of the device in use, modelled. Null: not there yet,
  /// the listener is called when it is; or the roofs are not known.
  std::shared_ptr<LayersView const> layers_roofline();

  /// What could be done next in the current state: of a loop, a block or a tensor, or of all ("").
  /// Memoized, the last one. Null: not there yet, the listener is called when it is; or there is no
  /// kernel, or the roofs are not known.
  std::shared_ptr<MovesView const> next_moves(std::string const& of);

  /// All primitives, made from the table, and the macros after them.
  virtual std::vector<PrimitiveView> primitives() const = 0;
  /// What `Export` may name as its target; the first is this machine.
  virtual std::vector<std::string> export_targets() const = 0;
  /// What `UseDevice` and `CutAt` may name; the first is this machine.
  virtual std::vector<std::string> devices() const = 0;
  /// What `Tune` may name; the first is used where none is named.
  virtual std::vector<std::string> searches() const = 0;
  /// What a search from a step of the current kernel may choose (0: of the target's template);
  /// null: not there yet, the listener is called when it is.
  virtual std::shared_ptr<TuningSpace const> tuning_space(int from) = 0;
  /// The devices besides the one in use, asked what they are; null: not there yet, the listener is
  /// called when it is. `again`: they are asked once more.
  virtual std::shared_ptr<std::vector<DeviceChoice> const> device_choices(bool again) = 0;
  /// The file in which trials are kept; empty: they are not.
  virtual std::string trial_store() const = 0;
  /// What a line would do, without applying it: answers in milliseconds, for drags.
  virtual StepPreview preview(std::string const& line) = 0;
  /// Where a line would lead from the current state; memoized, the last ones. Null: not there yet,
  /// the listener is called when it is; or there is no kernel.
  std::shared_ptr<Outlook const> outlook(std::string const& line);
  /// Legal or why not; null: it is.
  virtual std::shared_ptr<RefusalView const> why_not(std::string const& line) = 0;
  /// The whole script of the current branch, and of a kernel's default schedule.
  virtual std::string script() const = 0;
  /// The script that leads to a state of the current kernel; empty: there is none.
  virtual std::string script_of(int node) const = 0;
  /// State to restore later: model, kernel, histories; and back.
  virtual std::string save() const = 0;
  virtual Status restore(std::string const& saved) = 0;
  /// Stars, names and baselines as they are now; never null.
  virtual std::shared_ptr<Marks const> marks() const = 0;
  /// Every kernel that two devices measured, as the model runs it; by the names that histories have
  /// for them.
  virtual std::vector<KernelDifference> kernels_on(std::string const& before,
                                                   std::string const& after) const = 0;
  /// Whether kernels are measured while nothing else runs.
  virtual bool measures_in_background() const = 0;
  /// Blocks until no job is running (tests, headless walk) and a tuning is over or paused; false
  /// after `seconds`.
  virtual bool wait_idle(double seconds) = 0;
};

}  // namespace tw::session
