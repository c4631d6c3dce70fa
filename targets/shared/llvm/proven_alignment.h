/// Alignment of memory accesses, proven from how their addresses are made.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace tw {

/// Raises the alignment that loads and stores state to what their addresses prove: those of
/// parameters and variables with what is added to them, however long the sum is. LLVM's own proof
/// ends after six steps, and accesses side by side stay apart where theirs is not known.
void prove_alignments(llvm::Module& module);

}  // namespace tw
