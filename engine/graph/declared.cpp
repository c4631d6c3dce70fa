#include "engine/graph/declared.h"

#include <fmt/format.h>

namespace tw {

ValueType type_of(ForeignValue const& value) {
  ValueType type;
  if (value.kind == ForeignKind::kSequence) type.kind = ValueKind::kSequence;
  if (value.kind == ForeignKind::kOptional) type.kind = ValueKind::kOptional;
  type.dtype = value.type;
  if (!value.dims) return type;
  type.dims.emplace();
  for (ForeignDim const& dim : *value.dims)
    type.dims->push_back(dim.extent           ? ir::int_imm(*dim.extent)
                         : dim.symbol.empty() ? ir::Expr()
                                              : ir::var(dim.symbol));
  return type;
}

Status fix_shape(Value& value, Shape const& shape) {
  std::string declared = to_text(value.type);
  bool fits = !value.type.dims || value.type.dims->size() == shape.size();
  for (size_t i = 0; fits && value.type.dims && i < shape.size(); ++i) {
    ir::Expr const& dim = (*value.type.dims)[i];
    fits = !dim || !ir::as_int(dim) || *ir::as_int(dim) == shape[i];
  }
  if (!fits)
    return bad_input("wrong_shapes", fmt::format("input '{}' is {}, {} was given", value.name,
                                                 declared, to_text(shape)));
  value.type.dims = *tensor_type(DType::kF32, shape).dims;
  return {};
}

ForeignContext context_of(ForeignModel const& model, ForeignNode const& foreign, Graph const& graph,
                          Node const& node) {
  ForeignContext context{foreign, 1, {}, {}, {}, {}};
  for (char const* domain : {"", "ai.onnx"})
    if (auto found = model.opsets.find(domain); found != model.opsets.end())
      context.opset = found->second;
  for (ValueId id : node.inputs) {
    context.constants.push_back(id.valid() ? graph.value(id).constant : NDArray());
    auto const* dims =
        id.valid() && graph.value(id).type.dims ? &*graph.value(id).type.dims : nullptr;
    context.ranks.push_back(dims ? int(dims->size()) : -1);
    context.types.push_back(id.valid() ? graph.value(id).type.dtype : std::nullopt);
    context.shapes.push_back(id.valid() ? graph.value(id).shape() : std::nullopt);
  }
  return context;
}

}  // namespace tw
