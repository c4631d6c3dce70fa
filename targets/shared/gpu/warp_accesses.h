/// What one warp's access costs memory: sectors of main memory, passes of shared memory, from the
/// index alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "targets/shared/gpu/launch_shape.h"

namespace tw::gpu {

/// A loop around an access.
struct LoopAround {
  std::string name;
  int64_t extent = 1;  ///< 0: known at run time only
  int dimension = -1;  ///< 0 to 2: of the threads
  bool blocks = false;
};

/// A load or store of all threads of a warp, over all warps of a block and all iterations around.
struct WarpAccess {
  ir::StmtNode const* statement = nullptr;  ///< that it is in
  std::string tensor;
  bool shared = false;  ///< of a block's memory; else main memory
  bool store = false;
  int bytes = 4;  ///< of an element
  int width = 1;  ///< elements side by side that a thread takes at once
  int lanes = 0;  ///< of a warp that touch memory, the first ones; 0: all
  /// Sectors of 32 bytes in main memory, passes of shared memory; the average over all iterations.
  double average = 0;
  int least = 0, most = 0;
  double lines = 0;          ///< of 128 bytes in main memory that these sectors lie in, the average
  int ideal = 0;             ///< of as many different elements, side by side
  bool guarded = false;      ///< some threads or iterations may leave it out: at most so much
  std::string undecided;     ///< why nothing is known; empty: all above is exact
  std::string version = {};  ///< which of two of the code, as `LaunchAccess` says it
  std::vector<LoopAround> around;    ///< outermost first
  ir::Expr index;                    ///< of the first element
  std::vector<ir::Expr> conditions;  ///< a thread takes part where all hold
  int alike = 1;                     ///< accesses of the statement that cost the same
};

/// Which warps and iterations are looked at: all, or nothing is said of the access; or some that
/// are drawn, where there are many.
enum class Counted : uint8_t { kAll, kDrawn };

/// Fills in what an access with this index, of elements of a flat tensor, costs. `width`: elements
/// that a thread takes at once, from the index on.
void count_access(WarpAccess& access, ir::Expr const& index, int width,
                  std::vector<LoopAround> const& around, LaunchShape const& shape, int warp,
                  Counted counted);

/// What threads touch in a call that a warp runs together, which its declaration does not say.
struct CallAccess {
  ir::Expr element;  ///< a Load, of the first one
  int width = 1;     ///< as of a `WarpAccess`, these two
  int lanes = 0;
};
using CallAccesses = std::map<ir::StmtNode const*, std::vector<CallAccess>>;

/// Accesses to main and shared memory in the order of statements, those that are alike once.
/// `warp`: threads that step together. `alignment`: bytes that tensors begin at multiples of, where
/// vector loops reach vectors of up to 16 bytes; 0: they reach elements. `calls`: reads of
/// those calls in the place of their operands. Needs flat tensors.
std::vector<WarpAccess> warp_accesses(ir::Function const& device_function, LaunchShape const& shape,
                                      int warp, int64_t alignment = 0,
                                      CallAccesses const& calls = {});

/// The lanes of one warp of a block, at an iteration of each loop in `at`, by names; others are at
/// their first.
struct RequestPlace {
  int warp = 0;
  std::map<std::string, int64_t> at = {};
};
/// Addresses in bytes, -1 of lanes that take no part. Nothing where the index or a condition is
/// data.
std::optional<std::vector<int64_t>> lane_addresses(WarpAccess const& access,
                                                   LaunchShape const& shape, int warp,
                                                   RequestPlace const& place);
/// Names of loops, not of threads, that the lanes' addresses or who takes part depend on.
std::vector<std::string> deciding_loops(WarpAccess const& access);

/// Sectors, or passes, of lanes that touch these bytes; `bytes` each. Passes: of 32 banks of 4
/// bytes, the most different words in one; elements of 8 bytes take half a warp at a time (CUDA C++
/// Programming Guide, Compute Capability 5.x, Shared Memory), those of 16 a quarter. Memory returns
/// one register of each lane in a pass: loads of wider elements by a whole warp take half as many
/// where each lane and the one beside it, or the second one, want the same (NVIDIA's forum,
/// "Unexpected shared memory bank conflict", of 7.x; "Discrepancy in LDS.128 wavefronts" counts two
/// on an A10 and an H100).
int sectors_of(std::vector<int64_t> const& addresses, int bytes);
int passes_of(std::vector<int64_t> const& addresses, int bytes, bool store);
/// How many of these lanes share each pass.
size_t lanes_of_pass(std::vector<int64_t> const& addresses, int bytes, bool store);

}  // namespace tw::gpu
