/// What a schedule and a lowering must know of a target.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/hardware/machine_needs.h"
#include "engine/ir/handles.h"
#include "engine/ir/sharing.h"
#include "engine/tensor/dtype.h"

namespace tw {

/// How the elements of a memory are reached.
enum class IndexBounds : uint8_t {
  kLoadsAndStores,  ///< by any expression
  kCopies,          ///< whole elements are copied in and out; nothing computes with them there
};

/// Where every target keeps inputs and outputs, and tensors of which nothing else is said.
inline constexpr char kGlobalScope[] = "global";

/// A memory that tensors may live in.
struct MemoryScope {
  std::string name;        ///< in programs and scripts: "alloc T @local"
  std::string doc;         ///< what it is, a few words for people
  int64_t bytes = 0;       ///< of one instance; 0: no bound of its own
  int64_t alignment = 64;  ///< bytes that a tensor's first element is aligned to
  Level shared_by = Level::kDevice;
  IndexBounds reach = IndexBounds::kLoadsAndStores;
};

/// What a loop can be bound to: its iterations then run at once.
struct ThreadAxis {
  std::string name;    ///< "threadIdx.x"
  int64_t extent = 1;  ///< the most iterations
  Level level = Level::kThread;
  /// Virtual threads: one processor runs the iterations in turns, statement by statement, so that
  /// one computes while another waits for memory. Each has instances of its own of all that is
  /// allocated below.
  bool interleaved = false;
  /// What is alike in all virtual threads is there once, and made once: tiles of a GPU's shared
  /// memory. Else one may compute while the next one's part comes into an instance of its own.
  bool shares_alike = false;
};

/// An instruction that `tensorize` can put in place of a nest: what it does stands in its
/// declaration, whose parameters say of which memory its operands are.
struct TensorIntrinsic {
  ir::Intrinsic declaration;
  /// Per parameter: how many of its last dimensions must lie in one row of memory, without gaps;
  /// the others may have any stride. Fewer entries than parameters: 0.
  std::vector<int> dense = {};
};

/// A word that `annotate` may say of a loop or a block. It never changes what is computed.
struct AnnotationWord {
  std::string name;
  std::string doc;  ///< what it makes the code do, a sentence for people
  bool of_block = false;
  int64_t low = 1, high = 1;  ///< the values that it takes
};

/// By which threads of one role wait for those of another: barriers with phases in shared memory
/// (ir::Completion, from kOpens on). Null: it has none.
struct PhaseIntrinsics {
  ir::Intrinsic open, arrive, deliver, await;
};

/// By what the threads of a warp hand each other values without memory (ir::shuffles).
struct WarpShuffles {
  int64_t lanes = 0;                      ///< of a warp; 0: there are none
  std::vector<ir::Intrinsic> calls = {};  ///< one for each type of a value
  /// Null: there is none for it.
  ir::Intrinsic of(DType type) const;
};

/// Says of a loop that some threads fill the tiles that others compute with, and how many tiles
/// there are at once (`split_roles`).
inline constexpr char kRolesWord[] = "roles";
/// Beside it: how many threads do; without it as many as compute.
inline constexpr char kProducersWord[] = "producers";

/// Of calls that go on in a queue of their own (ir::IntrinsicNode::queue): what ends a group of
/// them, and what waits until at most `n` groups are under way.
struct QueueIntrinsics {
  std::string name;
  ir::Intrinsic commit, wait;
};

struct Target {
  std::string name;  ///< of its kind: a row of `target_table()`
  Hardware hardware;
  std::string title = {};           ///< what code is made for, a few words for people
  MachineNeeds needs = {};          ///< of a machine that runs its code
  std::vector<MemoryScope> scopes;  ///< the first is kGlobalScope
  std::vector<ThreadAxis> axes = {};
  int64_t threads_per_block = 0;  ///< the most, of all axes together; 0: no bound of its own
  /// Where the threads of a block meet; null: they cannot.
  ir::Intrinsic barrier = {};
  /// Its passes share a sum among the threads that its loop is bound to (`factor_thread_sums`).
  bool sums_over_threads = false;
  WarpShuffles shuffles = {};
  /// Of copies that go on while others compute (`ir::Completion`): what ends a group of those that
  /// were started, and what waits until at most `n` groups, its one number, are under way. Null:
  /// there are no such copies.
  ir::Intrinsic commit = {}, wait = {};
  PhaseIntrinsics phases = {};
  std::vector<QueueIntrinsics> queues = {};
  /// Of each configuration register that intrinsics need: what sets it to its one number.
  std::vector<ir::Intrinsic> configure = {};
  std::vector<TensorIntrinsic> intrinsics = {};  ///< the larger ones first
  std::vector<AnnotationWord> annotations = {};
  std::vector<DType> types = {};  ///< to compute with, besides indices (i64) and bool; empty: all

  std::vector<std::string> axis_names() const;
  std::vector<std::string> intrinsic_names() const;
  /// Null: it has no such instruction.
  TensorIntrinsic const* intrinsic(std::string_view intrinsic_name) const;
  /// Null: it has no such memory.
  MemoryScope const* scope(std::string_view scope_name) const;
  std::vector<std::string> scope_names() const;
  bool computes_with(DType type) const;
  /// What its axes and memories are shared by: of instances, barriers and races.
  ir::Sharing sharing() const;
  /// `ir::Sharing::instance_per_iteration`
  bool instance_per_iteration(ir::For const& loop, ir::BufferNode const& buffer) const;
  /// Null: it has no such queue.
  QueueIntrinsics const* queue(std::string_view queue_name) const;

  /// Elements of a vector register.
  int lanes(DType type) const { return int(hardware.unit().vector_bytes / size_of(type)); }
  int registers() const { return hardware.unit().vector_registers; }
};

/// A target without limits, for programs that are for none: memories "global" and "local".
std::shared_ptr<Target const> any_target();

}  // namespace tw
