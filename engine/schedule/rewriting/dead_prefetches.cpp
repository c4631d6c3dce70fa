#include "engine/schedule/rewriting/dead_prefetches.h"

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw {
namespace {

using namespace ir;

bool has_sense(Program const& program, BlockSite const& hint) {
  auto const* prefetch = hint.block->body.as<Prefetch>();
  if (!prefetch) return true;  // other hints speak of no tensor that is read later
  auto const* element = prefetch->element.as<Load>();
  if (!element) return false;
  std::string const& tensor = element->buffer->name;
  if (!lives_at_top(program, tensor)) return false;
  for (BlockSite const& writer : writers_of(program, tensor))
    if (shared_loops(writer.loops, hint.loops) > 0) return false;
  // A run of lines has a loop of its own around the hint.
  std::vector<BlockSite> readers = readers_of(program, tensor);
  return std::ranges::any_of(readers, [&](BlockSite const& reader) {
    return shared_loops(reader.loops, hint.loops) + 1 >= hint.loops.size() &&
           shared_loops(reader.loops, hint.loops) > 0;
  });
}

}  // namespace

ir::Program without_dead_prefetches(ir::Program program) {
  std::vector<BlockId> idle;
  for (BlockSite const& site : blocks_of(program.body))
    if (is_hint(*site.block) && !has_sense(program, site)) idle.push_back(site.block->id);
  for (BlockId id : idle) program.body = without_block(program.body, id);
  return program;
}

}  // namespace tw
