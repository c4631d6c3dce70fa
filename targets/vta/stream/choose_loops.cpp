// The model: a GEMM takes outer * inner * (micro-ops + 3.75) cycles, since the pipeline runs empty
// after each inner iteration; an ALU instruction 2.28 cycles a micro-op. Loading micro-ops takes 42
// cycles and one for 7.17 bytes: what the timing simulator counts with.
#include "targets/vta/stream/choose_loops.h"

#include <algorithm>

#include "targets/vta/hardware/widths.h"

namespace tw::vta {
namespace {

constexpr double kDrainCycles = 3.75, kAluCycles = 2.28;
constexpr double kInstructionCycles = 8;
constexpr double kLoadCycles = 42, kLoadBytesPerCycle = 7.17;
constexpr int64_t kHuge = int64_t(1) << 62;

int64_t times(int64_t a, int64_t b) { return a > kHuge / b ? kHuge : a * b; }

/// Some iterations of one loop as a loop of the instruction.
struct Share {
  int loop = -1;
  int64_t count = 1;
};

class Chooser {
public:
  Chooser(Configuration const& configuration, Computation const& computation, int64_t most_uops)
      : configuration_(configuration),
        computation_(computation),
        widths_(widths_of(configuration)),
        most_uops_(most_uops) {}

  std::vector<LoopChoice> all() && {
    if (computation_.ordered) {
      for (int peeled = 0; peeled <= int(computation_.loops.size()); ++peeled) in_order(peeled);
    } else {
      in_any_order();
    }
    return std::move(choices_);
  }

private:
  std::vector<CallLoop> const& loops() const { return computation_.loops; }

  /// Whether the fields can say it: factors have no sign and so many bits as an index.
  bool fits(Share const& share) const {
    if (share.loop < 0) return true;
    CallLoop const& loop = loops()[size_t(share.loop)];
    int64_t step = loop.extent / share.count;
    int src = computation_.gemm ? widths_.gemm_src : widths_.dst;
    auto in = [step](int64_t factor, int width) {
      return factor >= 0 && factor * step < int64_t(1) << width;
    };
    return share.count < int64_t(1) << widths_.iterations && in(loop.dst, widths_.dst) &&
           in(loop.src, src) && in(loop.wgt, widths_.wgt);
  }

  /// All of a loop, or a part that divides it.
  std::vector<Share> shares_of(int index) const {
    std::vector<Share> shares;
    int64_t extent = loops()[size_t(index)].extent;
    for (int64_t rest = 1; rest * rest <= extent; ++rest) {
      if (extent % rest != 0) continue;
      for (int64_t count : {extent / rest, rest})
        if (Share share{index, count}; count > 1 && fits(share)) shares.push_back(share);
      if (rest > 4096) break;  // beyond what micro-ops are written out for
    }
    return shares;
  }

  void in_any_order() {
    std::vector<Share> shares{{}};
    for (int i = 0; i < int(loops().size()); ++i)
      std::ranges::copy(shares_of(i), std::back_inserter(shares));
    for (Share const& a : shares)
      for (Share const& b : shares)
        if (a.loop < b.loop || (a.loop < 0 && b.loop < 0)) add(b, a, 0);
  }

  /// Micro-ops are innermost, so that only the outermost loops can be the instruction's.
  void in_order(int peeled) {
    add({}, {}, peeled);
    if (peeled == int(loops().size())) return;
    for (Share const& outer : shares_of(peeled)) {
      add(outer, {}, peeled);
      if (outer.count < loops()[size_t(peeled)].extent || peeled + 1 == int(loops().size()))
        continue;
      for (Share const& inner : shares_of(peeled + 1)) add(outer, inner, peeled);
    }
  }

  void add(Share const& outer, Share const& inner, int peeled) {
    LoopChoice choice{outer.loop, inner.loop, outer.count, inner.count, peeled};
    int64_t uops = 1, apart = 1, peeled_count = 1;
    bool reduces = false, reduces_in_uops = false;
    for (int i = 0; i < int(loops().size()); ++i) {
      CallLoop const& loop = loops()[size_t(i)];
      if (i < peeled) {
        peeled_count = times(peeled_count, loop.extent);
        continue;
      }
      int64_t rest =
          loop.extent / (i == outer.loop ? outer.count : 1) / (i == inner.loop ? inner.count : 1);
      uops = times(uops, rest);
      reduces = reduces || loop.dst == 0;
      if (loop.dst != 0) apart = times(apart, rest);
      reduces_in_uops = reduces_in_uops || (loop.dst == 0 && rest > 1);
    }
    bool reads = !computation_.reset;  // a reset only writes
    choice.spaced = !reads || !reduces || apart >= kAccumulatorSpacing;
    int64_t most = most_uops_, iterations = outer.count * inner.count;
    bool may_cut = !computation_.ordered || iterations == 1;
    if (!may_cut && uops > most) return;
    if (may_cut && !choice.spaced && reduces_in_uops) most = std::min(most, apart);
    finish(choice, uops, std::min(uops, most), iterations, peeled_count);
  }

  void finish(LoopChoice choice, int64_t uops, int64_t each, int64_t iterations, int64_t repeated) {
    int64_t cuts = (uops + each - 1) / each;
    choice.uops = each;
    choice.instructions = times(cuts, repeated);
    double one = computation_.gemm ? double(iterations) * (double(each) + kDrainCycles)
                                   : double(iterations) * double(each) * kAluCycles;
    choice.cycles = double(choice.instructions) * (one + kInstructionCycles);
    choice.load_cycles =
        double(choice.instructions) *
        (kLoadCycles + double(each) * configuration_.uop_bytes() / kLoadBytesPerCycle);
    choices_.push_back(choice);
  }

  Configuration const& configuration_;
  Computation const& computation_;
  Widths widths_;
  int64_t most_uops_;
  std::vector<LoopChoice> choices_;
};

/// Micro-ops of `loops`, outermost first.
std::vector<MicroOp> written_out(Computation const& computation, std::vector<CallLoop> loops) {
  // What is summed up lies outside: neighbours then have accumulators of their own.
  if (!computation.ordered)
    std::ranges::stable_partition(loops, [](CallLoop const& loop) { return loop.dst == 0; });
  std::vector<CallLoop> at{{1, computation.dst, computation.src, computation.wgt}};
  for (CallLoop const& loop : loops) {
    std::vector<CallLoop> next;
    next.reserve(at.size() * size_t(loop.extent));
    for (CallLoop const& from : at)
      for (int64_t i = 0; i < loop.extent; ++i)
        next.push_back(
            {1, from.dst + i * loop.dst, from.src + i * loop.src, from.wgt + i * loop.wgt});
    at = std::move(next);
  }
  std::vector<MicroOp> uops;
  uops.reserve(at.size());
  for (CallLoop const& from : at)
    uops.push_back({uint32_t(from.dst), uint32_t(from.src), uint32_t(from.wgt)});
  return uops;
}

bool too_close(std::span<MicroOp const> before, MicroOp const& next) {
  size_t near = std::min(before.size(), size_t(kAccumulatorSpacing - 1));
  return std::ranges::any_of(before.last(near),
                             [&](MicroOp const& uop) { return uop.dst == next.dst; });
}

/// The pipeline runs empty between instructions: where accumulators are too close, a new one
/// begins.
void cut(std::vector<MicroOp> const& uops, Nest const& nest, bool may_cut_close, int64_t most,
         std::vector<Piece>& pieces) {
  pieces.push_back({nest, {}});
  for (MicroOp const& uop : uops) {
    std::vector<MicroOp> const& last = pieces.back().uops;
    if (int64_t(last.size()) == most || (may_cut_close && too_close(last, uop)))
      pieces.push_back({nest, {}});
    pieces.back().uops.push_back(uop);
  }
}

}  // namespace

std::vector<LoopChoice> loop_choices(Configuration const& configuration,
                                     Computation const& computation, int64_t most_uops) {
  return Chooser(configuration, computation, most_uops).all();
}

LoopChoice const& best_choice(std::span<LoopChoice const> choices, double uses) {
  return *std::ranges::min_element(choices, [uses](LoopChoice const& a, LoopChoice const& b) {
    if (a.spaced != b.spaced) return a.spaced;
    return a.cycles + a.load_cycles / uses < b.cycles + b.load_cycles / uses;
  });
}

std::vector<Piece> pieces_of(Computation const& computation, LoopChoice const& choice,
                             int64_t most_uops) {
  Nest nest{.reset = computation.reset,
            .outer = uint32_t(choice.outer_count),
            .inner = uint32_t(choice.inner_count),
            .dst = {},
            .src = {},
            .wgt = {}};
  std::vector<CallLoop> rest;
  for (int i = choice.peeled; i < int(computation.loops.size()); ++i) {
    CallLoop loop = computation.loops[size_t(i)];
    int64_t count = i == choice.outer   ? choice.outer_count
                    : i == choice.inner ? choice.inner_count
                                        : 1;
    loop.extent /= count;
    auto factor = [&](int64_t each) { return uint32_t(each * loop.extent); };
    if (i == choice.outer)
      nest.dst.outer = factor(loop.dst), nest.src.outer = factor(loop.src),
      nest.wgt.outer = factor(loop.wgt);
    if (i == choice.inner)
      nest.dst.inner = factor(loop.dst), nest.src.inner = factor(loop.src),
      nest.wgt.inner = factor(loop.wgt);
    if (loop.extent > 1) rest.push_back(loop);
  }
  bool iterates = choice.outer_count * choice.inner_count > 1;
  bool may_cut_close = !computation.reset && !(computation.ordered && iterates);
  std::vector<Piece> pieces;
  Computation start = computation;
  std::vector<int64_t> counters(size_t(choice.peeled), 0);
  for (;;) {
    start.dst = computation.dst, start.src = computation.src, start.wgt = computation.wgt;
    for (size_t i = 0; i < counters.size(); ++i) {
      start.dst += counters[i] * computation.loops[i].dst;
      start.src += counters[i] * computation.loops[i].src;
      start.wgt += counters[i] * computation.loops[i].wgt;
    }
    cut(written_out(start, rest), nest, may_cut_close, most_uops, pieces);
    size_t i = counters.size();
    while (i > 0 && ++counters[i - 1] == computation.loops[i - 1].extent) counters[--i] = 0;
    if (i == 0) return pieces;
  }
}

}  // namespace tw::vta
