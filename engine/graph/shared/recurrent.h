/// What RNN, GRU and LSTM share: shapes, directions, activations and the loops of the reference.
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// A function of a gate. `alpha` and `beta` mean what the operator of that name has by them, or the
/// factors in their order.
struct Activation {
  std::string name;            ///< as the operator: "hard_sigmoid"
  int parameters = 0;          ///< how many of alpha and beta it takes
  double alpha = 0, beta = 0;  ///< when none are given; NaN: they must be
  double (*value)(double x, double alpha, double beta) = nullptr;
  ir::Expr (*expr)(ir::Expr x, double alpha, double beta) = nullptr;
};
std::span<Activation const> activations();
/// Null when there is none.
Activation const* find_activation(std::string_view name);

/// An activation with its parameters.
struct Gate {
  Activation const* function = nullptr;
  double alpha = 0, beta = 0, clip = 0;  ///< clip 0: none
  /// Of `x` moved into [-clip, clip].
  double operator()(double x) const;
  ir::Expr operator()(ir::Expr x) const;
};

/// How many gates, states and activations a kind of cell has.
struct CellKind {
  int64_t gates = 1;
  size_t states = 1;  ///< h, or h and c
  /// Names, for one direction, when none are given.
  std::span<char const* const> activations;
  bool peephole = false;
};

/// Operands in our order: X, W, R, B, the initial states, then P for peepholes.
inline constexpr size_t kX = 0, kW = 1, kR = 2, kB = 3, kStates = 4;

/// X is steps x batch x input, or batch x steps x input for `batch_first`; W is directions x
/// gates*hidden x input, R directions x gates*hidden x hidden, B directions x 2*gates*hidden.
struct RecurrentShape {
  int64_t steps = 0, batch = 0, input = 0, hidden = 0, directions = 1;
  bool batch_first = false;

  Shape whole() const;  ///< of Y: steps x directions x batch x hidden, or batch first
  Shape state() const;  ///< of Y_h and Y_c: directions x batch x hidden, or batch first
};
/// Errors: wrong_shapes; `unsupported` for sequences of different lengths.
Result<RecurrentShape> recurrent_shape(Attributes const& attributes, Infos inputs,
                                       CellKind const& kind);
/// Y and the last states.
InferResult infer_recurrent(Attributes const& attributes, Infos inputs, CellKind const& kind);

/// Whether direction `d` runs from the last step to the first.
bool runs_backwards(Attributes const& attributes, int64_t d);
/// The activations of direction `d`. Their names are known ones.
std::vector<Gate> gates_of(Attributes const& attributes, int64_t d, CellKind const& kind);

/// Of every kind of direction, layout, activations, absent and present operands.
RandomCase random_recurrent(Rng& rng, CellKind const& kind);
/// Those of all cells.
std::vector<AttributeDoc> recurrent_attributes();

/// One step of one row of the batch in one direction.
struct CellStep {
  std::span<double const> from_input;  ///< gates*hidden: W x and the first half of B
  std::span<double const> recurrent;   ///< R, gates*hidden x hidden
  std::span<double const> bias;        ///< gates*hidden: the second half of B
  std::span<double const> peephole;    ///< P, or empty
  std::vector<Gate> const& gates;
  std::span<double> h, c;  ///< before the step, and after it; `c` may be empty

  /// Row `gate`, `j` of R times `state`.
  double product(size_t gate, size_t j, std::span<double const> state) const;
};
/// Runs `cell` over all steps, rows and directions: Y and the last states.
ReferenceResult recurrent_reference(Attributes const& attributes, Arrays inputs,
                                    CellKind const& kind,
                                    std::function<void(CellStep const&)> const& cell);

}  // namespace tw::ops
