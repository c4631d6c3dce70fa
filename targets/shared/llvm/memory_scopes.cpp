#include "targets/shared/llvm/memory_scopes.h"

#include <llvm/IR/MDBuilder.h>

namespace tw {
namespace {

/// A kernel of more tensors says nothing: each would list all others.
constexpr size_t kMostTensors = 64;

}  // namespace

MemoryScopes::MemoryScopes(llvm::LLVMContext& context, std::vector<std::string> const& tensors) {
  if (tensors.size() < 2 || tensors.size() > kMostTensors) return;
  llvm::MDBuilder builder(context);
  llvm::MDNode* domain = builder.createAnonymousAliasScopeDomain("tensors");
  std::vector<llvm::MDNode*> all;
  for (std::string const& name : tensors)
    all.push_back(builder.createAnonymousAliasScope(domain, name));
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<llvm::Metadata*> others;
    for (llvm::MDNode* one : all)
      if (one != all[i]) others.push_back(one);
    scopes_[tensors[i]] = {llvm::MDNode::get(context, {all[i]}),
                           llvm::MDNode::get(context, others)};
  }
}

void MemoryScopes::tell(llvm::Instruction* access, std::string const& tensor) const {
  auto found = scopes_.find(tensor);
  if (found == scopes_.end()) return;
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, found->second.own);
  access->setMetadata(llvm::LLVMContext::MD_noalias, found->second.others);
}

}  // namespace tw
