/// Operators of one operand whose result has another shape, known by attributes alone.
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// The result's shape. Errors: wrong_shapes.
using ShapeFunction = Result<Shape>(Attributes const& attributes, Shape const& from);

template <ShapeFunction kShape>
InferResult infer_shape(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(Shape shape, kShape(attributes, inputs[0]->shape));
  return one(inputs[0]->type, shape);
}

/// The operator whose result holds the operand's elements in their order. `op` says what is its
/// own.
template <ShapeFunction kShape>
Operator reshaping_operator(Operator op) {
  op.fusion = Fusion::kInjective;
  op.inputs = {"X"};
  op.infer = infer_shape<kShape>;
  op.compute = [](Attributes const& attributes, Buffers inputs,
                  std::string const& name) -> Result<Tensors> {
    TRY_ASSIGN(Shape shape, kShape(attributes, shape_of(inputs[0])));
    return reshape_compute(inputs[0], shape, name, name);
  };
  op.reference = [](Attributes const& attributes, Arrays inputs) -> ReferenceResult {
    TRY_ASSIGN(Shape shape, kShape(attributes, inputs[0].shape()));
    return std::vector{inputs[0].reshaped(shape)};
  };
  return op;
}

}  // namespace tw::ops
