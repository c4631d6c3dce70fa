#include "targets/vta/prover/prover.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/order/unordered_pairs.h"
#include "targets/vta/prover/hazards.h"
#include "targets/vta/prover/reuse_distance.h"
#include "targets/vta/prover/stored_micro_ops.h"

namespace tw::vta {
namespace {

/// Beyond so many pairs nobody learns more, and to find them takes ever longer.
constexpr size_t kMostPairs = 1'000'000;
constexpr int64_t kDramBucket = 4096;

/// One way in which two modules share a memory: all of `a` write there and all of `b` read, or the
/// other way round; `a_writes`: of both.
struct Shared {
  Module a = Module::kLoad, b = Module::kCompute;
  IntervalSet Footprint::*of_a = nullptr;
  IntervalSet Footprint::*of_b = nullptr;
  Memory memory = Memory::kInp;
  bool in_dram = false, a_writes = false;
};
std::vector<Shared> shared_memories() {
  using M = Module;
  using F = Footprint;
  return {{M::kLoad, M::kCompute, &F::inp, &F::inp, Memory::kInp, false, true},
          {M::kLoad, M::kCompute, &F::wgt, &F::wgt, Memory::kWgt, false, true},
          {M::kCompute, M::kStore, &F::result, &F::out, Memory::kOut, false, true},
          {M::kStore, M::kLoad, &F::dram, &F::dram, Memory::kOut, true, true},
          {M::kStore, M::kCompute, &F::dram, &F::dram, Memory::kOut, true, true}};
}

class Proof {
public:
  Proof(Configuration const& configuration, std::span<Instruction const> stream,
        ProofOptions const& options, TokenOrder order)
      : configuration_(configuration),
        stream_(stream),
        options_(options),
        order_(std::move(order)) {}

  Result<ProofResult> make(std::span<std::byte const> dram) && {
    made_.deadlock = order_.deadlock;
    TRY(follow(dram));
    find_races();
    find_unfinished();
    if (auto stored = stored_micro_ops(order_, stream_, footprints_))
      made_.undecided = to_sentence(*stored);
    auto less = [](Race const& race) { return std::tuple(race.second, race.first, race.memory); };
    std::ranges::sort(made_.races, {}, less);
    if (int64_t(made_.races.size()) > options_.most_races)
      made_.races.resize(size_t(options_.most_races));
    find_token_hazards(configuration_, stream_, order_, made_.hazards);
    find_stale_outputs(configuration_, order_, stream_, footprints_, made_.hazards);
    find_uop_hazards(configuration_, stream_, made_.hazards);
    std::ranges::stable_sort(made_.hazards, {}, &Hazard::instruction);
    return std::move(made_);
  }

private:
  /// Footprints in the order of the stream, which is that of the compute module for what it alone
  /// touches.
  Status follow(std::span<std::byte const> dram) {
    FootprintMaker maker(configuration_, dram);
    for (size_t i = 0; i < stream_.size(); ++i) {
      auto made = maker.next(stream_[i]);
      if (!made)
        return std::unexpected(
            at_instruction(configuration_, stream_[i], int64_t(i), made.error()));
      footprints_.push_back(std::move(*made));
      check_reuse(i, maker.uops());
    }
    return {};
  }

  void check_reuse(size_t i, std::span<MicroOp const> uops) {
    Instruction const& instruction = stream_[i];
    Nest const& n = instruction.nest;
    bool nest = instruction.opcode == Opcode::kGemm || instruction.opcode == Opcode::kAlu;
    if (!nest || n.steps() == 0) return;
    bool reads = instruction.opcode == Opcode::kAlu && !instruction.use_immediate;
    if (!checked_
             .emplace(std::vector<int64_t>{footprints_[i].uop_version, reads, n.reset, n.uop_begin,
                                           n.uop_end, n.outer, n.inner, n.dst.outer, n.dst.inner,
                                           n.src.outer, n.src.inner})
             .second)
      return;
    auto reuse = close_reuse(instruction, uops.subspan(n.uop_begin, size_t(n.uops())),
                             options_.accumulator_latency, NestSteps::kOfOneIteration);
    if (!reuse) return;
    made_.hazards.push_back(
        {int64_t(i), "accumulator_reuse",
         fmt::format(
             "instruction {} ({}): micro-op {} reads acc element {} again {} after micro-op "
             "{} wrote it, and the result is there after {}",
             i, to_text(instruction.opcode), reuse->to, reuse->accumulator,
             reuse->distance == 1 ? "one step" : fmt::format("{} steps", reuse->distance),
             reuse->from, options_.accumulator_latency)});
  }

  std::function<IntervalSet const&(int32_t)> sets(IntervalSet Footprint::*of) const {
    return [this, of](int32_t i) -> IntervalSet const& { return footprints_[size_t(i)].*of; };
  }

  void find_races() {
    for (Shared const& shared : shared_memories()) {
      order::Meeting meeting{int32_t(shared.a), int32_t(shared.b), sets(shared.of_a),
                             sets(shared.of_b)};
      if (shared.in_dram) meeting.bucket = kDramBucket;
      auto pairs = order::unordered_pairs(order_.events, meeting, kMostPairs);
      made_.race_count += int64_t(pairs.size());
      for (order::UnorderedPair const& pair : pairs) {
        bool swap = pair.b < pair.a;
        made_.races.push_back({.first = swap ? pair.b : pair.a,
                               .second = swap ? pair.a : pair.b,
                               .memory = shared.memory,
                               .in_dram = shared.in_dram,
                               .element = pair.element,
                               .first_writes = shared.a_writes != swap,
                               .second_writes = shared.a_writes == swap});
      }
    }
  }

  /// The host reads what was stored as soon as FINISH is done.
  void find_unfinished() {
    auto finish = int64_t(stream_.size()) - 1;
    if (!order_.deadlock.empty()) return;
    for (int32_t store : order_.ran(Module::kStore)) {
      IntervalSet const& bytes = footprints_[size_t(store)].dram;
      if (!bytes || order_.is_before(store, finish)) continue;
      ++made_.race_count;
      made_.races.push_back({.first = store,
                             .second = finish,
                             .memory = Memory::kOut,
                             .in_dram = true,
                             .element = bytes->front().begin,
                             .first_writes = true});
    }
  }

  Configuration const& configuration_;
  std::span<Instruction const> stream_;
  ProofOptions const& options_;
  TokenOrder order_;
  std::vector<Footprint> footprints_;
  std::set<std::vector<int64_t>> checked_;
  ProofResult made_;
};

}  // namespace

Result<ProofResult> prove(Configuration const& configuration, std::span<Instruction const> stream,
                          std::span<std::byte const> dram, ProofOptions const& options) {
  TRY(validate(configuration));
  TRY_ASSIGN(TokenOrder order, happens_before(configuration, stream));
  return Proof(configuration, stream, options, std::move(order)).make(dram);
}

std::string to_sentence(Race const& race, std::span<Instruction const> stream) {
  auto name = [&](int64_t i) {
    Instruction const& instruction = stream[size_t(i)];
    bool moves = instruction.opcode == Opcode::kLoad || instruction.opcode == Opcode::kStore;
    return fmt::format("{} ({}{})", i, to_text(instruction.opcode),
                       moves ? fmt::format(" {}", to_text(instruction.transfer.memory)) : "");
  };
  std::string where = race.in_dram
                          ? fmt::format("the byte at address {:#x} of DRAM", race.element)
                          : fmt::format("{} element {}", to_text(race.memory), race.element);
  if (stream[size_t(race.second)].opcode == Opcode::kFinish)
    return fmt::format(
        "instruction {} may still write {} when instruction {} tells that all is "
        "done, and nothing orders them",
        name(race.first), where, name(race.second));
  auto does = [](bool writes) { return writes ? "writes" : "reads"; };
  return fmt::format(
      "instructions {} and {} both touch {}, and nothing orders them: the first {} "
      "it, the second {} it",
      name(race.first), name(race.second), where, does(race.first_writes),
      does(race.second_writes));
}

}  // namespace tw::vta
