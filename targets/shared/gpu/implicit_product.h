/// A convolution as a matrix product: channels by places, summed over terms.
#pragma once

#include <optional>

#include "targets/shared/gpu/convolution.h"
#include "targets/shared/gpu/product_rule.h"
#include "targets/shared/gpu/steps.h"

namespace tw::gpu {

/// In which order a product sums the terms of a convolution: as the program has them, where its
/// weights lie side by side, or all channels of one place of the window after the other, where what
/// a tile reads of the input differs by channels alone.
enum class TermOrder : uint8_t { kChannelsFirst, kWindowFirst };

/// Steps after which the convolution's block is a product of what blocks make of weights (channels,
/// terms) and input (terms, places), which another block copies to its places; what stood around
/// the convolution has gone into these. Nothing: a step is refused.
std::optional<Product> as_product(Steps& steps, Convolution const& conv, TermOrder order);

}  // namespace tw::gpu
