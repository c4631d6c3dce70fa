/// The session behind its facade: state under a mutex, jobs on threads of their own. Its methods
/// are in the files session*.cpp of this folder, by what they are about.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>

#include "engine/backend/backend.h"
#include "engine/session/arranging.h"
#include "engine/session/kinds.h"
#include "engine/session/session.h"
#include "engine/session/state/jobs.h"
#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/known_devices.h"
#include "engine/session/state/laboratory.h"
#include "engine/session/state/memo.h"
#include "engine/session/state/session_state.h"
#include "engine/session/use_cases.h"
#include "engine/session/views/schedule_views.h"
#include "engine/tuner/tune.h"

namespace tw::session {

class TuningClock;
struct Ablated;

/// Null where nothing is to be kept.
Result<std::unique_ptr<records::TrialStore>> opened_trial_store(std::filesystem::path const& file);

class SessionImpl final : public Session {
public:
  explicit SessionImpl(Options options);
  /// Jobs begin jobs on other threads: all are asked to end before any of them, or anything that
  /// they look at, is gone.
  ~SessionImpl() override;

  void set_listener(Listener listener) override;
  Snapshot snapshot() const override;

  Status execute(Command const& command) override;

  // These five stand beside their queries.
  std::shared_ptr<CodeText const> code(std::string const& stage, bool against_parent) override;
  std::shared_ptr<CodeText const> code_of(int node, std::string const& stage, int against) override;
  std::shared_ptr<CodePair const> code_pair(int before, int after,
                                            std::string const& stage) override;
  std::shared_ptr<TuningSpace const> tuning_space(int from) override;
  std::shared_ptr<std::vector<DeviceChoice> const> device_choices(bool again) override;
  std::shared_ptr<StateComparison const> compare(int before, int after) override;
  std::shared_ptr<StateComparison const> compare_devices(int node, std::string const& before,
                                                         std::string const& after) override;
  std::shared_ptr<void const> answer(QueryRow const& row, void const* asked) override;
  // What work.h asks.
  bool work_changed() const;
  void keep_work();
  std::shared_ptr<Marks const> marks() const override;
  std::vector<KernelDifference> kernels_on(std::string const& before,
                                           std::string const& after) const override;
  bool measures_in_background() const override;
  std::vector<PrimitiveView> primitives() const override {
    return primitive_views(backend()->target(), options_.macros.get());
  }
  std::vector<std::string> export_targets() const override { return options_.exports.targets; }
  std::vector<std::string> devices() const override { return known_devices(options_); }
  std::vector<std::string> searches() const override;
  std::string trial_store() const override { return options_.trial_store; }
  StepPreview preview(std::string const& line) override;
  std::shared_ptr<RefusalView const> why_not(std::string const& line) override;
  std::string script() const override;
  std::string script_of(int node) const override;
  std::string save() const override;
  Status restore(std::string const& saved) override;
  bool wait_idle(double seconds) override;

private:
  // Commands, on the front's thread.
  Status run(OpenModel const& c) { return open(c.path, {}); }
  Status run(OpenSample const& c) { return open("sample:" + c.name, {}); }
  Status run(FixShapes const& c);
  Status run(Arrange const& c);
  Status run(CloseModel const&);
  Status run(SelectKernel const& c);
  Status run(ApplyStep const& c);
  Status run(ApplyScript const& c);
  Status run(Undo const&) {
    return move([](History const& h) -> Result<History> { return h.undone(); });
  }
  Status run(Redo const&) {
    return move([](History const& h) -> Result<History> { return h.redone(); });
  }
  Status run(JumpTo const& c) {
    return move([&](History const& h) { return h.jumped(c.history_node); });
  }
  Status run(SetNote const& c);
  Status run(TagState const& c);
  Status run(NameState const& c);
  Status run(SetBaseline const& c);
  Status run(ClearBaseline const&);
  /// Of a node of the current kernel's history.
  Status change_mark(int node, std::function<History(History const&)> const& to);
  Status run(MeasureInBackground const& c);
  Status run(DismissRefusal const&);
  Status run(MeasureAgain const&);
  Status run(MeasureModel const&);
  Status run(OffloadTo const& c);
  Status run(Quantize const& c);
  Status run(MeasureRoofs const& c) { return start_roofs(c.again), Status(); }
  Status run(UseDevice const& c);
  Status run(Export const& c) { return start_export(c.target, c.folder, ""); }
  Status run(ExportKernel const& c) { return start_export(c.target, c.folder, c.kernel); }
  Status run(CancelJob const&) {
    jobs_.cancel_all("open");  // who cancels what is shown has seen nothing of a model that waits
    errands_.cancel_all();
    hold_background(std::chrono::seconds(60));
    return stop_ablation(), Status();
  }
  Status run(ReplayOn const& c);
  Status run(AddKernel const& c);
  Status run(RewriteKernel const& c);
  Status run(CutAt const& c);
  Status run(MoveCut const& c);
  Status run(RemoveCut const&);
  Status run(Tune const& c);
  Status run(TuneModel const& c);
  Status run(AblateStep const& c);
  Status run(AblateTrial const& c);
  Status run(PauseTuning const&);
  Status run(ResumeTuning const&);
  Status run(StopTuning const&);
  Status run(OpenTrial const& c);
  Status run(OpenStored const& c);
  Status run(ClearTuning const&);
  Status cut(std::function<Result<Cut>(LoadedModel const&, Cut const&)> const& change);

  /// `kernel`: its name; empty: the model.
  Status start_export(std::string const& target, std::string const& folder,
                      std::string const& kernel);
  Status open(std::string const& source, std::shared_ptr<Project const> project,
              std::string const& shapes = "", TakenUp const& why = {});
  Status move(std::function<Result<History>(History const&)> const& to);
  std::expected<void, Refusal> take(Step const& step);
  // What a line would do (session_preview.cpp), with the mutex held.
  std::shared_ptr<RefusalView const> refusal_of(std::span<Step const> steps,
                                                std::string const& line) const;
  std::vector<MemoryForecast> forecast(std::span<Step const> steps, bool refused) const;

  // Jobs, on the session's thread.
  void start_roofs(bool again);
  bool knows_roofs() const;
  /// So that the processors are a kernel's alone while it is timed, but for what hands wait for.
  std::shared_ptr<void> hold_others();
  /// The model, in the layouts of the project's accelerator too: what that takes over is put into
  /// `taken`. Without the accelerator it is opened as well, unless it is just being asked for; why,
  /// is put into `sentence`. Errors: those of `load_arranged`; of an accelerator that is asked for,
  /// those of opening it, and nothing_to_offload.
  Result<Model> load_beside(std::string const& source, LoadOptions options, Project const* project,
                            TakenUp& taken, std::string& sentence, StopToken stop,
                            Progress const& progress);
  void use(ChosenDevice chosen);
  /// The devices of a cut but the first, ready to run.
  Result<std::vector<ChosenDevice>> open_places(Cut const& cut, StopToken stop) const;
  Result<RunResult> measure_model(Model const& model, RunOptions options, StopToken stop,
                                  Progress const& progress);
  void start_measuring();
  void measure_node(int kernel, int node, StopToken stop, Progress const& progress);
  /// With the mutex held.
  void keep_time(History& history, int64_t flops, int node, Laboratory::Outcome const& outcome);
  bool doubt_roofs_of(int kernel, int node);
  void wait_for_quiet();
  void measure_disturbed(StopToken stop, Progress const& progress);
  // While nothing else runs (session_background.cpp).
  /// Somebody acts: what runs in the background ends, and begins again this much later than else.
  void hold_background(std::chrono::seconds longer);
  void watch_for_idle(StopToken stop);
  std::vector<int> kernels_without_time() const;  ///< with the mutex held
  void measure_kernels_by_rule(StopToken stop, Progress const& progress);
  void measure_by_rule(Model const& model, int row, StopToken stop);
  void take_machine(MachineView view);
  void start_checking(int kernel, int node);
  void check_node(int kernel, int node, StopToken stop);
  bool keep_check(Model const& model, int kernel, int node, StopToken const& stop,
                  std::function<void(KernelWork&)> const& keep);
  /// False: `why.still` answered no.
  bool take_model(Model model, std::string const& source, std::string const& shapes,
                  Project const* project, TakenUp const& why, std::string const& by_rule);
  void know_model(Model model, std::string const& source, StopToken stop);
  void start_modelling();
  void model_states(StopToken stop);
  std::shared_ptr<StateFacts const> facts(QueryKeyPtr const& key);
  void replay_job(Model const& model, Schedule const& from, std::string const& name, int row);
  void write_kernel(Model const& model, std::string const& text, int row);

  // What a tuning has of devices and their kinds (session_kinds.cpp).
  /// A model as it was opened: once more for another kind.
  struct ModelSource {
    Model model = {};  ///< for the device in use
    std::string kind = {}, source = {}, shapes = {};
    std::vector<std::string> own = {};  ///< kernels of the user's own
  };
  ModelSource model_source() const;  ///< with the mutex held
  /// Errors: those of `check_device`.
  Result<std::vector<std::string>> devices_named(std::string const& names) const;
  /// Errors: no_answer (one of them), those of opening.
  Result<std::vector<DeviceKind>> open_kinds(std::vector<std::string> const& names,
                                             StopToken stop) const;
  static Result<Model> model_on(ModelSource const& from, DeviceKind const& kind, StopToken stop);
  TriedOn tried_on(DeviceKind const& kind) const;
  std::shared_ptr<Roofs const> roofs_of(DeviceKind const& kind, StopToken stop) const;
  TuneRequest tune_request(DeviceKind const& kind, std::string const& search, int seed,
                           StopToken stop) const;

  // Tuning, on a thread of its own and one for each further kind of devices.
  struct TuneJob {
    ModelSource from = {};
    TuningRun begun = {};
    Tune wanted;
    std::vector<std::string> devices = {};
    std::shared_ptr<OpenScript const> script = {};  ///< null: the target's template
  };
  struct KindRun;
  void tune_job(TuneJob const& job, StopToken stop);
  void tune_on(TuneJob const& job, std::vector<DeviceKind> const& kinds, StopToken stop);
  int begin_run(TuneJob const& job, DeviceKind const& kind, bool first);
  Result<SearchOnKind> kernel_search(TuneJob const& job, DeviceKind const& kind, KindRun& run,
                                     StopToken stop);
  void end_run(KindRun const& of, FoundOnKind const& found, StopToken stop);
  void take_device(int number, int device, DeviceShare const& share, TuningClock const& clock);
  void begin_searches(size_t count);
  void end_search();
  void tuner_is_done();
  void take_attempt(int number, Attempt const& attempt, TuningClock& clock, StopToken stop);
  void wait_while_paused(std::function<void(bool paused)> const& show, StopToken stop);
  void wait_for_others(StopToken stop);
  bool tuner_rests(double seconds);
  void change_run(int number, std::function<void(TuningRun&)> const& change);

  // Tuning of the whole model (session_model_tuning.cpp).
  struct ModelTuningJob;   ///< of all kinds
  struct ModelTuningPart;  ///< of one
  void tune_model_job(ModelTuningJob& job);
  void tune_model_on(ModelTuningJob& job, std::vector<DeviceKind> const& kinds);
  // Layouts and algorithms before it (session_arranging.cpp).
  Status arrange_first(ModelTuningJob& job, std::vector<DeviceKind> const& kinds);
  Result<Arranged> arranged_on(ModelTuningJob& job, DeviceKind const& kind);
  Status take_arranged(ModelTuningJob& job, Model const& model);
  void show_arranging(ModelTuningJob& job, std::function<void(ModelTuningView&)> const& change);
  void take_kind(ModelTuningPart& part, DeviceKind const& kind);
  Status prepare_part(ModelTuningPart& part, DeviceKind const& kind);
  std::map<int, std::string> standing_on(ModelTuningPart const& part) const;
  SearchOnKind search_of(ModelTuningPart& part, DeviceKind const& kind);
  void end_part(ModelTuningPart& part, FoundOnKind const& found);
  /// Not `shown`: it is with the next change.
  void show_model_tuning(ModelTuningPart& part, std::function<void(ModelTuningView&)> const& change,
                         bool shown = true);
  void place_view(ModelTuningPart const& part);
  void take_model_attempt(ModelTuningPart& part, int kernel, Attempt const& attempt);
  static TuningRun& run_of(ModelTuningPart& part, int kernel);
  void take_model_device(ModelTuningPart& part, int device, DeviceShare const& share);
  Status take_tuned(ModelTuningPart& part, TunedModel const& tuned);
  // These three with the mutex held.
  Status apply_tuned(ModelTuningPart const& part, int kernel, std::string const& script, double ms);
  void keep_tuned(ModelTuningPart const& part, int kernel, std::string const& script, double ms);
  void keep_runs(ModelTuningPart& part, TunedModel const* tuned);

  // What carries a gain.
  Status ablated(Ablated const& what, StopToken stop, Progress const& progress);
  void change_ablation(Ablated const& what, std::function<void(AblationView&)> const& change);
  Status start_ablation(Ablated what);
  /// One that waits for its turn is dropped by whom nobody is told.
  void stop_ablation();
  void publish_tuning();
  // These with the mutex held.
  void stop_tuning();
  Status check_tuned() const;
  void offer_least(TuningRun& run) const;
  void keep_found(TuningRun const& run, KindRun const& of);
  std::shared_ptr<TuningView const> tuning_view() const;

  std::shared_ptr<Backend const> backend() const { return backend_.load(); }
  /// With the mutex held.
  Seen seen() const { return {state_, backend(), options_, devices_asked_}; }
  void publish();
  /// There is something new to be seen or asked for: snapshots have another version.
  void notify() {
    ++news_;
    call_listener();
  }
  /// A job has come farther; nothing else is new.
  void call_listener() {
    std::lock_guard lock(listener_mutex_);
    if (listener_) listener_();
  }
  static std::shared_ptr<ErrorView const> view_of(Error const& error, std::string job) {
    return std::make_shared<ErrorView const>(ErrorView{error.code, to_sentence(error), job});
  }
  void set_error(Error const& error, std::string job) {
    std::lock_guard lock(mutex_);
    state_.error = view_of(error, std::move(job));
  }
  void clear_error() {
    std::lock_guard lock(mutex_);
    state_.error = nullptr;
  }
  /// With the mutex held: a job went well, and an error of an earlier one of its kind is mended.
  void mended(std::string_view job) {
    if (state_.error && state_.error->job == job) state_.error = nullptr;
  }

  Options options_;
  std::atomic<std::shared_ptr<Backend const>> backend_;  ///< for the device in use
  std::unique_ptr<Laboratory> laboratory_;               ///< of the job thread only
  std::shared_ptr<std::vector<CodeStage> const> stages_;
  mutable std::mutex mutex_;
  std::mutex listener_mutex_;
  std::atomic<uint64_t> news_ = 0;
  std::atomic<uint64_t> devices_asked_ = 0;
  State state_;
  Snapshot published_;
  Listener listener_;
  struct Tuner {
    bool runs = false;
    bool pause_wanted = false;
    int searching = 1;        ///< kinds of devices
    int waiting = 0;          ///< of those, as it is paused
    int last_number = 0;      ///< of runs
    bool of_model = false;    ///< it tunes the whole model
    std::stop_source enough;  ///< of a model's search
  };
  Tuner tuner_;
  std::condition_variable_any tuner_changed_;
  struct Background {
    bool on = false;
    std::chrono::steady_clock::time_point not_before = {};
    Model model = {};
    std::map<int, std::chrono::steady_clock::time_point> tried = {};  ///< by rows of that model
  };
  Background background_;
  std::unique_ptr<Laboratory> beside_;  ///< of the job thread only; the other one keeps its kernel
  int ablations_ = 0;
  int times_doubted_ = 0;
  bool modelling_ = false;  ///< a job goes through the states that are not modelled
  Jobs jobs_;
  Jobs errands_;  ///< exports and what else takes minutes: a model is opened and timed beside them
  Jobs model_jobs_;
  Jobs patience_;  ///< waits for a quiet moment; nobody waits for it
  Jobs tune_jobs_;
  Memo memo_;       ///< of what queries made
  Jobs idle_jobs_;  ///< waits until nothing else runs; nobody waits for it
};

}  // namespace tw::session
