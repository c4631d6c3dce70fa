/// Who shares what on a machine that runs iterations of bound loops at once: plain data, of a
/// target.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "engine/ir/handles.h"

namespace tw {

/// Who shares one instance of a memory or of an axis' iteration, from the narrowest: the lane of a
/// vector, the thread, the warp of threads that step together, the group of warps that a matrix
/// instruction takes, the block of threads, the cluster of blocks, the accelerator beside a
/// processor, the device.
enum class Level : uint8_t {
  kLane,
  kThread,
  kWarp,
  kWarpgroup,
  kBlock,
  kCluster,
  kAccelerator,
  kDevice
};
/// Of what is met, or shared, by threads of one block.
constexpr bool inside_block(Level level) { return level < Level::kBlock; }

namespace ir {

/// The rule of instances: whether iterations at `axis` have a tensor in a memory that `memory`
/// shares to themselves.
constexpr bool has_own_instance(Level axis, Level memory) { return memory <= axis; }

struct Sharing {
  using Levels = std::map<std::string, Level, std::less<>>;
  Levels axes;  ///< what a bound loop's iterations are: "threadIdx.x" threads, "blockIdx.x" blocks
  Levels scopes;  ///< who shares one instance of a memory
  /// Axes of virtual threads: one processor runs their iterations in turns, each with an instance
  /// of its own of everything that is allocated below, in whatever memory.
  std::set<std::string, std::less<>> interleaved = {};
  /// Of those: what is alike in all iterations (`common_tensors`) is there once.
  std::set<std::string, std::less<>> alike_once = {};

  /// Whether each iteration of `loop` has its own instance of a tensor that is allocated below it.
  /// So it is, but for a loop whose iterations are threads (or blocks of them) that share the
  /// tensor's memory. Of an axis or a memory that is not known, all share it.
  bool instance_per_iteration(For const& loop, BufferNode const& buffer) const;
};

}  // namespace ir
}  // namespace tw
