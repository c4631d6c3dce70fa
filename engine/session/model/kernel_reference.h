/// The right answer of a kernel: what the badge, `tw check` and comparisons judge a schedule by.
#pragma once

#include "engine/backend/backend.h"
#include "engine/device/device.h"
#include "engine/session/model/kernel_size.h"
#include "engine/session/model/loaded_model.h"
#include "engine/te/expected.h"
#include "engine/te/inputs.h"

namespace tw::session {

struct KernelReference {
  std::vector<NDArray> inputs;
  te::Expected expected;
};

/// Which machine runs a plain nest that is too long for the interpreter.
enum class ReferenceFrom : uint8_t {
  kDevice,
  kHere,  ///< this one, where it can: another one may lie, and be what others are judged by
};

/// On inputs that prove something (engine/te/inputs.h). Where every right schedule gives the same
/// bits the operators' plain loops say which; else the kernel is evaluated in double precision with
/// a bound for each element, by the interpreter, or compiled as its plain nest where that would
/// take too long, and the operators' loops must agree roughly. Errors: kernel_too_large, with what
/// it would take; wrong_kernel, where they do not agree; those of the device. A long run says each
/// second how long it has been.
Result<KernelReference> kernel_reference(LoadedModel const& model, int kernel,
                                         Backend const& backend, Device& device,
                                         StopToken stop = {}, Progress const& progress = {},
                                         te::InputSet set = te::InputSet::kProving,
                                         ReferenceFrom from = ReferenceFrom::kDevice);

/// The same on these inputs.
Result<KernelReference> reference_on(std::vector<NDArray> inputs, LoadedModel const& model,
                                     int kernel, Backend const& backend, Device& device,
                                     StopToken stop = {}, Progress const& progress = {},
                                     ReferenceFrom from = ReferenceFrom::kDevice);

}  // namespace tw::session
