/// What the compiler knows of an operator. One file of `graph/ops` defines one; CMake makes the
/// table.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/attributes.h"
#include "engine/support/base/random.h"
#include "engine/te/te.h"
#include "engine/tensor/layout.h"

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

/// A tensor of a node as it lies in memory; the shape is the logical one.
struct LaidTensor {
  Shape shape;
  Layout layout;
};

/// By which of its operator's computes a node is computed, and how its tensors lie. An absent
/// operand has no extents; tensors beyond the lists are plain.
struct Arrangement {
  std::string algorithm;  ///< empty: the operator's first
  std::vector<LaidTensor> inputs, outputs;
  Layout input(size_t i) const { return i < inputs.size() ? inputs[i].layout : Layout(); }
  Layout output(size_t i) const { return i < outputs.size() ? outputs[i].layout : Layout(); }
  /// All tensors are plain.
  bool is_plain() const;
};

/// One of several ways to compute an operator.
struct Compute {
  std::string name;  ///< "direct", "im2col"
  std::string doc;
  /// Whether it can do a node whose tensors lie so; the error says why not. Shapes were accepted by
  /// `infer`, layouts fit them.
  Status (*takes)(Attributes const&, Arrangement const&) = nullptr;
  /// As `Operator::compute`, over buffers that have the stored shapes; `takes` has agreed.
  Result<Tensors> (*make)(Attributes const&, Arrangement const&, std::span<te::Buffer const> inputs,
                          std::string const& name) = nullptr;
};

/// A random node for tests: small shapes, attributes of every kind.
struct RandomCase {
  Attributes attributes;
  std::vector<NDArray> inputs;              ///< plain
  std::string algorithm = {};               ///< by which it is to be computed
  std::vector<Layout> layouts = {};         ///< of the inputs; missing ones are plain
  std::vector<Layout> result_layouts = {};  ///< of the outputs
};

struct AttributeDoc {
  std::string name;
  std::string doc;
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
  /// The tensor expression, called "direct"; null and no `computes`: only the reference can run it.
  /// `name` is the name of the main stage; a null buffer is an absent input. Shapes were accepted
  /// by `infer`. Tensors are plain; those of an element-wise operator may all lie in one other
  /// layout.
  Result<Tensors> (*compute)(Attributes const&, std::span<te::Buffer const> inputs,
                             std::string const& name) = nullptr;
  /// Instead of `compute`, where there are several ways or tensors need not be plain; the first one
  /// is taken where nobody chooses.
  std::vector<Compute> computes = {};
  /// Plain loops, sharing nothing with `compute`. An empty array is an absent input.
  Result<std::vector<NDArray>> (*reference)(Attributes const&,
                                            std::span<NDArray const> inputs) = nullptr;

  RandomCase (*random_case)(Rng&) = nullptr;
  /// How often a windowed operator may read one input element (1: once); null: once.
  int64_t (*rereads)(Attributes const&) = nullptr;
};

/// Every operator, by file name.
std::span<Operator const* const> operator_table();
/// Null when there is none.
Operator const* find_operator(std::string_view name);

}  // namespace tw
