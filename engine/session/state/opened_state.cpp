#include "engine/session/state/opened_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/backend/backend.h"
#include "engine/session/state/device_in_use.h"
#include "engine/session/state/kept_times.h"
#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/state_cut.h"
#include "engine/session/state/work_mark.h"

namespace tw::session {
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

/// The kernel that is looked at first.
void choose_kernel(State& state) {
  LoadedModel const& model = *state.model;
  Backend const& backend = *state.backend;
  if (state.kernel < 0 || size_t(state.kernel) >= model.plan.kernels.size())
    state.kernel = model.plan.kernels.empty() ? -1 : 0;
  state.kernel = kernel_for(model, state.kernel, backend);
  if (state.kernel < 0 || state.kernels.contains(state.kernel)) return;
  auto work = begin_kernel(model, state.kernel, backend);
  if (work)
    state.kernels.emplace(state.kernel, std::move(*work));
  else
    state.error = error_view(work.error(), "open");
}

void take_up(State& state, Opened const& opened, std::vector<std::string>& lost) {
  TakenUp const& why = opened.why;
  if (opened.project)
    std::ranges::move(take_project(state, *opened.project, *state.backend, why),
                      std::back_inserter(lost));
  if (state.beside.device.empty()) return;
  Status cut = change_cut(state, why.cut_by_rule ? state.beside.points : state.cut);
  if (!cut) lost.push_back(cut.error().message);
}

/// What goes on keeps its changes; on another device alone it has none. A text that was typed is in
/// no file.
uint64_t work_kept_of(State const& next, State const& before, Opened const& opened) {
  TakenUp const& why = opened.why;
  bool changed = before.model && work_mark(before) != before.work_kept;
  bool itself = !why.device_before.empty() && !changed;
  if (why.goes_on() && !itself) return before.work_kept;
  if (!opened.project && next.source.starts_with("te:")) return 0;
  return work_mark(next);
}

}  // namespace

State opened_state(State const& before, Opened const& opened) {
  State next = without_model(before);
  if (opened.device) static_cast<DeviceInUse&>(next) = *opened.device;
  std::vector<std::string> lost;
  if (!opened.by_rule.empty()) lost.push_back(opened.by_rule);
  next.model = opened.model;
  if (opened.project)
    next.model = with_own_kernels(next.model, *opened.project, next.kept_own, lost);
  next.source = opened.source;
  next.shapes = opened.shapes;
  auto view = std::make_shared<ModelView>(model_view(*next.model));
  view->shapes = opened.shapes;
  next.model_view = std::move(view);
  next.graph = std::make_shared<GraphView const>(graph_view(*next.model));
  next.table = std::make_shared<KernelTable const>(kernel_table(*next.model));
  next.beside = opened.why.beside;
  take_up(next, opened, lost);
  if (!lost.empty()) {
    bool on_device = !opened.why.device_before.empty();
    next.error = std::make_shared<ErrorView const>(
        ErrorView{on_device ? "lost_on_device" : "lost_from_project",
                  fmt::format("{}", fmt::join(lost, "; ")), "open"});
  }
  choose_kernel(next);
  return next;
}

void go_on_from(State& next, State const& before, Opened const& opened) {
  TakenUp const& why = opened.why;
  if (why.still || !why.device_before.empty()) take_tunings(next, before);
  if (why.still) next.model_tuning = before.model_tuning;  // it goes on
  if (why.goes_on() && why.device_before.empty()) keep_times(next, measured_table(before));
  if (!opened.device) static_cast<DeviceInUse&>(next) = before;
  next.work_kept = work_kept_of(next, before, opened);
}

}  // namespace tw::session
