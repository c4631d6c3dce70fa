#include "targets/vta/simulator/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/support/base/quantities.h"
#include "targets/vta/hardware/abilities.h"
#include "targets/vta/hardware/assembly.h"
#include "targets/vta/hardware/widths.h"

namespace tw::vta {
namespace {

/// More steps touch the same elements again and again, for minutes.
constexpr int64_t kMostSteps = int64_t(1) << 28;

std::unexpected<Error> impossible(std::string sentence) {
  return bad_input("impossible_instruction", std::move(sentence));
}

std::unexpected<Error> beyond(Memory memory, int64_t begin, int64_t count, int64_t depth) {
  return bad_input("sram_overflow", fmt::format("elements {} to {} of {} are touched, which has {}",
                                                begin, begin + count - 1, to_text(memory), depth));
}

/// Where a transfer's elements lie in its memory; counts may each be as large as a field is.
Status check_sram(Configuration const& configuration, Transfer const& transfer) {
  int64_t depth = configuration.depth(transfer.memory);
  int64_t rows = transfer.rows(), columns = transfer.columns();
  if (rows > depth || columns > depth)
    return bad_input("sram_overflow",
                     fmt::format("{} rows of {} elements are touched of {}, which has {}", rows,
                                 columns, to_text(transfer.memory), depth));
  if (transfer.sram + rows * columns > depth)
    return beyond(transfer.memory, transfer.sram, rows * columns, depth);
  return {};
}

Status check_load(Configuration const& configuration, Transfer const& transfer) {
  if (transfer.memory > Memory::kAccByte)
    return impossible(fmt::format("memory is {}, which there is none of", int(transfer.memory)));
  if (transfer.memory == Memory::kOut) return impossible("memory is out, which cannot be loaded");
  if (transfer.saturate) return impossible("saturate is set, which a load does not have");
  if (transfer.pad_value > PadValue::kHighest)
    return impossible(
        fmt::format("pad_value is {}, which there is none of", int(transfer.pad_value)));
  if (transfer.pad_value != PadValue::kZero && configuration.isa == IsaVersion::kV1)
    return impossible("pad_value is not 0, which version 1 does not have");
  if (transfer.pad_value != PadValue::kZero && transfer.memory == Memory::kUop)
    return impossible("pad_value is not 0, which micro-ops do not have");
  return fills_nothing(configuration, transfer) ? Status() : check_sram(configuration, transfer);
}

Status check_store(Configuration const& configuration, Transfer const& transfer) {
  if (transfer.memory != Memory::kOut)
    return impossible(
        fmt::format("memory is {}, of which nothing can be stored", to_text(transfer.memory)));
  if (transfer.padded() || transfer.pad_value != PadValue::kZero)
    return impossible("a padding is set, which a store does not have");
  if (transfer.saturate && configuration.isa == IsaVersion::kV1)
    return impossible("saturate is set, which version 1 does not have");
  return transfer.nothing() ? Status() : check_sram(configuration, transfer);
}

Status check_nest(Configuration const& configuration, Instruction const& instruction) {
  Nest const& nest = instruction.nest;
  int64_t depth = configuration.depth(Memory::kUop);
  if (nest.uop_begin > nest.uop_end)
    return impossible(
        fmt::format("uop_begin is {}, which is after uop_end = {}", nest.uop_begin, nest.uop_end));
  if (nest.uop_end > depth)
    return bad_input("sram_overflow",
                     fmt::format("uop_end is {}, but uop has {} elements", nest.uop_end, depth));
  uint32_t most = (uint32_t(1) << widths_of(configuration).iterations) - 1;
  if (std::max(nest.outer, nest.inner) > most)
    return impossible(fmt::format("a loop has {} iterations, but its field holds at most {}",
                                  std::max(nest.outer, nest.inner), most));
  if (nest.steps() > kMostSteps)
    return impossible(
        fmt::format("it takes iter_outer {} times iter_inner {} times {} micro-ops, which is more "
                    "than {} steps",
                    nest.outer, nest.inner, nest.uops(), kMostSteps));
  if (instruction.opcode != Opcode::kAlu) return {};
  if (nest.reset) return impossible("reset is set, which an alu instruction does not have");
  AluOp last = configuration.isa == IsaVersion::kV1 ? AluOp::kMul : AluOp::kMulByte;
  if (instruction.alu > last)
    return impossible(fmt::format("alu_opcode is {}, which version {} does not have",
                                  int(instruction.alu), int(configuration.isa)));
  if (instruction.immediate != int16_t(instruction.immediate))
    return impossible(
        fmt::format("immediate is {}, which does not fit 16 bits", instruction.immediate));
  return {};
}

/// One operand of all micro-ops.
Status check_operand(Configuration const& configuration, Nest const& nest,
                     std::span<MicroOp const> uops, Memory memory, char const* name,
                     uint32_t MicroOp::*index, Factors const& factors) {
  int64_t depth = configuration.depth(memory), most = reach(nest, factors);
  for (size_t i = 0; i < uops.size(); ++i)
    if (int64_t last = uops[i].*index + most; last >= depth)
      return bad_input("sram_overflow",
                       fmt::format("micro-op {} reaches {} {} in the last iteration: {} + {} = {}, "
                                   "but {} has {} elements",
                                   nest.uop_begin + i, name, last, uops[i].*index, most, last,
                                   to_text(memory), depth));
  return {};
}

}  // namespace

int64_t reach(Nest const& nest, Factors const& factors) {
  if (nest.outer == 0 || nest.inner == 0) return 0;
  return int64_t(nest.outer - 1) * factors.outer + int64_t(nest.inner - 1) * factors.inner;
}

Status check_fields(Configuration const& configuration, Instruction const& instruction) {
  TRY(check_abilities(configuration, instruction));
  switch (instruction.opcode) {
    case Opcode::kLoad:
      return check_load(configuration, instruction.transfer);
    case Opcode::kStore:
      return check_store(configuration, instruction.transfer);
    case Opcode::kGemm:
    case Opcode::kAlu:
      return check_nest(configuration, instruction);
    case Opcode::kFinish:
      return {};
  }
  return impossible(fmt::format("opcode is {}, which there is none of", int(instruction.opcode)));
}

Status check_dram(Configuration const& configuration, Instruction const& instruction,
                  size_t dram_bytes) {
  Transfer const& transfer = instruction.transfer;
  bool moves = instruction.opcode == Opcode::kLoad || instruction.opcode == Opcode::kStore;
  if (!moves || transfer.nothing()) return {};
  auto bytes = uint64_t(configuration.element_bytes_in_dram(transfer.memory));
  uint64_t elements = dram_bytes / bytes;
  // Strides and counts have 32 bits each at most: their product does not wrap.
  uint64_t behind = uint64_t(transfer.y_size - 1) * transfer.x_stride + transfer.x_size;
  if (transfer.dram <= elements && behind <= elements - transfer.dram) return {};
  return bad_input(
      "dram_overflow",
      fmt::format("elements {} to {} of {} bytes are touched in DRAM, which has {} bytes",
                  transfer.dram, transfer.dram + behind - 1, bytes, dram_bytes));
}

Status check_indices(Configuration const& configuration, Instruction const& instruction,
                     std::span<MicroOp const> uops) {
  Nest const& nest = instruction.nest;
  if (nest.steps() == 0) return {};
  TRY(check_operand(configuration, nest, uops, Memory::kAcc, "dst", &MicroOp::dst, nest.dst));
  if (instruction.opcode == Opcode::kAlu) {
    if (instruction.use_immediate) return {};
    return check_operand(configuration, nest, uops, Memory::kAcc, "src", &MicroOp::src, nest.src);
  }
  if (nest.reset) return {};
  TRY(check_operand(configuration, nest, uops, Memory::kInp, "src", &MicroOp::src, nest.src));
  return check_operand(configuration, nest, uops, Memory::kWgt, "wgt", &MicroOp::wgt, nest.wgt);
}

Status check_end(Configuration const& configuration, std::span<Instruction const> stream) {
  if (stream.empty() || stream.back().opcode != Opcode::kFinish)
    return bad_input("no_finish",
                     fmt::format("the stream of {} does not end with finish: it may be cut off",
                                 count_text(int64_t(stream.size()), "instruction")));
  for (size_t i = 0; i + 1 < stream.size(); ++i)
    if (stream[i].opcode == Opcode::kFinish)
      return std::unexpected(
          at_instruction(configuration, stream[i], int64_t(i),
                         {"impossible_instruction",
                          fmt::format("nothing may follow finish, but there is {} more",
                                      count_text(int64_t(stream.size() - i - 1), "instruction"))}));
  return {};
}

Error at_instruction(Configuration const& configuration, Instruction const& instruction,
                     int64_t index, Error error) {
  std::string bits = "no bits";
  if (auto words = encode(configuration, instruction)) {
    bits = fmt::format("0x{:016x}{:016x}", (*words)[1], (*words)[0]);
    if (configuration.isa != IsaVersion::kV1)
      bits = fmt::format("0x{:016x}{:016x}{}", (*words)[3], (*words)[2], bits.substr(2));
  }
  error.message =
      fmt::format("instruction {} ({}; {}): {}", index, to_line(instruction), bits, error.message);
  return error;
}

}  // namespace tw::vta
