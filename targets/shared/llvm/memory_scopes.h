/// Tells LLVM that tensors of different names are different memory.
///
/// Inputs, outputs and the parts of the workspace never overlap: the caller provides each with
/// memory of its own (`plan_memory` keeps what a step reads while it writes). LLVM sees pointers
/// that were loaded from an array, and would have to read again what any store may have changed; a
/// loop would not become vectors where that cannot be asked once before it. The metadata is that of
/// LLVM's language reference, "alias.scope" and "noalias".
#pragma once

#include <llvm/IR/Instructions.h>

#include <map>
#include <string>
#include <vector>

namespace tw {

/// Of one module.
class MemoryScopes {
public:
  /// `tensors`: names of all that lie apart from one another.
  MemoryScopes(llvm::LLVMContext& context, std::vector<std::string> const& tensors);

  /// Says of a load, a store or a call that it reaches `tensor` alone. Nothing of tensors that are
  /// not known.
  void tell(llvm::Instruction* access, std::string const& tensor) const;

private:
  struct Scope {
    llvm::MDNode* own;
    llvm::MDNode* others;
  };
  std::map<std::string, Scope> scopes_;
};

}  // namespace tw
