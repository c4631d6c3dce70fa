#include "engine/package/assemble.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/package/made_tensors.h"

namespace tw {
namespace {

using package::Buffer;
using package::Region;

constexpr int64_t kAlignment = 64;

Result<int64_t> bytes_of(Value const& value) {
  auto shape = value.shape();
  if (!shape || !value.type.dtype)
    return bad_input(
        "unknown_shape",
        fmt::format("the shape of '{}' is not known; fix the inputs' shapes", value.name),
        Place{{}, 0, 0, value.name});
  TRY_ASSIGN(int64_t count, element_count(*shape));
  return count * size_of(*value.type.dtype);
}

class Assembler {
public:
  Assembler(PackageSource const& source, std::vector<KernelCode> const& codes,
            CallOptions const& call)
      : source_(source), codes_(codes), call_(call) {}

  Result<Assembly> run() {
    TRY(place_tensors());
    for (PlanStep const& step : source_.plan.steps) TRY(add_step(step));
    for (ValueId id : source_.graph.outputs) {
      TRY_ASSIGN(Buffer place, place_of(id));
      whole().results.push_back(place);
    }
    whole().arena_bytes = source_.plan.memory.arena_bytes;
    for (KernelCode const& code : codes_)
      whole().workspace_bytes = std::max(whole().workspace_bytes, code.run.workspace_bytes);
    for (size_t k = 0; k < codes_.size(); ++k) TRY(describe_kernel(int(k)));
    return std::move(result_);
  }

private:
  package::Description& whole() { return result_.description; }

  Result<package::Tensor> tensor_of(ValueId id) {
    Value const& value = source_.graph.value(id);
    TRY_ASSIGN(int64_t bytes, bytes_of(value));
    return package::Tensor{value.name, *value.type.dtype, *value.shape(), bytes};
  }

  Status place_tensors() {
    for (ValueId id : source_.graph.inputs) {
      TRY_ASSIGN(package::Tensor tensor, tensor_of(id));
      places_[id] = {Region::kInput, int64_t(whole().inputs.size()), tensor.bytes};
      whole().inputs.push_back(std::move(tensor));
    }
    for (Allocation const& one : source_.plan.memory.allocations)
      places_[one.value] = {Region::kArena, one.offset, one.bytes};
    for (ValueId id : source_.graph.outputs) {
      TRY_ASSIGN(package::Tensor tensor, tensor_of(id));
      // An output may be an input, a constant, or another output once more.
      if (!places_.contains(id) && !source_.graph.value(id).is_constant())
        places_[id] = {Region::kOutput, int64_t(whole().outputs.size()), tensor.bytes};
      whole().outputs.push_back(std::move(tensor));
    }
    return {};
  }

  Buffer add_parameter(NDArray const& content) {
    Buffer place{Region::kParameters, result_.parameter_bytes, content.byte_size()};
    result_.parameters.push_back({place.at, content});
    result_.parameter_bytes += (content.byte_size() + kAlignment - 1) / kAlignment * kAlignment;
    return place;
  }

  Result<Buffer> place_of(ValueId id) {
    if (auto found = places_.find(id); found != places_.end()) return found->second;
    Value const& value = source_.graph.value(id);
    if (!value.is_constant())
      return refused("not_exportable", fmt::format("nothing makes '{}'", value.name),
                     Place{{}, 0, 0, value.name});
    return places_[id] = add_parameter(value.constant);
  }

  Status add_step(PlanStep const& step) {
    KernelCode const& code = codes_[size_t(step.kernel)];
    package::Step added{code.run.symbol, {}, {}};
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      Buffer place;
      if (code.read[i]) {
        TRY_ASSIGN(place, place_of(step.inputs[i]));
      }
      added.buffers.push_back(place);
    }
    if (!code.made.empty()) TRY(add_made(step, added));
    for (ValueId id : step.outputs) {
      TRY_ASSIGN(Buffer place, place_of(id));
      added.buffers.push_back(place);
      added.makes += (added.makes.empty() ? "" : ", ") + source_.graph.value(id).name;
    }
    whole().steps.push_back(std::move(added));
    return {};
  }

  /// Steps that share kernel and parameters share what is made of them.
  Status add_made(PlanStep const& step, package::Step& added) {
    auto [known, is_new] = made_.try_emplace({step.kernel, step.inputs});
    if (is_new) {
      TRY_ASSIGN(std::vector<NDArray> tensors, make_tensors(source_, step, call_));
      for (NDArray const& tensor : tensors) known->second.push_back(add_parameter(tensor));
    }
    added.buffers.insert(added.buffers.end(), known->second.begin(), known->second.end());
    return {};
  }

  Status describe_kernel(int row) {
    KernelTask const& task = source_.plan.kernels[size_t(row)];
    TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
    auto given = source_.scripts.find(row);
    TRY_ASSIGN(std::string script,
               script_of(program, given == source_.scripts.end() ? nullptr : &given->second,
                         source_.backend));
    whole().kernels.push_back({codes_[size_t(row)].run.symbol,
                               fmt::format("{}", fmt::join(task.operators, " ")), script});
    return {};
  }

  PackageSource const& source_;
  std::vector<KernelCode> const& codes_;
  CallOptions const& call_;
  Assembly result_;
  std::map<ValueId, Buffer> places_;
  std::map<std::pair<int, std::vector<ValueId>>, std::vector<Buffer>> made_;
};

}  // namespace

Status check_exportable(Graph const& graph, Plan const& plan) {
  constexpr size_t kMostListed = 5;
  std::vector<std::string> nodes;
  for (PlanStep const& step : plan.steps) {
    if (step.kind == StepKind::kKernel) continue;
    Node const& node = graph.node(graph.groups[size_t(step.group)].anchor);
    nodes.push_back(
        fmt::format("{} ({}): {}", node.name, node.type,
                    step.kind == StepKind::kControl ? "it chooses what runs" : step.reason));
  }
  for (ValueId id : graph.inputs)
    if (auto bytes = bytes_of(graph.value(id)); !bytes) return std::unexpected(bytes.error());
  if (nodes.empty()) return {};
  size_t more = nodes.size() - std::min(nodes.size(), kMostListed);
  nodes.resize(nodes.size() - more);
  return refused(
      "not_exportable",
      fmt::format("an exported model runs compiled kernels only, and there is none for "
                  "{}{}",
                  fmt::join(nodes, "; "), more > 0 ? fmt::format("; and {} more", more) : ""));
}

Result<Assembly> assemble(PackageSource const& source, std::vector<KernelCode> const& codes,
                          CallOptions const& call) {
  TRY(check_exportable(source.graph, source.plan));
  return Assembler(source, codes, call).run();
}

}  // namespace tw
