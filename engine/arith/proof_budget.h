/// How long a check may look for a proof.
#pragma once

#include <cstdint>

namespace tw {

/// The first two count work, so that what was accepted once is accepted again on any machine. While
/// a person waits the time of the asking thread ends the search, too: then the answer is
/// "undecided", never another one.
enum class ProofBudget : uint8_t {
  kWork,
  kInteractive,
  /// No proof: only what a step needs to be carried out is asked. For templates that are run
  /// thousands of times, most of whose points nobody ever uses; whoever uses one proves it.
  kTrusted,
};

}  // namespace tw
