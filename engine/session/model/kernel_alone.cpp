#include "engine/session/model/kernel_alone.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/measure/kernel_bench.h"
#include "engine/session/model/loaded_model.h"
#include "engine/te/inputs.h"

namespace tw::session {
namespace {

/// The weights of the first step that runs the kernel, one per input; empty: it is none.
std::vector<NDArray> weights_in(LoadedModel const& model, int row) {
  std::vector<NDArray> weights;
  for_each_step(model.after, model.plan, [&](Graph const& graph, PlanStep const& step) {
    if (step.kind != StepKind::kKernel || step.kernel != row || !weights.empty()) return;
    for (ValueId id : step.inputs) weights.push_back(graph.value(id).constant);
  });
  return weights;
}

Status check_names(te::Kernel const& kernel, std::map<std::string, NDArray> const& parameters) {
  std::vector<std::string> names;
  for (ir::Buffer const& input : kernel.inputs)
    if (input->scope == ir::kParameterScope) names.push_back(input->name);
  for (auto const& [name, array] : parameters)
    if (std::ranges::find(names, name) == names.end())
      return bad_input("unknown_parameter",
                       names.empty() ? fmt::format("the kernel {} has no parameters", kernel.name)
                                     : fmt::format("the kernel {} has no parameter '{}'; it has {}",
                                                   kernel.name, name, fmt::join(names, ", ")));
  return {};
}

class Maker {
public:
  Maker(LoadedModel const& model, int row) : model_(model), row_(row) {}

  Result<KernelAlone> make(std::map<std::string, NDArray> const& parameters) {
    te::Kernel const& kernel = model_.kernel(row_).kernel;
    TRY(check_names(kernel, parameters));
    TRY_ASSIGN(all_, te::proving_inputs(kernel, 1));
    PlanStep step;
    step.kernel = 0;
    std::vector<NDArray> weights = weights_in(model_, row_);
    weights.resize(kernel.inputs.size());
    for (size_t i = 0; i < kernel.inputs.size(); ++i) {
      auto given = parameters.find(kernel.inputs[i]->name);
      TRY_ASSIGN(ValueId id, add_input(*kernel.inputs[i], i,
                                       given == parameters.end() ? weights[i] : given->second));
      step.inputs.push_back(id);
    }
    for (ir::Buffer const& buffer : kernel.outputs) {
      step.outputs.push_back(result_.graph.add_value(value_of(*buffer)));
      result_.graph.outputs.push_back(step.outputs.back());
    }
    step.group = 0;
    result_.graph.groups.emplace_back();  // without nodes: the kernel is all there is
    result_.plan.steps.push_back(std::move(step));
    result_.plan.kernels.push_back(model_.kernel(row_));
    return std::move(result_);
  }

  /// One per input of the kernel, parameters too.
  std::vector<NDArray> const& all() const { return all_; }

private:
  static Value value_of(ir::BufferNode const& buffer) {
    Shape shape = ir::constant_shape(buffer).value_or(Shape{});
    return {buffer.name, tensor_type(buffer.type, shape), {}};
  }

  Result<ValueId> add_input(ir::BufferNode const& buffer, size_t i, NDArray const& content) {
    Value value = value_of(buffer);
    if (!content.empty()) {
      if (content.type() != buffer.type || content.size() != all_[i].size())
        return bad_input("wrong_input",
                         fmt::format("the parameter {} is {}[{}], not {}[{}]", buffer.name,
                                     to_text(buffer.type), to_text(all_[i].shape()),
                                     to_text(content.type()), to_text(content.shape())));
      all_[i] = content.reshaped(all_[i].shape());
    } else if (buffer.scope == ir::kParameterScope) {
      result_.unknown.push_back(buffer.name);
    }
    bool constant = !content.empty() || buffer.scope == ir::kParameterScope;
    if (constant) value.constant = all_[i];
    ValueId id = result_.graph.add_value(std::move(value));
    if (!constant) {
      result_.graph.inputs.push_back(id);
      result_.inputs.push_back(all_[i]);
    }
    return id;
  }

  LoadedModel const& model_;
  int row_;
  KernelAlone result_;
  std::vector<NDArray> all_;
};

/// What the plain nest makes of them, compiled for this machine.
Result<std::vector<NDArray>> plain_run(ir::Program const& plain, std::vector<NDArray> const& inputs,
                                       Backend const& host, Device& device, StopToken stop) {
  TRY_ASSIGN(KernelCode code, compile_kernel(plain, host, CodeTier::kFast, stop));
  BenchOptions options;
  options.threads = host.target().hardware.unit().count;
  options.call.stop = stop;
  options.call.timeout = std::chrono::minutes(3);
  return KernelBench(device, plain, inputs).run(code, options);
}

}  // namespace

Result<KernelAlone> kernel_alone(LoadedModel const& model, int row,
                                 std::map<std::string, NDArray> const& parameters,
                                 Backend const& host, Device& device, StopToken stop) {
  Maker maker(model, row);
  TRY_ASSIGN(KernelAlone alone, maker.make(parameters));
  alone.graph.name = model.kernel(row).name;
  TRY_ASSIGN(auto reference, reference_outputs(model, row, maker.all(), stop));
  alone.origin = model.own.contains(row) ? "the results of the expression's interpreter"
                                         : "the results of the operators' reference loops";
  if (reference) {
    alone.expected = std::move(*reference);
    return alone;
  }
  TRY_ASSIGN(ir::Program plain, plain_program(model, row));
  TRY_ASSIGN(alone.expected, plain_run(plain, maker.all(), host, device, stop));
  alone.origin = "the results of its unscheduled loops on this machine";
  return alone;
}

}  // namespace tw::session
