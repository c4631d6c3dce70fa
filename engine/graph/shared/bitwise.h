/// What operators on the bits of integers share.
#pragma once

#include "engine/graph/shared/pointwise.h"

namespace tw::ops {

/// Two operands of one integer type, broadcast.
InferResult infer_bits(Attributes const& attributes, Infos inputs);
/// `f` byte by byte, of two broadcast operands.
ReferenceResult join_bytes(Arrays inputs, std::function<uint8_t(uint8_t, uint8_t)> const& f);
/// Two shapes that broadcast, of some integer type, every bit at random.
RandomCase random_bits(Rng& rng);

}  // namespace tw::ops
