/// What a foreign model declares of its values.
#pragma once

#include <map>

#include "engine/graph/graph.h"
#include "engine/imported/imported_model.h"
#include "engine/importers/converter.h"

namespace tw {

/// What names of extents stand for.
using Symbols = std::map<std::string, int64_t>;

ValueType type_of(ForeignValue const& value, Symbols const& symbols = {});
/// An input of the model; `fixed` is the shape that its open extents are given, null: as `symbols`
/// have them. Errors: wrong_shapes.
Result<Value> declared_input(ForeignValue const& input, Shape const* fixed, Symbols const& symbols);
/// An input of a graph inside, as it is given; null: as it is declared.
Value body_input(ForeignValue const& input, Value const* given, Symbols const& symbols);
/// An input whose elements the file holds has their shape, whatever is asked. Errors: bad_fix.
Status keeps_shape(std::string const& name, NDArray const& stored, Shape const& shape);

/// What `fixed` tells of the extents that inputs share by name: an entry that is no input's name is
/// a symbol's, and the shape of an input tells its symbols. Errors: unknown_input, bad_fix (a
/// symbol is one number), contradictory_fix.
Result<Symbols> fixed_symbols(ForeignGraph const& graph, std::map<std::string, Shape> const& fixed);

/// What a rule sees of the node, whose operands are those of the foreign node.
ForeignContext context_of(ForeignNode const& foreign, int64_t opset, Graph const& graph,
                          Node const& node);

/// Adds to `declared` what `known` tells besides; what both tell stays as declared.
void refine(ValueType& declared, ValueType const& known);

}  // namespace tw
