#include "engine/schedule/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "engine/ir/rewrite.h"

namespace tw {
namespace {

std::string listed(std::vector<std::string> const& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < 12; ++i) text += (i ? ", " : "") + names[i];
  return names.size() > 12 ? text + ", ..." : text;
}

/// "vy" iterates over what was the axis y.
bool iterates_over(ir::IterVar const& iter, std::string_view axis) {
  std::string_view name = iter.name();
  return name == axis || (name.starts_with('v') && name.substr(1) == axis);
}

/// The loops of a block that run over its axis, and over no other one of its axes; where there are
/// several, those of them that are no other block's.
std::vector<ir::LoopSite> loops_of_axis(ir::Program const& program, ir::BlockSite const& block,
                                        std::string_view axis) {
  std::vector<ir::LoopSite> found;
  for (ir::For const* loop : block.loops) {
    size_t feeds = 0;
    bool asked = false;
    for (ir::IterVar const& iter : block.block->iters) {
      if (!ir::uses_variable(iter.binding, loop->name())) continue;
      ++feeds;
      asked = asked || iterates_over(iter, axis);
    }
    if (feeds == 1 && asked) found.push_back(site_of(program, loop->id));
  }
  if (found.size() > 1)
    std::erase_if(found, [&](ir::LoopSite const& site) {
      return owner_of(program, site.loop->id)->block->id != block.block->id;
    });
  return found;
}

bool is_of_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

}  // namespace

std::string with_name(std::string text, std::string const& from, std::string const& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
    size_t end = at + from.size();
    bool begins = at == 0 || !is_of_a_name(text[at - 1]);
    bool ends = end >= text.size() || !is_of_a_name(text[end]) ||
                (text[end] == '.' && (end + 1 == text.size() || !is_of_a_name(text[end + 1])));
    if (!begins || !ends) continue;
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

bool is_under(ir::BlockSite const& block, ir::LoopId loop) {
  return std::any_of(block.loops.begin(), block.loops.end(),
                     [&](ir::For const* f) { return f->id == loop; });
}

Result<ir::LoopSite> find_loop(ir::Program const& program, std::string const& reference) {
  std::vector<ir::LoopSite> loops = ir::loops_of(program.body), found;
  for (ir::LoopSite const& site : loops)
    if (site.loop->name() == reference) found.push_back(site);
  if (found.empty())
    for (ir::BlockSite const& block : ir::blocks_of(program.body)) {
      if (!reference.starts_with(block.block->name + ".")) continue;
      for (ir::LoopSite const& site : loops)
        if (is_under(block, site.loop->id) &&
            site.loop->name() == reference.substr(block.block->name.size() + 1))
          found.push_back(site);
    }
  if (found.empty())  // named after what stood there, or by a step
    for (ir::BlockSite const& block : ir::blocks_of(program.body))
      if (reference.starts_with(block.block->name + "."))
        for (ir::LoopSite const& site : loops_of_axis(
                 program, block, std::string_view(reference).substr(block.block->name.size() + 1)))
          found.push_back(site);
  if (found.size() == 1) return found.front();
  std::vector<std::string> names;
  for (ir::LoopSite const& site : found.empty() ? loops : found)
    names.push_back(reference_of(program, site.loop->id));
  if (found.empty())
    return bad_input("unknown_loop", fmt::format("there is no loop '{}'; the loops are {}",
                                                 reference, listed(names)));
  return bad_input("ambiguous_loop",
                   fmt::format("'{}' names several loops; write {}", reference, listed(names)));
}

Result<ir::BlockSite> find_block(ir::Program const& program, std::string const& name) {
  std::vector<std::string> names;
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    if (site.block->name == name) return site;
    names.push_back(site.block->name);
  }
  return bad_input("unknown_block",
                   fmt::format("there is no block '{}'; the blocks are {}", name, listed(names)));
}

std::optional<ir::BlockSite> owner_of(ir::Program const& program, ir::LoopId loop) {
  std::optional<ir::BlockSite> owner;
  for (ir::BlockSite const& block : ir::blocks_of(program.body))
    if (is_under(block, loop) && (!owner || block.loops.size() > owner->loops.size()))
      owner = block;
  return owner;
}

std::string reference_of(ir::Program const& program, ir::LoopId loop) {
  auto owner = owner_of(program, loop);
  std::string const& name = site_of(program, loop).loop->name();
  return owner ? owner->block->name + "." + name : name;
}

ir::LoopSite site_of(ir::Program const& program, ir::LoopId loop) {
  for (ir::LoopSite const& site : ir::loops_of(program.body))
    if (site.loop->id == loop) return site;
  TW_ASSERT(false, "the loop is in the program");
  return {};
}

std::vector<ir::BlockSite> blocks_under(ir::LoopSite const& loop) {
  std::vector<ir::BlockSite> blocks = ir::blocks_of(loop.loop->body);
  for (ir::BlockSite& block : blocks) {
    std::vector<ir::For const*> all = loop.around;
    all.push_back(loop.loop);
    all.insert(all.end(), block.loops.begin(), block.loops.end());
    block.loops = std::move(all);
  }
  return blocks;
}

std::string free_name(ir::Program const& program, ir::LoopSite const& near,
                      std::string const& wanted) {
  std::set<std::string> taken;
  for (ir::For const* around : near.around) taken.insert(around->name());
  for (ir::LoopSite const& below : ir::loops_of(near.loop->body)) taken.insert(below.loop->name());
  for (ir::BlockSite const& block : ir::blocks_of(near.loop->body))
    for (ir::IterVar const& iter : block.block->iters) taken.insert(iter.name());
  for (ir::SizeParam const& size : program.sizes)
    taken.insert(static_cast<ir::Variable const&>(*size.var).name);
  std::string name = wanted;
  for (int number = 2; taken.contains(name); ++number) name = fmt::format("{}_{}", wanted, number);
  return name;
}

}  // namespace tw
