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
  bool terms_last = false;  ///< terms of the sum lie side by side, in the last dimension
  int64_t rows = 0;         ///< elements along the other one
  int64_t terms = 0;
  bool whole = false;   ///< the tensor has no part of a tile
  bool turned = false;  ///< rows of terms stand as columns: what a thread reads lies side by side
  bool wide = false;    ///< threads bring vectors
};

/// What a block with `own` neighbouring rows for each of its threads asks for. `read`: of the
/// product, at plain indices. `length`: of the dimension of rows; `all_terms`: of that of terms.
struct TileWanted {
  ir::Load const& read;
  std::string term;  ///< the iterator of terms
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
