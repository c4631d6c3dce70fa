#include "engine/schedule/legality/accesses.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/digits.h"

namespace tw {
namespace {

using namespace ir;

void collect(BlockSite const& site, size_t number, std::vector<Access>& into) {
  Substitution bindings;
  for (IterVar const& iter : site.block->iters) bindings[iter.name()] = iter.binding;
  bool update = reduction_of(*site.block).has_value();
  auto add = [&](Buffer const& buffer, std::vector<Expr> const& indices, bool writes) {
    Access access{number, buffer->name, {}, writes, writes && update};
    for (Expr const& index : indices) access.indices.push_back(substitute(index, bindings));
    into.push_back(std::move(access));
  };
  auto stores = [&](Stmt const& s) {
    if (auto const* store = s.as<Store>()) add(store->buffer, store->indices, true);
    return true;
  };
  auto loads = [&](Expr const& e) {
    if (auto const* read = e.as<Load>()) add(read->buffer, read->indices, false);
    return true;
  };
  walk(site.block->body, stores);
  walk_exprs(site.block->body, loads);
  if (!site.block->init) return;
  walk(site.block->init, stores);
  walk_exprs(site.block->init, loads);
}

bool same(Access const& a, Access const& b) {
  if (a.block != b.block || a.buffer != b.buffer || a.writes != b.writes) return false;
  for (size_t i = 0; i < a.indices.size(); ++i)
    if (!equal(a.indices[i], b.indices[i])) return false;
  return true;
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

std::set<std::string> private_tensors(Stmt const& body) {
  std::set<std::string> names;
  walk(body, [&](Stmt const& s) {
    if (auto const* alloc = s.as<Alloc>()) names.insert(alloc->buffer->name);
    return !s.as<Block>();
  });
  return names;
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
