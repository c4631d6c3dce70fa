/// What runs when: the kernels of a model, the steps in their order, and where tensors lie.
#pragma once

#include <functional>

#include "engine/compile/tasks.h"
#include "engine/graph/control.h"
#include "engine/graph/memory_plan.h"
#include "engine/graph/reference.h"

namespace tw {

enum class StepKind : uint8_t {
  kKernel,     ///< a compiled kernel
  kReference,  ///< operators that run by their plain loops between the kernels
  kOpaque,     ///< a node that nothing can run
  kControl,    ///< a node that runs graphs of its own
  kCopy,       ///< a value goes from one place to another; `group` is -1
};

struct BodyPlan;

struct PlanStep {
  StepKind kind = StepKind::kKernel;
  int kernel = -1;  ///< index into `Plan::kernels`
  int group = -1;   ///< index into the graph's groups; also the step's number in the memory plan
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::string node;              ///< of one that is no kernel: "y (Reshape)"
  std::string reason;            ///< why it is no kernel
  std::vector<BodyPlan> bodies;  ///< of a control step: one per graph of its node
  int place = 0;                 ///< where it runs, its bodies, too; of a copy: where to
  int from = 0;                  ///< of a copy: the place that its value is taken from
};

/// What a graph runs, in order.
struct BodyPlan {
  std::vector<PlanStep> steps;  ///< one per group, and the copies
  MemoryPlan memory;            ///< of the place where it runs; of a model: of place 0
};

/// Kernels of the graphs inside are among them, too, and are called after their graph:
/// "then_relu_64".
struct Plan : BodyPlan {
  std::vector<KernelTask> kernels;  ///< different ones, in the order of their first use
  /// Places that the model runs at besides place 0, which has its inputs and outputs and runs what
  /// is no kernel: a plan is cut into them by cut.h.
  struct Elsewhere {
    std::string name;  ///< for people: a device
    MemoryPlan memory;
  };
  std::vector<Elsewhere> elsewhere;  ///< of place 1, 2, ...

  size_t places() const { return 1 + elsewhere.size(); }
  MemoryPlan const& memory_at(int place) const {
    return place == 0 ? memory : elsewhere[size_t(place - 1)].memory;
  }
};

/// The first step that keeps a run from its end, if no run can end: an opaque node, or control flow
/// of which no branch can run.
PlanStep const* first_opaque(BodyPlan const& plan);

/// The node of a control step.
Node const& control_node(Graph const& graph, PlanStep const& step);
/// Every step of a plan and of the plans inside it, with the graph that it belongs to, in order.
void for_each_step(Graph const& graph, BodyPlan const& plan,
                   std::function<void(Graph const&, PlanStep const&)> const& f);

/// `graph` and the graphs inside it have been fused. Every group gets a step, whatever can run it.
Result<Plan> make_plan(Graph const& graph);

/// What a step should make of these inputs (one per `step.inputs`, as they are stored), by its
/// operators' references: the fast judge of a kernel's schedule. Errors: those of the references,
/// opaque_node.
Result<std::vector<NDArray>> reference_of(Graph const& graph, PlanStep const& step,
                                          std::vector<NDArray> const& inputs,
                                          ReferenceOptions const& options = {});

/// Runs one kernel: fills `outputs`, which have their types and shapes.
using KernelRunner = std::function<Status(KernelTask const&, std::vector<NDArray> const& inputs,
                                          std::vector<NDArray>& outputs)>;

/// Runs the plan step by step in this process, kernels by `runner`. Errors: those of
/// `check_inputs`, of the runner and of the references, opaque_node, cancelled.
Result<std::vector<NDArray>> execute(Graph const& graph, Plan const& plan,
                                     std::vector<NDArray> const& inputs, KernelRunner const& runner,
                                     ReferenceOptions const& options = {});

/// "tilewright plan 1", a line per kernel, step and allocation.
std::string to_text(Graph const& graph, Plan const& plan);

}  // namespace tw
