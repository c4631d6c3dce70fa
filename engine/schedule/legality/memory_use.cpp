#include "engine/schedule/legality/memory_use.h"

#include <algorithm>
#include <map>

#include "engine/arith/instances.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/structure.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

/// Only tensors inside of loops, or all.
enum class Counted : uint8_t { kInLoops, kAll };

class Measuring {
public:
  Measuring(Target const& target, Counted counted)
      : target_(target), sharing_(target.sharing()), counted_(counted) {}

  std::vector<MemoryUse> run(Stmt const& body) {
    Stmt const placed = arith::with_tensors_inside(body, sharing_);
    visit(placed);
    std::vector<MemoryUse> uses;
    for (MemoryScope const& memory : target_.scopes)
      if (auto found = fullest_.find(memory.name); found != fullest_.end())
        uses.push_back(with_others(std::move(found->second)));
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
    if (!memory || memory->name == kGlobalScope) return;
    if (around_.empty() && counted_ == Counted::kInLoops) return;
    arith::Instances instances = arith::instances_of(alloc, around_, sharing_);
    int64_t bytes = instances.bytes(*alloc.buffer).value_or(0);
    if (bytes == 0) return;
    MemoryPart part{alloc.buffer->name, bytes_taken(*memory, bytes, instances.count),
                    around_.empty()};
    all_[memory->name].push_back(part);
    live_.push_back({memory->name, std::move(part)});
    MemoryUse now{memory->name, memory->bytes, 0, {}, {}};
    for (auto const& [scope, there] : live_)
      if (scope == memory->name) {
        now.bytes += there.bytes;
        now.parts.push_back(there);
      }
    MemoryUse& most = fullest_[memory->name];
    if (now.bytes > most.bytes) most = std::move(now);
  }

  MemoryUse with_others(MemoryUse use) const {
    for (MemoryPart const& part : all_.at(use.memory))
      if (std::ranges::find(use.parts, part.tensor, &MemoryPart::tensor) == use.parts.end())
        use.others.push_back(part);
    return use;
  }

  Target const& target_;
  Sharing sharing_;
  Counted counted_;
  std::vector<For const*> around_;
  std::vector<std::pair<std::string, MemoryPart>> live_;
  std::map<std::string, MemoryUse> fullest_;
  std::map<std::string, std::vector<MemoryPart>> all_;  // by memory
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
  return Measuring(target, Counted::kAll).run(program.body);
}

std::expected<void, Refusal> memories_hold(Program const& before, Program const& after,
                                           Target const& target) {
  if (!uses_limited_memory(after, target)) return {};
  std::vector<MemoryUse> was = Measuring(target, Counted::kInLoops).run(before.body);
  for (MemoryUse const& now : Measuring(target, Counted::kInLoops).run(after.body)) {
    auto then = std::ranges::find(was, now.memory, &MemoryUse::memory);
    if (!now.overflows() || (then != was.end() && now.bytes <= then->bytes)) continue;
    return refuse("scope_overflow", overflow_of(now).message,
                  "tensors that are live at the same time must fit into their memory", {});
  }
  return {};
}

}  // namespace tw
