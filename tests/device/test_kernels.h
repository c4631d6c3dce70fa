/// Kernels for tests, from LLVM IR text: compiled and linked as every kernel is.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "targets/shared/llvm/machine.h"

namespace tw::test {

/// Compiles a module's text for the host.
Result<Emitted> generate_text(std::string_view ir, CodeTier tier);
/// ... and links it.
Result<std::vector<std::byte>> build_library(std::string_view ir, CodeTier tier = CodeTier::kFast);

/// add(a, b, c): c[i] = a[i] + b[i] for 1024 f32; scale(a, c): c[i] = 2*a[i] over four parallel
/// tasks of 256; crash: writes to address 16; crash_in_task: near 4096, in eight parallel tasks;
/// overflow: calls itself without end; divide(zero): an integer division by zero; hang(any): never
/// returns; hang_alone: the same without a buffer; refuse: returns 7; workspace: 0 when the
/// workspace's pointer is null, else 1.
std::string_view common_kernels();

/// write_elsewhere and write_here, which call the system themselves (x86-64 Linux): make a file in
/// /tmp, and the file "mine" in the working folder; the code is 0 or errno.
std::string_view writing_kernels();

}  // namespace tw::test
