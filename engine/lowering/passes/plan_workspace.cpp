// alloc t: f32[900] @global ... t[i]   -->   one workspace; t[i] becomes workspace[offset + i]
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "engine/arith/known_sizes.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "engine/support/base/quantities.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kAlignment = 64;
constexpr int64_t kMostOnStack = 64 << 10;

bool runs_parallel(Stmt const& body) {
  bool found = false;
  walk(body, [&](Stmt const& s) {
    auto const* loop = s.as<For>();
    found = found || (loop && loop->loop_kind == LoopKind::kParallel);
    return !found;
  });
  return found;
}

/// Adds an offset to every index of a flat tensor.
class Shifting : public Rewriter {
public:
  Shifting(Buffer to, Expr by) : to_(std::move(to)), by_(std::move(by)) {}
  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    auto const* read = next.as<Load>();
    return read && read->buffer->name == to_->name ? load(to_, {shifted(read->indices[0])}) : next;
  }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    auto const* store = next.as<Store>();
    if (!store || store->buffer->name != to_->name) return next;
    return make_from<Store>(store->origin, to_, std::vector<Expr>{shifted(store->indices[0])},
                            store->value);
  }

private:
  Expr shifted(Expr const& index) const {
    if (is_int(by_, 0)) return index;
    if (auto const* ramp = index.as<Ramp>())
      return make<Ramp>(ramp->base + by_, ramp->stride, ramp->lanes);
    return index.lanes() > 1 ? binary(BinaryOp::kAdd, index, by_) : index + by_;
  }
  Buffer to_;
  Expr by_;
};

/// Gives every allocation outside of registers its place: small ones inside of loops on the stack,
/// all others in the workspace, one part for each task of the parallel loops around.
class Planning : public Rewriter {
public:
  Planning(Target const& target, arith::Ranges ranges)
      : target_(target), ranges_(std::move(ranges)) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (auto const* loop = s.as<For>()) {
      around_.push_back(loop);
      if (auto most = iterations(*loop)) ranges_.set(loop->name(), {0, *most - 1});
      Stmt next = rebuild(s);
      ranges_.erase(loop->name());
      around_.pop_back();
      return next;
    }
    if (auto const* let = s.as<Let>(); let && is_integer(let->var.type()))
      if (auto values = arith::bounds(let->value, ranges_))
        ranges_.set(let->var.to<Variable>().name, *values);
    auto const* alloc = s.as<Alloc>();
    if (!alloc || alloc->buffer->scope == "register") return rebuild(s);
    auto count = as_int(alloc->buffer->shape[0]);
    if (!count) {
      status_ = refused("allocation_not_supported",
                        "the tensor " + alloc->buffer->name +
                            " has a size that is not known; a workspace cannot hold it");
      return s;
    }
    return placed(*alloc, *count);
  }
  Status status_;

private:
  /// Where threads run a loop's iterations at once, memory of a thread is its stack, a block's is
  /// shared, and there is one instance of all other.
  std::string place_in_launch(BufferNode const& tensor, int64_t count) {
    if (!is_of_one_thread(tensor.scope))
      return is_of_block(tensor.scope) ? kSharedScope : kWorkspaceScope;
    auto [needs, most] = bytes_apart(double(count * size_of(tensor.type)), double(kMostOnStack));
    if (count * size_of(tensor.type) > kMostOnStack && status_)
      status_ = refused("allocation_not_supported",
                        fmt::format("each thread would have {} of the tensor {} for itself; it can "
                                    "have {}",
                                    needs, tensor.name, most));
    return kStackScope;
  }

  std::string place_of(Alloc const& alloc, int64_t count) {
    BufferNode const& tensor = *alloc.buffer;
    bool launched = std::ranges::any_of(
        around_, [](For const* loop) { return loop->loop_kind == LoopKind::kBind; });
    if (launched) return place_in_launch(tensor, count);
    bool wanted = !around_.empty() || is_of_one_thread(tensor.scope);
    bool fits = count * size_of(tensor.type) <= kMostOnStack && !runs_parallel(alloc.body);
    return wanted && fits ? kStackScope : kWorkspaceScope;
  }

  Stmt placed(Alloc const& alloc, int64_t count) {
    BufferNode node = *alloc.buffer;
    node.scope = place_of(alloc, count);
    bool stack = node.scope != kWorkspaceScope;
    // Tasks run at the same time: each has its own part, whole lines apart.
    int64_t line = kAlignment / std::max<int64_t>(1, size_of(node.type)), tasks = 1;
    int64_t part = (count + line - 1) / line * line;
    Expr offset = int_imm(0);
    for (For const* loop : around_)
      if (!stack && loop->loop_kind == LoopKind::kParallel) {
        auto most = iterations(*loop);
        if (!most)
          status_ = refused("allocation_not_supported",
                            "it is not known how many iterations of the parallel loop " +
                                loop->name() + " have the tensor " + node.name);
        offset = offset * most.value_or(1) + loop->var;
        tasks *= most.value_or(1);
      }
    node.shape = {int_imm(tasks > 1 ? part * tasks : count)};
    auto buffer = std::make_shared<BufferNode const>(std::move(node));
    Stmt body = Shifting(buffer, tasks > 1 ? offset * part : int_imm(0)).visit(alloc.body);
    return make_from<Alloc>(alloc.origin, buffer, visit(body));
  }
  /// The most there may be.
  std::optional<int64_t> iterations(For const& loop) const {
    auto extent = arith::bounds(loop.extent, ranges_);
    return extent ? std::optional(std::max<int64_t>(extent->high, 1)) : std::nullopt;
  }
  bool is_of_one_thread(std::string const& scope) const {
    MemoryScope const* memory = target_.scope(scope);
    return memory && memory->shared_by <= Level::kThread;
  }
  bool is_of_block(std::string const& scope) const {
    MemoryScope const* memory = target_.scope(scope);
    return memory && memory->shared_by < Level::kAccelerator;
  }
  Target const& target_;
  arith::Ranges ranges_;  // of sizes and counters around
  std::vector<For const*> around_;
};

Result<KernelIr> run_plan_workspace(KernelIr const& kernel, PassContext const& context) {
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Planning planning(context.target, arith::ranges_of(function.sizes));
    Function planned = function;
    planned.body = planning.visit(function.body);
    TRY(planning.status_);
    return planned;
  });
}

}  // namespace

std::map<std::string, int64_t> workspace_layout(KernelIr const& kernel, int64_t* bytes) {
  std::map<std::string, int64_t> sizes, offsets;
  auto note = [&](Stmt const& s) {
    auto const* alloc = s.as<Alloc>();
    if (alloc && alloc->buffer->scope == kWorkspaceScope) {
      // Copies of a loop's body hold one tensor several times; they do not run at once.
      int64_t& size = sizes[alloc->buffer->name];
      size = std::max(size, as_int(alloc->buffer->shape[0]).value_or(0) *
                                int64_t(size_of(alloc->buffer->type)));
    }
    return true;
  };
  for_each_function(kernel, [&](Function const& function) { walk(function.body, note); });
  int64_t end = 0;
  for (auto const& [name, size] : sizes) {
    offsets[name] = (end + kAlignment - 1) / kAlignment * kAlignment;
    end = offsets[name] + size;
  }
  if (bytes) *bytes = end;
  return offsets;
}

int64_t workspace_bytes(KernelIr const& kernel) {
  int64_t bytes = 0;
  workspace_layout(kernel, &bytes);
  return bytes;
}

ir::Sharing placed_sharing(Target const& target) {
  ir::Sharing sharing = target.sharing();
  sharing.scopes[kStackScope] = Level::kThread;
  sharing.scopes[kSharedScope] = Level::kBlock;
  return sharing;
}

Pass plan_workspace() {
  return {"plan_workspace",
          "Places intermediate tensors in one workspace that the caller provides",
          "last: nothing is allocated after it",
          run_plan_workspace,
          {.needs = {Invariant::kFlatBuffers}, .gives = {Invariant::kPlacedBuffers}}};
}

}  // namespace tw
