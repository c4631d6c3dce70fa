/// All orders in which the modules of VTA may run a small stream, tried one by one: what happens in
/// any of them. Shares nothing with the prover.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "targets/vta/simulator/machine.h"
#include "targets/vta/simulator/tokens.h"

namespace tw::vta::testing {

/// What an instruction touches: bytes of DRAM (space 0), elements of INP, WGT and OUT (1 to 3).
struct Accesses {
  std::set<std::pair<int, int64_t>> reads, writes;
  bool conflicts(Accesses const& other, int space) const {
    auto meet = [space](auto const& a, auto const& b) {
      for (auto const& one : a)
        if (one.first == space && b.contains(one)) return true;
      return false;
    };
    return meet(writes, other.writes) || meet(writes, other.reads) || meet(reads, other.writes);
  }
};

/// Step by step, in the stream's order: so the compute module sees micro-ops in every order.
inline std::vector<Accesses> accesses_of(Configuration const& c, Stream const& stream,
                                         std::vector<std::byte> dram) {
  Machine machine(c);
  std::vector<Accesses> all;
  for (Instruction const& i : stream) {
    Accesses& made = all.emplace_back();
    Transfer const& t = i.transfer;
    bool load = i.opcode == Opcode::kLoad, store = i.opcode == Opcode::kStore;
    if ((load || store) && !t.nothing()) {
      int64_t bytes = c.element_bytes_in_dram(t.memory);
      for (int64_t y = 0; y < t.y_size; ++y)
        for (int64_t b = 0; b < t.x_size * bytes; ++b)
          (load ? made.reads : made.writes)
              .emplace(0, (int64_t(t.dram) + y * t.x_stride) * bytes + b);
      int space = t.memory == Memory::kInp ? 1 : t.memory == Memory::kWgt ? 2 : store ? 3 : 0;
      for (int64_t e = 0; space != 0 && e < t.rows() * t.columns(); ++e)
        (load ? made.writes : made.reads).emplace(space, t.sram + e);
      // Micro-ops alone matter here: what stores change is not followed.
      if (load && !machine.execute(i, dram)) qFatal("a load of a legal stream fails");
    }
    bool gemm = i.opcode == Opcode::kGemm && !i.nest.reset;
    if (i.opcode == Opcode::kGemm || i.opcode == Opcode::kAlu)
      for (uint32_t o = 0; o < i.nest.outer; ++o)
        for (uint32_t n = 0; n < i.nest.inner; ++n)
          for (uint32_t k = i.nest.uop_begin; k < i.nest.uop_end; ++k) {
            MicroOp uop = machine.uops().empty() ? MicroOp{} : machine.uops()[k];
            made.writes.emplace(3, uop.dst + o * i.nest.dst.outer + n * i.nest.dst.inner);
            if (!gemm) continue;
            made.reads.emplace(1, uop.src + o * i.nest.src.outer + n * i.nest.src.inner);
            made.reads.emplace(2, uop.wgt + o * i.nest.wgt.outer + n * i.nest.wgt.inner);
          }
  }
  return all;
}

struct Exploration {
  bool deadlock = false, left_over = false, overflow = false;
  /// Both orders happen; (first, second, space), by their places in the stream.
  std::set<std::tuple<int64_t, int64_t, int>> unordered_conflicts;
  /// Stores that are not done when FINISH is.
  std::set<int64_t> unfinished;
  bool harmful() const {
    return deadlock || left_over || overflow || !unordered_conflicts.empty() || !unfinished.empty();
  }
};

class Interleavings {
public:
  Interleavings(Configuration const& configuration, Stream const& stream)
      : configuration_(configuration), stream_(stream) {
    for (size_t i = 0; i < stream.size(); ++i) {
      index_.push_back(of_[size_t(module_of(stream[i]))].size());
      of_[size_t(module_of(stream[i]))].push_back(i);
    }
  }

  Exploration explore(std::vector<std::byte> const& dram) {
    Exploration made;
    // With the command queues' depths something may stand still; that they order anything is no
    // promise of the hardware.
    in_order_fetch_ = true;
    Exploration fetched;
    states(fetched);
    in_order_fetch_ = false;
    std::set<State> reached = states(made);
    made.deadlock = fetched.deadlock;
    std::vector<Accesses> accesses = accesses_of(configuration_, stream_, dram);
    for (size_t i = 0; i < stream_.size(); ++i)
      for (size_t j = i + 1; j < stream_.size(); ++j) {
        if (!comes_first(reached, i, j) || !comes_first(reached, j, i)) continue;
        for (int space = 0; space < 4; ++space)
          if (accesses[i].conflicts(accesses[j], space))
            made.unordered_conflicts.emplace(i, j, space);
        bool ends = stream_[j].opcode == Opcode::kFinish;
        if (ends && stream_[i].opcode == Opcode::kStore && !accesses[i].writes.empty())
          made.unfinished.insert(int64_t(i));
      }
    return made;
  }

  /// How many different contents of DRAM there are at the end of all orders; those of more than
  /// `most` states are not all looked at.
  size_t outcomes(std::vector<std::byte> const& dram, size_t most) {
    std::map<State, std::vector<Contents>> seen;
    visited_ = 0;
    std::set<std::vector<std::byte>> ends;
    walk({}, Machine(configuration_), dram, most, seen, ends);
    return ends.size();
  }

private:
  using State = std::array<size_t, kModules>;  ///< how many of each module's instructions ran
  using Contents = std::pair<Machine, std::vector<std::byte>>;

  std::array<int64_t, kTokenQueues> tokens(State const& state) const {
    std::array<int64_t, kTokenQueues> waiting{};
    for (size_t m = 0; m < size_t(kModules); ++m)
      for (size_t k = 0; k < state[m]; ++k) {
        for (TokenQueue q : pops_of(stream_[of_[m][k]])) --waiting[size_t(q)];
        for (TokenQueue q : pushes_of(stream_[of_[m][k]])) ++waiting[size_t(q)];
      }
    return waiting;
  }
  bool can_run(State const& state, size_t module) const {
    if (state[module] == of_[module].size()) return false;
    if (in_order_fetch_ && !is_fetched(state, module)) return false;
    auto waiting = tokens(state);
    for (TokenQueue q : pops_of(stream_[of_[module][state[module]]]))
      if (waiting[size_t(q)] < 1) return false;
    return true;
  }

  /// A module holds a command besides those that wait for it; fetch goes on until a queue is full.
  bool is_fetched(State const& state, size_t module) const {
    State handed{};
    for (Instruction const& i : stream_) {
      auto m = size_t(module_of(i));
      if (handed[m] >= state[m] + 1 + size_t(configuration_.command_queue)) break;
      ++handed[m];
    }
    return handed[module] > state[module];
  }

  std::set<State> states(Exploration& made) const {
    std::set<State> reached{{}};
    std::vector<State> open{{}};
    while (!open.empty()) {
      State state = open.back();
      open.pop_back();
      bool moved = false, all = true;
      auto waiting = tokens(state);
      for (int64_t one : waiting) made.overflow |= one > configuration_.token_queue;
      for (size_t m = 0; m < size_t(kModules); ++m) {
        all = all && state[m] == of_[m].size();
        if (!can_run(state, m)) continue;
        moved = true;
        State next = state;
        ++next[m];
        if (reached.insert(next).second) open.push_back(next);
      }
      if (all) made.left_over |= waiting != std::array<int64_t, kTokenQueues>{};
      if (!all && !moved) made.deadlock = true;
    }
    return reached;
  }
  bool comes_first(std::set<State> const& reached, size_t i, size_t j) const {
    auto ran = [&](State const& state, size_t k) {
      return state[size_t(module_of(stream_[k]))] > index_[k];
    };
    for (State const& state : reached)
      if (ran(state, i) && !ran(state, j)) return true;
    return false;
  }

  void walk(State const& state, Machine const& machine, std::vector<std::byte> const& dram,
            size_t most, std::map<State, std::vector<Contents>>& seen,
            std::set<std::vector<std::byte>>& ends) {
    std::vector<Contents>& known = seen[state];
    Contents now{machine, dram};
    if (visited_ >= most || std::ranges::find(known, now) != known.end()) return;
    known.push_back(std::move(now));
    ++visited_;
    bool moved = false;
    for (size_t m = 0; m < size_t(kModules); ++m) {
      if (!can_run(state, m)) continue;
      moved = true;
      State next = state;
      Machine then = machine;
      std::vector<std::byte> bytes = dram;
      if (!then.execute(stream_[of_[m][next[m]++]], bytes)) qFatal("a legal instruction fails");
      walk(next, then, bytes, most, seen, ends);
    }
    if (!moved) ends.insert(dram);
  }

  Configuration const& configuration_;
  Stream const& stream_;
  std::array<std::vector<size_t>, kModules> of_;
  std::vector<size_t> index_;
  size_t visited_ = 0;
  bool in_order_fetch_ = false;
};

}  // namespace tw::vta::testing
