#include "engine/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <span>

#include "engine/backend/backend.h"
#include "engine/device/local_device.h"
#include "engine/device/registry.h"
#include "engine/measure/network.h"
#include "engine/schedule/explain.h"
#include "engine/session/jobs.h"
#include "engine/session/laboratory.h"
#include "engine/session/replay_views.h"
#include "engine/session/schedule_views.h"
#include "engine/session/session_state.h"
#include "engine/session/state_costs.h"
#include "engine/support/sha256.h"

namespace tw::session {
namespace {

ChosenDevice this_machine(Options const& options) {
  return {"", options.backend,
          std::make_shared<LocalDevice>(LocalDeviceOptions{options.device_program})};
}

class SessionImpl final : public Session {
public:
  explicit SessionImpl(Options options)
      : options_(std::move(options)),
        backend_(options_.backend),
        laboratory_(std::make_unique<Laboratory>(this_machine(options_), options_.threads)),
        stages_(std::make_shared<std::vector<CodeStage> const>(code_stages(*options_.backend))),
        jobs_([this] { notify(); }),
        code_jobs_([] {}),
        model_jobs_([] {}) {
    start_roofs(false);
  }

  void set_listener(Listener listener) override {
    std::lock_guard lock(listener_mutex_);
    listener_ = std::move(listener);
  }

  Snapshot snapshot() const override {
    std::optional<JobView> job = jobs_.current();
    std::lock_guard lock(mutex_);
    Snapshot copy = published_;
    if (job) copy.job = std::make_shared<JobView const>(*job);
    return copy;
  }

  Status execute(Command const& command) override {
    Status status = std::visit([this](auto const& c) { return run(c); }, command);
    publish();
    start_modelling();
    return status;
  }

  std::shared_ptr<CodeText const> code(std::string const& stage, bool against_parent) override;
  std::shared_ptr<CodeText const> code_of(int node, std::string const& stage, int against) override;
  std::shared_ptr<CodePair const> code_pair(int before, int after,
                                            std::string const& stage) override;
  std::shared_ptr<StateComparison const> compare(int before, int after) override;
  std::vector<PrimitiveView> primitives() const override { return primitive_views(); }
  std::vector<std::string> export_targets() const override { return options_.exports.targets; }
  std::shared_ptr<RefusalView const> why_not(std::string const& line) override;
  std::string script() const override {
    std::lock_guard lock(mutex_);
    return state_.has_kernel() ? state_.kernels.at(state_.kernel).history.schedule().script() : "";
  }
  std::string script_of(int node) const override {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return "";
    History const& history = state_.kernels.at(state_.kernel).history;
    return history.has(node) ? history.node(node).schedule.script() : "";
  }
  std::string save() const override {
    std::lock_guard lock(mutex_);
    return state_.model ? to_text(project_of(state_)) : "";
  }
  Status restore(std::string const& saved) override;
  bool wait_idle(double seconds) override {
    // A job may begin one on another thread: all are idle when none was busy in a whole round.
    return jobs_.wait_idle(seconds) && code_jobs_.wait_idle(seconds) &&
           model_jobs_.wait_idle(seconds) && jobs_.wait_idle(seconds) &&
           code_jobs_.wait_idle(seconds);
  }

private:
  // Commands, on the front's thread.
  Status run(OpenModel const& c) { return open(c.path, {}); }
  Status run(OpenSample const& c) { return open("sample:" + c.name, {}); }
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
  Status run(DismissRefusal const&);
  Status run(MeasureAgain const&);
  Status run(MeasureModel const&);
  Status run(MeasureRoofs const& c) { return start_roofs(c.again), Status(); }
  Status run(UseDevice const& c);
  Status run(Export const& c);
  Status run(CancelJob const&) { return jobs_.cancel_all(), Status(); }
  Status run(ReplayOn const& c);
  Status run(AddKernel const& c);
  Status run(RewriteKernel const& c);

  Status open(std::string const& source, std::shared_ptr<Project const> project);
  template <typename F>
  Status move(F const& to);
  std::expected<void, Refusal> take(Step const& step);

  // Jobs, on the session's thread.
  void start_roofs(bool again);
  void use(ChosenDevice chosen);
  void start_measuring();
  void measure_node(int kernel, int node, StopToken stop);
  void start_checking(int kernel, int node);
  void check_node(int kernel, int node, StopToken stop);
  void take_model(Model model, std::string const& source, Project const* project);
  void know_model(Model model, std::string const& source, StopToken stop);
  void start_modelling();
  void model_states(StopToken stop);
  void find_facts(Model const& model, int kernel, int node);
  void replay_job(Model const& model, Schedule const& from, std::string const& name, int row);
  void write_kernel(Model const& model, std::string const& text, int row);

  std::shared_ptr<Backend const> backend() const { return backend_.load(); }
  void publish();
  void notify() {
    std::lock_guard lock(listener_mutex_);
    if (listener_) listener_();
  }
  void set_error(std::string sentence) {
    std::lock_guard lock(mutex_);
    state_.error =
        sentence.empty() ? nullptr : std::make_shared<std::string const>(std::move(sentence));
  }

  Options options_;
  std::atomic<std::shared_ptr<Backend const>> backend_;  ///< for the device in use
  std::unique_ptr<Laboratory> laboratory_;               ///< of the job thread only
  std::shared_ptr<std::vector<CodeStage> const> stages_;
  mutable std::mutex mutex_;
  std::mutex listener_mutex_;
  State state_;
  Snapshot published_;
  Listener listener_;
  std::map<std::pair<uint64_t, std::string>, std::shared_ptr<CodeText const>> texts_;
  struct Pair {
    std::shared_ptr<CodeText const> first, second;
    std::shared_ptr<CodePair const> both;
  };
  Pair pair_;               ///< the last one asked for
  bool modelling_ = false;  ///< a job goes through the states that are not modelled
  Jobs jobs_;
  Jobs code_jobs_;
  Jobs model_jobs_;
};

void SessionImpl::publish() {
  {
    std::lock_guard lock(mutex_);
    Snapshot next;
    next.version = ++state_.version;
    next.model = state_.model_view;
    next.graph = state_.graph;
    next.kernel = state_.kernel;
    next.code_stages = stages_;
    next.machine = state_.machine;
    next.refusal = state_.refusal;
    next.error = state_.error;
    next.exported = state_.exported;
    next.replay = state_.replay;
    if (state_.model) next.kernels = table_with_states(state_);
    if (state_.has_kernel()) {
      ir::Program const& program = state_.now().history.schedule().program();
      Hardware const hardware = backend()->target().hardware;
      std::vector<int64_t> caches;
      for (CacheLevel const& cache : hardware.caches) caches.push_back(cache.bytes);
      bool same = published_.nest && published_.kernel == next.kernel &&
                  published_.nest->program_hash == ir::hash(program);
      next.nest =
          same ? published_.nest : std::make_shared<NestView const>(nest_view(program, caches));
      next.history = history_view(state_);
      next.roofline = roofline_view(state_);
    }
    published_ = std::move(next);
  }
  notify();
}

Status SessionImpl::open(std::string const& source, std::shared_ptr<Project const> project) {
  set_error("");
  jobs_.start("open", "opening " + source,
              [this, source, project](StopToken stop, Progress const& progress) {
                auto model = load_model(source, {}, *backend(), stop, progress);
                if (!model) {
                  if (!stop.stop_requested()) set_error(to_sentence(model.error()));
                  return publish();
                }
                take_model(*model, source, project.get());
                publish();
                start_modelling();
                know_model(*model, source, stop);
                start_measuring();
              });
  return {};
}

/// The file's content, for projects: after the first picture, since nobody waits for it.
void SessionImpl::know_model(Model model, std::string const& source, StopToken stop) {
  if (!ProjectModel{source, "", "", 0}.is_file()) return;
  auto hash = sha256_of_file(source, stop);
  std::error_code unknown;
  auto bytes = std::filesystem::file_size(source, unknown);
  std::lock_guard lock(mutex_);
  if (!hash || unknown || state_.model != model) return;
  state_.sha256 = *hash;
  state_.bytes = int64_t(bytes);
}

void SessionImpl::take_model(Model model, std::string const& source, Project const* project) {
  std::vector<std::string> lost, kept_own;
  if (project) model = with_own_kernels(model, *project, kept_own, lost);
  auto view = std::make_shared<ModelView const>(model_view(*model));
  auto graph = std::make_shared<GraphView const>(graph_view(*model));
  auto table = std::make_shared<KernelTable const>(kernel_table(*model));
  State next;
  next.model = model;
  next.source = source;
  next.model_view = view;
  next.graph = graph;
  next.table = table;
  next.kept_own = std::move(kept_own);
  if (project)
    for (std::string const& one : take_project(next, *project, *backend())) lost.push_back(one);
  std::string error = fmt::format("{}", fmt::join(lost, "; "));
  if (next.kernel < 0 || size_t(next.kernel) >= model->plan.kernels.size())
    next.kernel = model->plan.kernels.empty() ? -1 : 0;
  if (next.kernel >= 0 && !next.kernels.contains(next.kernel)) {
    auto work = begin_kernel(*model, next.kernel, *backend());
    if (work)
      next.kernels.emplace(next.kernel, std::move(*work));
    else
      error = to_sentence(work.error());
  }
  std::lock_guard lock(mutex_);
  next.machine = state_.machine;
  next.version = state_.version;
  if (!error.empty()) next.error = std::make_shared<std::string const>(error);
  state_ = std::move(next);
  texts_.clear();
}

Status SessionImpl::run(CloseModel const&) {
  jobs_.cancel_all();
  std::lock_guard lock(mutex_);
  State next;
  next.machine = state_.machine;
  next.version = state_.version;
  state_ = std::move(next);
  return {};
}

Status SessionImpl::run(SelectKernel const& c) {
  {
    std::lock_guard lock(mutex_);
    if (!state_.model) return bad_input("no_model", "no model is open");
    if (c.row < 0 || size_t(c.row) >= state_.model->plan.kernels.size())
      return bad_input("unknown_kernel", fmt::format("there is no kernel {}", c.row));
    state_.refusal = nullptr;
    if (!state_.kernels.contains(c.row)) {
      TRY_ASSIGN(KernelWork work, begin_kernel(*state_.model, c.row, *backend()));
      state_.kernels.emplace(c.row, std::move(work));
    }
    state_.kernel = c.row;
  }
  start_measuring();
  return {};
}

/// With the mutex held: the step becomes a node of the history.
std::expected<void, Refusal> SessionImpl::take(Step const& step) {
  History& history = state_.now().history;
  auto next = history.schedule().apply(step, Effort::kInteractive);
  if (!next) return std::unexpected(with_repairs(history.schedule(), step, next.error()));
  history = history.add(*next).value();
  return {};
}

Status SessionImpl::run(ApplyStep const& c) {
  TRY_ASSIGN(std::vector<Step> steps, parse_steps(c.line));
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    state_.refusal = nullptr;
    state_.error = nullptr;
    for (Step const& step : steps)
      if (auto taken = take(step); !taken) {
        std::string text = steps.size() == 1 ? c.line : tw::to_text(step);
        state_.refusal = std::make_shared<RefusalView const>(
            refusal_view(state_.now().history.schedule().program(), taken.error(), text));
        return {};
      }
  }
  start_measuring();
  return {};
}

Status SessionImpl::run(ApplyScript const& c) {
  bool bare = c.text.find("tilewright") == std::string::npos;
  TRY_ASSIGN(Script script, parse_script(c.text, "script", bare));
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    state_.refusal = nullptr;
    for (auto const& [line, step] : script.steps)
      if (auto taken = take(step); !taken) {
        state_.refusal = std::make_shared<RefusalView const>(refusal_view(
            state_.now().history.schedule().program(), taken.error(), tw::to_text(step)));
        break;
      }
  }
  start_measuring();
  return {};
}

template <typename F>
Status SessionImpl::move(F const& to) {
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    state_.refusal = nullptr;
    TRY_ASSIGN(state_.now().history, to(state_.now().history));
  }
  start_measuring();
  return {};
}

Status SessionImpl::run(SetNote const& c) {
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel() || !state_.now().history.has(c.history_node))
    return bad_input("unknown_node", "there is no such step");
  state_.now().history = state_.now().history.with_note(c.history_node, c.note);
  return {};
}

Status SessionImpl::run(DismissRefusal const&) {
  std::lock_guard lock(mutex_);
  state_.refusal = nullptr;
  state_.error = nullptr;
  return {};
}

Status SessionImpl::run(MeasureAgain const&) {
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    History& history = state_.now().history;
    history = history.with_correctness(history.current(), Correctness::kUnknown, "");
    state_.now().checked.erase(history.current());
  }
  start_measuring();
  return {};
}

/// Measures the current step if nobody has, then the schedule by rule, so that there is something
/// to compare with.
void SessionImpl::start_measuring() {
  if (!options_.measure) return;
  std::vector<int> wanted;
  int kernel = -1, current = 0;
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return;
    kernel = state_.kernel;
    History const& history = state_.now().history;
    current = history.current();
    for (int id : {history.current(), state_.now().default_node, 0}) {
      bool known =
          id < 0 ||
          (history.node(id).measured && history.node(id).correctness != Correctness::kUnknown) ||
          history.node(id).correctness == Correctness::kWrong;
      if (!known && std::find(wanted.begin(), wanted.end(), id) == wanted.end())
        wanted.push_back(id);
    }
  }
  if (wanted.empty())
    jobs_.cancel("measure");
  else
    jobs_.start("measure", "measuring", [this, kernel, wanted](StopToken stop, Progress const&) {
      for (int node : wanted)
        if (!stop.stop_requested()) measure_node(kernel, node, stop);
    });
  start_checking(kernel, current);
}

/// Behind every measurement, since nobody waits for it; a step taken meanwhile stops it.
void SessionImpl::start_checking(int kernel, int node) {
  jobs_.start(
      "check", "checking every access",
      [this, kernel, node](StopToken stop, Progress const&) { check_node(kernel, node, stop); });
}

void SessionImpl::check_node(int kernel, int node, StopToken stop) {
  Model model;
  std::optional<Schedule> schedule;
  {
    std::lock_guard lock(mutex_);
    auto work = state_.kernels.find(kernel);
    if (!state_.model || work == state_.kernels.end() || !work->second.history.has(node)) return;
    HistoryNode const& known = work->second.history.node(node);
    if (known.correctness != Correctness::kCorrect || work->second.checked.contains(node)) return;
    model = state_.model;
    schedule = known.schedule;
  }
  auto run = laboratory_->check(model, kernel, schedule->program(), stop);
  {
    std::lock_guard lock(mutex_);
    if (state_.model != model || stop.stop_requested()) return;
    state_.kernels.at(kernel).checked.insert(node);
    History& history = state_.kernels.at(kernel).history;
    history = with_checked_run(history, node, run);
  }
  publish();
}

void SessionImpl::measure_node(int kernel, int node, StopToken stop) {
  Model model;
  std::optional<Schedule> schedule;
  {
    std::lock_guard lock(mutex_);
    auto work = state_.kernels.find(kernel);
    if (!state_.model || work == state_.kernels.end() || !work->second.history.has(node)) return;
    model = state_.model;
    schedule = work->second.history.node(node).schedule;
    state_.measuring = node;
  }
  publish();
  for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
    if (tier == CodeTier::kFull)
      publish();  // the first number is shown while the finer one is made
    auto outcome = laboratory_->measure(model, kernel, schedule->program(), tier, stop);
    std::lock_guard lock(mutex_);
    if (state_.model != model) return;
    state_.measuring = -1;
    if (stop.stop_requested()) break;
    History& history = state_.kernels.at(kernel).history;
    if (!outcome) {
      history = history.with_failure(node, to_sentence(outcome.error()));
      state_.error = std::make_shared<std::string const>(to_sentence(outcome.error()));
      break;
    }
    Comparison const& c = outcome->comparison;
    std::string words = fmt::format("largest difference {:.2g} where the largest value is {:.3g}",
                                    c.max_abs_diff, c.max_abs_ref);
    history = history.with_correctness(node, c.equal ? Correctness::kCorrect : Correctness::kWrong,
                                       words);
    if (!c.equal) break;  // a wrong answer has no time
    double ms = outcome->result.samples.least() * 1e3;
    auto const& known = history.node(node).measured;
    if (!known || ms < known->min_ms)
      history = history.with_measured(node, {ms, outcome->result.samples.spread(),
                                             double(model->kernel(kernel).flops) / ms / 1e6});
    if (ms > 50) break;  // slow code gains nothing from a second look
    state_.measuring = tier == CodeTier::kFast ? node : -1;
  }
  {
    std::lock_guard lock(mutex_);
    state_.measuring = -1;
  }
  publish();
}

Status SessionImpl::run(MeasureModel const&) {
  Model model;
  RunOptions options;
  options.cache_folder = options_.cache_folder;
  {
    std::lock_guard lock(mutex_);
    if (!state_.model) return bad_input("no_model", "no model is open");
    model = state_.model;
    options.scripts = shaped_scripts(state_);
  }
  jobs_.start("model", "measuring the whole model",
              [this, model, options](StopToken stop, Progress const& progress) mutable {
                options.rounds = 5;
                options.threads = laboratory_->threads();
                auto inputs = random_inputs(*model, 1);
                if (!inputs) {
                  set_error(to_sentence(inputs.error()));
                  return publish();
                }
                options.inputs = std::move(*inputs);
                auto run =
                    run_model(*model, options, *backend(), laboratory_->device(), stop, progress);
                if (!run) {
                  if (!stop.stop_requested()) set_error(to_sentence(run.error()));
                  return publish();
                }
                {
                  std::lock_guard lock(mutex_);
                  if (state_.model != model) return;
                  auto table = std::make_shared<KernelTable>(*state_.table);
                  fill_times(*table, *run, state_.machine ? *state_.machine : MachineView());
                  state_.table = std::move(table);
                }
                publish();
              });
  return {};
}

Status SessionImpl::run(Export const& c) {
  if (!options_.exports.backend_for)
    return environment_failed("no_runtime", "this program was built without what exports need");
  ExportRequest request{.folder = c.folder,
                        .target = c.target,
                        .threads = options_.threads > 0 ? options_.threads
                                                        : options_.backend->target().hardware.cores,
                        .scripts = {},
                        .cache_folder = options_.cache_folder};
  Model model;
  {
    std::lock_guard lock(mutex_);
    if (!state_.model) return bad_input("no_model", "no model is open");
    model = state_.model;
    request.scripts = shaped_scripts(state_);
    state_.exported = nullptr;
    state_.error = nullptr;
  }
  jobs_.start("export", "exporting the model",
              [this, model, request](StopToken stop, Progress const& progress) {
                // What is made while exporting is made here, whatever device is in use.
                ChosenDevice here = this_machine(options_);
                auto view = export_to_folder(*model, request, options_.exports, *here.backend,
                                             *here.device, stop, progress);
                if (!view && !stop.stop_requested()) set_error(to_sentence(view.error()));
                if (view) {
                  std::lock_guard lock(mutex_);
                  state_.exported = std::make_shared<ExportView const>(std::move(*view));
                }
                publish();
              });
  return {};
}

void SessionImpl::start_roofs(bool again) {
  jobs_.start("roofs", "measuring this machine",
              [this, again](StopToken stop, Progress const& progress) {
                auto look = [&](bool measure) {
                  return machine_view(*backend(), laboratory_->device(), options_.cache_folder,
                                      measure, again, stop, progress, laboratory_->title());
                };
                auto plain = look(false);
                auto view = options_.measure ? look(true) : plain;
                if (!view && !stop.stop_requested()) set_error(to_sentence(view.error()));
                {
                  std::lock_guard lock(mutex_);
                  state_.machine = std::make_shared<MachineView const>(view ? *view : *plain);
                  for (auto& [row, work] : state_.kernels) work.models.clear(), work.facts.clear();
                }
                publish();
                start_modelling();
              });
}

Status SessionImpl::run(UseDevice const& c) {
  if (!options_.open_device)
    return bad_input("no_devices", "this program knows no device but this machine");
  for (char const* kind : {"measure", "check", "model", "roofs"}) jobs_.cancel(kind);
  set_error("");
  jobs_.start("device", "asking " + c.name + " what it is",
              [this, name = c.name](StopToken stop, Progress const&) {
                auto chosen = name == kLocalDeviceName
                                  ? Result<ChosenDevice>(this_machine(options_))
                                  : options_.open_device(name, stop);
                if (chosen)
                  use(std::move(*chosen));
                else if (!stop.stop_requested())
                  set_error(to_sentence(chosen.error()));
                publish();
                // Also when nothing changed: this stopped what was being measured.
                start_roofs(false);
                start_measuring();
              });
  return {};
}

/// On the job thread. The model is planned again, with the schedules that were made by hand, for
/// what the new device is; times belong to the device that they were measured on.
void SessionImpl::use(ChosenDevice chosen) {
  std::string source;
  std::shared_ptr<Project const> kept;
  {
    std::lock_guard lock(mutex_);
    backend_ = chosen.backend;
    laboratory_ = std::make_unique<Laboratory>(std::move(chosen), options_.threads);
    stages_ = std::make_shared<std::vector<CodeStage> const>(code_stages(*backend()));
    state_.machine = nullptr;
    texts_.clear();
    pair_ = {};
    source = state_.source;
    if (state_.model) kept = std::make_shared<Project const>(without_times(project_of(state_)));
  }
  if (kept) (void)open(source, kept);
}

std::shared_ptr<RefusalView const> SessionImpl::why_not(std::string const& line) {
  auto steps = parse_steps(line);
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return nullptr;
  if (!steps) {
    RefusalView view;
    view.step = line;
    view.code = steps.error().code;
    view.title = "This line cannot be read";
    view.message = steps.error().message;
    return std::make_shared<RefusalView const>(std::move(view));
  }
  auto refused = [&](Schedule const& schedule, Refusal const& refusal) {
    return std::make_shared<RefusalView const>(refusal_view(schedule.program(), refusal, line));
  };
  Schedule schedule = state_.now().history.schedule();
  for (Step const& step : std::span(*steps).first(steps->size() - 1)) {
    auto next = schedule.apply(step, Effort::kInteractive);
    if (!next) return refused(schedule, next.error());
    schedule = std::move(*next);
  }
  auto proof = schedule.check(steps->back(), Effort::kInteractive);
  return proof ? nullptr : refused(schedule, proof.error());
}

std::shared_ptr<CodeText const> SessionImpl::code(std::string const& stage, bool against_parent) {
  int node = -1, against = -1;
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return nullptr;
    History const& history = state_.now().history;
    node = history.current();
    if (against_parent) against = history.node(node).parent;
  }
  return code_of(node, stage, against);
}

std::shared_ptr<CodeText const> SessionImpl::code_of(int node, std::string const& stage,
                                                     int against) {
  std::unique_lock lock(mutex_);
  if (!state_.has_kernel() || !state_.now().history.has(node)) return nullptr;
  History const& history = state_.now().history;
  ir::Program program = history.node(node).schedule.program();
  std::optional<ir::Program> before;
  if (history.has(against) && stage != kExpressionStage)
    before = history.node(against).schedule.program();
  uint64_t hash = ir::hash(program);
  std::string key = before ? fmt::format("{} against {:x}", stage, ir::hash(*before)) : stage;
  if (auto found = texts_.find({hash, key}); found != texts_.end()) return found->second;
  te::Kernel kernel = state_.model->kernel(state_.kernel).kernel;
  // What the code view shows is wanted again and again; what a comparison asks for waits beside it.
  std::string kind = node == history.current() ? stage : fmt::format("{} of {}", stage, node);
  lock.unlock();
  code_jobs_.start(
      kind, "lowering",
      [this, program, before, kernel, stage, hash, key](StopToken stop, Progress const&) {
        auto text = std::make_shared<CodeText>(code_text(program, kernel, stage, *backend()));
        if (before && !stop.stop_requested())
          *text = with_changes(*text, code_text(*before, kernel, stage, *backend()));
        text->program_hash = hash;
        {
          std::lock_guard guard(mutex_);
          if (texts_.size() > 400) texts_.clear();
          texts_[{hash, key}] = text;
        }
        notify();
      });
  return nullptr;
}

std::shared_ptr<CodePair const> SessionImpl::code_pair(int before, int after,
                                                       std::string const& stage) {
  auto first = code_of(before, stage, -1), second = code_of(after, stage, -1);
  if (!first || !second) return nullptr;
  std::lock_guard lock(mutex_);
  if (pair_.first != first || pair_.second != second)
    pair_ = {first, second, std::make_shared<CodePair const>(side_by_side(*first, *second))};
  return pair_.both;
}

std::shared_ptr<StateComparison const> SessionImpl::compare(int before, int after) {
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return nullptr;
  History const& history = state_.now().history;
  if (!history.has(before) || !history.has(after)) return nullptr;
  StateToCompare from = side_of(state_, before), to = side_of(state_, after);
  for (StateToCompare const* side : {&from, &to})
    if (int node = side->state.history_node; !side->facts)
      code_jobs_.start(fmt::format("costs of {}", node), "counting",
                       [this, model = state_.model, kernel = state_.kernel, node](
                           StopToken, Progress const&) { find_facts(model, kernel, node); });
  if (!from.facts || !to.facts) return nullptr;
  return std::make_shared<StateComparison const>(
      compare_states(from, to, double(state_.model->kernel(state_.kernel).flops),
                     state_.machine ? state_.machine->roofs : std::vector<RoofView>()));
}

void SessionImpl::find_facts(Model const& model, int kernel, int node) {
  std::optional<Schedule> schedule;
  std::shared_ptr<MachineView const> machine;
  {
    std::lock_guard lock(mutex_);
    auto work = state_.kernels.find(kernel);
    if (state_.model != model || work == state_.kernels.end() || work->second.facts.contains(node))
      return;
    schedule = work->second.history.node(node).schedule;
    machine = state_.machine;
  }
  auto facts = std::make_shared<StateFacts const>(
      facts_of(schedule->program(), machine ? machine->rates.get() : nullptr,
               machine ? machine->cache_bytes : std::vector<int64_t>(), *backend()));
  {
    std::lock_guard lock(mutex_);
    if (state_.model != model || state_.machine != machine) return;
    state_.kernels.at(kernel).facts[node] = facts;
  }
  notify();
}

/// One job at a time goes through all states that have no model yet; new ones it finds by itself.
void SessionImpl::start_modelling() {
  {
    std::lock_guard lock(mutex_);
    if (modelling_ || !next_to_model(state_)) return;
    modelling_ = true;
  }
  model_jobs_.start("model", "modelling",
                    [this](StopToken stop, Progress const&) { model_states(stop); });
}

void SessionImpl::model_states(StopToken stop) {
  constexpr auto kPatience = std::chrono::milliseconds(100);
  auto shown = std::chrono::steady_clock::now();
  while (true) {
    std::optional<ToModel> next;
    bool current = false;
    {
      std::lock_guard lock(mutex_);
      if (!stop.stop_requested()) next = next_to_model(state_);
      if (!next) {
        modelling_ = false;
        break;
      }
      current = next->node == state_.now().history.current();
    }
    auto model = modelled(next->schedule.program(), backend()->target().hardware, *next->rates);
    {
      std::lock_guard lock(mutex_);
      keep_model(state_, *next, std::move(model));
    }
    // The state that one looks at is shown at once, the others some at a time.
    if (!current && std::chrono::steady_clock::now() - shown < kPatience) continue;
    publish();
    shown = std::chrono::steady_clock::now();
  }
  publish();
}

Status SessionImpl::run(ReplayOn const& c) {
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
  TRY_ASSIGN(int row, find_kernel(*state_.model, c.kernel));
  if (row == state_.kernel)
    return bad_input("same_kernel", "the schedule is this kernel's own; choose another one");
  Schedule from = state_.now().history.schedule();
  if (from.trace().empty())
    return bad_input("nothing_to_replay", "the plain nest has no steps to replay");
  state_.refusal = nullptr;
  state_.error = nullptr;
  model_jobs_.start(
      "replay", "replaying the schedule",
      [this, model = state_.model, from, row, name = state_.model->kernel(state_.kernel).name](
          StopToken, Progress const&) { replay_job(model, from, name, row); });
  return {};
}

void SessionImpl::replay_job(Model const& model, Schedule const& from, std::string const& name,
                             int row) {
  auto work = replay_into(*model, from, name, row, *backend());
  if (!work) return set_error(to_sentence(work.error())), publish();
  {
    std::lock_guard lock(mutex_);
    if (state_.model != model) return;
    auto [place, fresh] = state_.kernels.try_emplace(row, work->fresh);
    if (auto branched = with_branch(place->second.history, work->leaf, work->note); branched)
      place->second.history = *branched;
    state_.replay = std::make_shared<ReplayView const>(work->view);
    state_.kernel = row;
  }
  publish();
  start_modelling();
  start_measuring();
}

Status SessionImpl::run(AddKernel const& c) {
  std::unique_lock lock(mutex_);
  Model model = state_.model;
  lock.unlock();
  TRY(te::parse_kernel(c.text));
  if (!model) return open("te:" + c.text, {});
  set_error("");
  jobs_.cancel("measure");
  jobs_.start("kernel", "adding the kernel",
              [this, model, c](StopToken, Progress const&) { write_kernel(model, c.text, -1); });
  return {};
}

Status SessionImpl::run(RewriteKernel const& c) {
  std::unique_lock lock(mutex_);
  Model model = state_.model;
  lock.unlock();
  if (!model) return bad_input("no_model", "no model is open");
  TRY_ASSIGN(int row, find_kernel(*model, c.kernel));
  if (!model->own.contains(row))
    return bad_input("not_your_kernel", "only kernels that you wrote can be rewritten");
  TRY(te::parse_kernel(c.text));
  if (model->own.at(row) == c.text) return {};
  set_error("");
  jobs_.cancel("measure");
  jobs_.start("kernel", "rewriting the kernel",
              [this, model, row, text = c.text](StopToken, Progress const&) {
                write_kernel(model, text, row);
              });
  return {};
}

/// The table with one kernel more (`row` = -1) or another one at a row; its histories go on.
void SessionImpl::write_kernel(Model const& model, std::string const& text, int row) {
  auto fail = [this](Error const& error) { set_error(to_sentence(error)), publish(); };
  auto next = with_own_kernel(model, text, row);
  if (!next) return fail(next.error());
  std::optional<KernelWork> old;
  {
    std::lock_guard lock(mutex_);
    if (auto found = state_.kernels.find(row); found != state_.kernels.end()) old = found->second;
  }
  int at = row < 0 ? int((*next)->plan.kernels.size()) - 1 : row;
  auto written = rewritten(**next, at, old, *backend());
  if (!written) return fail(written.error());
  {
    std::lock_guard lock(mutex_);
    if (state_.model != model) return;
    put_model(state_, *next);
    state_.kernels.insert_or_assign(at, std::move(written->work));
    state_.replay = written->view;
    state_.kernel = at;
    state_.refusal = nullptr;
    texts_.clear();
  }
  publish();
  start_modelling();
  start_measuring();
}

Status SessionImpl::restore(std::string const& saved) {
  TRY_ASSIGN(Project project, parse_project(saved));
  if (project.model.source.empty())
    return bad_input("no_model", "the project does not say which model it is of");
  std::string source = project.model.source;
  return open(source, std::make_shared<Project const>(std::move(project)));
}

}  // namespace

Result<std::unique_ptr<Session>> Session::create(Options options) {
  if (!options.backend) return bad_input("no_backend", "the program was built without a target");
  return std::make_unique<SessionImpl>(std::move(options));
}

}  // namespace tw::session
