#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

bool fills_nothing(Configuration const& configuration, Transfer const& load) {
  if (load.x_size == 0 && !configuration.pad_only) return true;
  return load.rows() == 0 || load.columns() == 0;
}

Module module_of(Instruction const& instruction) {
  if (instruction.opcode == Opcode::kStore) return Module::kStore;
  Memory memory = instruction.transfer.memory;
  bool operand = memory == Memory::kInp || memory == Memory::kWgt;
  return instruction.opcode == Opcode::kLoad && operand ? Module::kLoad : Module::kCompute;
}

std::string_view to_text(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLoad:
      return "load";
    case Opcode::kStore:
      return "store";
    case Opcode::kGemm:
      return "gemm";
    case Opcode::kFinish:
      return "finish";
    case Opcode::kAlu:
      return "alu";
  }
  return "?";
}

std::string_view to_text(AluOp op) {
  switch (op) {
    case AluOp::kMin:
      return "min";
    case AluOp::kMax:
      return "max";
    case AluOp::kAdd:
      return "add";
    case AluOp::kShr:
      return "shr";
    case AluOp::kMul:
      return "mul";
    case AluOp::kClip:
      return "clip";
    case AluOp::kMove:
      return "move";
    case AluOp::kMulByte:
      return "mul8";
  }
  return "?";
}

std::string_view to_text(Module module) {
  switch (module) {
    case Module::kLoad:
      return "load";
    case Module::kCompute:
      return "compute";
    case Module::kStore:
      return "store";
  }
  return "?";
}

}  // namespace tw::vta
