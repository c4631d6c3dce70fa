#include "engine/importers/declared.h"

#include <fmt/format.h>

#include <set>

#include "engine/graph/control.h"
#include "engine/ir/op.h"

namespace tw {

namespace {

using Fixed = std::map<std::string, Shape>;

ir::Expr extent_of(ForeignDim const& dim, Symbols const& symbols) {
  if (dim.extent) return ir::int_imm(*dim.extent);
  if (dim.symbol.empty()) return {};
  auto known = symbols.find(dim.symbol);
  return known == symbols.end() ? ir::var(dim.symbol) : ir::int_imm(known->second);
}

/// Where each symbol's number comes from, for the sentence about two of them.
class SymbolTable {
public:
  Status add(std::string const& symbol, int64_t extent, std::string const& source) {
    auto [known, is_new] = sources_.emplace(symbol, source);
    if (is_new) numbers[symbol] = extent;
    if (numbers[symbol] == extent) return {};
    return bad_input("contradictory_fix",
                     fmt::format("{} makes {} {}, {} makes it {}", known->second, symbol,
                                 numbers[symbol], source, extent));
  }

  Symbols numbers;

private:
  std::map<std::string, std::string> sources_;
};

std::string fix_text(std::string const& name, Shape const& shape) {
  return fmt::format("--shape {}={}", name, to_text(shape));
}

bool is_symbol(ForeignGraph const& graph, std::string const& name) {
  for (ForeignValue const& input : graph.inputs)
    for (ForeignDim const& dim : input.dims.value_or(std::vector<ForeignDim>()))
      if (!dim.extent && dim.symbol == name) return true;
  return false;
}

/// The symbols of an input by its shape; one that does not fit is found when it is fixed.
Status add_shape(ForeignValue const& input, Shape const& shape, SymbolTable& symbols) {
  if (!input.dims || input.dims->size() != shape.size()) return {};
  for (size_t i = 0; i < shape.size(); ++i)
    if (ForeignDim const& dim = (*input.dims)[i]; !dim.extent && !dim.symbol.empty())
      TRY(symbols.add(dim.symbol, shape[i], fix_text(input.name, shape)));
  return {};
}

/// Gives an input the shape that its open extents are fixed to.
Status fix_shape(Value& value, Shape const& shape) {
  std::string declared = to_text(value.type);
  bool fits = !value.type.dims || value.type.dims->size() == shape.size();
  for (size_t i = 0; fits && value.type.dims && i < shape.size(); ++i) {
    ir::Expr const& dim = (*value.type.dims)[i];
    fits = !dim || !ir::as_int(dim) || *ir::as_int(dim) == shape[i];
  }
  if (!fits)
    return bad_input("wrong_shapes", fmt::format("the input '{}' is {}, but {} was given",
                                                 value.name, declared, to_text(shape)));
  value.type.dims = *tensor_type(DType::kF32, shape).dims;
  return {};
}

}  // namespace

Result<Symbols> fixed_symbols(ForeignGraph const& graph, Fixed const& fixed) {
  SymbolTable symbols;
  std::set<std::string> inputs;
  for (ForeignValue const& input : graph.inputs) inputs.insert(input.name);
  for (auto const& [name, shape] : fixed) {
    if (inputs.contains(name)) continue;
    if (!is_symbol(graph, name))
      return bad_input("unknown_input",
                       fmt::format("the model has no input and no extent '{}' to set", name));
    if (shape.size() != 1)
      return bad_input(
          "bad_fix", fmt::format("{} is a single extent, but {} was given", name, to_text(shape)));
    TRY(symbols.add(name, shape[0], fix_text(name, shape)));
  }
  for (ForeignValue const& input : graph.inputs)
    if (auto found = fixed.find(input.name); found != fixed.end())
      TRY(add_shape(input, found->second, symbols));
  return std::move(symbols.numbers);
}

ValueType type_of(ForeignValue const& value, Symbols const& symbols) {
  ValueType type;
  if (value.kind == ForeignKind::kSequence) type.kind = ValueKind::kSequence;
  if (value.kind == ForeignKind::kOptional) type.kind = ValueKind::kOptional;
  type.dtype = value.type;
  if (!value.dims) return type;
  type.dims.emplace();
  for (ForeignDim const& dim : *value.dims) type.dims->push_back(extent_of(dim, symbols));
  return type;
}

Result<Value> declared_input(ForeignValue const& input, Shape const* fixed,
                             Symbols const& symbols) {
  Value value{input.name, type_of(input, fixed ? Symbols() : symbols), {}};
  if (fixed) TRY(fix_shape(value, *fixed));
  return value;
}

Value body_input(ForeignValue const& input, Value const* given, Symbols const& symbols) {
  Value value{input.name, type_of(input, symbols), {}};
  if (!given) return value;
  value.constant = given->constant;
  value.type = common_type(given->type, {given->type.kind, value.type.dtype, given->type.dims});
  return value;
}

Status keeps_shape(std::string const& name, NDArray const& stored, Shape const& shape) {
  if (stored.shape() == shape) return {};
  return bad_input(
      "bad_fix",
      fmt::format("the file holds the elements of '{}', of shape {}: {} cannot change it", name,
                  to_text(stored.shape()), fix_text(name, shape)));
}

ForeignContext context_of(ForeignNode const& foreign, int64_t opset, Graph const& graph,
                          Node const& node) {
  ForeignContext context{foreign, opset, {}, {}, {}, {}};
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

void refine(ValueType& declared, ValueType const& known) {
  if (declared.kind != known.kind) return;
  if (!declared.dtype) declared.dtype = known.dtype;
  if (!declared.dims) declared.dims = known.dims;
  if (!known.dims || known.dims->size() != declared.dims->size()) return;
  for (size_t i = 0; i < known.dims->size(); ++i) {
    ir::Expr& extent = (*declared.dims)[i];
    if ((*known.dims)[i] && (!extent || !ir::as_int(extent))) extent = (*known.dims)[i];
  }
}

}  // namespace tw
