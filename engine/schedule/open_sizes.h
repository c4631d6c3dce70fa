/// Programs with sizes that are chosen when the kernel is called: one schedule, and one piece of
/// code, for every value of a size.
#pragma once

#include <expected>
#include <functional>
#include <vector>

#include "engine/arith/known_sizes.h"
#include "engine/schedule/primitive.h"

namespace tw {

/// A program with sizes, and the values that are shown of them. Its sizes take few values together
/// (`kMostSizeValues`), so that each step is decided for every one of them.
struct SizedProgram {
  ir::Program program;         ///< `program.sizes` are not empty
  std::vector<int64_t> shown;  ///< one for each of them
};

using arith::kMostSizeValues;

/// The program where the sizes have these values: as if the numbers had stood in its script.
ir::Program with_sizes(ir::Program const& program, std::vector<int64_t> const& values);
/// The same as one of several: its sizes are kept, with ranges of one value. A step on it may be
/// pointless for this value, such as a split by more than there is, where it is not for others.
ir::Program with_sizes_of_many(ir::Program const& program, std::vector<int64_t> const& values);

/// All values that the sizes of a program can take together; the first size changes slowest.
std::vector<std::vector<int64_t>> all_size_values(ir::Program const& program);

/// Its steps are about one of the sizes that are open: they are decided and taken on the program
/// where it is.
bool names_a_size(Primitive const& primitive);

/// A step as a function of the program that it is taken on: what it makes, or why it is refused.
using TakeStep =
    std::function<std::expected<Applied, Refusal>(ir::Program const& program, Step const& step)>;

/// The step on a program whose sizes are open. It is legal when, for each of their values, the step
/// is legal on the program with that value, and gives what the step on the open program gives with
/// it; and pointless not for all of them. Of a primitive that rewrites numbers only the open
/// program is the one that all those programs are instances of. Errors: sizes_open, for a primitive
/// that needs numbers; too_many_sizes; not_for_every_size, with the value, and the reason that it
/// is refused for there.
std::expected<Applied, Refusal> take_with_sizes(ir::Program const& program,
                                                Primitive const& primitive,
                                                StepRequest const& request, TakeStep const& take);

}  // namespace tw
