/// Schedules of a product by matrix units, of tiles that somebody else has chosen.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/ir/op.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/shared/gpu/product_rule.h"
#include "targets/shared/gpu/steps.h"

namespace tw::cuda {

/// How a factor lies in main memory.
struct Factor {
  bool terms_last = false;  ///< its rows are of terms
  bool batched = false;     ///< its first dimension is the product's batch
};

struct Tiles {
  MatrixUnit const* unit = nullptr;  ///< or that of warpgroups with the same types
  int64_t rows = 64, columns = 64;   ///< of a block
  /// Of a block, with 64 rows each (wgmma); 0: warps multiply, each by itself (mma.sync).
  int64_t warpgroups = 0;
  Factor factors[2];
  std::string names[2] = {};  ///< of the blocks that bring the factors
  int64_t parts = 1;          ///< that other blocks make of each sum, and another launch adds
  /// Rows, columns and terms are no whole tiles, each.
  std::array<bool, 3> odd = {};
  bool pads(size_t factor) const { return odd[factor] || odd[2]; }
  /// Warpgroups want terms of bytes side by side: elements come one by one where they are not.
  bool turns(size_t factor) const {
    return warpgroups > 0 && size_of(unit->factor) == 1 && !factors[factor].terms_last;
  }
  bool any_odd() const { return odd[0] || odd[1] || odd[2]; }
  /// Of a tile: rows of 64 bytes, or of 128 for warpgroups.
  int64_t terms() const { return (warpgroups > 0 ? 128 : 64) / size_of(unit->factor); }
  int64_t warp_rows() const { return rows / 2; }
  int64_t own_rows() const { return warp_rows() / 8; }
  int64_t warps() const { return 2 * columns / kColumns; }
  int64_t piece() const {
    return 16 / size_of(unit->factor);
  }  ///< elements that are copied at once
  /// Threads that bring tiles.
  int64_t threads_x() const { return warpgroups > 0 ? 128 : 32; }
  int64_t threads_y() const { return warpgroups > 0 ? warpgroups : warps(); }
  static constexpr int64_t kColumns = 32;  ///< of a warp
  /// Says which axes are no whole tiles.
  void fit(int64_t all_rows, int64_t all_columns, int64_t all_terms);
};

/// How many whole tiles there are of so many.
int64_t tiles_in(int64_t extent, int64_t tile);

/// Steps for a product that they have whole or in parts, its axes padded where they are odd. What
/// warpgroups multiply comes in a ring of tiles, as many as fit. False: one is refused.
bool schedule_product(gpu::Steps& steps, gpu::Product const& product, Tiles tiles);

}  // namespace tw::cuda
