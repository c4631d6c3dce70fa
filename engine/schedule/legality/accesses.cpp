#include "engine/schedule/legality/accesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/accesses.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/mixed_radix.h"

namespace tw {
namespace {

using namespace ir;

void collect(BlockSite const& site, size_t number, std::vector<Access>& into) {
  bool update = reduction_of(*site.block).has_value();
  for (BlockAccess& one : ir::accesses_of(*site.block)) {
    if (one.kind == AccessKind::kHint) continue;
    bool writes = one.kind == AccessKind::kWrite;
    into.push_back({number, one.buffer->name, std::move(one.indices), writes, writes && update,
                    std::move(one.conditions), std::move(one.axes)});
  }
}

bool same(Access const& a, Access const& b) {
  auto alike = [](Expr const& x, Expr const& y) { return equal(x, y); };
  return a.block == b.block && a.buffer == b.buffer && a.writes == b.writes &&
         std::ranges::equal(a.indices, b.indices, alike) &&
         std::ranges::equal(a.conditions, b.conditions, alike);
}

/// Digits of the dimensions in which all accesses to the buffer agree.
std::vector<Digit> common_digits(std::vector<Access const*> const& accesses,
                                 std::vector<arith::Ranges> const& ranges) {
  std::vector<Digit> digits;
  for (size_t d = 0; d < accesses.front()->indices.size(); ++d) {
    auto form = radix_form(accesses.front()->indices[d], ranges[accesses.front()->block]);
    bool agree = form.has_value();
    for (size_t a = 1; agree && a < accesses.size(); ++a)
      agree = radix_form(accesses[a]->indices[d], ranges[accesses[a]->block]) == form;
    if (agree) digits.insert(digits.end(), form->digits.begin(), form->digits.end());
  }
  return digits;
}

}  // namespace

void walk_reads(Block const& block, std::function<void(Touched const&)> const& f) {
  for (IterVar const& iter : block.iters) ir::walk_reads(iter.binding, f);
  if (block.predicate) ir::walk_reads(block.predicate, f);
  ir::walk_reads(block.body, f);
  if (block.init) ir::walk_reads(block.init, f);
}

std::vector<Access> accesses_of(BlockSite const& site, size_t number) {
  std::vector<Access> accesses;
  collect(site, number, accesses);
  return accesses;
}

std::vector<Access> shared_accesses(std::vector<BlockSite> const& blocks,
                                    std::set<std::string> const& except) {
  std::vector<Access> all, kept;
  for (size_t b = 0; b < blocks.size(); ++b) collect(blocks[b], b, all);
  std::set<std::string> written;
  for (Access const& access : all)
    if (access.writes && !except.contains(access.buffer)) written.insert(access.buffer);
  for (Access& access : all) {
    bool known =
        std::any_of(kept.begin(), kept.end(), [&](Access const& k) { return same(k, access); });
    if (!known && written.contains(access.buffer)) kept.push_back(std::move(access));
  }
  return kept;
}

std::vector<bool> separated_loops(std::vector<BlockSite> const& blocks,
                                  std::vector<For const*> const& loops,
                                  std::set<std::string> const& except) {
  std::vector<arith::Ranges> ranges;
  for (BlockSite const& block : blocks) ranges.push_back(ranges_of(block.loops));
  std::vector<Access> accesses = shared_accesses(blocks, except);
  std::map<std::string, std::vector<Access const*>> by_buffer;
  for (Access const& access : accesses) by_buffer[access.buffer].push_back(&access);
  std::vector<bool> separated(loops.size(), true);
  for (auto const& [buffer, list] : by_buffer) {
    std::vector<Digit> digits = common_digits(list, ranges);
    for (size_t i = 0; i < loops.size(); ++i) {
      auto extent = as_int(loops[i]->extent);
      separated[i] = separated[i] && extent && covers(digits, loops[i]->name(), *extent);
    }
  }
  return separated;
}

}  // namespace tw
