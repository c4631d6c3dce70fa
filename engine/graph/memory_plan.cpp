#include <algorithm>
#include <bit>
#include <set>

#include "engine/graph/memory_plan.h"

namespace tw {
namespace {

constexpr int64_t kAlignment = 64;  // a cache line, and the widest vector

/// Values that cross from one group to another, with the steps between.
std::vector<Allocation> lifetimes(Graph const& graph) {
  std::map<ValueId, Allocation> alive;
  std::set<ValueId> results(graph.outputs.begin(), graph.outputs.end());
  std::vector<int> step_of(graph.nodes.size(), -1);
  for (size_t g = 0; g < graph.groups.size(); ++g)
    for (NodeId id : graph.groups[g].nodes) step_of[size_t(id.value)] = int(g);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (ValueId id : graph.nodes[i].outputs) {
      if (!id.valid() || results.contains(id) || graph.value(id).is_constant()) continue;
      if (auto bytes = planned_bytes(graph.value(id)))
        alive[id] = {id, 0, *bytes, step_of[i], step_of[i]};
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

/// What has its place, found by the steps while it lives. What meets the steps first..last either
/// lives at `first` or begins after it: the former are kept in a tree over the steps, the latter by
/// their beginning.
class Placed {
public:
  explicit Placed(int steps) : leaves_(int(std::bit_ceil(unsigned(std::max(1, steps))))) {
    covering_.resize(size_t(leaves_) * 2);
  }

  void add(Allocation const& allocation) {
    Extent extent{allocation.offset, allocation.offset + allocation.bytes};
    begins_[allocation.first].push_back(extent);
    int low = allocation.first + leaves_, high = allocation.last + leaves_ + 1;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) covering_[size_t(low++)].push_back(extent);
      if (high % 2 == 1) covering_[size_t(--high)].push_back(extent);
    }
  }

  /// The lowest offset at which `wanted` meets nothing that lives at the same time.
  int64_t lowest_place(Allocation const& wanted) const {
    std::vector<Extent> taken;
    for (int at = wanted.first + leaves_; at > 0; at /= 2)
      taken.insert(taken.end(), covering_[size_t(at)].begin(), covering_[size_t(at)].end());
    for (auto next = begins_.upper_bound(wanted.first);
         next != begins_.end() && next->first <= wanted.last; ++next)
      taken.insert(taken.end(), next->second.begin(), next->second.end());
    std::sort(taken.begin(), taken.end());
    int64_t offset = 0;
    for (auto const& [start, end] : taken) {
      if (start - offset >= wanted.bytes) break;
      offset = std::max(offset, end);
    }
    return offset;
  }

private:
  using Extent = std::pair<int64_t, int64_t>;  // bytes, from and to
  int leaves_;
  std::vector<std::vector<Extent>> covering_;  ///< of a node of the tree: they live in all of it
  std::map<int, std::vector<Extent>> begins_;
};

}  // namespace

std::optional<int64_t> planned_bytes(Value const& value) {
  auto info = stored_info(value);
  if (!info) return std::nullopt;
  auto count = element_count(info->shape);
  if (!count || *count > (int64_t(1) << 48)) return std::nullopt;
  return (*count * size_of(info->type) + kAlignment - 1) / kAlignment * kAlignment;
}

Allocation const* MemoryPlan::find(ValueId value) const {
  for (Allocation const& allocation : allocations)
    if (allocation.value == value) return &allocation;
  return nullptr;
}

MemoryPlan plan_memory(Graph const& graph) {
  return arrange(lifetimes(graph), int(graph.groups.size()));
}

MemoryPlan arrange(std::vector<Allocation> open, int steps) {
  std::stable_sort(open.begin(), open.end(),
                   [](auto const& a, auto const& b) { return a.bytes > b.bytes; });
  MemoryPlan plan;
  Placed placed(steps);
  for (Allocation& allocation : open) {
    allocation.offset = placed.lowest_place(allocation);
    placed.add(allocation);
    plan.arena_bytes = std::max(plan.arena_bytes, allocation.offset + allocation.bytes);
    plan.unplanned_bytes += allocation.bytes;
    plan.allocations.push_back(allocation);
  }
  std::stable_sort(plan.allocations.begin(), plan.allocations.end(),
                   [](auto const& a, auto const& b) { return a.first < b.first; });
  return plan;
}

}  // namespace tw
