#include "engine/session/state/kind_schedules.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/backend/backend.h"
#include "engine/session/state/opened_trial.h"
#include "engine/session/state/session_state.h"

namespace tw::session {
namespace {

using At = KindSchedule::At;

int row_of(LoadedModel const& model, std::string const& kernel) {
  auto const& kernels = model.plan.kernels;
  auto found = std::ranges::find(kernels, kernel, &KernelTask::name);
  return found == kernels.end() ? -1 : int(found - kernels.begin());
}

bool is_of(KindSchedule const& one, KernelTask const& task) {
  return one.kernel == task.name && (one.computes.empty() || one.computes == computes_text(task));
}

/// Of the kernel that it is for; -1: this model has none.
int row_of(LoadedModel const& model, KindSchedule const& one) {
  int row = row_of(model, one.kernel);
  return row >= 0 && is_of(one, model.kernel(row)) ? row : -1;
}

/// Where the kernel stands on the kind in use.
KindSchedule standing(State const& state, int row, KernelWork const& work) {
  HistoryNode const& node = work.history.node(work.history.current());
  KernelTask const& task = state.model->kernel(row);
  KindSchedule one{.kernel = task.name,
                   .kind = state.kind,
                   .machine = state.kind_words,
                   .computes = computes_text(task)};
  one.at = node.parent < 0 ? At::kPlain : node.id == work.default_node ? At::kRule : At::kScript;
  if (one.at != At::kScript) return one;
  one.script = node.schedule.script();
  one.note = node.note;
  if (auto const& measured = node.on(state.here).measured) {
    one.device = state.here.device;
    one.hardware = state.here.machine;
    one.ms = measured->min_ms;
  }
  return one;
}

/// The entry with this script; -1: there is none.
int node_at(History const& history, std::string const& script) {
  for (int id = 1; id < int(history.size()); ++id)
    if (history.node(id).refusal.empty() && history.node(id).schedule.script() == script) return id;
  return -1;
}

/// With its time and its name, which the kernel had there.
History told(History history, KindSchedule const& one, double flops) {
  int leaf = history.current();
  TriedOn where{one.device, one.hardware};
  if (one.ms <= 0 || history.node(leaf).on(where).measured) return history;
  history = history.with_measured(leaf, where, {.min_ms = one.ms, .gflops = flops / one.ms * 1e-6});
  return history.with_correctness(leaf, where, Correctness::kCorrect, "checked by the tuning");
}

Result<History> standing_there(KernelWork const& work, KindSchedule const& one, double flops) {
  History const& history = work.history;
  if (one.at == At::kPlain) return history.jumped(0);
  if (one.at == At::kRule) return history.jumped(std::max(work.default_node, 0));
  if (int known = node_at(history, one.script); known >= 0) return history.jumped(known);
  // Its note says the time, too.
  TRY_ASSIGN(History branched, opened({one.script, one.note, 0}, history));
  return told(std::move(branched), one, flops);
}

Status adopt(State& state, Backend const& backend, KindSchedule const& one) {
  int row = row_of(*state.model, one);
  if (row < 0) return {};
  auto work = state.kernels.find(row);
  if (work == state.kernels.end()) {
    if (one.at != At::kScript) return {};  // where a kernel begins by itself
    TRY_ASSIGN(KernelWork begun, begin_kernel(*state.model, row, backend));
    work = state.kernels.emplace(row, std::move(begun)).first;
  }
  TRY_ASSIGN(work->second.history,
             standing_there(work->second, one, double(state.model->kernel(row).flops)));
  return {};
}

}  // namespace

void keep_for_kind(State& state, KindSchedule schedule) {
  auto known = std::ranges::find_if(state.on_kinds, [&](KindSchedule const& one) {
    return one.kernel == schedule.kernel && one.kind == schedule.kind &&
           one.computes == schedule.computes;
  });
  if (known == state.on_kinds.end())
    state.on_kinds.push_back(std::move(schedule));
  else
    *known = std::move(schedule);
}

KindSchedule const* kept_for(State const& state, KernelTask const& kernel,
                             std::string const& kind) {
  for (KindSchedule const& one : state.on_kinds)
    if (one.kind == kind && is_of(one, kernel)) return &one;
  return nullptr;
}

std::map<int, std::string> kept_rows(State const& state, std::string const& kind) {
  std::map<int, std::string> scripts;
  for (KindSchedule const& one : state.on_kinds)
    if (int row = one.kind == kind ? row_of(*state.model, one) : -1; row >= 0)
      scripts[row] = one.script;
  return scripts;
}

std::vector<KindSchedule> standings(State const& state) {
  State known;
  known.on_kinds = state.on_kinds;
  if (state.model)
    for (KindSchedule const& one : state.on_kinds) {
      auto work = state.kernels.find(row_of(*state.model, one.kernel));
      if (work != state.kernels.end())
        keep_for_kind(known, standing(state, work->first, work->second));
    }
  return std::move(known.on_kinds);
}

std::vector<std::string> adopt_standings(State& state, Backend const& backend) {
  std::vector<std::string> lost;
  for (KindSchedule const& one : std::vector(state.on_kinds)) {
    if (one.kind != state.kind) continue;
    if (Status adopted = adopt(state, backend, one); !adopted)
      lost.push_back(fmt::format("the schedule of {} that was saved for {} does not apply: {}",
                                 one.kernel, one.machine, adopted.error().message));
  }
  return lost;
}

std::vector<KeptSchedule> kept_elsewhere(State const& state) {
  std::vector<KeptSchedule> kept;
  for (KindSchedule const& one : state.on_kinds)
    if (one.kind != state.kind && one.at == At::kScript)
      kept.push_back({one.kernel, one.machine, one.device, one.ms});
  return kept;
}

namespace {

template <typename View>
std::shared_ptr<View const> seen_from(State const& state, View view) {
  view.elsewhere = view.kind != state.kind;
  return std::make_shared<View const>(std::move(view));
}

std::shared_ptr<ModelTuningView const> moved_to(
    State const& state, std::shared_ptr<ModelTuningView const> const& from) {
  if (!from || from->goes_on()) return nullptr;
  ModelTuningView view = *from;
  for (TunedKernelRow& row : view.kernels) row.row = row_of(*state.model, row.kernel);
  std::erase_if(view.kernels, [](TunedKernelRow const& row) { return row.row < 0; });
  return seen_from(state, std::move(view));
}

}  // namespace

void take_tunings(State& state, State const& before) {
  for (auto const& run : before.runs) {
    TuningRun next = *run;
    next.row = row_of(*state.model, run->kernel);
    if (next.row >= 0) state.runs.push_back(seen_from(state, std::move(next)));
  }
  state.model_tuning = moved_to(state, before.model_tuning);
  for (auto const& one : before.tuned_beside)
    if (auto moved = moved_to(state, one)) state.tuned_beside.push_back(std::move(moved));
}

}  // namespace tw::session
