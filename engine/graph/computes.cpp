#include "engine/graph/computes.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw {
namespace {

constexpr char kDirect[] = "direct";

bool is_plain_tensor(LaidTensor const& tensor) { return tensor.layout.is_plain(); }

/// The extents that the layout cuts into blocks: a broadcast along one would read other elements.
bool same_blocks(Layout const& layout, Shape const& a, Shape const& b) {
  if (a.size() != b.size()) return false;
  for (size_t dim = 0; dim < a.size(); ++dim)
    if (layout.has_block(dim) && a[dim] != b[dim]) return false;
  return true;
}

/// Element i of the result depends on element i of the operands: in whatever order, if it is the
/// same for all. A single element lies the same everywhere.
Status takes_elementwise(Operator const& op, Arrangement const& arrangement) {
  LaidTensor const& result = arrangement.outputs.front();
  auto agrees = [&](LaidTensor const& tensor) {
    if (element_count(tensor.shape).value_or(0) == 1 && tensor.layout.is_plain()) return true;
    return tensor.layout == result.layout && same_blocks(result.layout, tensor.shape, result.shape);
  };
  for (size_t i = 0; i < arrangement.inputs.size(); ++i)
    if (!agrees(arrangement.inputs[i]))
      return not_taken(fmt::format(
          "{} is element-wise: operand {} has layout {}, but its result has {}", op.name, i + 1,
          to_text(arrangement.inputs[i].layout), to_text(result.layout)));
  for (LaidTensor const& other : arrangement.outputs)
    if (!agrees(other)) return not_taken(op.name + " needs one layout for all its results");
  return {};
}

Compute const* find_compute(Operator const& op, std::string_view name) {
  if (name.empty()) return &op.computes.front();
  auto found = std::ranges::find(op.computes, name, &Compute::name);
  return found == op.computes.end() ? nullptr : &*found;
}

std::unexpected<Error> unknown_algorithm(Operator const& op, std::string const& name) {
  return refused("unknown_algorithm", fmt::format("{} is not computed by '{}', but by {}", op.name,
                                                  name, fmt::join(compute_names(op), ", ")));
}

}  // namespace

bool Arrangement::is_plain() const {
  return std::ranges::all_of(inputs, is_plain_tensor) &&
         std::ranges::all_of(outputs, is_plain_tensor);
}

std::unexpected<Error> not_taken(std::string message) {
  return refused("layout_not_taken", std::move(message));
}

Status takes_plain(Attributes const&, Arrangement const& arrangement) {
  if (arrangement.is_plain()) return {};
  return not_taken("it only takes and gives tensors in the plain layout");
}

bool has_compute(Operator const& op) { return op.compute || !op.computes.empty(); }

std::vector<std::string> compute_names(Operator const& op) {
  if (op.compute) return {kDirect};
  std::vector<std::string> names;
  for (Compute const& compute : op.computes) names.push_back(compute.name);
  return names;
}

Status takes(Operator const& op, Attributes const& attributes, Arrangement const& arrangement) {
  std::string const& name = arrangement.algorithm;
  if (op.computes.empty()) {
    if (!name.empty() && (!op.compute || name != kDirect)) return unknown_algorithm(op, name);
    bool elementwise = op.elementwise && op.compute && !arrangement.outputs.empty();
    if (elementwise && !arrangement.is_plain()) return takes_elementwise(op, arrangement);
    if (arrangement.is_plain()) return {};
    return not_taken(op.name + " only takes and gives tensors in the plain layout");
  }
  Compute const* compute = find_compute(op, name);
  return compute ? compute->takes(attributes, arrangement) : unknown_algorithm(op, name);
}

Result<Tensors> compute_tensors(Operator const& op, Attributes const& attributes,
                                Arrangement const& arrangement, std::span<te::Buffer const> inputs,
                                std::string const& name) {
  TRY(takes(op, attributes, arrangement));
  if (op.computes.empty()) return op.compute(attributes, inputs, name);
  return find_compute(op, arrangement.algorithm)->make(attributes, arrangement, inputs, name);
}

Arrangement plain_arrangement(std::span<te::Buffer const> inputs) {
  Arrangement arrangement;
  for (te::Buffer const& input : inputs)
    arrangement.inputs.push_back(
        {input ? ir::constant_shape(*input).value_or(Shape{}) : Shape{}, {}});
  return arrangement;
}

}  // namespace tw
