#include "engine/graph/shared/elements.h"
#include "engine/graph/shared/onnx.h"

namespace tw {

Operator const& op_cast();

namespace {

using namespace ops;

Result<Converted> from_onnx(ForeignContext const& context) {
  if (!input_given(context, 1) || !context.types[1])
    return unsupported("the type to cast to is not known");
  Converted converted =
      keep_inputs(context, 1, {{"type", std::string(to_text(*context.types[1]))}});
  converted.op = "cast";
  return converted;
}

/// A cast that is told its type by a tensor, of which nothing else is read.
Operator made() {
  Operator op = op_cast();
  op.name = "cast_like";
  op.doc = "The element in the type of another tensor.";
  op.onnx = "CastLike";
  // Both speak of types of 8 bits alone.
  op.onnx_attributes = {{"round_mode", 24}, {"saturate", 19}};
  op.from_onnx = from_onnx;
  return op;
}

}  // namespace

Operator const& op_cast_like() {
  static Operator const op = made();
  return op;
}

}  // namespace tw
