/// Recurrent cells as stages of a scan.
#pragma once

#include "engine/graph/shared/recurrent.h"

namespace tw::ops {

/// The stages of one direction, made one after the other by a cell. Expressions are of unit j of
/// row b at step t. The whole state is kept, a row for each step: what a step reads of the one
/// before it is a stage of its own, so that the product with the recurrent weights reads plain
/// rows, without a condition in its innermost loop.
class Recurrence {
public:
  Recurrence(Attributes const& attributes, Buffers inputs, CellKind const& kind,
             RecurrentShape const& shape, int64_t direction, std::string const& name);

  /// A state's tensor before its stage is made: others may read it at earlier steps.
  te::Buffer declared(std::string const& state) const;
  /// The state as the step before left it; at the first step as it was given, or zero.
  ir::Expr before(te::Buffer const& state, size_t which) const;
  /// Adds a stage that computes a state element by element.
  te::Buffer step(std::string const& state, ir::Expr value);
  ir::Expr now(te::Buffer const& state) const;
  /// Adds a stage: the recurrent weights of `count` gates from `first` on times a state.
  te::Buffer product(te::Buffer const& state, int64_t first, int64_t count);
  ir::Expr gate(te::Buffer const& product, int64_t gate) const;

  /// W x and the first half of B.
  ir::Expr from_input(int64_t gate) const;
  /// Adds the second half of B.
  ir::Expr with_bias(ir::Expr sum, int64_t gate) const;
  ir::Expr with_peephole(ir::Expr sum, int64_t which, ir::Expr const& cell) const;

  std::vector<Gate> gates;
  std::vector<te::Stage> stages;

private:
  te::Buffer add(te::Stage stage);
  te::Buffer add_step(te::Stage stage);
  bool given(size_t input) const;
  ir::Expr weights(size_t input, ir::Expr gate, int64_t first, int64_t count,
                   te::Axis const& along);

  Buffers inputs_;
  CellKind const& kind_;
  RecurrentShape s_;
  int64_t d_;
  bool backwards_, begun_ = false;
  std::string name_, suffix_;
  te::Axis t_, b_, j_;
  te::Buffer input_;
};

/// All directions, then Y and the last states. `cell` adds its stages and answers with its states.
Result<Tensors> recurrent_compute(Attributes const& attributes, Buffers inputs,
                                  std::string const& name, CellKind const& kind,
                                  std::function<std::vector<te::Buffer>(Recurrence&)> const& cell);

/// A cell as an operator: its step twice, in stages for the kernel and in plain loops for the
/// reference.
struct Cell {
  CellKind kind;
  std::vector<te::Buffer> (*stages)(Recurrence&, bool varied) = nullptr;
  void (*step)(CellStep const&, bool varied) = nullptr;
  /// The attribute that asks for a variant (`varied`) where it is not 0; one
  /// of `rarity` random cases does. Null: there is none.
  char const* variant = nullptr;
  char const* variant_doc = "";
  int64_t rarity = 2;
};

Result<Tensors> compute_cell(Cell const& cell, Attributes const& attributes, Buffers inputs,
                             std::string const& name);
ReferenceResult reference_cell(Cell const& cell, Attributes const& attributes, Arrays inputs);
RandomCase random_cell(Cell const& cell, Rng& rng);
/// Fills in operands and attributes.
Operator of_cell(Cell const& cell, Operator op);

template <Cell const& kCell>
Operator cell_operator(Operator op) {
  op.infer = [](Attributes const& attributes, Infos inputs) {
    return infer_recurrent(attributes, inputs, kCell.kind);
  };
  op.compute = [](Attributes const& attributes, Buffers inputs, std::string const& name) {
    return compute_cell(kCell, attributes, inputs, name);
  };
  op.reference = [](Attributes const& attributes, Arrays inputs) {
    return reference_cell(kCell, attributes, inputs);
  };
  op.random_case = [](Rng& rng) { return random_cell(kCell, rng); };
  return of_cell(kCell, std::move(op));
}

}  // namespace tw::ops
