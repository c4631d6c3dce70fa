#include "engine/session/state/session_impl.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/session/state/kept_times.h"
#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/state_cut.h"
#include "engine/session/state/work_mark.h"
#include "engine/support/sha256.h"

namespace tw::session {

SessionImpl::SessionImpl(Options options)
    : options_(std::move(options)),
      backend_(options_.backend),
      laboratory_(std::make_unique<Laboratory>(this_machine(options_), options_.threads)),
      stages_(std::make_shared<std::vector<CodeStage> const>(code_stages(*options_.backend))),
      jobs_([this] { call_listener(); }),
      errands_([this] { call_listener(); }),
      model_jobs_([] {}),
      patience_([] {}),
      tune_jobs_([] {}),
      memo_([this] { notify(); }),
      idle_jobs_([] {}) {
  laboratory_->while_timing([this] { return hold_others(); });
  state_.here = laboratory_->tried_on();
  state_.kind = kind_text(options_.backend->target().hardware);
  state_.kind_words = machine_words(*options_.backend);
  published_.code_stages = stages_;  // what can be shown is known before there is a model
  published_.simulated = options_.backend->has_timeline();
  start_roofs(false);
}

SessionImpl::~SessionImpl() {
  Jobs* all[] = {&jobs_, &errands_, &model_jobs_, &patience_, &tune_jobs_, &idle_jobs_};
  for (Jobs* jobs : all) jobs->end();
  memo_.end();
  for (Jobs* jobs : all) jobs->join();
  memo_.join();
}

std::shared_ptr<void const> SessionImpl::answer(QueryRow const& row, void const* asked) {
  QueryKeyPtr key;
  {
    std::lock_guard lock(mutex_);
    key = row.key(seen(), asked);
  }
  return key ? memo_.ask(row, key) : nullptr;
}

Status SessionImpl::execute(Command const& command) {
  hold_background(std::chrono::seconds(0));
  clear_error();  // what was wrong before has nothing to do with this command
  Status status = std::visit([this](auto const& c) { return run(c); }, command);
  publish();
  start_modelling();
  return status;
}

void SessionImpl::publish() {
  {
    std::lock_guard lock(mutex_);
    Snapshot next;
    next.version = ++state_.version;
    next.model = state_.model_view;
    next.graph = state_.graph;
    next.cut = state_.cut_shown;
    next.kernel = state_.kernel;
    next.code_stages = stages_;
    next.simulated = backend()->has_timeline();
    next.machine = state_.machine;
    next.refusal = state_.refusal;
    next.error = state_.error;
    next.exported = state_.exported;
    next.quantized = state_.quantized;
    next.replay = state_.replay;
    next.tuning = tuning_view();
    if (state_.model) next.kernels = table_with_states(state_);
    if (state_.has_kernel()) {
      ir::Program const& program = state_.now().history.schedule().program();
      Hardware const hardware = backend()->target().hardware;
      std::vector<int64_t> caches;
      for (MemoryLevel const& cache : hardware.caches()) caches.push_back(cache.bytes);
      bool same = published_.nest && published_.kernel == next.kernel &&
                  published_.nest->program_hash == ir::hash(program);
      next.nest = same ? published_.nest
                       : std::make_shared<NestView const>(nest_view(program, caches, *backend()));
      next.history = history_view(state_);
      next.roofline = roofline_view(state_);
    }
    published_ = std::move(next);
  }
  notify();
}

Status SessionImpl::open(std::string const& source, std::shared_ptr<Project const> project,
                         std::string const& shapes, TakenUp const& why) {
  TRY_ASSIGN(auto fixes, parse_fixes(shapes));
  clear_error();
  stop_ablation();
  auto work = [this, source, project, shapes, fixes, why](StopToken stop,
                                                          Progress const& progress) {
    LoadOptions options{fixes, {}};
    if (project) options.arrangement = project->model.arrangement;
    std::string sentence;
    TakenUp taken = why;
    auto model = load_beside(source, options, project.get(), taken, sentence, stop, progress);
    if (!model) {
      if (!stop.stop_requested())
        set_error(model.error(), why.offload_asked() ? "offload" : "open");
      return publish();
    }
    take_model(*model, source, shapes, project.get(), taken, sentence);
    publish();
    start_modelling();
    know_model(*model, source, stop);
    start_measuring();
  };
  // What a job opens goes on with what that job does.
  if (why.device_before.empty())
    jobs_.start_first("open", "opening " + source, work,
                      {"roofs", "model", "measure", "check", "again", "background"});
  else
    jobs_.start("open", "opening " + source, work);
  return {};
}

/// The file's content, for projects: after the first picture, since nobody waits for it.
void SessionImpl::know_model(Model model, std::string const& source, StopToken stop) {
  ProjectModel known;
  known.source = source;
  if (!known.is_file()) return;
  auto hash = sha256_of_file(source, stop);
  auto files = files_of_model(source, stop);
  std::error_code unknown;
  auto bytes = std::filesystem::file_size(source, unknown);
  std::lock_guard lock(mutex_);
  if (!hash || !files || unknown || state_.model != model) return;
  state_.files = *files;
  state_.sha256 = *hash;
  state_.bytes = int64_t(bytes);
}

namespace {

bool has_types(Target const& target, te::Kernel const& kernel) {
  auto has = [&](te::Buffer const& buffer) {
    return target.types.empty() || std::ranges::count(target.types, buffer->type) > 0;
  };
  return std::ranges::all_of(kernel.inputs, has) &&
         std::ranges::all_of(kernel.stages, has, &te::Stage::output);
}

/// The chosen kernel, or, where a target does not even have its types, the largest one that it has
/// a schedule for by rule.
int kernel_for(LoadedModel const& model, int chosen, Backend const& backend) {
  auto known = [&](int row) { return has_types(backend.target(), model.kernel(row).kernel); };
  if (chosen < 0 || size_t(chosen) >= model.plan.kernels.size() || known(chosen)) return chosen;
  int largest = chosen;
  double most = -1;
  for (int row = 0; size_t(row) < model.plan.kernels.size(); ++row) {
    if (!known(row)) continue;
    auto work = begin_kernel(model, row, backend);
    if (!work || work->default_node < 0 || work->needs.flops <= most) continue;
    largest = row, most = work->needs.flops;
  }
  return largest;
}

}  // namespace

/// What goes on keeps its changes; on another device alone it has none. A text that was typed is in
/// no file.
static uint64_t work_kept_of(State const& next, State const& before, Project const* project,
                             TakenUp const& why) {
  bool changed = before.model && work_mark(before) != before.work_kept;
  bool itself = !why.device_before.empty() && !changed;
  if (why.goes_on() && !itself) return before.work_kept;
  if (!project && next.source.starts_with("te:")) return 0;
  return work_mark(next);
}

bool SessionImpl::take_model(Model model, std::string const& source, std::string const& shapes,
                             Project const* project, TakenUp const& why,
                             std::string const& by_rule) {
  std::vector<std::string> lost, kept_own;
  if (!by_rule.empty()) lost.push_back(by_rule);
  if (project) model = with_own_kernels(model, *project, kept_own, lost);
  auto view = std::make_shared<ModelView>(model_view(*model));
  view->shapes = shapes;
  auto graph = std::make_shared<GraphView const>(graph_view(*model));
  auto table = std::make_shared<KernelTable const>(kernel_table(*model));
  State next;
  next.model = model;
  next.source = source;
  next.shapes = shapes;
  next.model_view = view;
  next.graph = graph;
  next.table = table;
  next.kept_own = std::move(kept_own);
  {
    std::lock_guard lock(mutex_);
    next.here = state_.here;
    next.kind = state_.kind;
    next.kind_words = state_.kind_words;
  }
  next.beside = why.beside;
  if (project)
    for (std::string const& one : take_project(next, *project, *backend(), why))
      lost.push_back(one);
  if (!next.beside.device.empty()) {
    Status cut = change_cut(next, why.cut_by_rule ? next.beside.points : next.cut);
    if (!cut) lost.push_back(cut.error().message);
  }
  if (!lost.empty())
    next.error = std::make_shared<ErrorView const>(
        ErrorView{why.device_before.empty() ? "lost_from_project" : "lost_on_device",
                  fmt::format("{}", fmt::join(lost, "; ")), "open"});
  if (next.kernel < 0 || size_t(next.kernel) >= model->plan.kernels.size())
    next.kernel = model->plan.kernels.empty() ? -1 : 0;
  next.kernel = kernel_for(*model, next.kernel, *backend());
  if (next.kernel >= 0 && !next.kernels.contains(next.kernel)) {
    auto work = begin_kernel(*model, next.kernel, *backend());
    if (work)
      next.kernels.emplace(next.kernel, std::move(*work));
    else
      next.error = view_of(work.error(), "open");
  }
  std::lock_guard lock(mutex_);
  if (why.still && !why.still(state_)) return false;
  if (!why.still) stop_tuning();  // of another model, or for another device
  if (why.still || !why.device_before.empty()) take_tunings(next, state_);
  if (why.still) next.model_tuning = state_.model_tuning;  // it goes on
  if (why.goes_on() && why.device_before.empty()) keep_times(next, measured_table(state_));
  next.machine = state_.machine;
  next.version = state_.version;
  next.work_kept = work_kept_of(next, state_, project, why);
  state_ = std::move(next);
  return true;
}

Status SessionImpl::run(FixShapes const& c) {
  std::unique_lock lock(mutex_);
  if (!state_.model) return bad_input("no_model", "no model is open");
  std::string source = state_.source;
  lock.unlock();
  return open(source, {}, c.shapes, {.other_shapes = true});
}

Status SessionImpl::run(CloseModel const&) {
  jobs_.cancel_all_but({"roofs", "device"});  // those are not of the model
  std::lock_guard lock(mutex_);
  stop_tuning();
  State next;
  next.machine = state_.machine;
  next.here = state_.here;
  next.kind = state_.kind;
  next.kind_words = state_.kind_words;
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

Status SessionImpl::restore(std::string const& saved) {
  TRY_ASSIGN(Project project, parse_project(saved));
  if (project.model.source.empty())
    return bad_input("no_model", "the project does not name its model");
  std::string source = project.model.source, shapes = project.model.shapes;
  return open(source, std::make_shared<Project const>(std::move(project)), shapes);
}

Result<std::unique_ptr<Session>> Session::create(Options options) {
  if (!options.backend) return bad_input("no_backend", "this build of Tilewright has no target");
  return std::make_unique<SessionImpl>(std::move(options));
}

}  // namespace tw::session
