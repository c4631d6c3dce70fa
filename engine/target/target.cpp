#include "engine/target/target.h"

#include <algorithm>

#include "engine/ir/intrinsic.h"
#include "engine/ir/stmt.h"
#include "engine/target/axis_of.h"

namespace tw {

ir::Intrinsic WarpShuffles::of(DType type) const {
  for (ir::Intrinsic const& call : calls)
    if (call->params[0].buffer->type == type) return call;
  return nullptr;
}

MemoryScope const* Target::scope(std::string_view scope_name) const {
  auto found = std::ranges::find(scopes, scope_name, &MemoryScope::name);
  return found == scopes.end() ? nullptr : &*found;
}

std::vector<std::string> Target::scope_names() const {
  std::vector<std::string> names;
  for (MemoryScope const& one : scopes) names.push_back(one.name);
  return names;
}

std::vector<std::string> Target::axis_names() const {
  std::vector<std::string> names;
  for (ThreadAxis const& one : axes) names.push_back(one.name);
  return names;
}

std::vector<std::string> Target::intrinsic_names() const {
  std::vector<std::string> names;
  for (TensorIntrinsic const& one : intrinsics) names.push_back(one.declaration->name);
  return names;
}

QueueIntrinsics const* Target::queue(std::string_view queue_name) const {
  auto found = std::ranges::find(queues, queue_name, &QueueIntrinsics::name);
  return found == queues.end() ? nullptr : &*found;
}

TensorIntrinsic const* Target::intrinsic(std::string_view intrinsic_name) const {
  auto found = std::ranges::find_if(intrinsics, [&](TensorIntrinsic const& one) {
    return one.declaration->name == intrinsic_name;
  });
  return found == intrinsics.end() ? nullptr : &*found;
}

bool Target::computes_with(DType type) const {
  return types.empty() || std::ranges::find(types, type) != types.end();
}

ir::Sharing Target::sharing() const {
  ir::Sharing sharing;
  for (ThreadAxis const& axis : axes) {
    sharing.axes[axis.name] = axis.level;
    if (axis.interleaved) sharing.interleaved.insert(axis.name);
    if (axis.interleaved && axis.shares_alike) sharing.alike_once.insert(axis.name);
  }
  for (MemoryScope const& memory : scopes) sharing.scopes[memory.name] = memory.shared_by;
  return sharing;
}

bool Target::instance_per_iteration(ir::For const& loop, ir::BufferNode const& buffer) const {
  if (loop.loop_kind != ir::LoopKind::kBind) return true;
  ThreadAxis const* axis = axis_of(*this, loop);
  if (axis && axis->interleaved) return true;
  MemoryScope const* memory = scope(buffer.scope);
  return axis && memory && ir::has_own_instance(axis->level, memory->shared_by);
}

std::shared_ptr<Target const> any_target() {
  static auto const target = std::make_shared<Target const>(Target{
      .name = "any",
      .hardware = {},
      .scopes = {{.name = kGlobalScope, .doc = "main memory"},
                 {.name = "local", .doc = "memory of one thread", .shared_by = Level::kThread}}});
  return target;
}

}  // namespace tw
