/// What a GEMM or ALU call computes, in its plainest form.
#pragma once

#include "targets/vta/stream/calls.h"

namespace tw::vta {

struct Computation {
  bool gemm = false;
  bool reset = false;
  /// Whether iterations must come in the order of the loops: some read what others write.
  bool ordered = false;
  int64_t dst = 0, src = 0, wgt = 0;
  std::vector<CallLoop> loops;  ///< outermost first; none runs once
  bool operator==(Computation const&) const = default;
  int64_t steps() const;  ///< saturated at 2^62
};

/// What the call does not use is 0, loops that are one affine run have become one, and counts fit
/// the fields of an instruction where they can. Errors: bad_kernel, sram_overflow (an index outside
/// of its memory, with the index).
///   // loops 4,(14,16,0) 14,(1,1,0)  -->  the same, as 16 is not 14: a padded input
///   // loops 4,(14,14,0) 14,(1,1,0)  -->  56,(1,1,0)
Result<Computation> computation_of(Configuration const& configuration, Call const& call);

}  // namespace tw::vta
