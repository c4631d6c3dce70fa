#include "targets/vta/lint/single_rules.h"

namespace tw::vta {
namespace {

struct LintRule {
  char const* code;
  bool (*applies)(Configuration const&, Instruction const&);
  char const* sentence;
};

bool loads(Instruction const& i, Memory memory) {
  return i.opcode == Opcode::kLoad && i.transfer.memory == memory &&
         i.transfer.rows() * i.transfer.columns() > 0;
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
       return i.transfer.padded() && (loads(i, Memory::kWgt) || loads(i, Memory::kUop));
     },
     "weights or micro-ops are padded: the HLS design and the OpenCL kernel do not"},
    {"padded_accumulators",
     [](C const&, I const& i) {
       return i.transfer.padded() && (loads(i, Memory::kAcc) || loads(i, Memory::kAccByte));
     },
     "accumulators are padded: the OpenCL kernel does not"},
    {"pad_only_load",
     [](C const&, I const& i) {
       bool fills = i.transfer.rows() * i.transfer.columns() > 0;
       return i.opcode == Opcode::kLoad && i.transfer.x_size == 0 && fills;
     },
     "a load without columns has padding: the HLS design fills it with zeros, the functional "
     "simulator and the Chisel design do nothing"},
    {"micro_op_rows",
     [](C const&, I const& i) {
       return loads(i, Memory::kUop) && i.transfer.x_size > 0 && i.transfer.y_size != 1;
     },
     "micro-ops are loaded in several rows, or in none: the HLS and Chisel designs load the first "
     "row"},
    {"alu_batch",
     [](C const& c, I const& i) { return i.opcode == Opcode::kAlu && c.log_batch > 0; },
     "the ALU works on several rows: the Chisel design computes the first one only"},
    {"finish_tokens",
     [](C const&, I const& i) { return i.opcode == Opcode::kFinish && i.tokens != Tokens{}; },
     "finish takes or gives tokens: the published runtime never does, and designs may ignore it"},
    {"version_2", [](C const&, I const& i) { return is_of_v2(i); },
     "this is of version 2 of the instruction set, which no published implementation has"},
};

}  // namespace

void find_single(Configuration const& configuration, std::span<Instruction const> stream,
                 std::vector<LintFinding>& findings) {
  for (size_t at = 0; at < stream.size(); ++at)
    for (LintRule const& rule : kLintRules)
      if (rule.applies(configuration, stream[at]))
        findings.push_back({int64_t(at), rule.code, rule.sentence});
}

}  // namespace tw::vta
