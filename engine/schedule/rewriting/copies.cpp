#include "engine/schedule/rewriting/copies.h"

#include <fmt/format.h>

#include <vector>

#include "engine/ir/rewrite.h"
#include "engine/schedule/rewriting/buffers.h"

namespace tw {

using namespace ir;

namespace {

Stmt with_own_tensors(Stmt const& s,
                      std::function<std::string(std::string const&)> const& name_of) {
  std::vector<Buffer> inside;
  walk(s, [&](Stmt const& part) {
    if (auto const* alloc = part.as<Alloc>()) inside.push_back(alloc->buffer);
    return !part.as<Block>();
  });
  Stmt own = s;
  for (Buffer const& buffer : inside) {
    BufferNode node = *buffer;
    node.name = name_of(buffer->name);
    own = replace_buffer(own, buffer->name, std::make_shared<BufferNode const>(std::move(node)));
  }
  return own;
}

}  // namespace

Stmt Copies::copy(Stmt const& s, std::string const& suffix, std::set<BlockId> const& goes_on) {
  loops_.clear();
  std::map<std::string, std::string> names;  // a block may be called as its tensor is
  auto name_of = [&](std::string const& old) {
    std::string& name = names[old];
    if (name.empty()) name = free_name(old + suffix);
    return name;
  };
  return rewrite_stmts(with_own_tensors(s, name_of), [&](Stmt const& part) -> Stmt {
    if (auto const* loop = part.as<For>())
      return make_from<For>(loop->origin, loops_[loop->id] = numbered_.fresh_loop(), loop->var,
                            loop->extent, loop->loop_kind, loop->body, loop->bind);
    auto const* block = part.as<Block>();
    if (!block) return nullptr;
    Stmt init = goes_on.contains(block->id) ? Stmt() : block->init;
    return make_from<Block>(block->origin, numbered_.fresh_block(), name_of(block->name), block->op,
                            block->iters, block->predicate, init, block->body);
  });
}

std::string Copies::free_name(std::string const& wanted) {
  std::string name = free_tensor_name(named_, wanted);
  for (int number = 2; !taken_.insert(name).second; ++number)
    name = free_tensor_name(named_, fmt::format("{}_{}", wanted, number));
  return name;
}

}  // namespace tw
