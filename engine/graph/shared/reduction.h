/// Operators that join the elements along some axes: sums, means, norms, extremes.
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// finish(combiner over `reduced axes` of prepare(x), count of elements joined). Null: nothing is
/// done. Twice: in expressions for the kernel and in doubles for the reference.
struct Reduction {
  te::Combiner combiner = te::Combiner::kSum;
  ir::Expr (*prepare)(ir::Expr x) = nullptr;
  ir::Expr (*finish)(ir::Expr joined, int64_t count) = nullptr;
  double (*prepare_number)(double x) = nullptr;
  int64_t (*prepare_whole)(int64_t x, DType type) = nullptr;  ///< the same of integers
  double (*finish_number)(double joined, int64_t count) = nullptr;
  bool floats_only = false;
};

/// A shape split into what is reduced and what stays.
struct ReducedShape {
  std::vector<bool> over;  ///< per axis of the input
  Shape kept;              ///< reduced axes have extent 1
  Shape result;            ///< the same, or without the reduced axes
  int64_t count = 1;       ///< elements joined into one
};

/// Reads attributes `axes` (absent: all) and `keep`.
Result<ReducedShape> reduced_shape(Attributes const& attributes, Shape const& shape);

/// Axes of a stage that joins elements of the input, and the indices of one of them.
struct ReducedAxes {
  std::vector<te::Axis> axes, over;
  std::vector<ir::Expr> element;
};
ReducedAxes reduced_axes(Shape const& shape, ReducedShape const& reduced);

InferResult infer_reduction(Reduction const& reduction, Attributes const& attributes, Infos inputs);
Tensors compute_reduction(Reduction const& reduction, Attributes const& attributes, Buffers inputs,
                          std::string const& name);
ReferenceResult reference_reduction(Reduction const& reduction, Attributes const& attributes,
                                    Arrays inputs);

RandomCase random_reduction(Rng& rng);
/// The same of numbers or of conditions.
RandomCase random_choice(Rng& rng);

/// Fills in what the row of a reduction leaves out.
Operator of_reduction(Operator op);

/// The operator that is `kReduction`. One that has its own `compute` runs alone.
template <Reduction const& kReduction>
Operator reduction_operator(Operator op) {
  op.infer = [](Attributes const& attributes, Infos inputs) {
    return infer_reduction(kReduction, attributes, inputs);
  };
  if (op.compute != nullptr) return of_reduction(std::move(op));
  op.fusion = Fusion::kReduction;
  op.compute = [](Attributes const& attributes, Buffers inputs,
                  std::string const& name) -> Result<Tensors> {
    return compute_reduction(kReduction, attributes, inputs, name);
  };
  op.reference = [](Attributes const& attributes, Arrays inputs) {
    return reference_reduction(kReduction, attributes, inputs);
  };
  return of_reduction(std::move(op));
}

}  // namespace tw::ops
