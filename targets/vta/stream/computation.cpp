#include "targets/vta/stream/computation.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "targets/vta/hardware/widths.h"

namespace tw::vta {
namespace {

constexpr int64_t kMostIndex = int64_t(1) << 24;
/// Orders of more steps than this are not looked at one by one.
constexpr int64_t kMostLookedAt = 1 << 16;

int64_t CallLoop::*const kOperands[] = {&CallLoop::dst, &CallLoop::src, &CallLoop::wgt};

Status check_size(Call const& call) {
  auto fits = [](int64_t number) { return number >= -kMostIndex && number <= kMostIndex; };
  bool good = fits(call.dst) && fits(call.src) && fits(call.wgt) && call.loops.size() <= 16;
  for (CallLoop const& loop : call.loops)
    good = good && loop.extent >= 1 && fits(loop.extent) && fits(loop.dst) && fits(loop.src) &&
           fits(loop.wgt);
  if (good) return {};
  return bad_input("bad_kernel", "a call has a loop that cannot be, or a number beyond 2^24");
}

struct Range {
  int64_t low = 0, high = 0;
};
Range range_of(std::vector<CallLoop> const& loops, int64_t base, int64_t CallLoop::*operand) {
  Range range{base, base};
  for (CallLoop const& loop : loops)
    (loop.*operand < 0 ? range.low : range.high) += (loop.extent - 1) * (loop.*operand);
  return range;
}

Status check_range(Configuration const& configuration, Memory memory, char const* name,
                   Range const& range) {
  int64_t depth = configuration.depth(memory);
  if (range.low >= 0 && range.high < depth) return {};
  return bad_input("sram_overflow",
                   fmt::format("{} goes from {} to {}, and {} has elements 0 to {}", name,
                               range.low, range.high, to_text(memory), depth - 1));
}

Status check_ranges(Configuration const& configuration, Computation const& made, bool reads_acc) {
  Range dst = range_of(made.loops, made.dst, &CallLoop::dst);
  Range src = range_of(made.loops, made.src, &CallLoop::src);
  TRY(check_range(configuration, Memory::kAcc, "dst", dst));
  if (reads_acc) TRY(check_range(configuration, Memory::kAcc, "src", src));
  if (!made.gemm || made.reset) return {};
  TRY(check_range(configuration, Memory::kInp, "src", src));
  return check_range(configuration, Memory::kWgt, "wgt",
                     range_of(made.loops, made.wgt, &CallLoop::wgt));
}

/// Indices of an operand, step by step in the order of the loops.
std::vector<int64_t> indices_of(std::vector<CallLoop> const& loops, int64_t base,
                                int64_t CallLoop::*operand) {
  std::vector<int64_t> indices{base};
  for (CallLoop const& loop : loops) {
    std::vector<int64_t> next;
    next.reserve(indices.size() * size_t(loop.extent));
    for (int64_t index : indices)
      for (int64_t i = 0; i < loop.extent; ++i) next.push_back(index + i * (loop.*operand));
    indices = std::move(next);
  }
  return indices;
}

/// Whether a value that several steps add to, one after another, comes out the same in any order.
bool commutes(AluOp op) {
  return op == AluOp::kMin || op == AluOp::kMax || op == AluOp::kAdd || op == AluOp::kMul;
}

/// Of an ALU call that reads ACC.
bool must_keep_order(Computation const& made, AluOp op) {
  Range dst = range_of(made.loops, made.dst, &CallLoop::dst);
  Range src = range_of(made.loops, made.src, &CallLoop::src);
  bool apart = src.high < dst.low || dst.high < src.low;
  if (apart && commutes(op)) return false;
  if (made.steps() > kMostLookedAt) return true;
  std::vector<int64_t> to = indices_of(made.loops, made.dst, &CallLoop::dst);
  std::vector<int64_t> from = indices_of(made.loops, made.src, &CallLoop::src);
  std::unordered_set<int64_t> written(to.begin(), to.end());
  bool distinct = written.size() == to.size();
  if (!distinct && !commutes(op)) return true;
  for (size_t step = 0; step < to.size(); ++step)
    if (written.contains(from[step]) && !(distinct && from[step] == to[step])) return true;
  return false;
}

/// `inner` goes on where its own end meets the next iteration of `outer`.
bool continues(CallLoop const& outer, CallLoop const& inner) {
  return std::ranges::all_of(
      kOperands, [&](auto operand) { return outer.*operand == inner.extent * (inner.*operand); });
}

bool merge_one(std::vector<CallLoop>& loops, bool ordered, int64_t most) {
  for (size_t i = 0; i < loops.size(); ++i)
    for (size_t j = 0; j < loops.size(); ++j) {
      if (i == j || (ordered && j != i + 1) || !continues(loops[i], loops[j]) ||
          loops[i].extent > most / loops[j].extent)
        continue;
      loops[j].extent *= loops[i].extent;
      loops.erase(loops.begin() + std::ptrdiff_t(i));
      return true;
    }
  return false;
}

/// Factors of instructions have no sign: a loop that only goes down goes up from its other end.
void turn_upwards(Computation& made) {
  for (CallLoop& loop : made.loops) {
    if (loop.dst > 0 || loop.src > 0 || loop.wgt > 0) continue;
    made.dst += (loop.extent - 1) * loop.dst, loop.dst = -loop.dst;
    made.src += (loop.extent - 1) * loop.src, loop.src = -loop.src;
    made.wgt += (loop.extent - 1) * loop.wgt, loop.wgt = -loop.wgt;
  }
}

/// A loop that runs more often than a field can say becomes two, where its count can be divided.
void split_long(std::vector<CallLoop>& loops, int64_t most) {
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].extent <= most) continue;
    int64_t inner = most;
    while (loops[i].extent % inner != 0) --inner;
    if (inner == 1) continue;
    CallLoop outer{loops[i].extent / inner, inner * loops[i].dst, inner * loops[i].src,
                   inner * loops[i].wgt};
    loops[i].extent = inner;
    loops.insert(loops.begin() + std::ptrdiff_t(i), outer);
  }
}

}  // namespace

int64_t Computation::steps() const {
  constexpr int64_t kMost = int64_t(1) << 62;
  int64_t steps = 1;
  for (CallLoop const& loop : loops) {
    if (steps > kMost / loop.extent) return kMost;
    steps *= loop.extent;
  }
  return steps;
}

Result<Computation> computation_of(Configuration const& configuration, Call const& call) {
  TRY(check_size(call));
  Computation made{.gemm = call.kind == CallKind::kGemm, .reset = call.reset, .loops = {}};
  bool reads_acc = !made.gemm && !call.use_immediate;
  bool has_src = reads_acc || (made.gemm && !made.reset), has_wgt = made.gemm && !made.reset;
  made.dst = call.dst, made.src = has_src ? call.src : 0, made.wgt = has_wgt ? call.wgt : 0;
  for (CallLoop loop : call.loops) {
    if (!has_src) loop.src = 0;
    if (!has_wgt) loop.wgt = 0;
    if (loop.extent > 1) made.loops.push_back(loop);
  }
  TRY(check_ranges(configuration, made, reads_acc));
  made.ordered = reads_acc && must_keep_order(made, call.alu);
  int64_t most = (int64_t(1) << widths_of(configuration).iterations) - 1;
  while (merge_one(made.loops, made.ordered, most)) {
  }
  if (!made.ordered) turn_upwards(made);
  split_long(made.loops, most);
  return made;
}

}  // namespace tw::vta
