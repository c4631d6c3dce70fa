/// The state of one accelerator, and what each instruction does to it: the golden model that every
/// other way to run a stream is compared with. Source: Moreau et al. 2018, §2.4 to 2.6.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "targets/vta/hardware/encoding.h"
#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

/// What instructions reach outside: bytes from address 0 on. Who runs a stream owns them.
using Dram = std::span<std::byte>;

/// What was moved and computed; padding and reset are not counted.
struct Counters {
  int64_t gemm_uops = 0, alu_uops = 0, reset_uops = 0;
  int64_t uop_bytes = 0, inp_bytes = 0, wgt_bytes = 0, acc_bytes = 0, out_bytes = 0;
  bool operator==(Counters const&) const = default;
};

/// A value: copying it is a checkpoint. OUT is written by GEMM and ALU alone, as in hardware; a
/// store of what was only loaded into ACC gives what OUT held. In version 2 OUT has a second plane,
/// of the same bits saturated instead of cut off, which a saturating store reads.
class Machine {
public:
  /// `configuration` is legal (`validate`). All memories hold 0; they are made for the first
  /// instruction, so that who only asks for times does not pay for them.
  explicit Machine(Configuration configuration);
  Configuration const& configuration() const { return configuration_; }

  /// Carries out one instruction, without its tokens. Errors: impossible_instruction (a field that
  /// cannot be, with its value), sram_overflow and dram_overflow (with the place); nothing has
  /// changed then.
  Status execute(Instruction const& instruction, Dram dram);

  Counters const& counters() const { return counters_; }
  /// The bytes of one memory, as they would lie in DRAM.
  std::vector<std::byte> contents(Memory memory) const;
  std::vector<MicroOp> const& uops() const { return uops_; }  ///< none before anything ran
  bool operator==(Machine const&) const = default;

private:
  void make_memories();
  void load(Transfer const& transfer, std::span<std::byte const> dram);
  void load_uops(Transfer const& transfer, std::span<std::byte const> dram);
  void store(Transfer const& transfer, Dram dram);
  void gemm(Nest const& nest);
  void reset(Nest const& nest);
  void alu(Instruction const& instruction);
  void renew_pairs(int64_t begin, int64_t end);
  int8_t* saturated() { return out_saturated_.empty() ? nullptr : out_saturated_.data(); }
  std::span<MicroOp const> range(Nest const& nest) const;

  Configuration configuration_;
  Counters counters_;
  std::vector<MicroOp> uops_;
  std::vector<int8_t> inp_, wgt_, out_;  ///< a value each, also of less than eight bits
  std::vector<int8_t> out_saturated_;    ///< empty in version 1
  std::vector<int32_t> acc_;
  std::vector<int16_t> wgt_pairs_;  ///< wgt_ as gemm.h wants it; empty where it does not
};

/// An error of `execute` with the index, the text and the bits of the instruction it is about.
Error at_instruction(Configuration const& configuration, Instruction const& instruction,
                     int64_t index, Error error);

/// Asked before each instruction, by its index: an error ends the run with it.
using BeforeEach = std::function<Status(int32_t instruction)>;

/// Runs a stream in its own order, tokens only counted. Errors: those of `execute`, with the
/// instruction's index and bits; no_finish; token_underflow (an instruction pops what nobody pushed
/// before it); those of `before_each`.
Result<Machine> run_behavioural(Configuration const& configuration,
                                std::span<Instruction const> stream, Dram dram,
                                BeforeEach const& before_each = {});

}  // namespace tw::vta
