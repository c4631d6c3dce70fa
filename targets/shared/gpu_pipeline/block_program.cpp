#include "targets/shared/gpu_pipeline/block_program.h"

#include <algorithm>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/expr.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/lowering/async_copy_order.h"
#include "engine/lowering/pipeline.h"

namespace tw::gpu {

using namespace ir;

namespace {

constexpr int64_t kMostParts = 8;

std::unexpected<Error> none(std::string why) { return refused("no_pipeline", std::move(why)); }

/// Whether it is a call of what copies do; products by matrix units are work, done where they
/// stand.
IntrinsicCall const* call_of_copies(Stmt const& s) {
  auto const* call = s.as<IntrinsicCall>();
  return call && call->intrinsic->queue.empty() ? call : nullptr;
}

/// The threads meet in it, or wait for copies.
bool has_meeting(Stmt const& s) {
  bool found = false;
  walk(s, [&](Stmt const& child) {
    auto const* call = call_of_copies(child);
    found = found || (call && (call->intrinsic->barrier || has_phases(child) ||
                               call->intrinsic->completion == Completion::kCommits ||
                               call->intrinsic->completion == Completion::kWaits));
    return !found;
  });
  return found;
}

bool has_started(Stmt const& s) {
  bool found = false;
  walk(s, [&](Stmt const& child) {
    auto const* call = call_of_copies(child);
    found = found || (call && call->intrinsic->completion == Completion::kStarted);
    return !found;
  });
  return found;
}

void add_once(std::vector<std::string>& names, std::string const& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

class Reading {
public:
  Reading(BlockProgram& program, PrintedProgram const& printed, Rates const& rates)
      : program_(program), printed_(printed), rates_(rates) {}

  Result<BlockProgram> run(Function const& function) {
    for (Buffer const& param : function.params) far_.insert(param->name);
    TRY(read(function.body, program_.items));
    return std::move(program_);
  }

private:
  Status read(Stmt const& s, std::vector<BlockItem>& into) {
    if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) TRY(read(child, into));
      return {};
    }
    if (auto const* let = s.as<Let>())
      return read(substitute(let->body, {{let->var.to<Variable>().name, let->value}}), into);
    if (auto const* loop = s.as<For>(); loop && loop->loop_kind == LoopKind::kBind)
      return read_inside(s, loop->body, into);
    if (auto const* alloc = s.as<Alloc>()) {
      if (alloc->buffer->scope == kSharedScope) add_once(program_.shared, alloc->buffer->name);
      return read_inside(s, alloc->body, into);
    }
    if (auto const* call = call_of_copies(s); call && add_meeting(*call, s, into)) return {};
    if (has_meeting(s)) {
      if (auto const* loop = s.as<For>()) return read_loop(*loop, into);
      auto const* roles = s.as<If>();
      if (roles && roles->else_body && holds(s, [](Stmt const& one) { return has_phases(one); }))
        return read_roles(*roles, into);
      if (auto const* test = s.as<If>()) return read(test->then_body, into);
    }
    return add_op(s, into);
  }

  /// Around what costs are asked of stands what stands around it here.
  Status read_inside(Stmt const& around, Stmt const& body, std::vector<BlockItem>& into) {
    around_.push_back(around);
    Status read_all = read(body, into);
    around_.pop_back();
    return read_all;
  }

  /// Threads for which the condition holds fill. Each role is looked at as if there was no other.
  Status read_roles(If const& test, std::vector<BlockItem>& into) {
    auto loop = std::ranges::find_if(around_, [&](Stmt const& one) {
      auto const* bound = one.as<For>();
      return bound && uses_variable(test.condition, bound->name());
    });
    if (loop == around_.end()) return none("which threads have a role is not told by one counter");
    auto const place = size_t(loop - around_.begin());
    Stmt const all = *loop;
    for (bool fills : {true, false}) {
      auto const& of_all = all.to<For>();
      std::vector<int64_t> members;
      for (int64_t i = 0; i < as_int(of_all.extent).value_or(0); ++i)
        if (is_int(arith::simplify(substitute(test.condition, {{of_all.name(), int_imm(i)}})), 1) ==
            fills)
          members.push_back(i);
      if (members.empty()) return none("a role has no threads");
      around_[place] = make<For>(of_all.id, of_all.var, int_imm(int64_t(members.size())),
                                 of_all.loop_kind, of_all.body, of_all.bind);
      at_.push_back({of_all.name(), of_all.var + int_imm(members[0])});
      Status side = read(fills ? test.then_body : test.else_body, fills ? program_.filling : into);
      at_.pop_back();
      TRY(side);
    }
    around_[place] = all;
    return {};
  }

  /// One iteration stands for all: the second, where there is one.
  Status read_loop(For const& loop, std::vector<BlockItem>& into) {
    std::optional<int64_t> extent = as_int(loop.extent);
    if (!extent) return none("how often " + loop.name() + " runs is known at run time only");
    BlockItem item{.op = {}, .loop = loop.name(), .extent = *extent};
    at_.push_back({loop.name(), int_imm(*extent > 1 ? 1 : 0)});
    Status inside = read(loop.body, item.items);
    at_.pop_back();
    TRY(inside);
    if (*extent > 0) into.push_back(std::move(item));
    return {};
  }

  bool add_meeting(IntrinsicCall const& call, Stmt const& s, std::vector<BlockItem>& into) {
    BlockOp op{.line = line_of(s)};
    Completion completion = call.intrinsic->completion;
    if (has_phases(completion)) return add_phase(call, op, into);
    if (completion == Completion::kCommits)
      op.kind = BlockOp::Kind::kCommit;
    else if (completion == Completion::kWaits)
      op.kind = BlockOp::Kind::kWait;
    else if (call.intrinsic->barrier)
      op.kind = BlockOp::Kind::kBarrier;
    else
      return false;
    if (op.kind == BlockOp::Kind::kWait && !call.operands.empty())
      op.groups = int(as_int(call.operands[0].value).value_or(0));
    into.push_back({.op = std::move(op), .loop = {}});
    return true;
  }

  /// Slots come round: slot s in phase p is turn s + p * slots.
  bool add_phase(IntrinsicCall const& call, BlockOp op, std::vector<BlockItem>& into) {
    Completion completion = call.intrinsic->completion;
    auto const& word = call.operands[0].value.to<Load>();
    auto slots = as_int(word.buffer->shape[0]);
    if (completion == Completion::kOpens || !slots || at_.empty()) return true;
    program_.ring = int(*slots);
    op.kind = completion == Completion::kAwaits ? BlockOp::Kind::kAwait : BlockOp::Kind::kArrive;
    op.async = completion == Completion::kDelivers;
    op.tensor = word.buffer->name;
    if (op.kind == BlockOp::Kind::kAwait) {
      int64_t const turn = 2 * *slots;  // like any other
      Substitution at{{at_.back().first, int_imm(turn)}};
      for (OperandAxis const& axis : call.operands[0].axes) at[axis.name()] = int_imm(0);
      auto number = [&](Expr const& e) { return as_int(arith::simplify(substitute(e, at))); };
      auto slot = number(word.indices[0]), phase = number(call.operands[1].value);
      if (slot && phase) op.groups = int(*phase * *slots + *slot - turn);
    }
    into.push_back({.op = std::move(op), .loop = {}});
    return true;
  }

  Status add_op(Stmt const& s, std::vector<BlockItem>& into) {
    BlockOp op{.line = line_of(s)};
    walk_reads(s, [&](Touched const& at) { add_once(op.reads, at.buffer->name); });
    walk_writes(s, [&](Touched const& at) { add_once(op.writes, at.buffer->name); });
    if (op.reads.empty() && op.writes.empty()) return {};
    TRY_ASSIGN(Instructions counted, count(s, op));
    OpCost const& cost = op.cost;
    if (cost.products + cost.others + cost.shared + cost.bytes == 0) return {};  // not in this turn
    auto far = [&](std::vector<std::string> const& names) {
      auto found =
          std::ranges::find_if(names, [&](auto const& name) { return far_.contains(name); });
      return found == names.end() ? std::string() : *found;
    };
    op.async = has_started(s);
    if (op.tensor = far(op.writes); !op.tensor.empty())
      op.kind = BlockOp::Kind::kStore;
    else if (op.tensor = far(op.reads); !op.tensor.empty() && counted.flops == 0)
      op.kind = BlockOp::Kind::kCopy;
    if (auto const* loop = s.as<For>())
      op.parts = int(std::clamp<int64_t>(as_int(loop->extent).value_or(1), 1, kMostParts));
    into.push_back({.op = std::move(op), .loop = {}});
    return {};
  }

  /// What the statement costs alone, by the model that launches are judged by.
  Result<Instructions> count(Stmt const& s, BlockOp& op) const {
    auto nest = launch_nest(wrapped(s)),
         empty = launch_nest(wrapped(make<Seq>(std::vector<Stmt>())));
    if (!nest || !empty) return none("how often a loop runs is data");
    Caches caches = caches_of(program_.time.nest, program_.time.occupancy, rates_);
    Traffic traffic = traffic_of(*nest, caches);
    Instructions& mix = nest->instructions;
    mix.integers = std::max(0.0, mix.integers - empty->instructions.integers);
    Busy busy = busy_of(*nest, traffic, rates_);
    op.cost.products = busy.f32;
    op.cost.others = std::max(0.0, std::max(busy.others, busy.issue) - busy.f32);
    op.cost.shared = busy.shared;
    op.cost.bytes = traffic.l2_bytes / double(std::max<int64_t>(1, nest->blocks()));
    return mix;
  }

  Stmt wrapped(Stmt const& s) const {
    Substitution at(at_.begin(), at_.end());
    Stmt made = at.empty() ? s : arith::simplify(substitute(s, at));
    for (size_t i = around_.size(); i-- > 0;) {
      if (auto const* alloc = around_[i].as<Alloc>()) {
        made = make<Alloc>(alloc->buffer, made);
      } else {
        auto const& loop = around_[i].to<For>();
        made = make<For>(loop.id, loop.var, loop.extent, loop.loop_kind, made, loop.bind);
      }
    }
    return made;
  }

  int line_of(Stmt const& s) const {
    auto at = printed_.line_of.find(s.get());
    return at == printed_.line_of.end() ? 0 : at->second;
  }

  BlockProgram& program_;
  PrintedProgram const& printed_;
  Rates const& rates_;
  std::set<std::string> far_;  ///< tensors of main memory
  std::vector<Stmt> around_;   ///< bound loops and allocations, outermost first
  std::vector<std::pair<std::string, Expr>> at_;
};

BlockRates block_rates(LaunchTime const& time, Rates const& rates) {
  Traffic const& traffic = time.traffic;
  double share = rates.hertz * rates.units;  // of a bandwidth: bytes in a cycle of one
  double busy = traffic.l2_bytes > 0 ? std::max(1.0, traffic.l2_busy_bytes / traffic.l2_bytes) : 1;
  double per_byte = 1 / rates.l2_port;
  if (rates.l2_bandwidth > 0) per_byte = std::max(per_byte, busy * share / rates.l2_bandwidth);
  if (rates.dram_bandwidth > 0)
    per_byte =
        std::max(per_byte, from_dram(traffic, time.stays_in_l2) * share / rates.dram_bandwidth);
  return {per_byte, latency_behind_l1(traffic, rates, time.stays_in_l2), rates.shared_latency};
}

bool stages_tiles(BlockProgram const& program, BlockItem const& item) {
  if (item.is_loop())
    return std::ranges::any_of(item.items,
                               [&](auto const& one) { return stages_tiles(program, one); });
  if (item.op.kind != BlockOp::Kind::kCopy) return false;
  return std::ranges::any_of(item.op.writes, [&](std::string const& name) {
    return std::ranges::find(program.shared, name) != program.shared.end();
  });
}

/// Bytes of the shared tensors that something is copied to from main memory.
int64_t staged_bytes(Function const& function, std::vector<BlockItem> const& items) {
  std::set<std::string> filled;
  auto note = [&](auto const& self, BlockItem const& item) -> void {
    if (!item.is_loop() && item.op.kind == BlockOp::Kind::kCopy)
      filled.insert(item.op.writes.begin(), item.op.writes.end());
    for (BlockItem const& inner : item.items) self(self, inner);
  };
  for (BlockItem const& item : items) note(note, item);
  int64_t bytes = 0;
  walk(function.body, [&](Stmt const& s) {
    if (auto const* alloc = s.as<Alloc>();
        alloc && alloc->buffer->scope == kSharedScope && filled.contains(alloc->buffer->name))
      bytes += as_int(alloc->buffer->shape[0]).value_or(0) * int64_t(size_of(alloc->buffer->type));
    return true;
  });
  return bytes;
}

}  // namespace

Result<BlockProgram> block_program(Function const& device_function, PrintedProgram const& printed,
                                   Multiprocessor const& unit, Rates const& rates,
                                   double data_bytes) {
  auto nest = launch_nest(device_function.body);
  if (!nest) return none("how often a loop runs is data");
  BlockProgram program;
  program.time = launch_time(*std::move(nest), unit, rates, data_bytes);
  program.rates = block_rates(program.time, rates);
  int64_t fullest = (program.time.nest.blocks() + rates.units - 1) / rates.units;
  program.resident =
      int(std::clamp<int64_t>(fullest, 1, std::max(1, program.time.occupancy.blocks)));
  TRY_ASSIGN(program, Reading(program, printed, rates).run(device_function));
  auto loops = turn_loops(program.ring > 0 ? program.filling : program.items);
  if (std::ranges::none_of(loops, [&](auto* loop) { return stages_tiles(program, *loop); }))
    return none(
        "no loop of the kernel copies tiles into shared memory: there is no pipeline to draw");
  program.staged_bytes =
      staged_bytes(device_function, program.ring > 0 ? program.filling : program.items);
  return program;
}

std::vector<BlockItem const*> turn_loops(std::vector<BlockItem> const& items) {
  std::vector<BlockItem const*> loops;
  for (BlockItem const& item : items)
    if (item.is_loop()) loops.push_back(&item);
  return loops;
}

int64_t turns_of(BlockItem const& loop) {
  int64_t inner = 0;
  for (BlockItem const& item : loop.items)
    if (item.is_loop()) inner += turns_of(item);
  return loop.extent * std::max<int64_t>(1, inner);
}

}  // namespace tw::gpu
