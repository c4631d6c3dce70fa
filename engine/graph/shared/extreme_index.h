/// The place of the largest or the smallest element along an axis.
#pragma once

#include "engine/graph/shared/reduction.h"

namespace tw::ops {

InferResult infer_extreme(Attributes const& attributes, Infos inputs);
/// `largest`: of the largest element, else of the smallest. A NaN counts as either.
Result<Tensors> compute_extreme(bool largest, Attributes const& attributes, Buffers inputs,
                                std::string const& name);
ReferenceResult reference_extreme(bool largest, Attributes const& attributes, Arrays inputs);
Result<Converted> convert_extreme(ForeignContext const& context);
RandomCase random_extreme(Rng& rng);
std::vector<AttributeDoc> extreme_attributes();

}  // namespace tw::ops
