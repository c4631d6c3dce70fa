/// Sums whose threads are lanes of warps side by side, so that shuffles may add them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/target/target.h"

namespace tw {

/// The threads of a sum, along the axis that changes fastest: groups of `lanes` from multiples of
/// it on, whole warps where they fill one.
struct WarpRow {
  int64_t lanes = 1;    ///< of a group: a power of two
  int64_t threads = 1;  ///< in whole groups, as many as the sum has or a few more
  int64_t groups() const { return threads / lanes; }
};

/// Of a sum of `type` whose loop `bound` is one of `launch`, the blocks' outermost loop or the
/// sum's own. None: the target has no such shuffles, the loop is bound to another axis, or rows of
/// the launch's threads are not known to begin with a group.
std::optional<WarpRow> warp_row(Target const& target, ir::For const& launch, ir::For const& bound,
                                DType type);

/// Where the sum that `site` makes is read by its own row's threads alone, and each of these is one
/// of the first `threads` along `axis`: each could have the sum for itself.
bool is_of_its_row(Target const& target, ir::Stmt const& body, ir::BlockSite const& site,
                   std::string const& axis, int64_t threads);

/// `tensor` by `by`, which has one more dimension: the thread along `axis` that reads.
ir::Stmt with_thread(ir::Stmt const& body, std::string const& tensor, ir::Buffer const& by,
                     std::string const& axis);

}  // namespace tw
