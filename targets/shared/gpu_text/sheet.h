/// GPUs that are described without one being there: what their makers' papers say of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/hardware/hardware.h"

namespace tw::gpu_text {

// Words of `Hardware::code`, numbers from 1 on; absent where nobody says.
inline constexpr char kThreads[] = "threads";  ///< the most of a block
inline constexpr char kWarp[] = "warp";        ///< threads that step together
inline constexpr char kLanes[] = "lanes";      ///< f32 multiply-adds of a unit in a cycle
inline constexpr char kMegahertz[] = "megahertz";
inline constexpr char kGigabytes[] = "gigabytes_per_second";  ///< of main memory
/// "cache": what a block's threads share is a part of main memory.
inline constexpr char kBlockMemory[] = "block_memory";

/// 0: nobody says.
struct Sheet {
  char const* name;  ///< in spellings: "mali-g78"
  char const* title;
  char const* unit;  ///< in words for people
  int units, threads, warp;
  int block_kib;        ///< of memory that the threads of a block share, the most
  bool block_in_cache;  ///< it has no memory of its own
  int lanes, megahertz, gigabytes_per_second;
};

/// `block_memory`: its name among the hardware's memories.
Hardware hardware_of(Sheet const& sheet, char const* target, char const* block_memory);

/// "opencl:mali-g72", ...
std::vector<std::string> spellings_of(std::span<Sheet const> sheets, std::string const& target);
/// Of "opencl:mali-g72". Errors: unknown_target.
Result<Sheet> sheet_named(std::span<Sheet const> sheets, std::string const& spelling);

/// 0: the description does not say.
int64_t number_of(Hardware const& hardware, char const* word);
/// From lanes, clock and main memory. Nothing where one of them is not known.
std::optional<Roofs> roofs_of(Hardware const& hardware);

}  // namespace tw::gpu_text
