#include <algorithm>

#include "engine/graph/memory_plan.h"

namespace tw {
namespace {

constexpr int64_t kAlignment = 64;  // a cache line, and the widest vector

int64_t padded_bytes(TensorInfo const& info) {
  auto count = element_count(info.shape);
  if (!count || *count > (int64_t(1) << 48)) return -1;
  return (*count * size_of(info.type) + kAlignment - 1) / kAlignment * kAlignment;
}

/// Values that cross from one group to another, with the steps between.
std::vector<Allocation> lifetimes(Graph const& graph) {
  std::map<ValueId, Allocation> alive;
  std::vector<int> step_of(graph.nodes.size(), -1);
  for (size_t g = 0; g < graph.groups.size(); ++g)
    for (NodeId id : graph.groups[g].nodes) step_of[size_t(id.value)] = int(g);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (ValueId id : graph.nodes[i].outputs) {
      if (!id.valid() || is_output(graph, id) || graph.value(id).is_constant()) continue;
      auto info = tensor_info(graph.value(id));
      int64_t bytes = info ? padded_bytes(*info) : -1;
      if (bytes >= 0) alive[id] = {id, 0, bytes, step_of[i], step_of[i]};
    }
  std::map<ValueId, bool> crosses;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (ValueId id : graph.nodes[i].inputs)
      if (auto found = alive.find(id); found != alive.end()) {
        found->second.last = std::max(found->second.last, step_of[i]);
        if (step_of[i] != found->second.first) crosses[id] = true;
      }
  std::vector<Allocation> result;
  for (auto const& [id, allocation] : alive)
    if (crosses[id]) result.push_back(allocation);
  return result;
}

/// The lowest offset at which `wanted` meets nothing that lives at the same time.
int64_t lowest_place(std::vector<Allocation> const& placed, Allocation const& wanted) {
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (Allocation const& other : placed)
    if (other.first <= wanted.last && wanted.first <= other.last)
      taken.push_back({other.offset, other.offset + other.bytes});
  std::sort(taken.begin(), taken.end());
  int64_t offset = 0;
  for (auto const& [start, end] : taken) {
    if (start - offset >= wanted.bytes) break;
    offset = std::max(offset, end);
  }
  return offset;
}

}  // namespace

Allocation const* MemoryPlan::find(ValueId value) const {
  for (Allocation const& allocation : allocations)
    if (allocation.value == value) return &allocation;
  return nullptr;
}

MemoryPlan plan_memory(Graph const& graph) {
  std::vector<Allocation> open = lifetimes(graph);
  std::stable_sort(open.begin(), open.end(),
                   [](auto const& a, auto const& b) { return a.bytes > b.bytes; });
  MemoryPlan plan;
  for (Allocation& allocation : open) {
    allocation.offset = lowest_place(plan.allocations, allocation);
    plan.arena_bytes = std::max(plan.arena_bytes, allocation.offset + allocation.bytes);
    plan.unplanned_bytes += allocation.bytes;
    plan.allocations.push_back(allocation);
  }
  std::stable_sort(plan.allocations.begin(), plan.allocations.end(),
                   [](auto const& a, auto const& b) { return a.first < b.first; });
  return plan;
}

}  // namespace tw
