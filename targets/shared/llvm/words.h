/// The words for loops and blocks (`annotate`) that code made with LLVM follows.
#pragma once

#include <vector>

#include "engine/target/target.h"

namespace tw {

/// Of a loop: LLVM puts so many iterations into each turn of it, or, with 1, one. Code without
/// LLVM's passes has one in any case.
inline constexpr char kUnrollBy[] = "unroll_by";
/// Of a block: the vectors that it stores go to memory without displacing what the caches hold.
/// Single elements, and vectors whose place is not known to be that of a whole one, are stored as
/// ever.
inline constexpr char kNontemporal[] = "nontemporal";

inline std::vector<AnnotationWord> llvm_words() {
  return {{.name = kUnrollBy,
           .doc = "how many iterations the optimizer puts into each turn of the loop; 1: it is not "
                  "unrolled",
           .low = 1,
           .high = 64},
          {.name = kNontemporal,
           .doc = "non-temporal stores: the vectors that the block writes bypass the caches, for "
                  "large tensors that are not read soon",
           .of_block = true}};
}

}  // namespace tw
