/// What the compiler knows of an operator. One file of `graph/ops` defines one; CMake makes the
/// table.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/foreign/foreign_model.h"
#include "engine/graph/attributes.h"
#include "engine/support/base/random.h"
#include "engine/te/te.h"

namespace tw {

/// The pattern classes of Chen et al. 2018 (TVM), §3 "Operator fusion".
enum class Fusion : uint8_t {
  kInjective,          ///< every output element depends on one element of each input
  kReduction,          ///< sums up many elements
  kComplexOutFusable,  ///< element-wise work may be done on its output as it is made
  kOpaque,             ///< runs alone
};
std::string_view to_text(Fusion fusion);

/// Type and shape of an operand, and its elements where they are known.
struct TensorInfo {
  DType type = DType::kF32;
  Shape shape;
  NDArray constant;  ///< empty: not known
};

/// Stages that compute an operator; the last made tensor of each output.
struct Tensors {
  std::vector<te::Stage> stages;
  std::vector<te::Buffer> outputs;
};

/// What a conversion sees of the foreign node.
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
  std::string op;                   ///< another operator of the table to become; empty: this one
  size_t outputs = 1;  ///< how many of the foreign outputs it makes, counted from the first
  /// Not empty: one node per foreign output, with these attributes besides.
  std::vector<Attributes> each_output;
};

/// A random node for tests: small shapes, attributes of every kind.
struct RandomCase {
  Attributes attributes;
  std::vector<NDArray> inputs;
};

struct AttributeDoc {
  std::string name;
  std::string doc;
};

/// An attribute of the ONNX operator, by the opsets that have it.
struct OnnxAttribute {
  std::string name;
  int since = 1;
  int until = 0;  ///< the last one; 0: the newest has it, too
  /// The one value that is understood; `monostate`: whatever it is, the conversion reads it, or it
  /// changes no result.
  ForeignAttribute only = {};
};

struct Operator {
  std::string name;  ///< "conv", snake_case
  std::string doc;
  Fusion fusion = Fusion::kOpaque;
  /// Injective, and output element i depends on element i of the inputs (broadcast counts).
  bool elementwise = false;
  bool commutative = false;         ///< two operands that may change places
  std::vector<std::string> inputs;  ///< short names for kernels: "X", "W", "B"; the last repeats
  std::vector<AttributeDoc> attributes;

  /// Shapes of the outputs. Errors say what does not fit; a null pointer is an absent input.
  Result<std::vector<TensorInfo>> (*infer)(Attributes const&,
                                           std::span<TensorInfo const* const> inputs) = nullptr;
  /// The tensor expression; null: only the reference can run it. `name` is the name of the main
  /// stage; a null buffer is an absent input. Shapes were accepted by `infer`.
  Result<Tensors> (*compute)(Attributes const&, std::span<te::Buffer const> inputs,
                             std::string const& name) = nullptr;
  /// Plain loops, sharing nothing with `compute`. An empty array is an absent input.
  Result<std::vector<NDArray>> (*reference)(Attributes const&,
                                            std::span<NDArray const> inputs) = nullptr;

  std::string onnx;                            ///< the ONNX operator that `from_onnx` converts
  std::vector<OnnxAttribute> onnx_attributes;  ///< all that it has in any opset
  Result<Converted> (*from_onnx)(ForeignContext const&) = nullptr;

  RandomCase (*random_case)(Rng&) = nullptr;
  /// How often a windowed operator may read one input element (1: once); null: once.
  int64_t (*rereads)(Attributes const&) = nullptr;
};

/// Every operator, by file name.
std::span<Operator const* const> operator_table();
/// Null when there is none.
Operator const* find_operator(std::string_view name);
Operator const* find_onnx_operator(std::string_view op_type);

}  // namespace tw
