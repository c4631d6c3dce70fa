#include "targets/vta/hardware/abilities.h"

#include <fmt/format.h>

namespace tw::vta {
namespace {

std::unexpected<Error> not_in_design(Configuration const& c, std::string_view what) {
  return bad_input("not_in_design",
                   fmt::format("the design {} cannot {}", c.name.empty() ? c.key() : c.name, what));
}

Status check_load(Configuration const& c, Transfer const& load) {
  if (load.memory == Memory::kAccByte && !c.acc8)
    return not_in_design(c, "load bytes into acc (acc8 = no): it would load nothing");
  if (load.memory == Memory::kWgt && !c.pad_wgt && load.padded())
    return not_in_design(c, "pad weights (pad_wgt = no): it would load them without");
  bool one_row = load.x_size == 0 || load.y_size == 1;
  if (load.memory == Memory::kUop && !c.uop_rows && (!one_row || load.padded()))
    return not_in_design(c,
                         "load micro-ops other than in one row without padding (uop_rows = no): it "
                         "would load one row");
  return {};
}

/// A setting's value and what it means, both ways.
struct Choice {
  char const *setting, *on, *off, *sentence_on, *sentence_off;
  bool Configuration::*member;
};
constexpr Choice kChoices[] = {
    {"acc8", "yes", "no", "a load widens bytes into acc", "no load widens bytes into acc",
     &Configuration::acc8},
    {"mul", "yes", "no", "the ALU multiplies", "the ALU does not multiply", &Configuration::mul},
    {"pad_only", "yes", "no", "a load without columns fills its padding with zeros",
     "a load without columns does nothing", &Configuration::pad_only},
    {"pad_wgt", "yes", "no", "a load pads weights, too", "no load pads weights",
     &Configuration::pad_wgt},
    {"uop_rows", "yes", "no", "micro-ops are loaded in rows, with padding",
     "micro-ops are loaded in one row", &Configuration::uop_rows},
    {"full_tokens", "stall", "lose", "who pushes a token into a full queue waits",
     "a token that is pushed into a full queue is lost", &Configuration::tokens_stall},
};

}  // namespace

std::vector<Ability> abilities_of(Configuration const& c) {
  std::vector<Ability> all;
  for (Choice const& one : kChoices) {
    bool on = c.*one.member;
    all.push_back({one.setting, on ? one.on : one.off, on ? one.sentence_on : one.sentence_off});
  }
  int64_t most = (int64_t(1) << (c.shift_bits - 1)) - 1;
  all.push_back({"shift_bits", fmt::to_string(c.shift_bits),
                 fmt::format("shifts are by {} to {}", -most - 1, most)});
  return all;
}

Status check_abilities(Configuration const& c, Instruction const& instruction) {
  if (instruction.opcode == Opcode::kLoad) return check_load(c, instruction.transfer);
  if (instruction.opcode == Opcode::kAlu && instruction.alu == AluOp::kMul && !c.mul)
    return not_in_design(c, "multiply in its ALU (mul = no): acc would stay as it is");
  return {};
}

}  // namespace tw::vta
