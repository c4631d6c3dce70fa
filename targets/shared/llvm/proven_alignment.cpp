#include "targets/shared/llvm/proven_alignment.h"

#include <llvm/ADT/bit.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>

namespace tw {
namespace {

using llvm::Value;

/// A power of two that divides a number, by its exponent. No access is wider than what this allows.
constexpr unsigned kMost = 6;

unsigned zeros_of(llvm::APInt const& number) { return std::min(number.countr_zero(), kMost); }
unsigned zeros_of(uint64_t number) {
  return number == 0 ? kMost : std::min<unsigned>(unsigned(llvm::countr_zero(number)), kMost);
}

/// Trailing zeros of all numbers and addresses of a function. Each is taken to have many, until
/// what it is made of says less: what no value contradicts then holds, also for those that loops
/// make of themselves.
class Zeros {
public:
  explicit Zeros(llvm::Function const& function) : layout_(function.getDataLayout()) {
    for (bool changes = true; changes;) {
      changes = false;
      for (llvm::BasicBlock const& block : function)
        for (llvm::Instruction const& one : block) {
          if (!one.getType()->isIntegerTy() && !one.getType()->isPointerTy()) continue;
          unsigned& known = known_.emplace(&one, kMost).first->second;
          unsigned zeros = made(&one);
          changes = changes || zeros < known;
          known = std::min(known, zeros);
        }
    }
  }

  unsigned of(Value const* v) const {
    if (auto const* number = llvm::dyn_cast<llvm::ConstantInt>(v))
      return zeros_of(number->getValue());
    if (auto const* instruction = llvm::dyn_cast<llvm::Instruction>(v)) {
      auto found = known_.find(instruction);
      return found == known_.end() ? kMost : found->second;
    }
    return made(v);
  }

private:
  unsigned least(llvm::User const& user) const {
    unsigned zeros = kMost;
    for (Value const* one : user.operands()) zeros = std::min(zeros, of(one));
    return zeros;
  }

  unsigned made(Value const* v) const {
    if (auto const* argument = llvm::dyn_cast<llvm::Argument>(v))
      return zeros_of(argument->getParamAlign().valueOrOne().value());
    if (auto const* variable = llvm::dyn_cast<llvm::GlobalVariable>(v))
      return zeros_of(variable->getAlign().valueOrOne().value());
    if (auto const* place = llvm::dyn_cast<llvm::AllocaInst>(v))
      return zeros_of(place->getAlign().value());
    if (auto const* element = llvm::dyn_cast<llvm::GEPOperator>(v)) return made(*element);
    if (auto const* op = llvm::dyn_cast<llvm::Operator>(v)) return made(*op);
    return 0;
  }

  unsigned made(llvm::GEPOperator const& element) const {
    unsigned zeros = of(element.getPointerOperand());
    for (auto at = llvm::gep_type_begin(element); at != llvm::gep_type_end(element); ++at) {
      if (at.isStruct()) return 0;
      uint64_t step = at.getSequentialElementStride(layout_).getFixedValue();
      zeros = std::min(zeros, zeros_of(step) + of(at.getOperand()));
    }
    return zeros;
  }

  unsigned made(llvm::Operator const& op) const {
    switch (op.getOpcode()) {
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
      case llvm::Instruction::Or:
      case llvm::Instruction::Xor:
      case llvm::Instruction::PHI:
        return least(op);
      case llvm::Instruction::Mul:
        return std::min(of(op.getOperand(0)) + of(op.getOperand(1)), kMost);
      case llvm::Instruction::And:
        return std::max(of(op.getOperand(0)), of(op.getOperand(1)));
      case llvm::Instruction::Shl:
        if (auto const* by = llvm::dyn_cast<llvm::ConstantInt>(op.getOperand(1)))
          return unsigned(std::min<uint64_t>(of(op.getOperand(0)) + by->getLimitedValue(), kMost));
        return of(op.getOperand(0));
      case llvm::Instruction::SExt:
      case llvm::Instruction::ZExt:
      case llvm::Instruction::Trunc:
        return of(op.getOperand(0));
      case llvm::Instruction::Select:
        return std::min(of(op.getOperand(1)), of(op.getOperand(2)));
      default:
        return 0;
    }
  }

  llvm::DataLayout const& layout_;
  std::map<llvm::Instruction const*, unsigned> known_;
};

template <typename Access>
void raise(Access& access, Zeros const& zeros) {
  llvm::Align proven(uint64_t(1) << zeros.of(access.getPointerOperand()));
  if (proven > access.getAlign()) access.setAlignment(proven);
}

}  // namespace

void prove_alignments(llvm::Module& module) {
  for (llvm::Function& function : module) {
    Zeros const zeros(function);
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : block) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) raise(*load, zeros);
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) raise(*store, zeros);
      }
  }
}

}  // namespace tw
