#include "engine/compile/plan.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/graph/control.h"

namespace tw {
namespace {

/// The kernels that the graphs of a model share.
class Kernels {
public:
  /// The kernel's number; `owner` stands before the name of a new one.
  int add(KernelTask task, std::string const& owner) {
    if (int same = known(task); same >= 0) {
      ++list[size_t(same)].count;
      return same;
    }
    std::string wish = owner + task.name;
    task.name = wish;
    for (int& i = tried_[wish]; !names_.insert(task.name).second;)
      task.name = fmt::format("{}_{}", wish, i++ + 2);
    task.kernel.name = task.name;
    by_hash_[task.hash].push_back(int(list.size()));
    list.push_back(std::move(task));
    return int(list.size()) - 1;
  }

  std::vector<KernelTask> list;

private:
  int known(KernelTask const& task) const {
    auto alike = by_hash_.find(task.hash);
    if (alike == by_hash_.end()) return -1;
    te::Kernel renamed = task.kernel;
    for (int i : alike->second) {
      renamed.name = list[size_t(i)].kernel.name;
      if (te::equal(renamed, list[size_t(i)].kernel)) return i;
    }
    return -1;
  }

  std::set<std::string> names_;
  std::map<std::string, int> tried_;              ///< how many names after each wish
  std::map<uint64_t, std::vector<int>> by_hash_;  ///< kernels by their structure
};

std::string named(Node const& node) { return fmt::format("{} ({})", node.name, node.type); }

class Planner {
public:
  Planner(Graph const& graph, Kernels& kernels, std::string owner)
      : graph_(graph), kernels_(kernels), owner_(std::move(owner)) {}

  Result<BodyPlan> run() {
    if (graph_.groups.empty() && !graph_.nodes.empty())
      return refused("not_fused", "the graph has not been fused");
    for (size_t g = 0; g < graph_.groups.size(); ++g) {
      TRY_ASSIGN(PlanStep step, step_of(graph_.groups[g]));
      step.group = int(g);
      plan_.steps.push_back(std::move(step));
    }
    plan_.memory = plan_memory(graph_);
    return std::move(plan_);
  }

private:
  Result<PlanStep> step_of(Group const& group) {
    Node const& last = graph_.node(group.nodes.back());
    if (last.control) return control_step(last);
    auto kernel = kernel_of(graph_, group);
    if (!kernel && kernel.error().code != "no_kernel") return std::unexpected(kernel.error());
    if (!kernel) return other_step(group, kernel.error().message);
    return PlanStep{StepKind::kKernel,
                    kernels_.add(std::move(kernel->task), owner_),
                    -1,
                    std::move(kernel->inputs),
                    std::move(kernel->outputs),
                    {},
                    {},
                    {}};
  }

  Result<PlanStep> control_step(Node const& node) {
    PlanStep step{StepKind::kControl, -1, -1, node.inputs, node.outputs, named(node), {}, {}};
    step.reason = fmt::format("{} contains graphs of its own", node.type);
    for (size_t i = 0; i < node.sub_graphs.size(); ++i) {
      std::string owner = owner_ + body_name(node, i) + "_";
      TRY_ASSIGN(BodyPlan body, Planner(*node.sub_graphs[i], kernels_, owner).run());
      step.bodies.push_back(std::move(body));
    }
    return step;
  }

  PlanStep other_step(Group const& group, std::string reason) const {
    PlanStep step{StepKind::kReference, -1, -1, {}, {}, named(graph_.node(group.anchor)),
                  std::move(reason),    {}};
    std::set<ValueId> made;
    for (NodeId id : group.nodes) {
      Node const& node = graph_.node(id);
      if (node.is_opaque()) step.kind = StepKind::kOpaque;
      for (ValueId input : node.inputs)
        if (input.valid() && !made.count(input)) step.inputs.push_back(input);
      made.insert(node.outputs.begin(), node.outputs.end());
    }
    for (ValueId output : graph_.node(group.nodes.back()).outputs)
      if (output.valid()) step.outputs.push_back(output);
    return step;
  }

  Graph const& graph_;
  Kernels& kernels_;
  std::string owner_;
  BodyPlan plan_;
};

class Execution {
public:
  Execution(Graph const& graph, BodyPlan const& plan, std::vector<KernelTask> const& kernels,
            KernelRunner const& runner, ReferenceOptions const& options)
      : graph_(graph),
        plan_(plan),
        kernels_(kernels),
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
    if (step.kind == StepKind::kCopy) return {};  // one process sees all places
    if (step.kind == StepKind::kControl) return run_bodies(step);
    if (step.kind != StepKind::kKernel) return run_reference(step);
    KernelTask const& task = kernels_[size_t(step.kernel)];
    std::vector<NDArray> outputs;
    for (te::Buffer const& buffer : task.kernel.outputs) {
      TRY_ASSIGN(NDArray array, NDArray::create(buffer->type, *ir::constant_shape(*buffer)));
      outputs.push_back(array);
    }
    TRY(runner_(task, operands(step.inputs), outputs));
    for (size_t i = 0; i < outputs.size(); ++i) {
      auto info = stored_info(graph_.value(step.outputs[i]));
      at(step.outputs[i]) = info ? outputs[i].reshaped(info->shape) : outputs[i];
    }
    return {};
  }

  Status run_bodies(PlanStep const& step) {
    Node const& node = control_node(graph_, step);
    std::vector<NDArray> all = operands(step.inputs);
    auto run_body = [&](size_t body, std::vector<NDArray> const& given) {
      std::vector<NDArray> inputs = given;
      inputs.insert(inputs.end(), all.begin() + int64_t(operand_count(node)), all.end());
      Graph const& graph = *node.sub_graphs[body];
      if (Status fits = check_body_inputs(graph, inputs.size()); !fits)
        return Result<std::vector<NDArray>>(std::unexpected(fits.error()));
      return Execution(graph, step.bodies[body], kernels_, runner_, options_).run(inputs);
    };
    TRY_ASSIGN(std::vector<NDArray> results,
               run_control(graph_, node, all, run_body, {options_.max_bytes, options_.stop}));
    for (size_t i = 0; i < step.outputs.size(); ++i)
      if (step.outputs[i].valid()) at(step.outputs[i]) = results[i];
    return {};
  }

  Status run_reference(PlanStep const& step) {
    TRY_ASSIGN(std::vector<NDArray> results,
               reference_of(graph_, step, operands(step.inputs), options_));
    for (size_t i = 0; i < results.size(); ++i)
      if (step.outputs[i].valid()) at(step.outputs[i]) = results[i];
    return {};
  }

  Graph const& graph_;
  BodyPlan const& plan_;
  std::vector<KernelTask> const& kernels_;
  KernelRunner const& runner_;
  ReferenceOptions const& options_;
  std::vector<NDArray> values_;
};

}  // namespace

Result<Plan> make_plan(Graph const& graph) {
  Kernels kernels;
  TRY_ASSIGN(BodyPlan steps, Planner(graph, kernels, "").run());
  return Plan{std::move(steps), std::move(kernels.list)};
}

PlanStep const* first_opaque(BodyPlan const& plan) {
  for (PlanStep const& step : plan.steps) {
    if (step.kind == StepKind::kOpaque) return &step;
    PlanStep const* inside = nullptr;
    for (BodyPlan const& body : step.bodies)
      if (inside = first_opaque(body); !inside) break;  // this one can be chosen
    if (inside) return inside;
  }
  return nullptr;
}

Node const& control_node(Graph const& graph, PlanStep const& step) {
  return graph.node(graph.groups[size_t(step.group)].nodes.back());
}

void for_each_step(Graph const& graph, BodyPlan const& plan,
                   std::function<void(Graph const&, PlanStep const&)> const& f) {
  for (PlanStep const& step : plan.steps) {
    f(graph, step);
    for (size_t i = 0; i < step.bodies.size(); ++i)
      for_each_step(*control_node(graph, step).sub_graphs[i], step.bodies[i], f);
  }
}

Result<std::vector<NDArray>> reference_of(Graph const& graph, PlanStep const& step,
                                          std::vector<NDArray> const& inputs,
                                          ReferenceOptions const& options) {
  if (inputs.size() != step.inputs.size())
    return bad_input("wrong_input", fmt::format("{} tensors were given to a step that takes {}",
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
  return Execution(graph, plan, plan.kernels, runner, options).run(inputs);
}

namespace {

std::string names(Graph const& graph, std::vector<ValueId> const& ids) {
  std::string list;
  for (ValueId id : ids)
    list += (list.empty() ? "'" : ", '") + (id.valid() ? graph.value(id).name : "") + "'";
  return list;
}

std::string lines_of(Graph const& graph, MemoryPlan const& memory, std::string const& indent) {
  std::string text;
  for (Allocation const& a : memory.allocations)
    text += fmt::format("{}  '{}' at {} size {} steps {}..{}\n", indent, graph.value(a.value).name,
                        a.offset, a.bytes, a.first, a.last);
  return text + fmt::format("{}  arena {} of {} bytes\n", indent, memory.arena_bytes,
                            memory.unplanned_bytes);
}

std::string lines_of(Graph const& graph, BodyPlan const& plan,
                     std::vector<KernelTask> const& kernels, std::string const& indent) {
  constexpr char const* kKinds[] = {"kernel", "reference", "opaque", "control", "copy"};
  std::string text;
  for (PlanStep const& step : plan.steps) {
    std::string what = step.kind == StepKind::kKernel ? kernels[size_t(step.kernel)].name
                                                      : kKinds[size_t(step.kind)];
    std::string at = step.place > 0 ? fmt::format(" at {}", step.place) : "";
    if (step.kind == StepKind::kCopy) at = fmt::format(" from {} to {}", step.from, step.place);
    text +=
        fmt::format("{}  {} = {}({}){}{}\n", indent, names(graph, step.outputs), what,
                    names(graph, step.inputs), at, step.reason.empty() ? "" : "  # " + step.reason);
    for (size_t i = 0; i < step.bodies.size(); ++i) {
      Node const& node = control_node(graph, step);
      text += fmt::format("{}    {}\n{}", indent, body_name(node, i),
                          lines_of(*node.sub_graphs[i], step.bodies[i], kernels, indent + "    "));
    }
  }
  return text + lines_of(graph, plan.memory, indent);
}

}  // namespace

std::string to_text(Graph const& graph, Plan const& plan) {
  std::string text = "tilewright plan 1\n";
  for (KernelTask const& task : plan.kernels)
    text += fmt::format("  kernel {} x{}: {} ({} flop, {} bytes)\n", task.name, task.count,
                        fmt::join(task.operators, " "), task.flops, task.bytes);
  text += lines_of(graph, plan, plan.kernels, "");
  for (Plan::Elsewhere const& one : plan.elsewhere)
    text += fmt::format("  at {}\n{}", one.name, lines_of(graph, one.memory, "  "));
  return text;
}

}  // namespace tw
