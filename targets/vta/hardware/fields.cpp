#include "targets/vta/hardware/fields.h"

#include "targets/vta/hardware/widths.h"

namespace tw::vta {
namespace {

/// A row of the tables below: the value of an instruction that a field holds.
#define TW_VTA_FIELD(name, type, value)                                    \
  FieldSlot {                                                              \
    name, 0, 0, 0, [](Instruction const& i) { return uint64_t(i.value); }, \
        [](Instruction& i, uint64_t bits) { i.value = type(bits); }        \
  }

FieldSlot const kOpcode = TW_VTA_FIELD("opcode", Opcode, opcode);
FieldSlot const kTokens[] = {TW_VTA_FIELD("pop_prev", bool, tokens.pop_prev),
                             TW_VTA_FIELD("pop_next", bool, tokens.pop_next),
                             TW_VTA_FIELD("push_prev", bool, tokens.push_prev),
                             TW_VTA_FIELD("push_next", bool, tokens.push_next)};
FieldSlot const kMemory = TW_VTA_FIELD("memory", Memory, transfer.memory);
FieldSlot const kSram = TW_VTA_FIELD("sram_base", uint32_t, transfer.sram);
FieldSlot const kDram = TW_VTA_FIELD("dram_base", uint64_t, transfer.dram);
FieldSlot const kYSize = TW_VTA_FIELD("y_size", uint32_t, transfer.y_size);
FieldSlot const kXSize = TW_VTA_FIELD("x_size", uint32_t, transfer.x_size);
FieldSlot const kXStride = TW_VTA_FIELD("x_stride", uint32_t, transfer.x_stride);
FieldSlot const kPads[] = {TW_VTA_FIELD("y_pad_before", uint32_t, transfer.y_pad_before),
                           TW_VTA_FIELD("y_pad_after", uint32_t, transfer.y_pad_after),
                           TW_VTA_FIELD("x_pad_before", uint32_t, transfer.x_pad_before),
                           TW_VTA_FIELD("x_pad_after", uint32_t, transfer.x_pad_after)};
FieldSlot const kPadValue = TW_VTA_FIELD("pad_value", PadValue, transfer.pad_value);
FieldSlot const kSaturate = TW_VTA_FIELD("saturate", bool, transfer.saturate);
FieldSlot const kReset = TW_VTA_FIELD("reset", bool, nest.reset);
FieldSlot const kUopBegin = TW_VTA_FIELD("uop_begin", uint32_t, nest.uop_begin);
FieldSlot const kUopEnd = TW_VTA_FIELD("uop_end", uint32_t, nest.uop_end);
FieldSlot const kOuter = TW_VTA_FIELD("iter_outer", uint32_t, nest.outer);
FieldSlot const kInner = TW_VTA_FIELD("iter_inner", uint32_t, nest.inner);
FieldSlot const kDstOuter = TW_VTA_FIELD("dst_factor_outer", uint32_t, nest.dst.outer);
FieldSlot const kDstInner = TW_VTA_FIELD("dst_factor_inner", uint32_t, nest.dst.inner);
FieldSlot const kSrcOuter = TW_VTA_FIELD("src_factor_outer", uint32_t, nest.src.outer);
FieldSlot const kSrcInner = TW_VTA_FIELD("src_factor_inner", uint32_t, nest.src.inner);
FieldSlot const kWgtOuter = TW_VTA_FIELD("wgt_factor_outer", uint32_t, nest.wgt.outer);
FieldSlot const kWgtInner = TW_VTA_FIELD("wgt_factor_inner", uint32_t, nest.wgt.inner);
FieldSlot const kAluOp = TW_VTA_FIELD("alu_opcode", AluOp, alu);
FieldSlot const kUseImmediate = TW_VTA_FIELD("use_immediate", bool, use_immediate);
#undef TW_VTA_FIELD
FieldSlot const kImmediate = {
    "immediate",
    0,
    0,
    0,
    [](Instruction const& i) { return uint64_t(uint16_t(i.immediate)); },
    [](Instruction& i, uint64_t bits) { i.immediate = int16_t(uint16_t(bits)); },
    true};

/// Fields one after another from the least bit of a word on.
class Packer {
public:
  Packer& add(FieldSlot slot, int width) {
    slot.word = word_, slot.bit = bit_, slot.width = width;
    bit_ += width;
    TW_ASSERT(bit_ <= 64, "a validated configuration's fields fit their words");
    slots_.push_back(slot);
    return *this;
  }
  Packer& head() {
    add(kOpcode, 3);
    for (FieldSlot const& slot : kTokens) add(slot, 1);
    return *this;
  }
  Packer& next_word() {
    ++word_, bit_ = 0;
    return *this;
  }
  std::vector<FieldSlot> take() { return std::move(slots_); }

private:
  int word_ = 0, bit_ = 0;
  std::vector<FieldSlot> slots_;
};

std::vector<FieldSlot> transfer_v1(Widths const& w) {
  Packer packer;
  packer.head().add(kMemory, 3).add(kSram, w.sram).add(kDram, w.dram).next_word();
  packer.add(kYSize, w.y_size).add(kXSize, w.x_size).add(kXStride, w.x_stride);
  for (FieldSlot const& pad : kPads) packer.add(pad, w.pad);
  return packer.take();
}

/// As in v1 with a word for what grew, and what is new behind the memory's number.
std::vector<FieldSlot> transfer_v2(Widths const& w, bool load) {
  Packer packer;
  packer.head().add(kMemory, 3);
  if (load) packer.add(kPadValue, 2);
  if (!load) packer.add(kSaturate, 1);
  packer.add(kSram, w.sram).next_word();
  packer.add(kDram, w.dram).next_word();
  packer.add(kYSize, w.y_size).add(kXSize, w.x_size).add(kXStride, w.x_stride).next_word();
  for (FieldSlot const& pad : kPads) packer.add(pad, w.pad);
  return packer.take();
}

Packer& add_range(Packer& packer, Widths const& w) {
  return packer.head().add(kReset, 1).add(kUopBegin, w.uop).add(kUopEnd, w.uop + 1);
}

Packer& add_alu_end(Packer& packer) {
  return packer.add(kAluOp, 3).add(kUseImmediate, 1).add(kImmediate, 16);
}

std::vector<FieldSlot> nest_v1(Widths const& w, bool gemm) {
  Packer packer;
  add_range(packer, w).add(kOuter, w.iterations).add(kInner, w.iterations).next_word();
  int src = gemm ? w.gemm_src : w.dst;
  packer.add(kDstOuter, w.dst).add(kDstInner, w.dst).add(kSrcOuter, src).add(kSrcInner, src);
  if (gemm) return packer.add(kWgtOuter, w.wgt).add(kWgtInner, w.wgt).take();
  return add_alu_end(packer).take();
}

std::vector<FieldSlot> nest_v2(Widths const& w, bool gemm) {
  Packer packer;
  add_range(packer, w).next_word();
  packer.add(kOuter, w.iterations).add(kInner, w.iterations).next_word();
  int src = gemm ? w.gemm_src : w.dst;
  packer.add(kDstOuter, w.dst).add(kDstInner, w.dst).add(kSrcOuter, src).next_word();
  packer.add(kSrcInner, src);
  if (gemm) return packer.add(kWgtOuter, w.wgt).add(kWgtInner, w.wgt).take();
  return add_alu_end(packer).take();
}

}  // namespace

FieldTable::FieldTable(Configuration const& configuration) {
  Widths w = widths_of(configuration);
  bool v1 = configuration.isa == IsaVersion::kV1;
  auto at = [this](Opcode opcode) -> std::vector<FieldSlot>& { return slots_[size_t(opcode)]; };
  at(Opcode::kLoad) = v1 ? transfer_v1(w) : transfer_v2(w, true);
  at(Opcode::kStore) = v1 ? transfer_v1(w) : transfer_v2(w, false);
  at(Opcode::kGemm) = v1 ? nest_v1(w, true) : nest_v2(w, true);
  at(Opcode::kAlu) = v1 ? nest_v1(w, false) : nest_v2(w, false);
  at(Opcode::kFinish) = Packer().head().take();
}

}  // namespace tw::vta
