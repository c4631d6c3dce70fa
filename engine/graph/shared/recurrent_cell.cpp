#include <algorithm>

#include "engine/graph/shared/recurrent_stages.h"

namespace tw::ops {
namespace {

bool is_varied(Cell const& cell, Attributes const& attributes) {
  return cell.variant != nullptr && integer(attributes, cell.variant) != 0;
}

}  // namespace

Result<Tensors> compute_cell(Cell const& cell, Attributes const& attributes, Buffers inputs,
                             std::string const& name) {
  bool varied = is_varied(cell, attributes);
  return recurrent_compute(attributes, inputs, name, cell.kind,
                           [&](Recurrence& r) { return cell.stages(r, varied); });
}

ReferenceResult reference_cell(Cell const& cell, Attributes const& attributes, Arrays inputs) {
  bool varied = is_varied(cell, attributes);
  return recurrent_reference(attributes, inputs, cell.kind,
                             [&](CellStep const& s) { cell.step(s, varied); });
}

Result<Converted> convert_cell(Cell const& cell, ForeignContext const& context) {
  TRY_ASSIGN(Converted converted, recurrent_from_onnx(context, cell.kind));
  if (cell.variant != nullptr)
    converted.attributes[cell.variant] = onnx_integer(context.node, cell.variant, 0);
  return converted;
}

RandomCase random_cell(Cell const& cell, Rng& rng) {
  RandomCase result = random_recurrent(rng, cell.kind);
  if (cell.variant != nullptr)
    result.attributes[cell.variant] = int64_t(rng.below(cell.rarity) == 0);
  return result;
}

Operator of_cell(Cell const& cell, Operator op) {
  op.inputs = {"X", "W", "R", "B", "H"};
  if (cell.kind.states > 1) op.inputs.push_back("C");
  if (cell.kind.peephole) op.inputs.push_back("P");
  op.attributes = recurrent_attributes();
  op.onnx_attributes = {
      {"activation_alpha"}, {"activation_beta"}, {"activations"}, {"clip"},
      {"direction"},        {"hidden_size"},     {"layout", 14},  {"output_sequence", 1, 6}};
  if (cell.variant == nullptr) return op;
  op.attributes.push_back({cell.variant, cell.variant_doc});
  op.onnx_attributes.push_back({cell.variant, cell.variant_since});
  std::ranges::sort(op.onnx_attributes, {}, &OnnxAttribute::name);
  return op;
}

}  // namespace tw::ops
