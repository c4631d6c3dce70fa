/// The right answer of a kernel: what the badge, `tw check` and comparisons judge a schedule by.
#pragma once

#include "engine/backend/backend.h"
#include "engine/device/device.h"
#include "engine/session/loaded_model.h"
#include "engine/te/expected.h"

namespace tw::session {

struct KernelReference {
  std::vector<NDArray> inputs;
  te::Expected expected;
};

/// On inputs that prove something (engine/te/inputs.h). Where every right schedule gives the same
/// bits the operators' plain loops say which; else the kernel is evaluated in double precision with
/// a bound for each element, by the interpreter, or compiled as its plain nest where that would
/// take too long, and the operators' loops must agree roughly. Errors: kernel_too_large, with what
/// it would take; wrong_kernel, where they do not agree; those of the device.
Result<KernelReference> kernel_reference(LoadedModel const& model, int kernel,
                                         Backend const& backend, Device& device,
                                         StopToken stop = {});

/// What a plain run of the kernel takes.
struct KernelSize {
  int64_t iterations = 0;  ///< of its innermost statements
  int64_t bytes = 0;       ///< of all its tensors
};
KernelSize size_of(te::Kernel const& kernel);
/// Error kernel_too_large: more than may be run or held for a comparison.
Status verify_size(te::Kernel const& kernel);

}  // namespace tw::session
