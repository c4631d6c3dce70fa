#include "engine/schedule/legality/memory_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/arith/span.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/digits.h"
#include "engine/schedule/legality/region.h"
#include "engine/schedule/legality/sharing.h"
#include "engine/schedule/legality/structure.h"
#include "engine/support/base/quantities.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

/// Only tensors inside of loops, or all.
enum class Counted : uint8_t { kInLoops, kAll };

class Measuring {
public:
  Measuring(Target const& target, Counted counted) : target_(target), counted_(counted) {}

  std::vector<MemoryUse> run(Stmt const& body) {
    visit(body);
    std::vector<MemoryUse> uses;
    for (auto& [memory, use] : fullest_) uses.push_back(std::move(use));
    return uses;
  }

private:
  bool is_thread_loop(Stmt const& s) const {
    auto const* loop = s.as<For>();
    ThreadAxis const* axis = loop ? axis_of(target_, *loop) : nullptr;
    return axis && axis->level == Level::kThread && !axis->interleaved;
  }
  bool is_block_loop(Stmt const& s) const {
    auto const* loop = s.as<For>();
    ThreadAxis const* axis = loop ? axis_of(target_, *loop) : nullptr;
    return axis && axis->level > Level::kThread;
  }
  bool has_threads(Stmt const& root) const {
    bool found = false;
    walk(root, [&](Stmt const& s) { return found = found || is_thread_loop(s), !found; });
    return found;
  }

  void visit(Stmt const& s) {
    if (auto const* loop = s.as<For>()) return visit_loop(s, *loop);
    if (auto const* alloc = s.as<Alloc>()) return visit_alloc(*alloc);
    if (auto const* list = s.as<Seq>())
      for (Stmt const& child : list->stmts) visit(child);
  }

  /// A launch has all tensors that its threads share, from its begin to its end.
  void visit_loop(Stmt const& s, For const& loop) {
    bool launches = !launched_ && has_threads(s) &&
                    (is_thread_loop(s) || (is_block_loop(s) && !is_block_loop(loop.body)));
    around_.push_back(&loop);
    size_t before = live_.size();
    if (launches) {
      launched_ = true;
      enter_shared(loop.body);
    }
    visit(loop.body);
    if (launches) {
      launched_ = false;
      live_.resize(before);
    }
    around_.pop_back();
  }

  void enter_shared(Stmt const& s) {
    if (auto const* loop = s.as<For>()) {
      around_.push_back(loop);
      enter_shared(loop->body);
      around_.pop_back();
    } else if (auto const* alloc = s.as<Alloc>()) {
      if (is_shared(*alloc->buffer)) enter(*alloc);
      enter_shared(alloc->body);
    } else if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) enter_shared(child);
    }
  }

  bool is_shared(BufferNode const& tensor) const {
    MemoryScope const* memory = target_.scope(tensor.scope);
    return memory && memory->shared_by > Level::kThread;
  }

  void visit_alloc(Alloc const& alloc) {
    size_t before = live_.size();
    if (!launched_ || !is_shared(*alloc.buffer)) enter(alloc);
    visit(alloc.body);
    live_.resize(before);
  }

  void enter(Alloc const& alloc) {
    MemoryScope const* memory = target_.scope(alloc.buffer->scope);
    if (!memory || memory->bytes == 0) return;
    if (around_.empty() && counted_ == Counted::kInLoops) return;
    int64_t bytes = bytes_of(alloc);
    if (bytes == 0) return;
    int64_t instances = 1;
    for (For const* loop : around_)
      if (ThreadAxis const* axis = axis_of(target_, *loop); axis && axis->interleaved)
        instances *= as_int(loop->extent).value_or(1);
    int64_t aligned = (bytes + memory->alignment - 1) / memory->alignment * memory->alignment;
    live_.push_back({memory->name, {alloc.buffer->name, aligned * instances, around_.empty()}});
    MemoryUse now{memory->name, memory->bytes, 0, {}};
    for (auto const& [scope, part] : live_)
      if (scope == memory->name) {
        now.bytes += part.bytes;
        now.parts.push_back(part);
      }
    MemoryUse& most = fullest_[memory->name];
    if (now.bytes > most.bytes) most = std::move(now);
  }

  /// Of the part that one iteration of the loops around uses; 0: it is not known.
  int64_t bytes_of(Alloc const& alloc) const {
    auto shape = constant_shape(*alloc.buffer);
    if (!shape) return 0;
    arith::Ranges running;
    std::vector<std::vector<Expr>> indices = indices_below(alloc, running);
    double bytes = double(size_of(alloc.buffer->type));
    for (size_t d = 0; d < shape->size(); ++d) {
      auto reach =
          around_.empty() || indices.empty() ? std::nullopt : arith::reach_of(indices[d], running);
      int64_t whole = (*shape)[d];
      bytes *= double(reach ? std::min(reach->high - reach->low + 1, whole) : whole);
    }
    return int64_t(std::min(bytes, 0x1p62));
  }

  /// By dimension. Counters of nests beside one another may have one name: each block gets its own.
  std::vector<std::vector<Expr>> indices_below(Alloc const& alloc, arith::Ranges& running) const {
    std::vector<std::vector<Expr>> indices;
    for (For const* loop : loops_sharing(target_, around_, *alloc.buffer))
      running.set(loop->name(), {0, as_int(loop->extent).value_or(1) - 1});
    int number = 0;
    for (BlockSite const& site : blocks_of(alloc.body)) {
      Substitution own;
      ++number;
      for (For const* loop : site.loops) {
        std::string name = fmt::format("{} {}", loop->name(), number);  // no name of a program's
        own[loop->name()] = var(name);
        running.set(name, {0, as_int(loop->extent).value_or(1) - 1});
      }
      for (BufferAccess const& access : accesses_to(site, alloc.buffer->name)) {
        for (OperandAxis const& axis : access.axes)
          running.set(axis.name(), {0, as_int(axis.extent).value_or(1) - 1});
        indices.resize(access.indices.size());
        for (size_t d = 0; d < indices.size(); ++d)
          indices[d].push_back(substitute(access.indices[d], own));
      }
    }
    return indices;
  }

  Target const& target_;
  Counted counted_;
  std::vector<For const*> around_;
  std::vector<std::pair<std::string, MemoryPart>> live_;
  std::map<std::string, MemoryUse> fullest_;
  bool launched_ = false;
};

}  // namespace

bool uses_limited_memory(Program const& program, Target const& target) {
  bool uses = false;
  walk(program.body, [&](Stmt const& s) {
    auto const* alloc = s.as<Alloc>();
    MemoryScope const* memory = alloc ? target.scope(alloc->buffer->scope) : nullptr;
    uses = uses || (memory && memory->bytes > 0);
    return !uses && !s.as<Block>();
  });
  return uses;
}

std::vector<MemoryUse> memory_use(Program const& program, Target const& target) {
  if (!uses_limited_memory(program, target)) return {};
  return Measuring(target, Counted::kAll).run(program.body);
}

std::string overflow_text(MemoryUse const& use) {
  std::string parts;
  for (MemoryPart const& part : use.parts)
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", part.tensor,
                         bytes_text(double(part.bytes)));
  return fmt::format("the memory '{}' has {}, but {} are needed at the same time: {}", use.memory,
                     bytes_text(double(use.capacity)), bytes_text(double(use.bytes)), parts);
}

std::expected<void, Refusal> memories_hold(Program const& before, Program const& after,
                                           Target const& target) {
  if (!uses_limited_memory(after, target)) return {};
  std::vector<MemoryUse> was = Measuring(target, Counted::kInLoops).run(before.body);
  for (MemoryUse const& now : Measuring(target, Counted::kInLoops).run(after.body)) {
    auto then = std::ranges::find(was, now.memory, &MemoryUse::memory);
    if (now.bytes <= now.capacity || (then != was.end() && now.bytes <= then->bytes)) continue;
    return refuse("scope_overflow", overflow_text(now),
                  "what stands in a memory at the same time must fit into it", {});
  }
  return {};
}

}  // namespace tw
