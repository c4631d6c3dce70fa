// What it would cost to fuse two operators, or to keep them apart: the model is planned anew, and
// the kernels that differ are compared.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/backend/backend.h"
#include "engine/compile/modelled_time.h"
#include "engine/session/fusion.h"
#include "engine/session/inspector.h"
#include "engine/session/model/fusion_knobs.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/views/graph_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

constexpr double kSame = 0.01;

/// By rule; empty where the target has no schedule for it, or no model of its time.
std::optional<double> modelled_ms(LoadedModel const& model, int row, Backend const& backend,
                                  Roofs const& roofs) {
  auto plain = plain_program(model, row);
  if (!plain) return {};
  auto by_rule = backend.default_schedule(*plain);
  if (!by_rule) return {};
  auto time = modelled_time(by_rule->program(), backend, roofs);
  if (!time || time->seconds <= 0) return {};
  return time->seconds * 1e3;
}

int runs_in(LoadedModel const& model, uint64_t hash) {
  int runs = 0;
  for (KernelTask const& task : model.plan.kernels)
    if (task.hash == hash) runs += task.count;
  return runs;
}

/// Kernels that `model` runs more often than `other`.
FusionSide side_of(LoadedModel const& model, LoadedModel const& other, Backend const& backend,
                   Roofs const* roofs, StopToken const& stop) {
  FusionSide side;
  double ms = 0;
  bool known = roofs != nullptr;
  for (size_t row = 0; row < model.plan.kernels.size(); ++row) {
    KernelTask const& task = model.plan.kernels[row];
    int more = task.count - runs_in(other, task.hash);
    if (more <= 0 || stop.stop_requested()) continue;
    side.kernels.push_back(more == 1 ? task.name : fmt::format("{} x {}", more, task.name));
    side.runs += more;
    side.operations += double(task.flops) * more;
    side.integers = side.integers && te::computes_integers(task.kernel);
    side.bytes += double(task.bytes) * more;
    auto one = known ? modelled_ms(model, int(row), backend, *roofs) : std::nullopt;
    known = one.has_value();
    ms += one.value_or(0) * more;
  }
  if (known) side.ms = ms;
  return side;
}

}  // namespace

std::vector<FusionRow> rows_of(FusionCosts const& costs) {
  std::vector<FusionRow> rows;
  auto add = [&](char const* what, double now, double then, auto const& text) {
    // What cannot be told apart on screen is no change, nor is what a model cannot tell.
    bool same = text(now) == text(then) || std::abs(then - now) < kSame * now;
    int change = same ? 0 : then > now ? 1 : -1;
    rows.push_back({what, text(now), text(then), change});
  };
  bool integers = costs.now.integers && costs.then.integers;
  add("Work", costs.now.operations, costs.then.operations,
      [&](double count) { return operations_text(int64_t(count), integers); });
  add("Read and written", costs.now.bytes, costs.then.bytes, bytes_text);
  add("Kernels run", costs.now.runs, costs.then.runs,
      [](double runs) { return fmt::format("{:.0f}", runs); });
  if (costs.now.ms && costs.then.ms)
    add("Time, modelled", *costs.now.ms, *costs.then.ms, milliseconds_text);
  return rows;
}

FusionCosts fusion_costs(LoadedModel const& model, std::string const& choice,
                         Backend const& backend, Roofs const* roofs, StopToken stop) {
  FusionCosts costs;
  size_t equals = choice.rfind('=');
  Point point = arrangement_of(model);
  point[choice.substr(0, equals)] = choice.substr(equals + 1);
  auto other = arranged(model, point, backend);
  if (!other) {
    costs.failure = other.error().message;
    return costs;
  }
  costs.now = side_of(model, **other, backend, roofs, stop);
  costs.then = side_of(**other, model, backend, roofs, stop);
  return costs;
}

std::shared_ptr<FusionEdge> fusion_edge_of(LoadedModel const& model, int from, int to) {
  auto judged = judged_edge(model.after, from, to);
  if (!judged) return nullptr;
  auto edge = std::make_shared<FusionEdge>(std::move(*judged));
  if (!edge->fixed) edge->other_way = fusion_knob(edge->edge) + "=" + fusion_value(!edge->fused);
  return edge;
}

}  // namespace tw::session
