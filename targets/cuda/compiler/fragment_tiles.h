/// Tiles of products that a warp's matrix unit takes in fragments of 8 x 8: what schedules by rule
/// of products and of convolutions have in common.
#pragma once

#include <string>

#include "targets/cuda/compiler/matrix_units.h"
#include "targets/shared/gpu/product_rule.h"
#include "targets/shared/gpu/steps.h"

namespace tw::cuda {

inline constexpr int64_t kWarpColumns = 32;  ///< of a warp's sums
inline constexpr int64_t kMostLines = 25;    ///< of a script

/// What a block makes, and each of its warps.
struct Form {
  int64_t rows, columns, warp_rows;
};
inline constexpr Form kForms[] = {{64, 64, 32}, {64, 128, 64}, {128, 128, 64}};
/// Of a block of so many rows and columns.
Form form_of(int64_t rows, int64_t columns);

struct FragmentTiles {
  MatrixUnit const* unit = nullptr;
  Form form = kForms[0];
  int64_t terms = 0;  ///< of a tile
  int64_t parts = 1;  ///< of each sum
  int64_t warps() const { return form.rows / form.warp_rows * (form.columns / kWarpColumns); }
  /// Rows are so far apart that eight of them, 16 bytes each, are in different banks.
  std::string apart() const;
};

/// Cuts a product, whose sums lie in registers and `last` writes, into tiles and fragments.
/// `layout`: of the sums. False: a step is refused.
bool cut_into_fragments(gpu::Steps& steps, gpu::Product const& product, FragmentTiles const& tiles,
                        std::string const& last, char const* layout);
/// All threads bring a tile by wide copies that go on meanwhile.
bool fill_by_copies(gpu::Steps& steps, FragmentTiles const& tiles, std::string const& block,
                    std::string const& row, std::string const& column);
/// The unit's products; in stages where all copies go on meanwhile and there are several tiles.
bool multiply(gpu::Steps& steps, std::string const& block, FragmentTiles const& tiles, bool staged);
/// Stores of two columns at once, where these stand at even places.
void widen_stores(gpu::Steps& steps, std::string const& last);

}  // namespace tw::cuda
