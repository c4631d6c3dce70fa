/// The schedule by rule of a matrix product: tiles of both factors in shared memory, sums of a
/// thread in registers.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"
#include "targets/shared/gpu/judge.h"

namespace tw::gpu {

/// A product with what stands after it.
struct Product {
  std::string block;
  std::string epilogue;            ///< empty: the product is the output
  std::vector<std::string> loops;  ///< batch or not, rows, columns, terms
  std::vector<int64_t> extents;    ///< of these
  std::string factors[2];
  /// Blocks of the program make the factors, and are called as these are.
  bool made_factors = false;
};
/// Nothing: the program is something else.
std::optional<Product> product_of(ir::Program const& program);

/// Of a program that is one product, C[b, i, j] = sum[k] A[b, i, k] * B[b, k, j] with the factors'
/// dimensions in any order and b or not, and at most one stage after it that reads C element by
/// element: 24 or 25 lines. Tiles are asked of `decisions`; by rule they are those that `judge`
/// takes for the fastest. Nothing: it is none, or too small for tiles.
std::optional<Schedule> product_schedule(ir::Program const& program,
                                         std::shared_ptr<Target const> target, Decisions& decisions,
                                         Judge const& judge);

/// The same of a program whose steps so far have made it a product.
std::optional<Schedule> tiled_product(Schedule const& start, Product const& product,
                                      Decisions& decisions, Judge const& judge);

}  // namespace tw::gpu
