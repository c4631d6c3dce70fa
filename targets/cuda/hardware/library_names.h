/// The parts of a library of kernels, known to the backend and to what loads it.
#pragma once

#include <string>

namespace tw::cuda {

/// A record of launches (`launch_record.h`) on each line, one for each kernel.
inline constexpr char kLaunchesPart[] = "launches";
/// PTX of the kernel whose record is the line of that number: PTX of several is no PTX.
inline std::string ptx_part(size_t kernel) { return "ptx:" + std::to_string(kernel); }

}  // namespace tw::cuda
