/// A scheduled program as numbers that name no knob: whatever space it comes from, and whatever
/// operator it computes, the same loops over the same memory are the same numbers ("Learning to
/// Optimize Tensor Programs", Chen et al. 2018, section 4 and appendix A.2).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/ir/program.h"

namespace tw {

/// What a loop does with a tensor while it and the loops inside of it run.
struct TensorContext {
  double touched = 0;  ///< elements, an upper bound where an index is no sum of loops
  double reuse = 0;    ///< iterations for each of them
  double stride = 0;   ///< elements between two iterations of this loop
};
struct LoopContext {
  double length = 1;
  double top_down = 1;   ///< iterations of the loops around it
  double bottom_up = 1;  ///< of its own and those inside of it
  ir::LoopKind kind = ir::LoopKind::kSerial;
  std::vector<TensorContext> tensors;  ///< as many for each loop, in one order
};

struct LoopNest {
  std::vector<LoopContext> loops;  ///< of the block that is run most often, the outermost first
  /// Iterations of all other blocks: of scalars, and of whole vectors.
  double beside = 0, beside_vectors = 0;
};
/// Of the loops around one block, the outermost first.
std::vector<LoopContext> contexts_of(ir::BlockSite const& site);
/// The tensors of a loop: what is written, then what is read along its vectors, then the rest.
LoopNest loop_nest(ir::Program const& program);

/// What the block that is run most often computes: kernels of one kind compute in one way, on
/// tensors of their own sizes.
struct NestShape {
  std::string kind;             ///< a letter for each iterator: "sssrrr", three of them sum up
  std::vector<double> extents;  ///< of the iterators
};
NestShape nest_shape(ir::Program const& program);
/// How many times iterators are longer or shorter, all together, as a sum of binary logarithms; of
/// one kind only.
double apart(NestShape const& one, NestShape const& other);

/// Loops from the inside out, each with all that is said of it; NaN where there are fewer. What it
/// says of the loop in one place it cannot say of a nest that has that loop in another place.
std::vector<float> context_features(LoopNest const& nest);
size_t context_width();
/// How much is touched while some amount is reused, and the like, whichever loop does it: the
/// largest value of one among loops where the other is below a threshold, for many thresholds.
std::vector<float> relation_features(LoopNest const& nest);
size_t relation_width();

}  // namespace tw
