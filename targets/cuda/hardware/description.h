/// NVIDIA's GPUs as the product describes machines.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/hardware/hardware.h"

namespace tw::cuda {

inline constexpr char kCudaTarget[] = "cuda";  ///< `Hardware::target`

/// Bytes that the place of a tensor's first element is a multiple of, in main memory: plans of
/// networks and workspaces keep it, generated code relies on it, and the runtime refuses others.
inline constexpr int64_t kTensorAlignment = 64;

// Words of `Hardware::code`, numbers but for the first.
inline constexpr char kArchitecture[] = "architecture";        ///< "sm_90a"
inline constexpr char kWarps[] = "warps";                      ///< the most of a multiprocessor
inline constexpr char kBlocks[] = "blocks";                    ///< likewise
inline constexpr char kSharedPerBlock[] = "shared_per_block";  ///< bytes that a block may ask for
inline constexpr char kLanes[] = "lanes";                      ///< f32 multiply-adds of a cycle
inline constexpr char kMegahertz[] = "megahertz";              ///< of the multiprocessors, boosted
inline constexpr char kGigabytes[] = "gigabytes_per_second";   ///< of main memory
inline constexpr char kL1[] = "l1";                            ///< bytes, with shared memory
/// Of L2, as it was measured; absent where nobody has.
inline constexpr char kL2Gigabytes[] = "l2_gigabytes_per_second";

/// Of `Hardware::memories`: what a block's threads share, of one multiprocessor.
inline constexpr char kSharedMemory[] = "shared";
inline constexpr char kL2[] = "L2";

/// A GPU that is described without one being there.
struct KnownGpu {
  std::string name;  ///< in spellings: "h100"
  Hardware hardware;
};
/// The first one is what "cuda" alone stands for.
std::vector<KnownGpu> const& known_gpus();

/// Its compute capability, ten times: 90 of "sm_90a"; 0 where the description does not say.
int capability_of(Hardware const& hardware);

/// Adds what no driver says of a GPU: L1's size as its architecture has it, and L2's bandwidth as
/// far as that of a described GPU of the same architecture is known, for its own multiprocessors
/// and clock.
void add_known_words(Hardware& gpu);

/// A word as a number from 1 on. Errors: wrong_processor.
Result<int64_t> number_of(Hardware const& hardware, char const* word);

}  // namespace tw::cuda
