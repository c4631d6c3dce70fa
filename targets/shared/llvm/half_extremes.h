/// Larger and smaller halves on processors without arithmetic on halves.
#pragma once

namespace llvm {
class Module;
}

namespace tw {

/// select(a < b, a, b) of halves  -->  half(select(float(a) < float(b), float(a), float(b)))
/// LLVM makes a minimum or maximum of the first where one side is no NaN, and of that, where the
/// processor has none for halves, a call of fminf or fmaxf, which a kernel has not. After the
/// passes: they would narrow the second to the first again.
void widen_half_extremes(llvm::Module& module);

}  // namespace tw
