/// Describes the machine that this process runs on, from what its kernel says about it.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/hardware/hardware.h"

namespace tw {

/// The name of this kind of target.
inline constexpr char kCpuTarget[] = "cpu";

// Words of `Hardware::code`, all as LLVM has them.
inline constexpr char kTriple[] = "triple";        ///< "x86_64-linux-gnu"
inline constexpr char kProcessor[] = "processor";  ///< "znver4", "x86-64-v3", "generic"
inline constexpr char kFeatures[] = "features";    ///< "+avx2,+fma"

/// Never fails: what cannot be found out keeps a cautious default.
Hardware detect_host();

/// The same from the text of /proc/cpuinfo and a folder like /sys/devices/system/cpu/cpu0/cache.
Hardware describe_processor(std::string_view cpuinfo, std::filesystem::path const& cache_folder);

/// Main memory as a level; `bytes` 0: not known.
MemoryLevel main_memory(int64_t bytes);

}  // namespace tw
