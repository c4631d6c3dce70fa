/// What one warp's access costs memory: sectors of main memory, passes of shared memory, from the
/// index alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "targets/shared/gpu/launch_shape.h"

namespace tw::gpu {

/// A load or store of all threads of a warp, over all warps of a block and all iterations around.
struct WarpAccess {
  ir::StmtNode const* statement = nullptr;  ///< that it is in
  std::string tensor;
  bool shared = false;  ///< of a block's memory; else main memory
  bool store = false;
  int bytes = 4;  ///< of an element, or of a vector of them
  /// Sectors of 32 bytes in main memory, passes of shared memory; the average over all iterations.
  double average = 0;
  int least = 0, most = 0;
  int ideal = 0;          ///< of as many different elements, side by side
  bool guarded = false;   ///< some threads or iterations may leave it out: at most so much
  std::string undecided;  ///< why nothing is known; empty: all above is exact
};

/// Accesses to main and shared memory in the order of statements, those that are alike once.
/// `warp`: threads that step together. `alignment`: bytes that tensors begin at multiples of, where
/// vector loops reach vectors of up to 16 bytes; 0: they reach elements. Needs flat tensors.
std::vector<WarpAccess> warp_accesses(ir::Function const& device_function, LaunchShape const& shape,
                                      int warp, int64_t alignment = 0);

/// Sectors, or passes, of lanes that touch these bytes; `bytes` each. Passes: of 32 banks of 4
/// bytes, the most different words in one; elements of 8 bytes take half a warp at a time (CUDA C++
/// Programming Guide, Compute Capability 5.x, Shared Memory).
int sectors_of(std::vector<int64_t> const& addresses, int bytes);
int passes_of(std::vector<int64_t> const& addresses, int bytes);

}  // namespace tw::gpu
