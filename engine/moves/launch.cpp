#include "engine/moves/launch.h"

#include <algorithm>

#include "engine/schedule/names.h"
#include "engine/target/target.h"

namespace tw::moves {

bool has_blocks(Target const& target) {
  auto of = [&](Level level) {
    return std::ranges::any_of(target.axes, [&](ThreadAxis const& axis) {
      return axis.level == level && !axis.interleaved;
    });
  };
  return of(Level::kBlock) && of(Level::kThread);
}

std::vector<NestLoop> loops_to_bind(BlockNest const& nest) {
  std::vector<NestLoop> loops;
  if (nest.marked()) return loops;
  for (NestLoop const& loop : nest.loops) {
    if (loop.reduces || !loop.alone || loop.kind != ir::LoopKind::kSerial) break;
    loops.push_back(loop);
  }
  return loops;
}

void bind(Draft& draft, ir::LoopId loop, std::string const& axis) {
  if (!draft.possible()) return;
  draft.step("bind", {reference_of(draft.schedule().program(), loop)}, {{"axis", axis}});
}

std::string sum_in_registers(Draft& draft, BlockNest const& nest) {
  if (!nest.sums) return {};
  ir::Program before = draft.schedule().program();
  draft.step("cache_write", {nest.block}, {{"scope", std::string("local")}});
  return draft.possible() ? added_block(before, draft.schedule().program()) : std::string();
}

ir::LoopId fuse(Draft& draft, std::vector<ir::LoopId> const& loops) {
  ir::LoopId all = loops.front();
  for (size_t i = 1; i < loops.size() && draft.possible(); ++i) {
    ir::Program const& program = draft.schedule().program();
    draft.step("fuse", {reference_of(program, all), reference_of(program, loops[i])});
    if (draft.possible()) all = draft.schedule().last_cursors().at(all).front();
  }
  return all;
}

}  // namespace tw::moves
