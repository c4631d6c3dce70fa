/// How the tiles of a product's factors come to shared memory.
#pragma once

#include <string>

#include "engine/ir/program.h"
#include "targets/shared/gpu/steps.h"

namespace tw::gpu {

/// The part of a factor that a block reads at a time: of its last two dimensions.
struct FactorTile {
  std::string tensor;
  int64_t rank = 2;
  int64_t rows = 0;  ///< elements along the dimension that is not the terms'
  int64_t terms = 0;
  bool turned = false;  ///< rows of terms stand as columns: what a thread reads lies side by side
  bool wide = false;    ///< threads bring vectors
};

/// What a block with `own` neighbouring rows for each of its threads asks for. `read`: of the
/// product, at plain indices. `length`: of the dimension of rows; `all_terms`: of that of terms.
struct TileWanted {
  ir::Load const& read;
  std::string row, term;  ///< iterators
  int64_t rows, length, own;
  int64_t terms, all_terms;
  int64_t threads;
};
FactorTile factor_tile(TileWanted const& wanted);

/// Takes the steps that keep the tile beside the loop `at` of the product `block`.
bool bring_tile(Steps& steps, FactorTile const& tile, std::string const& block,
                std::string const& at);
/// Gives its elements to the block's threads.
bool fill_tile(Steps& steps, FactorTile const& tile, std::string const& prefix, int64_t threads_y,
               int64_t threads_x);

}  // namespace tw::gpu
