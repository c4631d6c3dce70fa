#include "tests/benchmarks/kernels/compiled_model.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <set>

#include "engine/compile/kernel_code.h"
#include "engine/compile/optimize.h"
#include "engine/compile/plan.h"
#include "engine/importers/from_foreign.h"
#include "engine/runtime/module.h"
#include "engine/runtime/thread_pool.h"
#include "engine/schedule/trace.h"

namespace tw::bench {
namespace {

/// A kernel with everything that a call of it takes.
struct Call {
  TwKernel function = nullptr;
  std::vector<void*> buffers;
  bool is_border = false;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool has_operator(KernelTask const& task, std::string const& name) {
  return std::ranges::find(task.operators, name) != task.operators.end();
}

/// Kernels that run the node of this name.
std::set<int> kernels_of(Graph const& graph, Plan const& plan, std::string const& node) {
  std::set<int> found;
  for (PlanStep const& step : plan.steps)
    for (NodeId id : graph.groups[size_t(step.group)].nodes)
      if (graph.node(id).name == node) found.insert(step.kernel);
  return found;
}

bool only_changes_layouts(KernelTask const& task) {
  // Padding belongs to the operator: in a network it would run as well.
  return task.flops == 0 && !has_operator(task, "pad");
}

}  // namespace

struct CompiledModel::Parts {
  Graph graph;
  Plan plan;
  std::vector<CompiledKernel> kernels;
  size_t largest = 0;  // of the measured kernels, by its work
  std::vector<LoadedModule> modules;
  std::vector<TwKernel> functions;  // one per kernel
  std::map<ValueId, NDArray> values;
  NDArray workspace;
  std::vector<Call> calls;
  ThreadPool pool{1, Pinning::kNone};
  CodeTier tier = CodeTier::kFull;
  std::string measured;        // node; empty: all
  std::set<int> counted;       // kernels of that
  std::string script;          // of the kernel with the most work; empty: by rule
  double compile_seconds = 0;  // without the neighbours

  bool is_neighbour(KernelTask const& task) const {
    return !measured.empty() && !counted.contains(int(&task - plan.kernels.data()));
  }

  Status compile(ImportedModel const& model, Backend const& backend) {
    TRY_ASSIGN(Graph imported, build_graph(model));
    TRY_ASSIGN(graph, optimize(imported, backend));
    TRY_ASSIGN(plan, make_plan(graph));
    counted = kernels_of(graph, plan, measured);
    for (PlanStep const& step : plan.steps)
      if (step.kind != StepKind::kKernel) return refused("no_kernel", step.reason);
    int64_t most = 0;
    auto work = [&](KernelTask const& task) {
      return is_neighbour(task) ? int64_t(-1) : task.flops;
    };
    largest = size_t(std::ranges::max_element(plan.kernels, {}, work) - plan.kernels.begin());
    for (KernelTask const& task : plan.kernels) {
      Clock::time_point start = Clock::now();
      bool has_script = !script.empty() && &task == &plan.kernels[largest];
      TRY_ASSIGN(int64_t bytes, compile_kernel(task, backend, has_script));
      most = std::max(most, bytes);
      if (is_neighbour(task)) compile_seconds -= seconds_since(start);
    }
    if (most > 0) {
      TRY_ASSIGN(workspace, NDArray::create(DType::kU8, {most}));
    }
    return {};
  }

  Result<Schedule> scheduled_by_script(ir::Program program, Backend const& backend) const {
    TRY_ASSIGN(Script parsed, parse_script(script));
    auto replayed = replay(Schedule(std::move(program), backend.shared_target()), parsed);
    if (!replayed) return refused("step_refused", replayed.error().message);
    return *std::move(replayed);
  }

  /// The bytes of its workspace.
  Result<int64_t> compile_kernel(KernelTask const& task, Backend const& backend, bool has_script) {
    TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
    TRY_ASSIGN(Schedule scheduled, has_script ? scheduled_by_script(program, backend)
                                              : backend.default_schedule(program));
    TRY_ASSIGN(KernelCode code, tw::compile_kernel(scheduled.program(), backend, tier));
    // The rules pack no parameters themselves: the graph's passes did.
    if (code.load) return refused("makes_parameters", task.name + " computes parameters first");
    Artifact const& artifact = code.run;
    TRY_ASSIGN(LoadedModule module, LoadedModule::load(artifact.library));
    TRY_ASSIGN(void* function, module.symbol(artifact.symbol));
    modules.push_back(std::move(module));
    functions.push_back(reinterpret_cast<TwKernel>(function));
    kernels.push_back({task.name, fmt::format("{}", fmt::join(task.operators, " ")),
                       scheduled.script(), only_changes_layouts(task) || is_neighbour(task)});
    return artifact.workspace_bytes;
  }

  Status allocate() {
    for (PlanStep const& step : plan.steps) {
      for (ValueId id : step.inputs) TRY(allocate(id));
      for (ValueId id : step.outputs) TRY(allocate(id));
    }
    return {};
  }

  Status allocate(ValueId id) {
    if (values.contains(id)) return {};
    Value const& value = graph.value(id);
    if (value.is_constant()) {
      values[id] = value.constant;
      return {};
    }
    auto info = tensor_info(value);
    if (!info) return bad_input("unknown_shape", "the shape of " + value.name + " is not known");
    TRY_ASSIGN(values[id], NDArray::create(info->type, info->shape));
    return {};
  }

  void link_calls() {
    calls.clear();
    for (PlanStep const& step : plan.steps) {
      Call call{functions[size_t(step.kernel)], {}, kernels[size_t(step.kernel)].is_border};
      for (ValueId id : step.inputs) call.buffers.push_back(values[id].data());
      for (ValueId id : step.outputs) call.buffers.push_back(values[id].data());
      call.buffers.push_back(workspace.data());
      calls.push_back(std::move(call));
    }
  }

  int32_t run(bool with_border) const {
    for (Call const& call : calls) {
      if (call.is_border && !with_border) continue;
      if (int32_t code = call.function(call.buffers.data(), pool.runtime())) return code;
    }
    return 0;
  }
};

CompiledModel::CompiledModel(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
CompiledModel::CompiledModel(CompiledModel&&) noexcept = default;
CompiledModel::~CompiledModel() = default;

Result<CompiledModel> CompiledModel::create(ImportedModel const& model, Backend const& backend,
                                            CodeTier tier, std::string const& measured,
                                            std::string const& script) {
  auto parts = std::make_unique<Parts>();
  parts->tier = tier;
  parts->measured = measured;
  parts->script = script;
  Clock::time_point start = Clock::now();
  TRY(parts->compile(model, backend));
  parts->compile_seconds += seconds_since(start);
  TRY(parts->allocate());
  parts->link_calls();
  return CompiledModel(std::move(parts));
}

void CompiledModel::set_inputs(std::vector<NDArray> const& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) parts_->values[parts_->graph.inputs[i]] = inputs[i];
  parts_->link_calls();
}

void CompiledModel::poison() {
  for (PlanStep const& step : parts_->plan.steps)
    for (ValueId id : step.outputs) {
      NDArray& array = parts_->values[id];
      std::memset(array.data(), 0xFF, size_t(array.byte_size()));
    }
}

int32_t CompiledModel::run() const { return parts_->run(true); }
int32_t CompiledModel::run_core() const { return parts_->run(false); }
NDArray const& CompiledModel::output() const { return parts_->values.at(parts_->graph.outputs[0]); }
std::vector<CompiledKernel> const& CompiledModel::kernels() const { return parts_->kernels; }
CompiledKernel const& CompiledModel::largest() const { return parts_->kernels[parts_->largest]; }
bool CompiledModel::has_border() const {
  return std::ranges::any_of(parts_->kernels, &CompiledKernel::is_border);
}
double CompiledModel::compile_seconds() const { return parts_->compile_seconds; }

}  // namespace tw::bench
