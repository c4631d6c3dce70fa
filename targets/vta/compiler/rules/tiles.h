/// Which tiles of a product stay in the accelerator's memories: chosen by what their transfers and
/// sums should take, before anything is tried.
#pragma once

#include "targets/vta/compiler/rules/product_stage.h"

namespace tw::vta {

struct Tiles {
  std::vector<int64_t>
      tile;              ///< per axis of the product; reductions that run around loads are cut, too
  int thread_axis = -1;  ///< number of the axis that two virtual threads share; -1: one thread
  bool operator==(Tiles const&) const = default;
};

/// What else lies in ACC with a tile of sums, and what is computed of them.
struct Epilogue {
  std::vector<std::vector<OperandDim>>
      operands;  ///< dimensions of tensors, over the product's axes
  int operations = 4;
};

/// Cycles of the tiles by the model of transfers (bytes at the port's rate, and a few cycles for
/// each row) beside that of sums; what two threads overlap counts once. Infinite where they have no
/// room.
double cycles_of(ProductStage const& stage, Epilogue const& epilogue,
                 Configuration const& configuration, Tiles const& tiles);

/// The tiles of least cycles over all divisors; of equal ones those that move fewer bytes. Nothing
/// where none has room.
std::optional<Tiles> best_tiles(ProductStage const& stage, Epilogue const& epilogue,
                                Configuration const& configuration);

std::vector<int64_t> divisors_of(int64_t extent);

}  // namespace tw::vta
