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
  if (cell.variant != nullptr) op.attributes.push_back({cell.variant, cell.variant_doc});
  return op;
}

}  // namespace tw::ops
