/// Which part of a tensor a loop's body reads or writes, as a box.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/arith/simplify.h"
#include "engine/ir/program.h"
#include "engine/ir/stmt.h"

namespace tw {

/// 0, step, ..., step * (count - 1)
struct Run {
  int64_t step = 1, count = 1;
  bool operator==(Run const&) const = default;
};

/// base, base+1, ..., base+extent-1; `base` speaks of the loops that stand still.
struct Span {
  ir::Expr base;
  int64_t extent = 1;
  /// Not empty: only the sums of the base and one number of each run are meant, the longest steps
  /// first, none of them twice. What lies between is for other iterations of the still loops.
  std::vector<Run> runs = {};
};
/// The runs of all that is meant; one where it is a whole span.
std::vector<Run> runs_of(Span const& span);

/// The span of one dimension over several index expressions while the loops `running` run. No
/// answer when the expressions are not sums of a still and a running part, or their still parts
/// differ.
std::optional<Span> span_of(std::vector<ir::Expr> const& indices,
                            std::vector<ir::For const*> const& running);

/// Index expressions of a block's accesses to `buffer`, over loops (bindings put in).
struct BufferAccess {
  std::vector<ir::Expr> indices;
  bool writes = false;
  std::vector<ir::OperandAxis> axes = {};  ///< of a call's operand
};
std::vector<BufferAccess> accesses_to(ir::BlockSite const& site, std::string const& buffer);

/// Spans of every dimension over all accesses by `sites` to `buffer`, with the loops below the
/// first `still` of each site running, and those of `sharing`, too; a dimension without answer is
/// the whole of it (base 0), and so is, unless `longer` spans are wished for, what reaches as far.
enum class Longer : uint8_t { kCut, kKept };
std::vector<Span> box_of(std::vector<ir::BlockSite> const& sites, ir::BufferNode const& buffer,
                         size_t still, bool writes, std::vector<ir::For const*> const& sharing = {},
                         Longer longer = Longer::kCut);

enum class Strides : uint8_t { kNo, kWhole };

/// Which values of an iterator give indices inside of a box; no answer when the indices do not
/// bound it. `indices` speak of iterators with the given ranges, one for each span of the box:
/// v, v + c, c - v, the digits of v (v // f, v % f, ...) and, if asked for, whole strides of v with
/// less than one beside it are understood.
std::optional<Span> iterator_span(std::string const& iterator, std::vector<ir::Expr> const& indices,
                                  std::vector<Span> const& box, arith::Ranges const& ranges,
                                  Strides strides = Strides::kWhole);

}  // namespace tw
