/// How the operators of a foreign format become ours: one rule for each of them, in the format's
/// own folder. `build_graph` (from_foreign.h) walks a model by the rules of its format.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/attributes.h"
#include "engine/imported/imported_model.h"

namespace tw {

struct Value;      // engine/graph/graph.h
struct ValueType;  // engine/graph/graph.h

/// What a rule sees of the foreign node.
struct ForeignContext {
  ForeignNode const& node;
  int64_t opset;
  /// Per input: the constant tensor behind it, empty when it is not known.
  std::vector<NDArray> constants;
  /// Per input: its rank, -1 when it is not known.
  std::vector<int> ranks;
  /// Per input: its element type and extents, empty when they are not known.
  std::vector<std::optional<DType>> types;
  std::vector<std::optional<Shape>> shapes;
};

/// The node in our words: which of the foreign inputs it keeps, in our order, and its attributes.
struct Converted {
  Attributes attributes;
  std::vector<std::string> inputs;  ///< names of values; empty = absent optional
  std::string op;                   ///< another operator of ours to become; empty: the rule's
  size_t outputs = 1;  ///< how many of the foreign outputs it makes, counted from the first
  /// Not empty: one node per foreign output, with these attributes besides.
  std::vector<Attributes> each_output;
};
/// Errors: unsupported, with what nothing here can say; known_at_run_time (rule_words.h).
using Convert = std::function<Result<Converted>(ForeignContext const&)>;

/// An attribute of a foreign operator, by the versions of the format that have it.
struct KnownAttribute {
  std::string name;
  int since = 1;
  int until = 0;  ///< the last one; 0: the newest has it, too
  /// The one value that is understood; `monostate`: whatever it is, the conversion reads it, or it
  /// changes no result.
  ForeignAttribute only = {};
};

/// An operator that is defined by others of its format. A node of it becomes the nodes of its body,
/// which fuse as any others. Bodies are chosen by what is known of the operands (ranks, types,
/// constants), so they are put in place while the graph is built; functions that a file defines
/// itself are nodes of the file, with graphs inside, and are put in place before that.
struct FunctionBody {
  std::string doc;
  std::vector<std::string> inputs, outputs;  ///< names in the body
  /// One node a line, in the version `Converters::function_opset`: "y, z = Op<axis=1, to=[1, 2],
  /// mode='x'>(a, , b)". An empty one leaves the node to the rule's own operator. Errors:
  /// unsupported.
  Result<std::string> (*body)(ForeignContext const&) = nullptr;
};

/// One operator of the format: it becomes one of ours (`op` and `convert`), or nodes of others
/// (`function`), or, by what the node asks for, either.
struct Converter {
  std::string type;                             ///< the format's name of it: "Conv"
  std::vector<KnownAttribute> attributes = {};  ///< all that it has in any version
  std::string op = {};                          ///< of operator_table() or control_table()
  Convert convert = {};
  /// Of one that owns graphs: the attributes that hold them, as `ControlOperator::bodies` has them.
  std::vector<std::string> bodies = {};
  std::optional<FunctionBody> function = {};
  std::string domain = {};  ///< empty: the format's own; else whose operator it is
};
/// What one file of a format's rules defines.
using ConverterList = std::vector<Converter>;

/// All that the walk of a model asks its format for.
struct Converters {
  /// Written by the build from the files of `engine/importers/FORMAT/rules`.
  std::span<ConverterList const* const> lists;
  std::vector<std::string> domains;  ///< of the format's own operators, besides ""
  int64_t newest_opset = 1;          ///< whose attributes are in the rules
  int64_t function_opset = 1;        ///< in which bodies of functions are written
  /// Types of the outputs of a node that nothing computes, as far as they follow from its operands;
  /// fewer than it has outputs where nothing is known of the rest.
  std::vector<ValueType> (*known_types)(ForeignContext const& context,
                                        std::vector<Value> const& operands) = nullptr;

  bool owns(std::string_view domain) const;
};

/// By the name of the operator and its domain; null when there is none.
Converter const* find_converter(Converters const& rules, std::string_view type,
                                std::string_view domain = "");

}  // namespace tw
