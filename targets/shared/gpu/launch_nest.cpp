#include "targets/shared/gpu/launch_nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/arith/linear.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/lowering/async_copy_order.h"
#include "engine/lowering/pipeline.h"
#include "targets/shared/gpu/active_share.h"
#include "targets/shared/gpu/decided_copies.h"
#include "targets/shared/gpu/instruction_mix.h"
#include "targets/shared/gpu/pieces.h"
#include "targets/shared/gpu/stretch.h"
#include "targets/shared/gpu/unrolled_loops.h"

namespace tw::gpu {

using namespace ir;

namespace {

// What LLVM 19 and ptxas 13 do with products of 4 x 4 and 8 x 8 sums of a thread, seen in SASS.
constexpr int64_t kTogether = 64;  ///< statements of iterations that are run side by side
constexpr int64_t kMostTogether = 16;
constexpr int64_t kWideBytes = 16;  ///< of the widest load
constexpr double kLoopControl = 3;  ///< counter, comparison, branch
constexpr double kPrologue = 12;    ///< parameters, counters of blocks and threads, addresses
constexpr int64_t kMostHeld = 224;  ///< words of a thread's tensors, beside what it computes with
constexpr int kBaseRegisters = 16, kLeastRegisters = 24, kMostRegisters = 255;
constexpr double kOperation = 4;  ///< cycles until a result can be used

bool waits_for_copies(IntrinsicNode const& intrinsic) {
  return intrinsic.completion == Completion::kWaits && intrinsic.queue.empty();
}

class Reading {
public:
  std::optional<LaunchNest> run(Stmt const& nest) {
    Waits waits = visit(nest).sum();
    if (!known_) return std::nullopt;
    nest_.waits = waits;
    nest_.instructions.integers += kPrologue;
    int64_t words = kBaseRegisters + held_ + int64_t(most_loaded_);
    nest_.registers =
        int(std::clamp<int64_t>((words + 7) / 8 * 8, kLeastRegisters, kMostRegisters));
    return std::move(nest_);
  }

private:
  Stretch visit(Stmt const& s) {
    if (auto const* list = s.as<Seq>()) return visit_list(*list);
    if (auto const* loop = s.as<For>()) return visit_loop(*loop);
    if (auto const* alloc = s.as<Alloc>()) return visit_alloc(*alloc);
    if (auto const* test = s.as<If>()) return visit_test(*test);
    if (auto const* let = s.as<Let>())
      return visit(substitute(let->body, {{let->var.to<Variable>().name, let->value}}));
    if (auto const* store = s.as<Store>()) return visit_store(s, *store);
    if (auto const* call = s.as<IntrinsicCall>()) return visit_call(*call);
    return {};
  }

  Stretch visit_list(Seq const& list) {
    Stretch all;
    for (Stmt const& child : list.stmts) {
      auto const* call = child.as<IntrinsicCall>();
      bool ends = call && (call->intrinsic->barrier || waits_for_copies(*call->intrinsic));
      all.append(visit(child), ends);
    }
    return all;
  }

  Stretch visit_loop(For const& loop) {
    known_loads_.clear();
    std::optional<int64_t> extent = as_int(loop.extent);
    if (!extent) known_ = false;
    Weight weight = weigh(loop.body);
    NestLoop made{.name = loop.name(), .extent = std::max<int64_t>(1, extent.value_or(1))};
    if (loop.loop_kind == LoopKind::kBind) {
      bind(made, loop.bind);
    } else {
      made.barrier = has_barrier(loop.body);
      made.unrolled = is_unrolled(loop, made.extent, weight);
      if (!made.unrolled && !weight.stays)
        made.together =
            std::clamp<int64_t>(kTogether / std::max<int64_t>(1, weight.statements), 1,
                                std::min(kMostTogether, std::max<int64_t>(1, made.extent)));
    }
    around_.push_back(nest_.loops.size());
    nest_.loops.push_back(made);
    Stretch inside = visit(loop.body);
    known_loads_.clear();
    around_.pop_back();
    if (made.kind != NestLoop::Kind::kSerial || made.unrolled) return inside;
    return repeated(inside.sum(), made);
  }

  /// Iterations that run side by side wait for their loads together.
  Stretch repeated(Waits const& one, NestLoop const& loop) {
    double times = double(loop.extent), turns = times / double(loop.together);
    nest_.instructions.control += outer_times() * turns * kLoopControl * warps();
    return {.before = {one.main * turns, one.shared * turns, one.cycles * times}, .rest = {}};
  }

  void bind(NestLoop& loop, std::string const& axis) {
    bool block = axis.starts_with("blockIdx."), thread = axis.starts_with("threadIdx.");
    if (!block && !thread) return;  // virtual threads are a loop
    loop.kind = block ? NestLoop::Kind::kBlock : NestLoop::Kind::kThread;
    loop.dimension = std::clamp(axis.back() - 'x', 0, 2);
    int64_t& extent = (block ? nest_.grid : nest_.block)[size_t(loop.dimension)];
    extent = std::max(extent, loop.extent);
  }

  Stretch visit_alloc(Alloc const& alloc) {
    BufferNode const& buffer = *alloc.buffer;
    int64_t bytes = as_int(buffer.shape[0]).value_or(0) * int64_t(size_of(buffer.type));
    if (buffer.scope == kSharedScope) {
      shared_.insert(buffer.name);
      nest_.shared_bytes += bytes;
    } else if (!around_.empty() && buffer.scope != kWorkspaceScope && buffer.scope != "global") {
      int64_t words = (bytes + 3) / 4;
      bool held = words <= kMostHeld && indices_are_known(alloc.body, buffer.name);
      (held ? own_ : local_).insert(buffer.name);
      if (held) held_ += words;
    }
    return visit(alloc.body);
  }

  Stretch visit_test(If const& test) {
    if (test.else_body && holds(test.then_body, [](Stmt const& s) { return has_phases(s); }))
      nest_.roles = true;
    guards_.push_back(test.condition);
    update_share();
    nest_.instructions.integers += times_of(test.condition, true) * 2 * warps();
    Stretch first = visit(test.then_body);
    guards_.pop_back();
    if (test.else_body) {
      guards_.push_back(unary(UnaryOp::kNot, test.condition));
      update_share();
      Stretch other = visit(test.else_body);
      guards_.pop_back();
      if (other.sum().cycles > first.sum().cycles) first = other;
    }
    update_share();
    return first;
  }

  void update_share() {
    known_loads_.clear();
    share_ =
        active_share(guards_, nest_, around_, nest_.roles ? WarpChoice::kEach : WarpChoice::kDrawn);
  }
  double warps() const { return share_.warps; }

  /// Of all serial loops around that stay loops.
  double outer_times() const {
    double times = 1;
    for (size_t at : around_)
      if (NestLoop const& loop = nest_.loops[at];
          loop.kind == NestLoop::Kind::kSerial && !loop.unrolled)
        times *= double(loop.extent);
    return times;
  }

  /// Of all serial loops around.
  double serial_times() const {
    double times = 1;
    for (size_t at : around_)
      if (nest_.loops[at].kind == NestLoop::Kind::kSerial) times *= double(nest_.loops[at].extent);
    return times;
  }

  /// Copies under conditions of their own share nothing.
  bool is_guard(NestLoop const& loop) const {
    return std::ranges::any_of(guards_,
                               [&](Expr const& one) { return uses_variable(one, loop.name); });
  }

  /// How often code does what depends on this expression alone. What is loaded may not be kept
  /// over a barrier; `keeps`: it may.
  double times_of(Expr const& e, bool keeps) const {
    double times = 1;
    bool invariant = true;
    for (size_t i = around_.size(); i-- > 0;) {
      NestLoop const& loop = nest_.loops[around_[i]];
      if (loop.kind != NestLoop::Kind::kSerial) continue;
      bool uses = uses_variable(e, loop.name) || is_guard(loop);
      if (!uses && (loop.unrolled || (invariant && (keeps || !loop.barrier)))) continue;
      if (!loop.unrolled) invariant = false;
      times *= double(loop.extent);
    }
    return times;
  }

  /// Elements that lie side by side in a loop whose iterations are there together.
  int width_of(Expr const& index, int bytes) const {
    arith::Linear linear = arith::to_linear(index);
    for (size_t at : around_) {
      NestLoop const& loop = nest_.loops[at];
      bool together = loop.unrolled || loop.together >= 4;
      if (loop.kind != NestLoop::Kind::kSerial || !together || is_guard(loop) ||
          linear.factor_of(loop.name) != 1)
        continue;
      int64_t even = std::gcd(linear.constant, loop.extent);
      for (arith::Linear::Term const& term : linear.terms)
        if (auto const* counter = term.term.as<Variable>(); !counter || counter->name != loop.name)
          even = uses_variable(term.term, loop.name) ? 1 : std::gcd(even, term.factor);
      for (int64_t width = kWideBytes / bytes; width > 1; width /= 2)
        if (even % width == 0) return int(width);
    }
    return 1;
  }

  /// False: it is in registers.
  bool add_access(BufferNode const& tensor, Expr const& index, bool store) {
    if (own_.contains(tensor.name) || (!store && is_known(tensor.name, index))) return false;
    if (store)
      std::erase_if(known_loads_, [&](auto const& one) { return one.first == tensor.name; });
    NestAccess access{.tensor = tensor.name, .index = index, .store = store, .loops = around_};
    access.bytes = int(size_of(tensor.type));
    access.tensor_bytes = as_int(tensor.shape[0]).value_or(0) * access.bytes;
    access.shared = shared_.contains(tensor.name);
    access.local = local_.contains(tensor.name);
    access.width = width_of(index, access.bytes);
    access.times = std::max(1.0, times_of(index, !access.shared) / access.width);
    access.share = share_;
    nest_.instructions.memory += access.times * warps();
    nest_.instructions.integers += index_work(index) * warps();
    nest_.accesses.push_back(std::move(access));
    return true;
  }

  /// The same element was loaded by a statement before, and nobody has stored to its tensor since.
  bool is_known(std::string const& tensor, Expr const& index) {
    bool known = std::ranges::any_of(known_loads_, [&](auto const& one) {
      return one.first == tensor && equal(one.second, index);
    });
    if (!known) known_loads_.emplace_back(tensor, index);
    return known;
  }

  /// An address moves once in each turn of the innermost loop that stays; quotients are computed
  /// where what they depend on changes.
  double index_work(Expr const& index) const {
    double moves = 0;
    for (size_t at : around_) {
      NestLoop const& loop = nest_.loops[at];
      if (loop.kind == NestLoop::Kind::kSerial && !loop.unrolled && uses_variable(index, loop.name))
        moves = outer_times() / double(loop.together);
    }
    for (arith::Linear::Term const& term : arith::to_linear(index).terms)
      if (double count = index_instructions(term.term); count > 0)
        moves += count * times_of(term.term, true);
    return moves;
  }

  Stretch visit_store(Stmt const&, Store const& store) {
    Stretch waits;
    double loaded = 0;
    walk(store.value, [&](Expr const& e) {
      auto const* read = e.as<Load>();
      if (!read || !add_access(*read->buffer, read->indices[0], false)) return true;
      NestAccess const& access = nest_.accesses.back();
      loaded += copies_of(access, store.indices[0]);
      if (access.shared || access.local)
        waits.rest.shared = 1;
      else
        waits.loads = 1;
      return true;
    });
    most_loaded_ = std::max(most_loaded_, loaded);
    add_access(*store.buffer, store.indices[0], true);
    add_arithmetic(store);
    waits.rest.cycles += dependent_cycles(store);
    return waits;
  }

  /// Values of a load that the code has at once for different elements of what it makes, with what
  /// a wide load brings along.
  double copies_of(NestAccess const& access, Expr const& made) const {
    double copies = 1;
    bool beside = false;
    for (size_t at : around_) {
      NestLoop const& loop = nest_.loops[at];
      if (!loop.unrolled || !uses_variable(access.index, loop.name) ||
          !uses_variable(made, loop.name))
        continue;
      copies *= double(loop.extent);
      beside = beside || arith::to_linear(access.index).factor_of(loop.name) == 1;
    }
    return beside ? copies : copies * access.width;
  }

  void add_arithmetic(Store const& store) {
    double times = serial_times();
    std::vector<Expr> copies = decided_copies(store.value, unrolled());
    times /= double(copies.size());
    for (Expr const& copy : copies) add_arithmetic(copy, times);
  }

  Counters unrolled() const {
    Counters counters;
    for (size_t at : around_)
      if (NestLoop const& loop = nest_.loops[at]; loop.unrolled)
        counters.emplace_back(loop.name, loop.extent);
    return counters;
  }

  void add_arithmetic(Expr const& value, double times) {
    Instructions one = instructions_of(value);
    // What depends on counters alone is computed where these change.
    double moved = 0;
    each_of_counters(value, [&](Expr const& e, double count) {
      one.integers -= count;
      moved += count * std::min(times, times_of(e, true));
    });
    Instructions& all = nest_.instructions;
    all.flops += one.flops * times * share_.threads;
    all.f32 += one.f32 * times * warps();
    all.f64 += one.f64 * times * warps();
    all.integers += (one.integers * times + moved) * warps();
    all.special += one.special * times * warps();
  }

  /// Of a sum in the copies that add to the same element, one after the other.
  double dependent_cycles(Store const& store) const {
    bool updates = false;
    walk(store.value, [&](Expr const& e) {
      auto const* read = e.as<Load>();
      updates = updates || (read && read->buffer->name == store.buffer->name);
      return !updates;
    });
    if (!updates) return 0;
    double cycles = kOperation;
    for (size_t at : around_) {
      NestLoop const& loop = nest_.loops[at];
      if (loop.unrolled && !uses_variable(store.indices[0], loop.name))
        cycles *= double(loop.extent);
    }
    return cycles;
  }

  Stretch visit_call(IntrinsicCall const& call) {
    if (call.intrinsic->barrier) {
      known_loads_.clear();
      nest_.barriers += outer_times();
      nest_.instructions.control += outer_times();
      return {};
    }
    if (piece_of(*call.intrinsic) > 0) {
      add_piece(nest_, call, {around_, serial_times(), share_});
      return {};
    }
    if (shuffles(call.intrinsic->completion)) return visit_shuffle(call);
    if (!reads_by_itself(*call.intrinsic))
      for (size_t i = 0; i < call.operands.size(); ++i) add_operand(call, i);
    add_products(call);
    bool waits = waits_for_copies(*call.intrinsic) && !call.operands.empty();
    // A copy of a turn before this one has come meanwhile.
    return {
        .before = {}, .loads = waits && is_int(call.operands[0].value, 0) ? 1.0 : 0, .rest = {}};
  }

  /// Its value takes the way of one from shared memory.
  Stretch visit_shuffle(IntrinsicCall const& call) {
    double words = std::ceil(double(size_of(call.operands[0].value.type())) / 4);
    nest_.instructions.shuffles += serial_times() * words * warps();
    Stretch waits;
    waits.rest.shared = 1;
    return waits;
  }

  /// Of a matrix unit.
  void add_products(IntrinsicCall const& call) {
    double count = multiply_adds_of(*call.intrinsic), times = serial_times();
    if (count == 0) return;
    DType sum = call.intrinsic->params.front().buffer->type,
          factor = call.intrinsic->params.back().buffer->type;
    Instructions& all = nest_.instructions;
    if (is_float(factor)) all.flops += 2 * count * times * share_.threads;
    bool by_itself = reads_by_itself(*call.intrinsic);
    if (NestLoop const* side = by_itself ? lanes() : nullptr)
      nest_.unit_bytes += times * warps() * bytes_by_itself(call, side->name, side->extent);
    double& by_units = by_itself ? all.group_matrix : all.matrix;
    by_units += count * times * double(size_of(factor)) / 2 * warps();
    all.control += times * warps();
    // An instruction that multiplies is named after what its factors are then: mma_tf32.
    std::string factors = call.intrinsic->name.substr(call.intrinsic->name.find('_') + 1);
    factors.resize(std::min(factors.size(), factors.find('_')));
    nest_.arithmetic = fmt::format("{} with sums in {}", factors, to_text(sum));
  }

  /// Of threads side by side, around what is visited; null: there are none.
  NestLoop const* lanes() const {
    auto at = std::ranges::find_if(around_, [&](size_t i) {
      return nest_.loops[i].kind == NestLoop::Kind::kThread && nest_.loops[i].dimension == 0;
    });
    return at == around_.end() ? nullptr : &nest_.loops[*at];
  }

  /// Of a copy: what it reaches as its axes run, in one access of that width.
  void add_operand(IntrinsicCall const& call, size_t i) {
    auto const* element = call.operands[i].value.as<Load>();
    if (!element) return;
    Substitution first;
    int64_t elements = 1;
    for (OperandAxis const& axis : call.operands[i].axes) {
      first[axis.name()] = int_imm(0);
      elements *= as_int(axis.extent).value_or(1);
    }
    IntrinsicParam const& param = call.intrinsic->params[i];
    if (!add_access(*element->buffer, substitute(element->indices[0], first), param.writes()))
      return;
    NestAccess& access = nest_.accesses.back();
    int64_t most = kWideBytes;
    if (multiply_adds_of(*call.intrinsic) > 0 && !param.writes()) {
      // Threads with the same rows or columns share the reading, a register of each at a time.
      if (NestLoop const* side = lanes())
        elements = elements * values_over_lanes(access.index, side->name, 32) / 32;
      most = 4;
    }
    access.width = int(std::clamp<int64_t>(elements, 1, most / access.bytes));
    // Smaller ones go through L1 (PTX ISA, cp.async: .cg is of 16 bytes).
    access.past_l1 = call.intrinsic->completion == Completion::kStarted && !param.writes() &&
                     access.width * access.bytes == kWideBytes;
    access.times *= std::ceil(double(elements) / access.width);
  }

  LaunchNest nest_;
  std::vector<size_t> around_;
  std::vector<Expr> guards_;
  Share share_;
  std::set<std::string> shared_, own_, local_;
  std::vector<std::pair<std::string, Expr>> known_loads_;  ///< in one iteration of all loops around
  int64_t held_ = 0;
  double most_loaded_ = 0;
  bool known_ = true;
};

}  // namespace

std::optional<LaunchNest> launch_nest(Stmt const& nest) { return Reading().run(nest); }

}  // namespace tw::gpu
