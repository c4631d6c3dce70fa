// threads t: for k in 8 with roles=2: { copy(T[..], k); use(T[..]) }
// -->  threads z in 2, t: if z < 1: for k in 8: { await(empty[k % 2], k//2 - 1); copy(T[k % 2,
// ..]);
//                                                 deliver(full[k % 2]) }
//                         else: for k in 8: { await(full[k % 2], k//2); use(T[k % 2, ..]);
//                                             arrive(empty[k % 2]) }
// Where uses go on in a queue of their own, one of them may be under way: they are waited for a
// turn later, and *empty* tells of the tile before the one at hand.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "engine/ir/annotations.h"
#include "engine/ir/index_map.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/async_copy_order.h"
#include "engine/lowering/pipeline.h"
#include "engine/lowering/role_threads.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

/// A turn's products run while the next tile is awaited: more of them would only keep tiles.
constexpr int64_t kUnderWay = 1;

std::optional<int64_t> slots_of(Stmt const& s) {
  return s.as<For>() ? said_of(*s, kRolesWord) : std::nullopt;
}
bool asks_for_roles(Stmt const& root) {
  return holds(root, [](Stmt const& s) { return slots_of(s).has_value(); });
}

/// A tensor with a place for each slot of a ring, in front.
Buffer ring_of(Buffer const& tensor, int64_t slots) {
  auto ring = std::make_shared<BufferNode>(*tensor);
  ring->shape.insert(ring->shape.begin(), int_imm(slots));
  for (StrideAlignment& one : ring->alignments) ++one.dimension;
  if (tensor->map) {
    auto map = std::make_shared<IndexMap>(*tensor->map);
    map->from.insert(map->from.begin(), "slot");
    map->to.insert(map->to.begin(), var("slot"));
    ring->map = std::move(map);
  }
  return ring;
}

/// Every access to a tensor goes to a slot of its ring.
class InSlot : public Rewriter {
public:
  InSlot(Buffer ring, Expr slot) : ring_(std::move(ring)), slot_(std::move(slot)) {}
  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    auto const* read = next.as<Load>();
    return read && read->buffer->name == ring_->name ? load(ring_, placed(read->indices)) : next;
  }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    auto const* store = next.as<Store>();
    if (!store || store->buffer->name != ring_->name) return next;
    return make_from<Store>(next->origin, ring_, placed(store->indices), store->value);
  }

private:
  std::vector<Expr> placed(std::vector<Expr> indices) const {
    indices.insert(indices.begin(), slot_);
    return indices;
  }
  Buffer ring_;
  Expr slot_;
};

std::set<std::string> written_by(Stmt const& s) {
  std::set<std::string> names;
  walk_writes(s, [&](Touched const& at) { names.insert(at.buffer->name); });
  return names;
}
bool touches(Stmt const& s, std::string const& name) {
  bool found = false;
  auto look = [&](Touched const& at) { found = found || at.buffer->name == name; };
  walk_writes(s, look);
  walk_reads(s, look);
  return found;
}

/// With names: copies have one without.
std::set<std::string> queues_of(Stmt const& root) {
  std::set<std::string> names;
  walk(root, [&](Stmt const& s) {
    if (starts_copy(s)) names.insert(s.to<IntrinsicCall>().intrinsic->queue);
    return true;
  });
  names.erase("");
  return names;
}

std::vector<Stmt> statements_of(Stmt const& s) {
  auto const* list = s.as<Seq>();
  return list ? list->stmts : std::vector<Stmt>{s};
}

/// What the threads of one launch do, taken apart.
struct Parts {
  std::vector<Alloc const*> allocs;  ///< around all, the outermost first
  std::vector<Stmt> before, after;
  For const* loop = nullptr;
  int64_t slots = 0;
  std::optional<int64_t> producers;      ///< threads that fill, where the loop says so
  std::vector<Stmt> filling, computing;  ///< the loop's statements
  std::vector<Buffer> tiles;             ///< what the former write
  bool copies = false, stores = false;   ///< how they do
  std::set<std::string> queues;          ///< in which the latter go on
};

class Taking {
public:
  explicit Taking(Target const& target) : target_(target) {}

  Result<Parts> take(Stmt const& body) {
    Stmt rest = body;
    for (auto const* alloc = rest.as<Alloc>(); alloc; alloc = rest.as<Alloc>()) {
      parts_.allocs.push_back(alloc);
      rest = alloc->body;
    }
    for (Stmt const& s : statements_of(rest)) {
      if (slots_of(s)) {
        if (parts_.loop) return no_roles("two loops of one launch ask for it");
        parts_.loop = &s.to<For>();
        parts_.slots = *slots_of(s);
        parts_.producers = said_of(*s, kProducersWord);
        continue;
      }
      if (asks_for_roles(s)) return no_roles("the loop that asks for it is inside of another one");
      (parts_.loop ? parts_.after : parts_.before).push_back(s);
    }
    TRY(take_loop());
    return std::move(parts_);
  }

private:
  bool is_shared(std::string const& name) const {
    return std::ranges::any_of(parts_.allocs, [&](Alloc const* alloc) {
      MemoryScope const* memory = target_.scope(alloc->buffer->scope);
      return alloc->buffer->name == name && memory && memory->shared_by == Level::kBlock;
    });
  }
  /// It writes what the block shares, and nothing else.
  bool fills(Stmt const& s) const {
    std::set<std::string> names = written_by(s);
    return !names.empty() &&
           std::ranges::all_of(names, [&](std::string const& name) { return is_shared(name); });
  }

  Status take_loop() {
    for (Stmt const& s : statements_of(parts_.loop->body)) {
      bool filling = fills(s);
      (filling ? parts_.filling : parts_.computing).push_back(s);
      if (filling) TRY(take_tiles(s));
    }
    if (parts_.filling.empty())
      return no_roles("no statement of the loop only fills shared memory");
    if (parts_.computing.empty()) return no_roles("all statements of the loop fill shared memory");
    for (Buffer const& tile : parts_.tiles) TRY(check_tile(tile->name));
    for (Stmt const& s : parts_.filling) TRY(check_reads(s));
    return take_queues();
  }

  Status take_queues() {
    for (Stmt const& s : parts_.computing) parts_.queues.merge(queues_of(s));
    for (std::string const& name : parts_.queues)
      if (!target_.queue(name))
        return no_roles(fmt::format("nothing waits for what goes on in the queue {}", name));
    for (Stmt const& s : parts_.filling)
      if (!queues_of(s).empty())
        return no_roles("what fills shared memory goes on in a queue of its own");
    return {};
  }

  Status take_tiles(Stmt const& s) {
    for (std::string const& name : written_by(s)) {
      auto alloc = std::ranges::find(parts_.allocs, name,
                                     [](Alloc const* one) { return one->buffer->name; });
      if (std::ranges::none_of(parts_.tiles, [&](auto const& one) { return one->name == name; }))
        parts_.tiles.push_back((*alloc)->buffer);
    }
    bool started = false, stored = false;
    walk(s, [&](Stmt const& part) {
      started = started || starts_copy(part);
      stored = stored || part.as<Store>() || (part.as<IntrinsicCall>() && !starts_copy(part));
      return true;
    });
    parts_.copies = parts_.copies || started;
    parts_.stores = parts_.stores || stored;
    return {};
  }

  Status check_tile(std::string const& name) const {
    auto outside = [&](Stmt const& s) { return touches(s, name); };
    if (std::ranges::any_of(parts_.before, outside) || std::ranges::any_of(parts_.after, outside))
      return no_roles(fmt::format("{} is used outside of the loop, too", name));
    for (Stmt const& s : parts_.computing)
      if (written_by(s).contains(name))
        return no_roles(fmt::format("{} is written by what computes, too", name));
    return {};
  }

  /// What others compute is no input of those that run ahead of them.
  Status check_reads(Stmt const& s) const {
    std::set<std::string> computed;
    for (auto const* list : {&parts_.before, &parts_.computing, &parts_.after})
      for (Stmt const& one : *list) computed.merge(written_by(one));
    std::string culprit;
    walk_reads(s, [&](Touched const& at) {
      if (computed.contains(at.buffer->name)) culprit = at.buffer->name;
    });
    if (culprit.empty()) return {};
    return no_roles(fmt::format("what fills shared memory reads {}, which is computed", culprit));
  }

  Target const& target_;
  Parts parts_;
};

/// The two roles of a launch, from its parts.
class Splitting {
public:
  Splitting(Target const& target, Parts parts, RoleThreads const& threads)
      : target_(target), parts_(std::move(parts)), threads_(threads) {
    for (char const* name : {"full", "empty"})
      words_.push_back(make_buffer(fresh(name), DType::kI64, {parts_.slots}, kSharedScope));
  }

  Stmt split() const {
    std::vector<Stmt> all;
    for (int64_t slot = 0; slot < parts_.slots; ++slot) {
      all.push_back(call(target_.phases.open, kFull, int_imm(slot), int_imm(arrivals())));
      all.push_back(
          call(target_.phases.open, kEmpty, int_imm(slot), int_imm(threads_.computing())));
    }
    all.push_back(make<IntrinsicCall>(target_.barrier, std::vector<Operand>()));
    all.push_back(make<If>(threads_.fills(), filling(), computing()));
    Stmt body = seq(std::move(all));
    for (Buffer const& words : words_) body = make<Alloc>(words, body);
    for (auto alloc = parts_.allocs.rbegin(); alloc != parts_.allocs.rend(); ++alloc)
      body = make_from<Alloc>((*alloc)->origin, stored((*alloc)->buffer), body);
    return body;
  }

private:
  enum Words : uint8_t { kFull, kEmpty };

  /// Of what fills a slot: once by each thread for its copies, once for what it stores itself.
  int64_t arrivals() const {
    return threads_.filling() * (int64_t(parts_.copies) + int64_t(parts_.stores));
  }

  std::string fresh(std::string name) const {
    auto taken = [&](Alloc const* one) { return one->buffer->name == name; };
    while (std::ranges::any_of(parts_.allocs, taken)) name += "_";
    return name;
  }

  Stmt call(Intrinsic const& intrinsic, Words words, Expr const& slot, Expr const& number) const {
    std::vector<Operand> operands{box_operand(words_[words], {slot}, {1})};
    if (number) operands.push_back({number, {}});
    return make<IntrinsicCall>(intrinsic, std::move(operands));
  }

  Expr counter(int64_t ahead) const {
    return ahead == 0 ? parts_.loop->var : parts_.loop->var + int_imm(ahead);
  }
  Expr slot(int64_t ahead = 0) const { return floor_mod(counter(ahead), int_imm(parts_.slots)); }
  Expr turn(int64_t ahead = 0) const { return floor_div(counter(ahead), int_imm(parts_.slots)); }
  /// Turns of those that compute which may still be under way when they arrive.
  int64_t under_way() const { return parts_.queues.empty() ? 0 : kUnderWay; }

  Buffer stored(Buffer const& tensor) const {
    bool tile = std::ranges::any_of(parts_.tiles,
                                    [&](Buffer const& one) { return one->name == tensor->name; });
    return tile ? ring_of(tensor, parts_.slots) : tensor;
  }
  Stmt loop_of(std::vector<Stmt> stmts) const {
    For const& loop = *parts_.loop;
    Stmt body = seq(std::move(stmts));
    for (Buffer const& tile : parts_.tiles)
      body = InSlot(ring_of(tile, parts_.slots), slot()).visit(body);
    Origin origin = with_word(with_word(loop.origin, kRolesWord, 0), kProducersWord, 0);
    return make_from<For>(std::move(origin), loop.id, loop.var, loop.extent, loop.loop_kind, body,
                          loop.bind);
  }

  Stmt filling() const {
    PhaseIntrinsics const& phases = target_.phases;
    // Of whoever computes the turn that begins now in this slot is the last that does not matter.
    std::vector<Stmt> stmts{
        call(phases.await, kEmpty, slot(under_way()), turn(under_way()) - int_imm(1))};
    for (Stmt const& one : parts_.filling) stmts.push_back(threads_.by_turns(one));
    if (parts_.copies) stmts.push_back(call(phases.deliver, kFull, slot(), nullptr));
    if (parts_.stores) stmts.push_back(call(phases.arrive, kFull, slot(), nullptr));
    Stmt loop = loop_of(std::move(stmts));
    if (!parts_.copies) return loop;
    // No thread ends before its copies.
    return seq({loop, make<IntrinsicCall>(target_.commit, std::vector<Operand>()),
                make<IntrinsicCall>(target_.wait, std::vector<Operand>{{int_imm(0), {}}})});
  }

  Stmt wait_for(std::string const& queue, int64_t groups) const {
    return make<IntrinsicCall>(target_.queue(queue)->wait,
                               std::vector<Operand>{{int_imm(groups), {}}});
  }

  Stmt computing() const {
    PhaseIntrinsics const& phases = target_.phases;
    std::vector<Stmt> stmts{call(phases.await, kFull, slot(), turn())};
    stmts.insert(stmts.end(), parts_.computing.begin(), parts_.computing.end());
    for (std::string const& name : parts_.queues) {
      stmts.push_back(make<IntrinsicCall>(target_.queue(name)->commit, std::vector<Operand>()));
      stmts.push_back(wait_for(name, under_way()));
    }
    stmts.push_back(call(phases.arrive, kEmpty, slot(), nullptr));
    std::vector<Stmt> all = parts_.before;
    all.push_back(loop_of(std::move(stmts)));
    for (std::string const& name : parts_.queues) all.push_back(wait_for(name, 0));
    all.insert(all.end(), parts_.after.begin(), parts_.after.end());
    return seq(std::move(all));
  }

  Target const& target_;
  Parts const parts_;
  RoleThreads const& threads_;
  std::vector<Buffer> words_;  ///< full, empty
};

/// From its outermost loop of threads on.
Result<Stmt> split_launch(Target const& target, Stmt const& launch) {
  TRY_ASSIGN(RoleThreads threads, RoleThreads::of(target, launch));
  TRY_ASSIGN(Parts parts, Taking(target).take(threads.body()));
  TRY(threads.choose(parts.producers));
  return threads.launched(Splitting(target, std::move(parts), threads).split());
}

class Launches : public Rewriter {
public:
  explicit Launches(Target const& target) : target_(target) {}
  Status status;

  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (!status || !asks_for_roles(s)) return s;
    if (slots_of(s)) status = no_roles("the loop that asks for it is not inside of threads");
    auto const* loop = s.as<For>();
    ThreadAxis const* axis = loop ? axis_of(target_, *loop) : nullptr;
    if (!axis || axis->level != Level::kThread) return rebuild(s);
    auto split = split_launch(target_, s);
    if (split) return *split;
    status = std::unexpected(split.error());
    return s;
  }

private:
  Target const& target_;
};

Result<KernelIr> run_split_roles(KernelIr const& kernel, PassContext const& context) {
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Function next = function;
    if (!asks_for_roles(function.body)) return next;
    if (!context.target.phases.open)
      return no_roles(fmt::format("{} has no barriers with phases", context.target.title));
    Launches launches(context.target);
    next.body = launches.visit(function.body);
    TRY(std::move(launches.status));
    return next;
  });
}

}  // namespace

Pass split_roles() {
  return {"split_roles",
          "Splits the threads of a block by roles: some fill tiles ahead, the others compute",
          "after thread loops were unified, and before waits and barriers are inserted: between "
          "roles there are barriers with phases instead",
          run_split_roles,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode},
           .gives_up = {Invariant::kLoopsOnce}}};
}

}  // namespace tw
