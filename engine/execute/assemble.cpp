#include "engine/execute/assemble.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/execute/assembler.h"

namespace tw {
namespace {

using package::Buffer;
using package::Region;

constexpr int64_t kAlignment = 64;

int64_t padded(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Nothing is to be done for it.
bool makes_nothing(Graph const& graph, PlanStep const& step) {
  return !step.outputs.empty() && std::ranges::all_of(step.outputs, [&](ValueId id) {
    auto bytes = bytes_of(graph.value(id));
    return bytes && *bytes == 0;
  });
}

}  // namespace

Result<int64_t> bytes_of(Value const& value) {
  auto shape = value.shape();
  if (!shape || !value.type.dtype)
    return bad_input(
        "unknown_shape",
        fmt::format("the shape of '{}' is not known: set the shapes of the inputs with --shape",
                    value.name),
        Place{{}, 0, 0, value.name});
  TRY_ASSIGN(int64_t count, element_count(value.layout.stored(*shape)));
  return count * size_of(*value.type.dtype);
}

Result<Assembly> Assembler::run() {
  whole().elsewhere.resize(source_.plan.elsewhere.size());
  Scope scope{source_.graph, 0, {}, std::vector<int64_t>(source_.plan.places())};
  TRY(place_tensors(scope));
  TRY_ASSIGN(whole().steps, steps_of(scope, source_.plan));
  scope.site = 0;
  for (ValueId id : source_.graph.outputs) {
    TRY_ASSIGN(Buffer place, place_of(scope, id));
    whole().results.push_back(place);
  }
  for (size_t k = 0; k < codes_.size(); ++k) {
    int64_t& workspace = site(source_.plan.kernels[k].place).workspace_bytes;
    workspace = std::max(workspace, codes_[k].run.workspace_bytes);
  }
  for (size_t k = 0; k < codes_.size(); ++k) TRY(describe_kernel(int(k)));
  return std::move(result_);
}

Result<package::Tensor> Assembler::tensor_of(ValueId id) {
  Value const& value = source_.graph.value(id);
  TRY_ASSIGN(int64_t bytes, bytes_of(value));
  return package::Tensor{value.name, *value.type.dtype, *value.shape(), bytes};
}

Status Assembler::place_tensors(Scope& scope) {
  for (ValueId id : source_.graph.inputs) {
    TRY_ASSIGN(package::Tensor tensor, tensor_of(id));
    scope.at(id) = {Region::kInput, int64_t(whole().inputs.size()), tensor.bytes};
    whole().inputs.push_back(std::move(tensor));
  }
  for (size_t place = source_.plan.places(); place-- > 0;) {
    scope.site = int(place);  // the last one is the place of inputs and outputs
    place_allocations(scope, source_.plan.memory_at(int(place)));
  }
  for (ValueId id : source_.graph.outputs) {
    TRY_ASSIGN(package::Tensor tensor, tensor_of(id));
    // An output may be an input, a constant, or another output once more.
    if (!scope.has(id) && !source_.graph.value(id).is_constant())
      scope.at(id) = {Region::kOutput, int64_t(whole().outputs.size()), tensor.bytes};
    whole().outputs.push_back(std::move(tensor));
  }
  return {};
}

void Assembler::place_allocations(Scope& scope, MemoryPlan const& memory) {
  for (Allocation const& one : memory.allocations)
    scope.at(one.value) = {Region::kArena, scope.top() + one.offset, one.bytes};
  scope.top() += padded(memory.arena_bytes);
  int64_t& arena = site(scope.site).arena_bytes;
  arena = std::max(arena, scope.top());
}

Buffer Assembler::reserve(Scope& scope, int64_t bytes) {
  Buffer place{Region::kArena, scope.top(), bytes};
  scope.top() += padded(bytes);
  int64_t& arena = site(scope.site).arena_bytes;
  arena = std::max(arena, scope.top());
  return place;
}

Buffer Assembler::add_parameter(NDArray const& content) {
  auto [known, is_new] = contents_.try_emplace(content.data());
  if (!is_new && known->second.bytes == content.byte_size()) return known->second;
  Buffer place{Region::kParameters, result_.parameter_bytes, content.byte_size()};
  result_.parameters.push_back({place.at, content});
  result_.parameter_bytes += padded(content.byte_size());
  return known->second = place;
}

Result<Buffer> Assembler::place_of(Scope& scope, ValueId id) {
  if (scope.has(id)) return scope.at(id);
  Value const& value = scope.graph.value(id);
  if (!value.is_constant())
    return refused("not_exportable", fmt::format("nothing computes '{}'", value.name),
                   Place{{}, 0, 0, value.name});
  return scope.at(id) = add_parameter(value.constant);
}

Result<Buffer> Assembler::target_of(Scope& scope, ValueId id) {
  if (scope.has(id)) return scope.at(id);
  TRY_ASSIGN(int64_t bytes, bytes_of(scope.graph.value(id)));
  return scope.at(id) = reserve(scope, bytes);
}

Result<Buffer> Assembler::exactly(Scope& scope, ValueId id) {
  TRY_ASSIGN(Buffer place, place_of(scope, id));
  TRY_ASSIGN(place.bytes, bytes_of(scope.graph.value(id)));
  return place;
}

Result<std::vector<package::Step>> Assembler::steps_of(Scope& scope, BodyPlan const& plan) {
  std::vector<package::Step> steps;
  for (PlanStep const& step : plan.steps) {
    scope.site = step.place;
    if (step.kind == StepKind::kReference && makes_nothing(scope.graph, step)) {
      for (ValueId id : step.outputs) TRY(target_of(scope, id));
      continue;
    }
    TRY_ASSIGN(package::Step added, step.kind == StepKind::kControl ? control_step(scope, step)
                                    : step.kind == StepKind::kCopy  ? copy_step(scope, step)
                                                                    : kernel_step(scope, step));
    added.place = step.place;
    for (ValueId id : step.outputs)
      if (id.valid()) added.makes += (added.makes.empty() ? "" : ", ") + scope.graph.value(id).name;
    steps.push_back(std::move(added));
  }
  return steps;
}

Result<package::Step> Assembler::copy_step(Scope& scope, PlanStep const& step) {
  package::Step added;
  added.kind = package::StepKind::kCopy;
  added.from = step.from;
  TRY_ASSIGN(Buffer to, target_of(scope, step.outputs[0]));
  scope.site = step.from;
  TRY_ASSIGN(Buffer from, place_of(scope, step.inputs[0]));
  scope.site = step.place;
  // An arena's buffers are padded, the caller's are not.
  from.bytes = to.bytes = std::min(from.bytes, to.bytes);
  added.buffers = {from, to};
  return added;
}

Result<package::Step> Assembler::kernel_step(Scope& scope, PlanStep const& step) {
  KernelCode const& code = codes_[size_t(step.kernel)];
  package::Step added;
  added.symbol = code.run.symbol;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    Buffer place;
    if (code.read[i]) {
      TRY_ASSIGN(place, place_of(scope, step.inputs[i]));
    }
    added.buffers.push_back(place);
  }
  if (!code.made.empty()) TRY(add_made(scope, step, added));
  for (ValueId id : step.outputs) {
    TRY_ASSIGN(Buffer place, target_of(scope, id));
    added.buffers.push_back(place);
  }
  return added;
}

/// Steps that share kernel and parameters share what is made of them.
Status Assembler::add_made(Scope& scope, PlanStep const& step, package::Step& added) {
  auto [known, is_new] = made_.try_emplace({&scope.graph, step.kernel, step.inputs});
  if (is_new) {
    TRY_ASSIGN(std::vector<NDArray> tensors,
               made_arrays(source_, scope.graph, step, codes_[size_t(step.kernel)], call_));
    for (NDArray const& tensor : tensors) known->second.push_back(add_parameter(tensor));
  }
  added.buffers.insert(added.buffers.end(), known->second.begin(), known->second.end());
  return {};
}

Status Assembler::describe_kernel(int row) {
  KernelTask const& task = source_.plan.kernels[size_t(row)];
  KernelCode const& code = codes_[size_t(row)];
  whole().kernels.push_back(
      {code.run.symbol, fmt::format("{}", fmt::join(task.operators, " ")), code.script});
  return {};
}

namespace {

/// A line per node that is in the way: what it is, and why.
void obstacles(Graph const& graph, BodyPlan const& plan, std::vector<std::string>& lines) {
  for (PlanStep const& step : plan.steps) {
    if (step.kind == StepKind::kKernel || step.kind == StepKind::kCopy) continue;
    if (step.kind == StepKind::kReference && makes_nothing(graph, step)) continue;
    Node const& node = graph.node(graph.groups[size_t(step.group)].anchor);
    std::string why = step.kind == StepKind::kControl ? control_obstacle(graph, step) : step.reason;
    if (!why.empty()) lines.push_back(fmt::format("{}: {}", step.node, why));
    for (size_t i = 0; i < step.bodies.size(); ++i)
      if (!first_opaque(step.bodies[i])) obstacles(*node.sub_graphs[i], step.bodies[i], lines);
  }
}

}  // namespace

Status check_exportable(Graph const& graph, Plan const& plan) {
  constexpr size_t kMostListed = 5;
  for (ValueId id : graph.inputs)
    if (auto bytes = bytes_of(graph.value(id)); !bytes) return std::unexpected(bytes.error());
  std::vector<std::string> nodes;
  obstacles(graph, plan, nodes);
  if (nodes.empty()) return {};
  size_t more = nodes.size() - std::min(nodes.size(), kMostListed);
  nodes.resize(nodes.size() - more);
  return refused(
      "not_exportable",
      fmt::format("an exported model can only run compiled kernels on tensors of known sizes, but "
                  "{} of its nodes {} not of this kind: {}{}. Set unknown input sizes with --shape "
                  "NAME=SHAPE; a size that depends on data must be computed outside the model",
                  nodes.size() + more, nodes.size() + more == 1 ? "is" : "are",
                  fmt::join(nodes, "; "), more > 0 ? fmt::format("; and {} more", more) : ""));
}

Result<Assembly> assemble(PackageSource const& source, std::vector<KernelCode> const& codes,
                          CallOptions const& call) {
  TRY(check_exportable(source.graph, source.plan));
  return Assembler(source, codes, call).run();
}

}  // namespace tw
