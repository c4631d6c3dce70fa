/// A board of VTA that is no board: registers that behave as the published block design's, over
/// memory of this process, with faults on request.
#pragma once

#include <QtGlobal>
#include <algorithm>
#include <map>

#include "targets/vta/runtime/board_driver.h"
#include "targets/vta/simulator/machine.h"

namespace tw::vta::testing {

struct BoardFaults {
  int fetch_reads = 3;      ///< of registers until all instructions are fetched
  int finish_reads = 8;     ///< more of them until FINISH is done
  bool never_done = false;  ///< the interrupt is lost, a token is missing
  bool dma_error = false;   ///< instructions cannot be read
  bool bad_memory = false;  ///< what is written is not what is read
};

/// What driver and board share.
struct BoardState {
  explicit BoardState(Configuration const& configuration, BoardLayout board_layout)
      : machine(configuration), layout(std::move(board_layout)), dram(kBase + (8 << 20)) {}
  static constexpr uint64_t kBase = 0x10000;

  Machine machine;
  BoardLayout layout;
  std::vector<std::byte> dram;
  BoardFaults faults;
  std::map<uint64_t, uint32_t> registers;
  int reads = -1;        ///< since the start; below 0: nothing runs
  bool fetched = false;  ///< the fetch module's done flag, which a read puts out
  bool ran = false;
  bool first_waits = false;  ///< the first compute instruction pops a token
  uint32_t done = 1;         ///< as an earlier run left it
  int runs = 0;
};

class EmulatedRegisters final : public Registers {
public:
  explicit EmulatedRegisters(BoardState& state) : s_(state) {}

  uint32_t read32(uint64_t address) override {
    if (s_.reads >= 0) ++s_.reads;
    step();
    bool four = s_.layout.file == RegisterFile::kFourModules;
    if (four && address == s_.layout.blocks[0])
      return (std::exchange(s_.fetched, false) ? 2u : 0u) | (s_.reads < 0 || s_.ran ? 4u : 1u);
    if (four && address == s_.layout.blocks[2] + 0x18) return s_.done;
    if (!four && address == s_.layout.blocks[0]) return s_.done ? 2 : 0;
    return s_.registers[address];
  }
  void write32(uint64_t address, uint32_t value) override {
    s_.registers[address] = value;
    bool four = s_.layout.file == RegisterFile::kFourModules;
    if (address != s_.layout.blocks[0]) return;
    if (!four && value == 0) s_.done = 0;
    if (value != 1) return;
    s_.reads = 0, s_.ran = false, s_.fetched = false, ++s_.runs;
    Instruction const* first = nullptr;
    stream_ = s_.faults.dma_error ? Stream{} : fetched();
    for (Instruction const& i : stream_)
      if (!first && module_of(i) == Module::kCompute) first = &i;
    s_.first_waits = first && (first->tokens.pop_prev || first->tokens.pop_next);
  }

private:
  Stream fetched() {
    bool four = s_.layout.file == RegisterFile::kFourModules;
    uint64_t block = s_.layout.blocks[0];
    uint64_t count = s_.registers[block + (four ? 0x10 : 0x08)];
    uint64_t address = s_.registers[block + (four ? 0x18 : 0x0C)] - s_.layout.bus_offset;
    Configuration const& c = s_.machine.configuration();
    return decode(c, std::span(s_.dram).subspan(address, count * size_t(c.instruction_bytes())))
        .value();
  }
  void step() {
    if (s_.reads < 0 || s_.faults.dma_error) return;
    if (s_.reads == s_.faults.fetch_reads) s_.fetched = true;
    // The flag of the run before goes when the compute module begins.
    if (s_.reads >= s_.faults.fetch_reads + (s_.first_waits ? 4 : 0) && !s_.ran) s_.done = 0;
    if (s_.reads < s_.faults.fetch_reads + s_.faults.finish_reads || s_.faults.never_done || s_.ran)
      return;
    for (Instruction& i : stream_) {
      if (i.opcode == Opcode::kLoad || i.opcode == Opcode::kStore)
        i.transfer.dram -= i.transfer.nothing() ? 0 : s_.layout.bus_offset / size_of(i);
      if (auto done = s_.machine.execute(i, s_.dram); !done)
        qFatal("%s", to_sentence(done.error()).c_str());
    }
    s_.ran = true, s_.done = 1;
  }
  uint64_t size_of(Instruction const& i) const {
    return uint64_t(s_.machine.configuration().element_bytes_in_dram(i.transfer.memory));
  }

  BoardState& s_;
  Stream stream_;
};

class EmulatedMemory final : public ContiguousMemory {
public:
  explicit EmulatedMemory(BoardState& state)
      : s_(state), region_{std::span(state.dram).subspan(BoardState::kBase), BoardState::kBase} {}
  std::span<ContiguousRegion const> regions() const override { return {&region_, 1}; }
  void invalidate(std::span<std::byte const> bytes, uint64_t physical) override {
    if (s_.faults.bad_memory && !bytes.empty())
      s_.dram[physical + bytes.size() / 2] ^= std::byte{4};
  }

private:
  BoardState& s_;
  ContiguousRegion region_;
};

inline std::unique_ptr<Driver> emulated_board(BoardState& state) {
  return create_board_driver(state.machine.configuration(), state.layout,
                             std::make_unique<EmulatedRegisters>(state),
                             std::make_unique<EmulatedMemory>(state));
}

}  // namespace tw::vta::testing
