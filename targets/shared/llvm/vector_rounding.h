/// Rounding of vectors on processors that have none, and where LLVM does not know that.
#pragma once

namespace llvm {
class Module;
}

namespace tw {

/// roundeven(<a, b>)  -->  <roundeven(a), roundeven(b)>, for 32-bit Arm: LLVM ends the process
/// there
/// ("Cannot select"). Of one number it is a call, which the loader of such a kernel has.
void split_vector_rounding(llvm::Module& module);

}  // namespace tw
