/// The narrow waist between the engine and any front: commands in, snapshots out.
///
/// `execute` is called on the front's thread and answers within 10 ms; whatever takes longer runs
/// as a job on the session's own thread and publishes a new snapshot when it is done. A newer job
/// of the same kind voids an older one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/session/cases/export_cases.h"
#include "engine/session/commands.h"
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

/// A device, and the backend for what it says it is.
struct ChosenDevice {
  std::string title;  ///< of its machine view; empty: this machine
  std::shared_ptr<Backend const> backend;
  std::shared_ptr<Device> device;
  bool attached = true;  ///< else it is only described: nothing runs on it
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

struct ModelRoofline;  // layers.h
struct MovesView;      // moves.h
struct Marks;          // marks.h
struct KernelDifference;

struct QueryRow;  // state/query.h
struct Parts;     // parts/parts.h

class Session {
public:
  static Result<std::unique_ptr<Session>> create(Options options);
  ~Session();
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;

  /// Called on any thread whenever a new snapshot is there; must return at once.
  using Listener = std::function<void()>;
  void set_listener(Listener listener);

  Snapshot snapshot() const;
  /// Error: the command is unusable (no such kernel, no model, a line that does not parse). A
  /// refused step is no error: it is in the snapshot.
  Status execute(Command const& command);

  /// A view by its query (`queries/`), which has a function of its own for whoever asks. Null: not
  /// there yet, the listener is called when it is; or there is nothing to make it of.
  std::shared_ptr<void const> answer(QueryRow const& row, void const* asked);

  /// Text of the current step at a stage, memoized by (program hash, stage); null: not there yet,
  /// the listener is called when it is. `against_parent` marks the changes to the step before.
  std::shared_ptr<CodeText const> code(std::string const& stage, bool against_parent);
  /// The same for any state of the current kernel; `against` = another one, or -1.
  std::shared_ptr<CodeText const> code_of(int node, std::string const& stage, int against);
  /// Both texts with gaps, so that equal lines stand beside each other.
  std::shared_ptr<CodePair const> code_pair(int before, int after, std::string const& stage);
  /// Two states of the current kernel; null: not there yet, the listener is called when it is.
  std::shared_ptr<StateComparison const> compare(int before, int after);
  /// One state of the current kernel on two devices, by the names that its history has for them.
  /// Null: not there yet, or it was not tried on both.
  std::shared_ptr<StateComparison const> compare_devices(int node, std::string const& before,
                                                         std::string const& after);
  /// What a simulated machine does with a state of the current kernel, cycle by cycle; memoized by
  /// program. Null: not there yet, the listener is called when it is; or there is no such state, or
  /// no simulator.
  std::shared_ptr<SimulatedState const> timeline(int node);
  /// Every kernel of the model below the roofs of the device in use, modelled. Null: not there yet,
  /// the listener is called when it is; or the roofs are not known.
  std::shared_ptr<ModelRoofline const> layers_roofline();
  /// What could be done next in the current state: of a loop, a block or a tensor, or of all ("").
  /// Memoized, the last one. Null: not there yet, the listener is called when it is; or there is no
  /// kernel, or the roofs are not known.
  std::shared_ptr<MovesView const> next_moves(std::string const& of);
  /// Where a line would lead from the current state; memoized, the last ones. Null: not there yet,
  /// the listener is called when it is; or there is no kernel.
  std::shared_ptr<Outlook const> outlook(std::string const& line);
  /// What a search from a step of the current kernel may choose (0: of the target's template);
  /// null: not there yet, the listener is called when it is.
  std::shared_ptr<TuningSpace const> tuning_space(int from);
  /// The devices besides the one in use, asked what they are; null: not there yet, the listener is
  /// called when it is. `again`: they are asked once more.
  std::shared_ptr<std::vector<DeviceChoice> const> device_choices(bool again);

  /// All primitives, made from the table, and the macros after them.
  std::vector<PrimitiveView> primitives() const;
  /// What `Export` may name as its target; the first is this machine.
  std::vector<std::string> export_targets() const;
  /// What `UseDevice` and `CutAt` may name; the first is this machine.
  std::vector<std::string> devices() const;
  /// What `Tune` may name; the first is used where none is named.
  std::vector<std::string> searches() const;
  /// The file in which trials are kept; empty: they are not.
  std::string trial_store() const;
  /// Whether kernels are measured while nothing else runs.
  bool measures_in_background() const;

  /// What a line would do, without applying it: answers in milliseconds, for drags.
  StepPreview preview(std::string const& line) const;
  /// Legal or why not; null: it is.
  std::shared_ptr<RefusalView const> why_not(std::string const& line) const;
  /// The whole script of the current branch, and of a kernel's default schedule.
  std::string script() const;
  /// The script that leads to a state of the current kernel; empty: there is none.
  std::string script_of(int node) const;
  /// Stars, names and baselines as they are now; never null.
  std::shared_ptr<Marks const> marks() const;
  /// Every kernel that two devices measured, as the model runs it; by the names that histories have
  /// for them.
  std::vector<KernelDifference> kernels_on(std::string const& before,
                                           std::string const& after) const;
  /// State to restore later: model, kernel, histories; and back.
  std::string save() const;
  Status restore(std::string const& saved);

  /// Blocks until no job is running (tests, headless walk) and a tuning is over or paused; false
  /// after `seconds`.
  bool wait_idle(double seconds);

  /// For what stands inside of the session.
  Parts& parts() const { return *parts_; }

private:
  explicit Session(Options options);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tw::session
