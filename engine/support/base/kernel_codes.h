/// Codes that kernels return: known to those who write kernels and to those who call them.
#pragma once

#include <cstdint>

namespace tw {

/// Of a kernel that would have divided an integer by zero. Processors differ in what they make of
/// that (some trap, some give 0), and compilers take it for impossible: kernels ask before.
inline constexpr int32_t kDividedByZero = 102;
/// Of a kernel that starts functions on a device, where its caller has none.
inline constexpr int32_t kNoDeviceFunctions = 103;
/// Of a kernel for which the runtime could not do something on its device; the runtime knows what.
inline constexpr int32_t kDeviceCallFailed = 104;

}  // namespace tw
