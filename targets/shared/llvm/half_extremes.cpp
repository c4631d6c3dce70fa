#include "targets/shared/llvm/half_extremes.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace tw {
namespace {

/// The comparison of the two sides that chooses one of them; null: it is something else.
llvm::FCmpInst* comparison_of(llvm::SelectInst& select) {
  if (!select.getType()->getScalarType()->isHalfTy()) return nullptr;
  auto* compare = llvm::dyn_cast<llvm::FCmpInst>(select.getCondition());
  if (!compare) return nullptr;
  llvm::Value *x = compare->getOperand(0), *y = compare->getOperand(1), *a = select.getTrueValue(),
              *b = select.getFalseValue();
  return (x == a && y == b) || (x == b && y == a) ? compare : nullptr;
}

void widen(llvm::SelectInst& select, llvm::FCmpInst& compare) {
  llvm::IRBuilder<> builder(&select);
  llvm::Type* wide = select.getType()->getWithNewType(builder.getFloatTy());
  auto widened = [&](llvm::Value* value) { return builder.CreateFPExt(value, wide); };
  llvm::Value* condition = builder.CreateFCmp(
      compare.getPredicate(), widened(compare.getOperand(0)), widened(compare.getOperand(1)));
  llvm::Value* chosen = builder.CreateSelect(condition, widened(select.getTrueValue()),
                                             widened(select.getFalseValue()));
  select.replaceAllUsesWith(builder.CreateFPTrunc(chosen, select.getType()));
  select.eraseFromParent();
}

}  // namespace

void widen_half_extremes(llvm::Module& module) {
  std::vector<llvm::SelectInst*> found;
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : block)
        if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
          if (comparison_of(*select)) found.push_back(select);
  for (llvm::SelectInst* select : found) widen(*select, *comparison_of(*select));
}

}  // namespace tw
