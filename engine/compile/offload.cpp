#include "engine/compile/offload.h"

#include "engine/compile/offload_rest.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/compile/kernel_code.h"
#include "engine/support/base/side_by_side.h"
#include "engine/te/te.h"

namespace tw {
namespace {

/// Empty: the helper runs it.
std::string why_not(te::Kernel const& kernel, Backend const& helper) {
  auto program = te::to_program(kernel);
  if (!program) return program.error().message;
  auto schedule = helper.default_schedule(*program);
  if (!schedule) return schedule.error().message;
  auto code = emit_kernel(schedule->program(), helper, CodeTier::kFast);
  if (code) return {};
  std::string reason = helper.why_unfit(*program);
  return reason.empty() ? code.error().message : reason;
}

bool is_of_integers(te::Kernel const& kernel) {
  auto integer = [](te::Buffer const& tensor) { return is_integer(tensor->type); };
  return std::ranges::all_of(kernel.inputs, integer) &&
         std::ranges::all_of(kernel.outputs, integer);
}

/// Of a model that is quantized already: what keeps its first kernel of integers, products before
/// others; empty: there is none.
std::string why_integers_stay(Plan const& plan, std::vector<OffloadedKernel> const& kernels) {
  std::string first;
  for (size_t i = 0; i < kernels.size(); ++i) {
    te::Kernel const& kernel = plan.kernels[i].kernel;
    if (!is_of_integers(kernel)) continue;
    bool sums = std::ranges::any_of(kernel.stages,
                                    [](te::Stage const& stage) { return !stage.reduce.empty(); });
    if (!sums && !first.empty()) continue;
    first = fmt::format("{}: {}", kernels[i].name, kernels[i].stays_because);
    if (sums) break;
  }
  return first;
}

std::unexpected<Error> nothing_goes(Plan const& plan, std::vector<OffloadedKernel> const& kernels,
                                    Target const& helper, std::string const& there) {
  std::string why = kernels.empty() ? "there is none" : why_integers_stay(plan, kernels);
  if (!why.empty())
    return refused("no_kernel_fits",
                   fmt::format("'{}' runs none of the model's kernels: {}", there, why));
  bool floats = helper.computes_with(DType::kF32);
  return refused("nothing_to_offload",
                 fmt::format("'{}' runs none of the model's kernels: {}{}", there,
                             kernels[0].stays_because, floats ? "" : "; quantize the model first"));
}

/// What a cut calls the step. A kernel alone has no nodes.
std::string first_node(Graph const& graph, Plan const& plan, PlanStep const& step) {
  std::vector<NodeId> const& nodes = graph.groups[size_t(step.group)].nodes;
  if (nodes.empty()) return plan.kernels[size_t(step.kernel)].name;
  return fmt::format("#{}", nodes.front().value);
}

std::vector<OffloadedKernel> judged(Plan const& plan, Backend const& able) {
  std::vector<OffloadedKernel> kernels(plan.kernels.size());
  side_by_side(kernels.size(), [&](size_t i) {
    KernelTask const& task = plan.kernels[i];
    kernels[i] = {task.name, why_not(task.kernel, able)};
  });
  return kernels;
}

/// Whether the same backend runs all kernels of a step; nothing: it has none. What a step owns runs
/// where it runs.
std::optional<bool> is_able(PlanStep const& step, std::vector<OffloadedKernel> const& kernels) {
  if (step.kind == StepKind::kKernel) return kernels[size_t(step.kernel)].stays_because.empty();
  std::optional<bool> all;
  for (BodyPlan const& body : step.bodies)
    for (PlanStep const& inner : body.steps)
      if (auto one = is_able(inner, kernels)) all = all.value_or(true) && *one;
  return all;
}

/// `able`: the place of steps that run there, `rest`: of the others; the plan begins at `home`.
Cut cut_of(Graph const& graph, Plan const& plan, std::vector<OffloadedKernel> const& kernels,
           std::string const& home, std::string const& able, std::string const& rest) {
  Cut cut{{home}, {}};
  std::string now = home;
  for (PlanStep const& step : plan.steps) {
    auto runs = is_able(step, kernels);
    if (!runs) continue;
    std::string const& place = *runs ? able : rest;
    if (place == now) continue;
    cut.points.push_back({first_node(graph, plan, step), place});
    now = place;
  }
  if (!cut.points.empty()) cut.places.push_back(home == able ? rest : able);
  return cut;
}

}  // namespace

GraphChoices joined(GraphChoices home, GraphChoices helper) {
  home.values.merge(helper.values);
  home.operands.merge(helper.operands);
  home.algorithms.merge(helper.algorithms);
  for (std::string& reason : helper.reasons) home.reasons.push_back(std::move(reason));
  return home;
}

Result<Offload> offload(Graph const& graph, Plan const& plan, Backend const& helper,
                        std::string const& home, std::string const& there) {
  Offload result{{}, judged(plan, helper)};
  result.cut = cut_of(graph, plan, result.kernels, home, there, home);
  if (result.cut.points.empty()) return nothing_goes(plan, result.kernels, helper.target(), there);
  return result;
}

Result<Offload> offload_rest(Graph const& graph, Plan const& plan, Backend const& able,
                             std::string const& home, std::string const& there) {
  Offload result{{}, judged(plan, able)};
  bool none = std::ranges::none_of(
      result.kernels, [](OffloadedKernel const& one) { return one.stays_because.empty(); });
  if (none) return nothing_goes(plan, result.kernels, able.target(), home);
  result.cut = cut_of(graph, plan, result.kernels, home, home, there);
  return result;
}

}  // namespace tw
