#include "engine/session/cases/further_inputs.h"

#include <cmath>

#include "engine/session/model/kernel_reference.h"
#include "engine/session/model/loaded_model.h"
#include "engine/tensor/nearest.h"

namespace tw::session {
namespace {

/// Of the largest finite element: what is near zero by cancellation would count for more than it
/// is.
double units_apart(std::vector<NDArray> const& a, std::vector<NDArray> const& b) {
  double most = 0;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (!is_float(a[i].type())) continue;
    Comparison apart = compare(a[i], b[i]);
    if (!std::isfinite(apart.max_abs_diff) || apart.max_abs_ref == 0) continue;
    double largest = nearest(a[i].type(), apart.max_abs_ref);
    int digits = a[i].type() == DType::kF64   ? 52
                 : a[i].type() == DType::kF32 ? 23
                 : a[i].type() == DType::kF16 ? 10
                                              : 7;
    most = std::max(most, apart.max_abs_diff / std::ldexp(1.0, std::ilogb(largest) - digits));
  }
  return most;
}

}  // namespace

Status judge_further(JudgedKernel const& of, ir::Program const& plain, KernelCode const& code,
                     ScriptCheck& result) {
  te::Kernel const& defined = of.model.kernel(of.kernel).kernel;
  StopToken stop = of.options.call.stop;
  for (te::InputSet set : {te::InputSet::kExtreme, te::InputSet::kOrdinary}) {
    if (!te::says_more(defined, set)) continue;
    TRY_ASSIGN(KernelReference reference, kernel_reference(of.model, of.kernel, of.backend,
                                                           of.device, stop, of.progress, set));
    KernelBench bench(of.device, plain, std::move(reference.inputs));
    TRY_ASSIGN(std::vector<NDArray> outputs, bench.run(code, of.options));
    result.further.push_back(
        {std::string(te::words_of(set)), te::judge(outputs, reference.expected)});
    if (set != te::InputSet::kOrdinary) continue;
    auto as_written = compile_kernel(plain, of.backend, CodeTier::kFull, stop);
    if (!as_written) continue;  // a target may refuse the plain nest
    TRY_ASSIGN(std::vector<NDArray> usual, bench.run(*as_written, of.options));
    result.rounding_units = units_apart(outputs, usual);
  }
  return {};
}

}  // namespace tw::session
