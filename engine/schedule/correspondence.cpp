#include "engine/schedule/correspondence.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/names.h"

namespace tw {
namespace {

using ir::Block;
using ir::BlockSite;
using ir::IterKind;
using ir::IterVar;

bool reduces(Block const& block) {
  return std::ranges::any_of(block.iters,
                             [](IterVar const& iter) { return iter.kind == IterKind::kReduce; });
}

/// Where an axis of one block is in the other one, and what it was found by.
struct AxisMatch {
  int to = -1;
  char const* by = "";
};

class AxisMatcher {
public:
  AxisMatcher(Block const& from, Block const& to)
      : from_(from), to_(to), matches_(from.iters.size()), taken_(to.iters.size(), false) {}

  std::vector<AxisMatch> run() {
    pair_up("role",
            [](IterVar const& a, IterVar const& b) { return !a.role.empty() && a.role == b.role; });
    pair_up("name", [](IterVar const& a, IterVar const& b) {
      return a.name() == b.name() && a.kind == b.kind;
    });
    // Axes that are said to be different things come last.
    for (bool roles : {true, false}) pair_up_by_kind(roles);
    return matches_;
  }

private:
  /// Spatial axes from the innermost, which lie next to each other in memory; the others from the
  /// outermost, where channels stand before the small axes of a window.
  void pair_up_by_kind(bool roles) {
    auto alike = [&](size_t i, size_t j) {
      return matches_[i].to < 0 && !taken_[j] && from_.iters[i].kind == to_.iters[j].kind &&
             (!roles || roles_agree(i, j));
    };
    for (size_t i = from_.iters.size(); i-- > 0;)
      for (size_t j = to_.iters.size(); j-- > 0;)
        if (from_.iters[i].kind == IterKind::kSpatial && alike(i, j)) take(i, j, "kind");
    for (size_t i = 0; i < from_.iters.size(); ++i)
      for (size_t j = 0; j < to_.iters.size(); ++j)
        if (alike(i, j)) take(i, j, "kind");
  }
  bool roles_agree(size_t i, size_t j) const {
    return from_.iters[i].role.empty() || to_.iters[j].role.empty();
  }
  void take(size_t i, size_t j, char const* by) {
    matches_[i] = {int(j), by};
    taken_[j] = true;
  }
  template <typename Alike>
  void pair_up(char const* by, Alike alike) {
    for (size_t i = 0; i < from_.iters.size(); ++i)
      for (size_t j = 0; matches_[i].to < 0 && j < to_.iters.size(); ++j)
        if (!taken_[j] && alike(from_.iters[i], to_.iters[j])) take(i, j, by);
  }

  Block const& from_;
  Block const& to_;
  std::vector<AxisMatch> matches_;
  std::vector<bool> taken_;
};

/// The axes that a loop runs over, and how many loops around it run over the first of them.
struct Part {
  std::vector<int> axes;
  int level = 0;
  bool operator==(Part const&) const = default;
};

Part part_of(BlockSite const& owner, ir::LoopId id) {
  Part part;
  auto loop = std::ranges::find_if(owner.loops, [&](ir::For const* l) { return l->id == id; });
  for (size_t i = 0; i < owner.block->iters.size(); ++i)
    if (ir::uses_variable(owner.block->iters[i].binding, (*loop)->name()))
      part.axes.push_back(int(i));
  if (part.axes.empty()) return part;
  ir::Expr const& first = owner.block->iters[size_t(part.axes.front())].binding;
  for (auto around = owner.loops.begin(); around != loop; ++around)
    part.level += ir::uses_variable(first, (*around)->name());
  return part;
}

/// The same part in the other block; empty where an axis has no match.
std::optional<Part> part_in(Part const& part, std::vector<AxisMatch> const& axes) {
  Part other{{}, part.level};
  for (int axis : part.axes) {
    if (axes[size_t(axis)].to < 0) return std::nullopt;
    other.axes.push_back(axes[size_t(axis)].to);
  }
  std::ranges::sort(other.axes);
  return other;
}

std::vector<BlockSite> new_blocks(ir::Program const& program, std::set<ir::BlockId>& seen) {
  std::vector<BlockSite> fresh;
  for (BlockSite const& site : ir::blocks_of(program.body))
    if (seen.insert(site.block->id).second) fresh.push_back(site);
  return fresh;
}

std::vector<ir::LoopId> new_loops(ir::Program const& program, std::set<ir::LoopId>& seen) {
  std::vector<ir::LoopId> fresh;
  for (ir::LoopSite const& site : ir::loops_of(program.body))
    if (seen.insert(site.loop->id).second) fresh.push_back(site.loop->id);
  return fresh;
}

std::optional<BlockSite> block_site(ir::Program const& program, ir::BlockId id) {
  for (BlockSite const& site : ir::blocks_of(program.body))
    if (site.block->id == id) return site;
  return std::nullopt;
}

std::vector<std::string> tensors_of(Block const& block, bool stored) {
  std::vector<std::string> names;
  auto add = [&](std::string const& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  if (stored) {
    ir::walk(block.body, [&](ir::Stmt const& s) {
      if (auto const* store = s.as<ir::Store>()) add(store->buffer->name);
      return true;
    });
  } else {
    std::vector<std::string> own = tensors_of(block, true);
    ir::walk_exprs(block.body, [&](ir::Expr const& e) {
      if (auto const* load = e.as<ir::Load>())
        if (std::ranges::find(own, load->buffer->name) == own.end()) add(load->buffer->name);
      return true;
    });
  }
  return names;
}

}  // namespace

Correspondence::Correspondence(ir::Program const& from, ir::Program const& to) {
  follow(from, to, {}, {});
  note_words(from, to);
}

void Correspondence::follow(ir::Program const& from, ir::Program const& to,
                            std::vector<std::string> const& made_from,
                            std::vector<std::string> const& made_to) {
  match_blocks(new_blocks(from, seen_blocks_from_), new_blocks(to, seen_blocks_to_));
  match_made(from, to, made_from, made_to);
  match_loops(from, to);
}

/// Loops that a step names as its results correspond in their order. (A loop of one iteration may
/// be left out of every axis, so that nothing else says which one it is.)
void Correspondence::match_made(ir::Program const& from, ir::Program const& to,
                                std::vector<std::string> const& made_from,
                                std::vector<std::string> const& made_to) {
  if (made_from.size() != made_to.size()) return;
  auto fresh = [](ir::Program const& program, std::set<ir::LoopId>& seen, std::string const& name) {
    ir::LoopId found;
    for (ir::LoopSite const& site : ir::loops_of(program.body))
      if (!found.valid() && !seen.contains(site.loop->id) && site.loop->name() == name)
        found = site.loop->id;
    return found;
  };
  for (size_t i = 0; i < made_from.size(); ++i) {
    ir::LoopId here = fresh(from, seen_loops_from_, made_from[i]),
               there = fresh(to, seen_loops_to_, made_to[i]);
    if (!here.valid() || !there.valid()) continue;
    loops_[here] = there;
    seen_loops_from_.insert(here);
    seen_loops_to_.insert(there);
  }
}

void Correspondence::pass_over(ir::Program const& from) {
  new_blocks(from, seen_blocks_from_);
  new_loops(from, seen_loops_from_);
}

void Correspondence::match_blocks(std::vector<BlockSite> from, std::vector<BlockSite> to) {
  auto pair_up = [&](std::function<bool(Block const&, Block const&)> const& alike) {
    std::erase_if(from, [&](BlockSite const& a) {
      auto b = std::ranges::find_if(to, [&](BlockSite const& other) {
        return is_hint(*a.block) == is_hint(*other.block) && alike(*a.block, *other.block);
      });
      if (b == to.end()) return false;
      blocks_[a.block->id] = b->block->id;
      to.erase(b);
      return true;
    });
  };
  pair_up([](Block const& a, Block const& b) {
    return !a.op.empty() && a.op == b.op && a.name == b.name;
  });
  pair_up([](Block const& a, Block const& b) { return !a.op.empty() && a.op == b.op; });
  pair_up([](Block const& a, Block const& b) { return a.name == b.name; });
  pair_up([](Block const& a, Block const& b) { return reduces(a) && reduces(b); });
  // Of blocks without a sum, an operator or a name in common only the last ones are sure to play
  // the same part: they make the result.
  if (!from.empty() && !to.empty() && !reduces(*from.back().block) && !reduces(*to.back().block) &&
      is_hint(*from.back().block) == is_hint(*to.back().block))
    blocks_[from.back().block->id] = to.back().block->id;
}

void Correspondence::match_loops(ir::Program const& from, ir::Program const& to) {
  std::vector<ir::LoopId> here = new_loops(from, seen_loops_from_),
                          there = new_loops(to, seen_loops_to_);
  std::map<ir::BlockId, std::vector<ir::LoopId>> left, left_there;
  for (ir::LoopId id : here) {
    auto owner = owner_of(from, id);
    auto other = owner ? block(owner->block->id) : std::nullopt;
    auto site = other ? block_site(to, *other) : std::nullopt;
    if (!site) continue;
    auto wanted = part_in(part_of(*owner, id), AxisMatcher(*owner->block, *site->block).run());
    if (!wanted) continue;
    auto found = std::ranges::find_if(there, [&](ir::LoopId candidate) {
      auto of = owner_of(to, candidate);
      return of && of->block->id == *other && part_of(*of, candidate) == *wanted;
    });
    if (found == there.end()) {
      left[*other].push_back(id);
      continue;
    }
    loops_[id] = *found;
    there.erase(found);
  }
  for (ir::LoopId id : there)
    if (auto owner = owner_of(to, id)) left_there[owner->block->id].push_back(id);
  for (auto const& [at, ids] : left)
    if (ids.size() == left_there[at].size())
      for (size_t i = 0; i < ids.size(); ++i) loops_[ids[i]] = left_there[at][i];
}

std::optional<ir::BlockId> Correspondence::block(ir::BlockId from) const {
  auto found = blocks_.find(from);
  return found == blocks_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ir::LoopId> Correspondence::loop(ir::LoopId from) const {
  auto found = loops_.find(from);
  return found == loops_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> Correspondence::tensor(ir::Program const& from, ir::Program const& to,
                                                  ir::BlockId reader,
                                                  std::string const& name) const {
  for (BlockSite const& site : ir::blocks_of(from.body)) {
    auto written = tensors_of(*site.block, true);
    if (written.size() != 1 || written[0] != name || !block(site.block->id)) continue;
    auto other = block_site(to, *block(site.block->id));
    auto theirs = other ? tensors_of(*other->block, true) : std::vector<std::string>();
    if (theirs.size() == 1) return theirs[0];
  }
  auto here = block_site(from, reader);
  auto there = block(reader) ? block_site(to, *block(reader)) : std::nullopt;
  if (!here || !there) return std::nullopt;
  auto ours = tensors_of(*here->block, false), theirs = tensors_of(*there->block, false);
  auto at = std::ranges::find(ours, name);
  auto index = size_t(at - ours.begin());
  if (at == ours.end() || index >= theirs.size()) return std::nullopt;
  return theirs[index];
}

void Correspondence::note_words(ir::Program const& from, ir::Program const& to) {
  for (BlockSite const& site : ir::blocks_of(from.body)) {
    auto other = block(site.block->id) ? block_site(to, *block(site.block->id)) : std::nullopt;
    if (!other) {
      words_.push_back(fmt::format("{} has no match in {}", site.block->name, to.name));
      continue;
    }
    std::vector<AxisMatch> axes = AxisMatcher(*site.block, *other->block).run();
    for (ir::For const* l : site.loops) {
      std::string name = site.block->name + "." + l->name();
      Part part = part_of(site, l->id);
      auto match = loop(l->id);
      if (!match)
        words_.push_back(fmt::format("{} has no match in {}", name, other->block->name));
      else
        words_.push_back(
            fmt::format("{} is {} (by {})", name, reference_of(to, *match),
                        part.axes.empty() ? "place" : axes[size_t(part.axes.front())].by));
    }
  }
}

}  // namespace tw
