/// A block with the loops around it, as far as moves ask.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/touched.h"
#include "engine/ir/program.h"

namespace tw::moves {

struct NestLoop {
  ir::LoopId id{};
  std::string name;      ///< as scripts name it
  std::string variable;  ///< as indices name it
  int64_t extent = 1;
  ir::LoopKind kind = ir::LoopKind::kSerial;
  bool reduces = false;
  bool writes_neighbours = false;  ///< its iterations write elements side by side
  bool reads_neighbours = false;   ///< and read such ones of a tensor
  bool alone = true;               ///< no other block stands below it
};

struct BlockNest {
  std::string block;
  std::vector<NestLoop> loops;  ///< outermost first
  bool sums = false;            ///< it is a reduction
  std::string writes;           ///< its tensor
  std::vector<std::string> reads;
  std::vector<analysis::TensorAccess> accesses;

  bool marked() const;  ///< a loop is something else than serial or parallel
  std::vector<ir::LoopId> ids() const;
};

/// In the order of the program. Blocks that are calls, or whose extents are not known, are left
/// out.
std::vector<BlockNest> nests_of(ir::Program const& program);
/// The first block of `after` whose name no block of `before` has; empty: there is none.
std::string added_block(ir::Program const& before, ir::Program const& after);
/// Of one block; nothing where `nests_of` leaves it out.
std::optional<BlockNest> nest_of(ir::Program const& program, std::string const& block);

}  // namespace tw::moves
