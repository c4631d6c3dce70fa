/// Made-up timelines: what a machine with a load, a compute and a store module might do, with one
/// buffer or with two.
#pragma once

#include <algorithm>
#include <array>
#include <map>

#include "engine/hardware/timeline.h"
#include "engine/support/base/random.h"

namespace tw::testing {

enum MadeLane { kFetchLane, kLoadLane, kComputeLane, kStoreLane, kDramLane };
enum MadeKind {
  kFetched,
  kLoadInput,
  kLoadWeights,
  kGemm,
  kAlu,
  kStored,
  kDramRead,
  kDramWrite,
  kWaitData,
  kWaitBuffer
};
enum MadeCounter { kLoadToCompute, kComputeToLoad, kComputeToStore, kWeights, kAccumulators };

inline Timeline made_names() {
  Timeline t;
  t.clock_mhz = 100;
  t.lanes = {{"Fetch", 0}, {"Load", 2}, {"Compute", 3}, {"Store"}, {"DRAM"}};
  t.kinds = {{"fetch", "grey", false, false, "", "instructions are fetched"},
             {"load input", "sky", false, false, "", "rows of the input"},
             {"load weights", "sky", true, false, "", "rows of the weights"},
             {"GEMM", "amber", false, false, "", "products are added up"},
             {"ALU", "olive", true, false, "", "element by element"},
             {"store", "violet", false, false, "", "rows of the output"},
             {"DRAM read", "mint", false, false, "", "the port reads"},
             {"DRAM write", "mint", true, false, "", "the port writes"},
             {"stall R", "amber", true, true, "R", "data not there"},
             {"stall W", "grey", true, true, "W", "buffer in use"}};
  t.counters = {{"load -> compute", "tokens", 4, false, {{0, 0}}},
                {"compute -> load", "tokens", 4, false, {{0, 0}}},
                {"compute -> store", "tokens", 4, false, {{0, 0}}},
                {"weights", "bytes", 256 << 10, true, {{0, 0}}},
                {"accumulators", "bytes", 128 << 10, true, {{0, 0}}}};
  return t;
}

/// Rounds of load, compute and, every third, store. With one buffer a load waits for the compute
/// before; with two for the one before that.
class MadeRun {
public:
  MadeRun(int rounds, int buffers, uint64_t seed)
      : t_(made_names()), buffers_(buffers), rng_(seed) {
    for (int round = 0; round < rounds; ++round) step(round);
    t_.cycles = std::max({at_[kLoadLane], at_[kComputeLane], at_[kStoreLane]});
    for (auto const& [lane_counter, events] : changes_) count(lane_counter, events);
    t_.proven = true;
    t_.verdict = "no race, no deadlock: proved for " + std::to_string(t_.instructions.size()) +
                 " instructions";
  }
  Timeline take() { return std::move(t_); }

private:
  int32_t instruction(std::string text, int lane, int line) {
    t_.instructions.push_back({std::move(text), lane, line});
    int32_t number = int32_t(t_.instructions.size()) - 1;
    int64_t fetched = std::max(at_[kFetchLane], int64_t(number) * 12);
    span(kFetchLane, kFetched, fetched, fetched + 6, number);
    return number;
  }
  void span(int lane, int kind, int64_t begin, int64_t end, int32_t number) {
    if (end <= begin) return;
    t_.spans.push_back({lane, kind, begin, end, number});
    at_[lane] = end;
  }
  void wait(int lane, int kind, int64_t until, int32_t number) {
    span(lane, kind, at_[lane], until, number);
    at_[lane] = std::max(at_[lane], until);
  }
  void port(int kind, int64_t begin, int64_t end, int32_t number) {
    span(kDramLane, kind, std::max(begin, at_[kDramLane]), end, number);
  }
  void token(int queue, int64_t pushed, int64_t popped, int32_t from, int32_t to) {
    t_.tokens.push_back({queue, pushed, popped, from, to});
    changes_[queue].emplace_back(pushed, 1);
    changes_[queue].emplace_back(popped, -1);
  }
  void step(int round) {
    int32_t input = instruction("LOAD inp", kLoadLane, 4);
    int32_t weights = instruction("LOAD wgt", kLoadLane, 5);
    int32_t gemm = instruction("GEMM 16x14", kComputeLane, 7);
    if (int before = round - buffers_; before >= 0) {
      wait(kLoadLane, kWaitBuffer, ends_[size_t(before)].first, input);
      token(kComputeToLoad, ends_[size_t(before)].first, at_[kLoadLane],
            ends_[size_t(before)].second, input);
    }
    int64_t begin = at_[kLoadLane], cost = 230 + int64_t(rng_.below(20));
    span(kLoadLane, kLoadInput, begin, begin + cost / 4, input);
    span(kLoadLane, kLoadWeights, begin + cost / 4, begin + cost, weights);
    port(kDramRead, begin, begin + cost, weights);
    int64_t ready = at_[kLoadLane];
    wait(kComputeLane, kWaitData, ready, gemm);
    token(kLoadToCompute, ready, at_[kComputeLane], weights, gemm);
    begin = at_[kComputeLane];
    span(kComputeLane, kGemm, begin, begin + 780, gemm);
    ends_.emplace_back(at_[kComputeLane], gemm);
    changes_[kWeights].emplace_back(ready - cost, 98 << 10);
    changes_[kWeights].emplace_back(at_[kComputeLane], -(98 << 10));
    touch(round, weights, gemm);
    if (round % 3 == 2) store();
  }
  void touch(int round, int32_t weights, int32_t gemm) {
    int64_t half = (round % buffers_) * 512;
    t_.touches.push_back({kWeights, weights, half, half + 400, true});
    t_.touches.push_back({kWeights, gemm, half, half + 400, false});
    t_.touches.push_back({kAccumulators, gemm, (round % 3) * 64, (round % 3) * 64 + 64, true});
  }
  void store() {
    int32_t alu = instruction("ALU shr 8", kComputeLane, 9);
    int32_t out = instruction("STORE out", kStoreLane, 11);
    int64_t begin = at_[kComputeLane];
    span(kComputeLane, kAlu, begin, begin + 96, alu);
    at_[kStoreLane] = std::max(at_[kStoreLane], at_[kComputeLane]);
    token(kComputeToStore, at_[kComputeLane], at_[kStoreLane], alu, out);
    begin = at_[kStoreLane];
    span(kStoreLane, kStored, begin, begin + 180, out);
    port(kDramWrite, begin, begin + 180, out);
    changes_[kAccumulators].emplace_back(std::max<int64_t>(0, begin - 2400), 40 << 10);
    changes_[kAccumulators].emplace_back(begin + 180, -(40 << 10));
    t_.touches.push_back({kAccumulators, alu, 0, 192, true});
    t_.touches.push_back({kAccumulators, out, 0, 192, false});
  }
  void count(int counter, std::vector<std::pair<int64_t, int64_t>> events) {
    std::ranges::sort(events);
    int64_t value = 0;
    for (auto const& [cycle, change] : events) {
      value += change;
      auto& steps = t_.counters[size_t(counter)].steps;
      if (steps.back().first == cycle)
        steps.back().second = std::max<int64_t>(0, value);
      else
        steps.emplace_back(cycle, std::max<int64_t>(0, value));
    }
  }

  Timeline t_;
  int buffers_;
  Rng rng_;
  std::array<int64_t, 5> at_{};
  std::vector<std::pair<int64_t, int32_t>> ends_;  ///< of the GEMMs
  std::map<int, std::vector<std::pair<int64_t, int64_t>>> changes_;
};

inline Timeline made_timeline(int rounds, int buffers, uint64_t seed = 7) {
  return MadeRun(rounds, buffers, seed).take();
}

}  // namespace tw::testing
