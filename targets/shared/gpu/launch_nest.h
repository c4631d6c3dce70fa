/// A launch as those count it who want to know its time: its loops, each access with how often a
/// thread does it once invariant ones have left their loops, and its arithmetic.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/handles.h"
#include "targets/shared/gpu/launch_shape.h"

namespace tw::gpu {

struct NestLoop {
  enum class Kind : uint8_t { kBlock, kThread, kSerial };
  std::string name;
  int64_t extent = 1;
  Kind kind = Kind::kSerial;
  int dimension = -1;     ///< 0 to 2: of blocks or of threads
  bool unrolled = false;  ///< whole; its iterations share what does not depend on it
  bool barrier = false;   ///< the threads of a block meet in it
  int64_t together = 1;   ///< iterations of the innermost loop that code runs side by side
};

/// The part of all warps, and of all threads, that conditions around let pass.
struct Share {
  double warps = 1, threads = 1;
};

struct NestAccess {
  std::string tensor;
  int64_t tensor_bytes = 0;
  ir::Expr index;
  int bytes = 4;  ///< of an element
  bool shared = false, store = false;
  bool local = false;         ///< of a thread alone: it does not fit registers, or is indexed
  std::vector<size_t> loops;  ///< around it, outermost first: of `LaunchNest::loops`
  double times = 1;           ///< that a thread does it
  int width = 1;              ///< elements at once
  int64_t piece = 0;          ///< bytes that a unit of its own moves for each thread that starts it
  bool past_l1 = false;       ///< they come to shared memory, and to no register on the way
  Share share;
};

/// Instructions of a thread; averages over all warps.
struct Instructions {
  double flops = 0;     ///< of floats, a multiply-add is two; an average over all threads
  double f32 = 0;       ///< multiply-adds, sums and products of 32 bits
  double f64 = 0;       ///< likewise of 64 bits
  double integers = 0;  ///< of data and of indices
  double special = 0;   ///< conversions, reciprocals: of the slow unit
  double memory = 0;    ///< loads and stores
  double shuffles = 0;  ///< words that the threads of a warp hand each other
  double control = 0;   ///< loops, barriers and what matrix units are told
  /// Multiply-adds by matrix units, counted as those of 16 bits: of bytes they do twice as many.
  double matrix = 0;
  double group_matrix = 0;  ///< such by units that several warps tell to go on by themselves
  double all() const { return f32 + f64 + integers + special + memory + shuffles + control; }
};

/// What a thread waits for, one after the other.
struct Waits {
  double main = 0;    ///< loads of main memory that nothing overlaps
  double shared = 0;  ///< of shared memory
  double cycles = 0;  ///< of results that the next operation needs
};

struct LaunchNest {
  std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::vector<NestLoop> loops;
  std::vector<NestAccess> accesses;  ///< of all that is not in registers
  Instructions instructions;
  Waits waits;
  std::string arithmetic;    ///< of matrix units: "f16 with sums in f32"
  double unit_bytes = 0;     ///< of shared memory that units read by themselves, over the threads
  double barriers = 0;       ///< that a thread meets
  bool roles = false;        ///< some warps of a block do other things than the rest
  int registers = 0;         ///< of a thread, as an estimate: ptxas has not seen it
  int64_t shared_bytes = 0;  ///< of a block
  int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  int64_t threads() const { return block[0] * block[1] * block[2]; }
};

/// One nest of lowered code, its tensors flat and its sizes numbers; without bound loops it is one
/// thread. Nothing: how often a loop runs is data.
std::optional<LaunchNest> launch_nest(ir::Stmt const& nest);

}  // namespace tw::gpu
