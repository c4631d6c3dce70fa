/// What blocks and threads of a convolution make.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/schedule/decisions.h"
#include "engine/target/target.h"

namespace tw::gpu {

/// Extents of a convolution.
struct ConvShape {
  int64_t pictures = 1, channels = 1, rows = 1, columns = 1;  ///< of the output
  int64_t input_channels = 1, window = 1;                     ///< terms of an element
};

/// A thread has some channels of some rows of one column of a picture.
struct ConvTiles {
  int64_t channels = 8, own_rows = 1;                          ///< of a thread
  int64_t channel_threads = 1, row_threads = 8, columns = 32;  ///< of a block
  int64_t pictures = 1;                                        ///< likewise
  int64_t terms = 4;                                           ///< input channels at once
  int64_t parts = 1;  ///< that other blocks make of each sum, and another launch adds

  int64_t rows() const { return own_rows * row_threads; }
  int64_t threads() const { return channel_threads * pictures * row_threads * columns; }
  bool operator==(ConvTiles const&) const = default;
};

/// As large as the block's threads allow, for a device that nothing more is known of.
ConvTiles usual_conv_tiles(ConvShape const& shape, Target const& target);
/// Tiles of different forms, each with as many parts as keep a GPU busy.
std::vector<ConvTiles> conv_candidates(ConvShape const& shape, Target const& target);
/// Each differs in one number.
std::vector<ConvTiles> conv_neighbours(ConvTiles const& tiles, ConvShape const& shape,
                                       Target const& target);
/// Once more what made `to` of `from`.
std::optional<ConvTiles> conv_further(ConvTiles const& from, ConvTiles const& to,
                                      ConvShape const& shape, Target const& target);
/// Those that `decisions` answers, by rule `preset`.
ConvTiles asked_conv_tiles(std::string const& block, ConvTiles const& preset,
                           ConvShape const& shape, Target const& target, Decisions& decisions);

}  // namespace tw::gpu
