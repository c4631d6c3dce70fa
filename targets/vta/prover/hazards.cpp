#include "targets/vta/prover/hazards.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tw::vta {
namespace {

std::string name_of(std::span<Instruction const> stream, int64_t i) {
  Instruction const& instruction = stream[size_t(i)];
  bool moves = instruction.opcode == Opcode::kLoad || instruction.opcode == Opcode::kStore;
  if (!moves) return fmt::format("instruction {} ({})", i, to_text(instruction.opcode));
  return fmt::format("instruction {} ({} {})", i, to_text(instruction.opcode),
                     to_text(instruction.transfer.memory));
}

void find_lost(Configuration const& configuration, std::span<Instruction const> stream,
               TokenOrder const& order, TokenQueue queue, std::vector<Hazard>& hazards) {
  if (configuration.tokens_stall) return;
  auto crowd = first_crowd(order, queue, configuration.token_queue);
  if (!crowd) return;
  hazards.push_back(
      {crowd->instruction, "lost_token",
       fmt::format("{} can push a token when {} wait already ({}), which is all that "
                   "the queue holds: the design loses it",
                   name_of(stream, crowd->instruction), crowd->waiting - 1, to_text(queue))});
}

/// Follows which entry of the micro-op memory is of which load.
class UopOwners {
public:
  explicit UopOwners(Configuration const& configuration)
      : owner_(size_t(configuration.depth(Memory::kUop)), -1), replaced_(owner_) {}

  void load(int32_t instruction, Transfer const& transfer) {
    int64_t end = transfer.sram + transfer.rows() * transfer.columns();
    for (int64_t k = transfer.sram; k < end; ++k) {
      replaced_[size_t(k)] = owner_[size_t(k)];
      owner_[size_t(k)] = instruction;
    }
  }

  /// Empty: all of them are there, and whole.
  std::string trouble(Nest const& nest) const {
    std::set<int32_t> owners;
    int32_t last = -2;
    for (uint32_t k = nest.uop_begin; k < nest.uop_end; ++k) {
      if (owner_[k] < 0) return fmt::format("micro-op {}, which nothing loaded", k);
      if (owner_[k] != last) owners.insert(last = owner_[k]);
    }
    if (owners.size() < 2) return {};
    for (uint32_t k = nest.uop_begin; k < nest.uop_end; ++k)
      if (replaced_[k] >= 0 && owners.contains(replaced_[k]))
        return fmt::format(
            "micro-op {} of the load at instruction {}, which replaced one of those "
            "that instruction {} loaded and that are read with it",
            k, owner_[k], replaced_[k]);
    return {};
  }

private:
  std::vector<int32_t> owner_, replaced_;
};

bool is_nest(Instruction const& i) { return i.opcode == Opcode::kGemm || i.opcode == Opcode::kAlu; }

}  // namespace

std::optional<Crowd> first_crowd(TokenOrder const& order, TokenQueue queue, int64_t most) {
  order::Crowd crowd =
      order::first_crowd(order.events, order.pushers[size_t(queue)], order.poppers[size_t(queue)],
                         int32_t(sink_of(queue)), most);
  if (crowd.event < 0) return std::nullopt;
  return Crowd{crowd.event, crowd.waiting};
}

void find_token_hazards(Configuration const& configuration, std::span<Instruction const> stream,
                        TokenOrder const& order, std::vector<Hazard>& hazards) {
  for (int q = 0; q < kTokenQueues; ++q) {
    auto queue = TokenQueue(q);
    std::vector<int32_t> const& pushers = order.pushers[size_t(q)];
    size_t popped = order.poppers[size_t(q)].size();
    find_lost(configuration, stream, order, queue, hazards);
    if (popped < pushers.size())
      hazards.push_back(
          {pushers[popped], "left_over_token",
           fmt::format("{} pushes a token ({}) that is never popped: {} for the next run",
                       name_of(stream, pushers[popped]), to_text(queue),
                       pushers.size() - popped == 1
                           ? "it stays"
                           : fmt::format("{} stay", pushers.size() - popped))});
  }
  if (!order.deadlock.empty() || order.ran(Module::kLoad).empty()) return;
  int32_t last = order.ran(Module::kLoad).back();
  if (!order.is_before(last, int64_t(stream.size()) - 1))
    hazards.push_back({last, "not_waited_for",
                       name_of(stream, last) + " may still run when the stream is finished"});
}

void find_stale_outputs(Configuration const& configuration, TokenOrder const& order,
                        std::span<Instruction const> stream, std::span<Footprint const> footprints,
                        std::vector<Hazard>& hazards) {
  std::vector<int32_t> loader(size_t(configuration.depth(Memory::kAcc)), -1);
  std::vector<int32_t> const& compute = order.ran(Module::kCompute);
  size_t done = 0;
  for (int32_t store : order.ran(Module::kStore)) {
    auto before = size_t(order.before(store, Module::kCompute));
    for (; done < before; ++done) {
      int32_t i = compute[done];
      if (IntervalSet const& acc = footprints[size_t(i)].acc)
        for (Interval const& one : *acc)
          std::fill(loader.begin() + one.begin, loader.begin() + one.end,
                    is_nest(stream[size_t(i)]) ? -1 : i);
    }
    IntervalSet const& out = footprints[size_t(store)].out;
    if (!out) continue;
    auto begin = loader.begin() + out->front().begin, end = loader.begin() + out->front().end;
    auto stale = std::find_if(begin, end, [](int32_t i) { return i >= 0; });
    if (stale != end)
      hazards.push_back({store, "stale_out",
                         fmt::format("{} stores out element {}, of which instruction {} only "
                                     "loaded the accumulator: out holds what was there before",
                                     name_of(stream, store), stale - loader.begin(), *stale)});
  }
}

void find_uop_hazards(Configuration const& configuration, std::span<Instruction const> stream,
                      std::vector<Hazard>& hazards) {
  UopOwners owners(configuration);
  std::set<std::pair<uint32_t, uint32_t>> good;  // since the last load
  for (size_t i = 0; i < stream.size(); ++i) {
    Instruction const& instruction = stream[i];
    bool loads = instruction.opcode == Opcode::kLoad &&
                 instruction.transfer.memory == Memory::kUop &&
                 !fills_nothing(configuration, instruction.transfer);
    if (loads) owners.load(int32_t(i), instruction.transfer), good.clear();
    if (!is_nest(instruction) || instruction.nest.steps() == 0) continue;
    Nest const& nest = instruction.nest;
    if (!good.emplace(nest.uop_begin, nest.uop_end).second) continue;
    if (std::string trouble = owners.trouble(nest); !trouble.empty())
      hazards.push_back(
          {int64_t(i), "uop_wrap", name_of(stream, int64_t(i)) + " reads " + trouble});
  }
}

}  // namespace tw::vta
