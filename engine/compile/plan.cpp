#include "engine/compile/plan.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace tw {
namespace {

class Planner {
public:
  explicit Planner(Graph const& graph) : graph_(graph) {}

  Result<Plan> run() {
    if (graph_.groups.empty() && !graph_.nodes.empty())
      return refused("not_fused", "the graph has not been fused");
    for (size_t g = 0; g < graph_.groups.size(); ++g) {
      auto kernel = kernel_of(graph_, graph_.groups[g]);
      if (!kernel && kernel.error().code != "no_kernel") return std::unexpected(kernel.error());
      plan_.steps.push_back(kernel ? kernel_step(std::move(*kernel))
                                   : other_step(graph_.groups[g], kernel.error().message));
      plan_.steps.back().group = int(g);
    }
    plan_.memory = plan_memory(graph_);
    return std::move(plan_);
  }

private:
  PlanStep kernel_step(GroupKernel&& made) {
    PlanStep step{StepKind::kKernel,      known(made.task),        -1,
                  std::move(made.inputs), std::move(made.outputs), {}};
    if (step.kernel >= 0) {
      ++plan_.kernels[size_t(step.kernel)].count;
      return step;
    }
    std::string wish = made.task.name;
    for (int i = 2; !names_.insert(made.task.name).second; ++i)
      made.task.name = fmt::format("{}_{}", wish, i);
    made.task.kernel.name = made.task.name;
    step.kernel = int(plan_.kernels.size());
    plan_.kernels.push_back(std::move(made.task));
    return step;
  }

  int known(KernelTask const& task) const {
    for (size_t i = 0; i < plan_.kernels.size(); ++i) {
      if (plan_.kernels[i].hash != task.hash) continue;
      te::Kernel renamed = task.kernel;
      renamed.name = plan_.kernels[i].kernel.name;
      if (te::equal(renamed, plan_.kernels[i].kernel)) return int(i);
    }
    return -1;
  }

  PlanStep other_step(Group const& group, std::string reason) const {
    PlanStep step{StepKind::kReference, -1, -1, {}, {}, std::move(reason)};
    std::set<ValueId> made;
    for (NodeId id : group.nodes) {
      Node const& node = graph_.node(id);
      if (!node.op) step.kind = StepKind::kOpaque;
      for (ValueId input : node.inputs)
        if (input.valid() && !made.count(input)) step.inputs.push_back(input);
      made.insert(node.outputs.begin(), node.outputs.end());
    }
    for (ValueId output : graph_.node(group.nodes.back()).outputs)
      if (output.valid()) step.outputs.push_back(output);
    return step;
  }

  Graph const& graph_;
  Plan plan_;
  std::set<std::string> names_;
};

class Execution {
public:
  Execution(Graph const& graph, Plan const& plan, KernelRunner const& runner,
            ReferenceOptions const& options)
      : graph_(graph),
        plan_(plan),
        runner_(runner),
        options_(options),
        values_(graph.values.size()) {}

  Result<std::vector<NDArray>> run(std::vector<NDArray> const& inputs) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = graph_.values[i].constant;
    for (size_t i = 0; i < inputs.size(); ++i) at(graph_.inputs[i]) = inputs[i];
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      if (options_.stop.stop_requested())
        return environment_failed("cancelled", "the run was cancelled");
      TRY(run_step(plan_.steps[i]));
    }
    std::vector<NDArray> outputs;
    for (ValueId id : graph_.outputs) outputs.push_back(at(id));
    return outputs;
  }

private:
  NDArray& at(ValueId id) { return values_[size_t(id.value)]; }

  std::vector<NDArray> operands(std::vector<ValueId> const& ids) {
    std::vector<NDArray> result;
    for (ValueId id : ids) result.push_back(id.valid() ? at(id) : NDArray());
    return result;
  }

  Status run_step(PlanStep const& step) {
    if (step.kind != StepKind::kKernel) return run_reference(step);
    KernelTask const& task = plan_.kernels[size_t(step.kernel)];
    std::vector<NDArray> outputs;
    for (te::Buffer const& buffer : task.kernel.outputs) {
      TRY_ASSIGN(NDArray array, NDArray::create(buffer->type, *ir::constant_shape(*buffer)));
      outputs.push_back(array);
    }
    TRY(runner_(task, operands(step.inputs), outputs));
    for (size_t i = 0; i < outputs.size(); ++i) at(step.outputs[i]) = outputs[i];
    return {};
  }

  Status run_reference(PlanStep const& step) {
    TRY_ASSIGN(std::vector<NDArray> results,
               reference_of(graph_, step, operands(step.inputs), options_));
    for (size_t i = 0; i < results.size(); ++i) at(step.outputs[i]) = results[i];
    return {};
  }

  Graph const& graph_;
  Plan const& plan_;
  KernelRunner const& runner_;
  ReferenceOptions const& options_;
  std::vector<NDArray> values_;
};

}  // namespace

Result<Plan> make_plan(Graph const& graph) { return Planner(graph).run(); }

Result<std::vector<NDArray>> reference_of(Graph const& graph, PlanStep const& step,
                                          std::vector<NDArray> const& inputs,
                                          ReferenceOptions const& options) {
  if (inputs.size() != step.inputs.size())
    return bad_input("wrong_input", fmt::format("{} tensors were given to a step of {}",
                                                inputs.size(), step.inputs.size()));
  std::map<ValueId, NDArray> values;
  for (size_t i = 0; i < inputs.size(); ++i) values[step.inputs[i]] = inputs[i];
  for (NodeId id : graph.groups[size_t(step.group)].nodes) {
    Node const& node = graph.node(id);
    std::vector<NDArray> operands;
    for (ValueId input : node.inputs) operands.push_back(input.valid() ? values[input] : NDArray());
    TRY_ASSIGN(std::vector<NDArray> results, run_node(graph, node, operands, options));
    for (size_t i = 0; i < results.size() && i < node.outputs.size(); ++i)
      values[node.outputs[i]] = results[i];
  }
  std::vector<NDArray> outputs;
  for (ValueId output : step.outputs) outputs.push_back(values[output]);
  return outputs;
}

Result<std::vector<NDArray>> execute(Graph const& graph, Plan const& plan,
                                     std::vector<NDArray> const& inputs, KernelRunner const& runner,
                                     ReferenceOptions const& options) {
  TRY(check_inputs(graph, inputs));
  return Execution(graph, plan, runner, options).run(inputs);
}

std::string to_text(Graph const& graph, Plan const& plan) {
  std::string text = "tilewright plan 1\n";
  for (KernelTask const& task : plan.kernels)
    text += fmt::format("  kernel {} x{}: {} ({} flop, {} bytes)\n", task.name, task.count,
                        fmt::join(task.operators, " "), task.flops, task.bytes);
  auto names = [&](std::vector<ValueId> const& ids) {
    std::string list;
    for (ValueId id : ids)
      list += (list.empty() ? "'" : ", '") + (id.valid() ? graph.value(id).name : "") + "'";
    return list;
  };
  for (PlanStep const& step : plan.steps) {
    std::string what = step.kind == StepKind::kKernel      ? plan.kernels[size_t(step.kernel)].name
                       : step.kind == StepKind::kReference ? "reference"
                                                           : "opaque";
    text += fmt::format("  {} = {}({}){}\n", names(step.outputs), what, names(step.inputs),
                        step.reason.empty() ? "" : "  # " + step.reason);
  }
  for (Allocation const& a : plan.memory.allocations)
    text += fmt::format("  '{}' at {} size {} steps {}..{}\n", graph.value(a.value).name, a.offset,
                        a.bytes, a.first, a.last);
  return text + fmt::format("  arena {} of {} bytes\n", plan.memory.arena_bytes,
                            plan.memory.unplanned_bytes);
}

}  // namespace tw
