#include "targets/vta/simulator/machine.h"

#include <algorithm>

#include "targets/vta/simulator/alu.h"
#include "targets/vta/simulator/checks.h"
#include "targets/vta/simulator/elements.h"
#include "targets/vta/simulator/gemm.h"

namespace tw::vta {
namespace {

size_t lanes_of(Configuration const& c) { return size_t(c.batch() * c.block()); }

}  // namespace

Machine::Machine(Configuration configuration) : configuration_(std::move(configuration)) {}

void Machine::make_memories() {
  Configuration const& c = configuration_;
  size_t lanes = lanes_of(c), weights = size_t(c.block() * c.block());
  uops_.resize(size_t(c.depth(Memory::kUop)));
  inp_.resize(size_t(c.depth(Memory::kInp)) * lanes);
  wgt_.resize(size_t(c.depth(Memory::kWgt)) * weights);
  out_.resize(size_t(c.depth(Memory::kOut)) * lanes);
  acc_.resize(size_t(c.depth(Memory::kAcc)) * lanes);
  if (c.isa != IsaVersion::kV1) out_saturated_.resize(out_.size());
  if (has_pairs(c.block())) wgt_pairs_.resize(wgt_.size());
}

std::span<MicroOp const> Machine::range(Nest const& nest) const {
  return std::span(uops_).subspan(nest.uop_begin, size_t(nest.uops()));
}

Status Machine::execute(Instruction const& instruction, Dram dram) {
  if (uops_.empty()) make_memories();
  TRY(check_fields(configuration_, instruction));
  TRY(check_dram(configuration_, instruction, dram.size()));
  Nest const& nest = instruction.nest;
  bool computes = instruction.opcode == Opcode::kGemm || instruction.opcode == Opcode::kAlu;
  if (computes) TRY(check_indices(configuration_, instruction, range(nest)));
  switch (instruction.opcode) {
    case Opcode::kLoad:
      load(instruction.transfer, dram);
      break;
    case Opcode::kStore:
      store(instruction.transfer, dram);
      break;
    case Opcode::kGemm:
      nest.reset ? reset(nest) : gemm(nest);
      break;
    case Opcode::kAlu:
      alu(instruction);
      break;
    case Opcode::kFinish:
      break;
  }
  return {};
}

void Machine::gemm(Nest const& nest) {
  counters_.gemm_uops += nest.steps();
  gemm_fast({.nest = nest,
             .uops = range(nest),
             .batch = configuration_.batch(),
             .block = configuration_.block(),
             .acc_bits = 1 << configuration_.log_acc_bits,
             .out_bits = 1 << configuration_.log_inp_bits,
             .inp = inp_.data(),
             .wgt = wgt_.data(),
             .wgt_pairs = wgt_pairs_.empty() ? nullptr : wgt_pairs_.data(),
             .acc = acc_.data(),
             .out = out_.data(),
             .out_saturated = saturated()});
}

void Machine::reset(Nest const& nest) {
  counters_.reset_uops += nest.steps();
  size_t lanes = lanes_of(configuration_);
  for (uint32_t o = 0; o < nest.outer; ++o)
    for (uint32_t i = 0; i < nest.inner; ++i)
      for (MicroOp const& uop : range(nest)) {
        size_t dst = uop.dst + size_t(o) * nest.dst.outer + size_t(i) * nest.dst.inner;
        std::fill_n(acc_.begin() + ptrdiff_t(dst * lanes), lanes, 0);
        std::fill_n(out_.begin() + ptrdiff_t(dst * lanes), lanes, int8_t(0));
        if (int8_t* plane = saturated()) std::fill_n(plane + dst * lanes, lanes, int8_t(0));
      }
}

void Machine::alu(Instruction const& instruction) {
  counters_.alu_uops += instruction.nest.steps();
  run_alu({.instruction = instruction,
           .uops = range(instruction.nest),
           .lanes = int64_t(lanes_of(configuration_)),
           .acc_bits = 1 << configuration_.log_acc_bits,
           .out_bits = 1 << configuration_.log_inp_bits,
           .shift_bits = configuration_.shift_bits,
           .acc = acc_.data(),
           .out = out_.data(),
           .out_saturated = saturated()});
}

void Machine::renew_pairs(int64_t begin, int64_t end) {
  if (wgt_pairs_.empty()) return;
  int64_t weights = configuration_.block() * configuration_.block();
  for (int64_t i = begin; i < end; ++i)
    make_pairs(configuration_.block(), wgt_.data() + i * weights, wgt_pairs_.data() + i * weights);
}

std::vector<std::byte> Machine::contents(Memory memory) const {
  Configuration const& c = configuration_;
  std::vector<std::byte> bytes(size_t(c.buffer_bytes(memory)));
  switch (memory) {
    case Memory::kUop:
      for (size_t i = 0; i < uops_.size(); ++i)
        write_bits(bytes, i * size_t(c.uop_bytes()), size_t(c.uop_bytes()),
                   encode(c, uops_[i]).value());
      break;
    case Memory::kWgt:
      pack(wgt_, 1 << c.log_wgt_bits, bytes);
      break;
    case Memory::kInp:
      pack(inp_, 1 << c.log_inp_bits, bytes);
      break;
    case Memory::kOut:
      pack(out_, 1 << c.log_inp_bits, bytes);
      break;
    case Memory::kAcc:
    case Memory::kAccByte:
      pack(acc_, 1 << c.log_acc_bits, bytes);
      break;
  }
  return bytes;
}

}  // namespace tw::vta
