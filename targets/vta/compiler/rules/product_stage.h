/// The stage of a kernel that the GEMM core computes, and what stands around it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// An axis of the product's nest that goes from element to element.
struct ProductAxis {
  std::string iterator;  ///< of the block
  std::string loop;      ///< of the plain nest
  int64_t extent = 1;
  bool reduce = false;
};

/// How far an operand's dimension reaches: 1 + sum of factor * (tile of the axis - 1).
struct OperandDim {
  int64_t extent = 1;            ///< of the tensor
  std::vector<int64_t> factors;  ///< one for each axis
  int64_t reach(std::vector<int64_t> const& tile) const;
};

/// sums[..] += i32(data[.., lanes]) * i32(weights[.., lanes]) with lanes in the last two
/// dimensions.
struct ProductStage {
  std::string block;
  std::string data, weights;      ///< tensors
  std::string padding;            ///< the block that makes `data`; empty: it is an input
  std::vector<ProductAxis> axes;  ///< spatial ones first, in the order of the nest
  std::vector<OperandDim> data_dims, weight_dims, sum_dims;  ///< without lanes
  size_t spatial = 0;                                        ///< how many of `axes` are
  std::vector<std::string> lanes;  ///< iterators within elements, outermost first
};

/// Nothing where no block is one.
std::optional<ProductStage> product_stage(ir::Program const& program,
                                          Configuration const& configuration);

}  // namespace tw::vta
