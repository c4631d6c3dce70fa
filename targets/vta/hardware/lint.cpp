// What implementations of the instruction set disagree on: the published functional simulator
// (C++), the HLS design, the Chisel design and the OpenCL kernel. Each row was read off their
// sources.
#include "targets/vta/hardware/assembly.h"

namespace tw::vta {
namespace {

struct LintRule {
  char const* code;
  bool (*applies)(Configuration const&, Instruction const&);
  char const* sentence;
};

bool loads(Instruction const& i, Memory memory) {
  return i.opcode == Opcode::kLoad && i.transfer.memory == memory && !i.transfer.nothing();
}
bool pads(Instruction const& i) {
  Transfer const& t = i.transfer;
  return t.y_pad_before || t.y_pad_after || t.x_pad_before || t.x_pad_after;
}
bool shifts(Instruction const& i) { return i.opcode == Opcode::kAlu && i.alu == AluOp::kShr; }
bool is_of_v2(Instruction const& i) {
  return (i.opcode == Opcode::kAlu && i.alu > AluOp::kMul) ||
         i.transfer.pad_value != PadValue::kZero || i.transfer.saturate;
}

using C = Configuration;
using I = Instruction;
constexpr LintRule kLintRules[] = {
    {"alu_mul",
     [](C const&, I const& i) { return i.opcode == Opcode::kAlu && i.alu == AluOp::kMul; },
     "the ALU multiplies: the HLS design leaves ACC as it was, the Chisel design does not know the "
     "instruction"},
    {"acc_byte_load", [](C const&, I const& i) { return loads(i, Memory::kAccByte); },
     "bytes are widened into ACC: the HLS design loads nothing, the Chisel design does not know "
     "the instruction"},
    {"shift_range",
     [](C const&, I const& i) {
       return shifts(i) && i.use_immediate && (i.immediate < -15 || i.immediate > 15);
     },
     "a shift by more than 15: the HLS and Chisel designs use the low five bits of the amount"},
    {"shift_register", [](C const&, I const& i) { return shifts(i) && !i.use_immediate; },
     "a shift by what ACC holds: the Chisel design shifts to the left by a negative immediate "
     "only"},
    {"padded_weights",
     [](C const&, I const& i) {
       return pads(i) && (loads(i, Memory::kWgt) || loads(i, Memory::kUop));
     },
     "weights or micro-ops are padded: the HLS design and the OpenCL kernel do not"},
    {"padded_accumulators",
     [](C const&, I const& i) {
       return pads(i) && (loads(i, Memory::kAcc) || loads(i, Memory::kAccByte));
     },
     "accumulators are padded: the OpenCL kernel does not"},
    {"alu_batch",
     [](C const& c, I const& i) { return i.opcode == Opcode::kAlu && c.log_batch > 0; },
     "the ALU works on several rows: the Chisel design computes the first one only"},
    {"finish_tokens",
     [](C const&, I const& i) { return i.opcode == Opcode::kFinish && i.tokens != Tokens{}; },
     "finish takes or gives tokens: the published runtime never does, and designs may ignore it"},
    {"version_2", [](C const&, I const& i) { return is_of_v2(i); },
     "this is of version 2 of the instruction set, which no published implementation has"},
};

/// Follows what was written last of ACC until something computes: only then OUT is as ACC.
class StaleOut {
public:
  /// The sentence of a store whose elements were loaded or reset; null: none.
  LintRule const* see(Instruction const& i) {
    bool computes = i.opcode == Opcode::kAlu || (i.opcode == Opcode::kGemm && !i.nest.reset);
    if (computes) loaded_begin_ = loaded_end_ = 0, reset_ = false;
    if (i.opcode == Opcode::kGemm && i.nest.reset) reset_ = true;
    if (loads(i, Memory::kAcc) || loads(i, Memory::kAccByte)) {
      loaded_begin_ = i.transfer.sram;
      loaded_end_ = i.transfer.sram + i.transfer.rows() * i.transfer.columns();
    }
    if (i.opcode != Opcode::kStore || i.transfer.nothing()) return nullptr;
    int64_t begin = i.transfer.sram, end = begin + int64_t(i.transfer.y_size) * i.transfer.x_size;
    if (begin < loaded_end_ && loaded_begin_ < end) return &kStale;
    return reset_ ? &kAfterReset : nullptr;
  }

private:
  static constexpr LintRule kStale = {
      "stale_out", nullptr,
      "what was only loaded into ACC is stored: designs store what OUT held before, the functional "
      "simulator stores ACC"};
  static constexpr LintRule kAfterReset = {
      "out_after_reset", nullptr,
      "a store follows a reset with nothing computed between: the HLS design and the OpenCL kernel "
      "keep the sum before the reset, the Chisel design what OUT held"};
  int64_t loaded_begin_ = 0, loaded_end_ = 0;
  bool reset_ = false;
};

}  // namespace

std::vector<LintFinding> lint(Configuration const& configuration,
                              std::span<Instruction const> stream) {
  std::vector<LintFinding> findings;
  StaleOut stale;
  for (size_t at = 0; at < stream.size(); ++at) {
    auto add = [&](LintRule const& rule) {
      findings.push_back({int64_t(at), rule.code, rule.sentence});
    };
    for (LintRule const& rule : kLintRules)
      if (rule.applies(configuration, stream[at])) add(rule);
    if (LintRule const* rule = stale.see(stream[at])) add(*rule);
  }
  return findings;
}

}  // namespace tw::vta
