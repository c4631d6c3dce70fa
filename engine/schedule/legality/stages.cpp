#include "engine/schedule/legality/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/legality/structure.h"

namespace tw {

using namespace ir;

std::vector<std::string> read_buffers(Block const& block) {
  std::set<std::string> names;
  walk_reads(block, [&](Touched const& read) { names.insert(read.buffer->name); });
  return {names.begin(), names.end()};
}

std::vector<BlockSite> readers_of(Program const& program, std::string const& buffer) {
  std::vector<BlockSite> found;
  for (BlockSite const& site : blocks_of(program.body)) {
    if (is_hint(*site.block)) continue;
    auto read = read_buffers(*site.block);
    if (std::find(read.begin(), read.end(), buffer) != read.end()) found.push_back(site);
  }
  return found;
}

std::vector<BlockSite> writers_of(Program const& program, std::string const& buffer) {
  std::vector<BlockSite> found;
  for (BlockSite const& site : blocks_of(program.body)) {
    bool writes = false;
    walk_writes(site.block->body,
                [&](Touched const& at) { writes = writes || at.buffer->name == buffer; });
    if (writes) found.push_back(site);
  }
  return found;
}

std::vector<For const*> place_loops(LoopSite const& place) {
  std::vector<For const*> loops = place.around;
  loops.push_back(place.loop);
  return loops;
}

size_t shared_loops(std::vector<For const*> const& a, std::vector<For const*> const& b) {
  size_t shared = 0;
  while (shared < a.size() && shared < b.size() && a[shared]->id == b[shared]->id) ++shared;
  return shared;
}

bool is_parameter(Program const& program, std::string const& buffer) {
  auto named = [&](Buffer const& b) { return b->name == buffer; };
  return std::any_of(program.inputs.begin(), program.inputs.end(), named) ||
         std::any_of(program.outputs.begin(), program.outputs.end(), named);
}

bool is_allocated_in(Stmt const& s, std::string const& tensor) {
  bool found = false;
  walk(s, [&](Stmt const& part) {
    auto const* alloc = part.as<Alloc>();
    return found = found || (alloc && alloc->buffer->name == tensor), !found;
  });
  return found;
}

bool lives_at_top(Program const& program, std::string const& buffer) {
  if (is_parameter(program, buffer)) return true;
  return std::ranges::none_of(loops_of(program.body), [&](LoopSite const& site) {
    return is_allocated_in(site.loop->body, buffer);
  });
}

std::expected<void, Refusal> used_by_no_call(Program const& program, std::string const& tensor,
                                             std::string const& verb) {
  for (BlockSite const& site : blocks_of(program.body)) {
    auto const* call = site.block->body.as<IntrinsicCall>();
    if (!call) continue;
    for (Operand const& operand : call->operands)
      if (auto const* element = operand.value.as<Load>();
          element && element->buffer->name == tensor)
        return refuse_stage(
            "used_by_a_call",
            fmt::format("{} is a call of {}, which was matched with the layout of {}",
                        site.block->name, call->intrinsic->name, tensor),
            verb + ": no instruction may touch the tensor");
  }
  return {};
}

std::unexpected<Refusal> refuse_stage(std::string code, std::string message,
                                      std::string condition) {
  return refuse(std::move(code), std::move(message), std::move(condition), {});
}

}  // namespace tw
