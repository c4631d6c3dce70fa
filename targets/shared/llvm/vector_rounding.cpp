#include "targets/shared/llvm/vector_rounding.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <vector>

namespace tw {
namespace {

void split(llvm::IntrinsicInst& rounding) {
  llvm::IRBuilder<> builder(&rounding);
  auto* type = llvm::cast<llvm::FixedVectorType>(rounding.getType());
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    llvm::Value* one = builder.CreateExtractElement(rounding.getArgOperand(0), lane);
    one = builder.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, one);
    result = builder.CreateInsertElement(result, one, lane);
  }
  rounding.replaceAllUsesWith(result);
  rounding.eraseFromParent();
}

}  // namespace

void split_vector_rounding(llvm::Module& module) {
  llvm::Triple triple(module.getTargetTriple());
  if (!triple.isARM() && !triple.isThumb()) return;
  std::vector<llvm::IntrinsicInst*> found;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* called = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (called && called->getIntrinsicID() == llvm::Intrinsic::roundeven &&
          called->getType()->isVectorTy())
        found.push_back(called);
    }
  for (llvm::IntrinsicInst* rounding : found) split(*rounding);
}

}  // namespace tw
