#include "engine/schedule/legality/sharing.h"

#include "engine/ir/rewrite.h"

namespace tw {

using namespace ir;

std::set<std::string> tensors_of_iteration(Target const& target, For const& loop) {
  std::set<std::string> names;
  walk(loop.body, [&](Stmt const& s) {
    auto const* alloc = s.as<Alloc>();
    if (alloc && target.instance_per_iteration(loop, *alloc->buffer))
      names.insert(alloc->buffer->name);
    return !s.as<Block>();
  });
  return names;
}

std::set<std::string> tensors_of_iteration(Target const& target,
                                           std::vector<LoopSite> const& chain) {
  std::set<std::string> names = tensors_of_iteration(target, *chain.back().loop);
  for (LoopSite const& site : chain) {
    std::set<std::string> here = tensors_of_iteration(target, *site.loop);
    std::erase_if(names, [&](std::string const& name) { return !here.contains(name); });
  }
  return names;
}

}  // namespace tw
