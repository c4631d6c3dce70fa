/// Where each field of the instruction words lies, and which value of an instruction it holds.
#pragma once

#include "targets/vta/hardware/encoding.h"

namespace tw::vta {

/// One field. Values are as they lie in the words: without sign beyond their width.
struct FieldSlot {
  char const* name;
  int word, bit, width;
  uint64_t (*get)(Instruction const&);
  void (*set)(Instruction&, uint64_t);
  bool is_signed = false;
};

/// The slots of every opcode, made once for a configuration.
class FieldTable {
public:
  explicit FieldTable(Configuration const& configuration);
  std::span<FieldSlot const> of(Opcode opcode) const { return slots_[size_t(opcode)]; }

private:
  std::array<std::vector<FieldSlot>, 5> slots_;
};

}  // namespace tw::vta
