#include "engine/analysis/tensor_parts.h"

#include <algorithm>
#include <functional>
#include <list>

#include "engine/ir/stmt.h"

namespace tw::analysis {

using namespace ir;

namespace {

/// Loops around the place where each tensor is allocated.
std::map<std::string, size_t> allocation_depths(Stmt const& body) {
  std::map<std::string, size_t> depths;
  std::function<void(Stmt const&, size_t)> visit = [&](Stmt const& s, size_t depth) {
    if (auto const* list = s.as<Seq>())
      for (Stmt const& one : list->stmts) visit(one, depth);
    if (auto const* loop = s.as<For>()) visit(loop->body, depth + 1);
    if (auto const* test = s.as<If>()) {
      visit(test->then_body, depth);
      if (test->else_body) visit(test->else_body, depth);
    }
    if (auto const* alloc = s.as<Alloc>()) {
      depths[alloc->buffer->name] = depth;
      visit(alloc->body, depth);
    }
  };
  visit(body, 0);
  return depths;
}

Iterations iterations_of(BlockSite const& site, size_t running_from) {
  Iterations iterations;
  for (size_t i = 0; i < site.loops.size(); ++i) {
    int64_t extent = as_int(site.loops[i]->extent).value_or(1);
    if (i >= running_from)
      iterations.running[site.loops[i]->name()] = extent;
    else
      iterations.standing[site.loops[i]->name()] = (extent - 1) / 2;
  }
  return iterations;
}

}  // namespace

std::map<std::string, Touched> tensor_parts(Program const& program, std::optional<LoopId> loop,
                                            int64_t line_bytes) {
  std::map<std::string, size_t> depths = allocation_depths(program.body);
  std::list<TensorAccess> accesses;
  std::map<std::string, std::vector<RunningAccess>> by_tensor;
  for (BlockSite const& site : blocks_of(program.body)) {
    size_t inside = 0;
    if (loop) {
      auto at = std::ranges::find(site.loops, *loop, &For::id);
      if (at == site.loops.end()) continue;
      inside = size_t(at - site.loops.begin()) + 1;
    }
    for (TensorAccess& access : accesses_of(site)) {
      accesses.push_back(std::move(access));
      std::string const& name = accesses.back().buffer->name;
      auto allocated = depths.find(name);
      size_t from = std::max(inside, allocated == depths.end() ? 0 : allocated->second);
      by_tensor[name].push_back({&accesses.back(), iterations_of(site, from)});
    }
  }
  std::map<std::string, Touched> parts;
  for (auto const& [name, list] : by_tensor) parts[name] = touched(list, line_bytes);
  return parts;
}

}  // namespace tw::analysis
