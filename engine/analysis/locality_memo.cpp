#include "engine/analysis/locality_memo.h"

#include <algorithm>

#include "engine/analysis/compiled_loops.h"

namespace tw::analysis {
namespace {

void add_nests(ir::Stmt const& s, LocalityMemo::Nests& nests) {
  if (auto const* list = s.as<ir::Seq>())
    for (ir::Stmt const& one : list->stmts) add_nests(one, nests);
  else if (auto const* alloc = s.as<ir::Alloc>())
    add_nests(alloc->body, nests);
  else if (s.as<ir::For>() || s.as<ir::Block>())
    nests.insert(s.get());
}

}  // namespace

LocalityMemo::LocalityMemo(ir::Program program) : program_(std::move(program)) {
  add_nests(program_.body, own_);
}

std::optional<Touched> LocalityMemo::touched(std::string const& tensor, Nests const& nests) const {
  std::lock_guard lock(mutex_);
  auto found = touched_.find({tensor, nests});
  return found == touched_.end() ? std::nullopt : std::optional(found->second);
}

void LocalityMemo::keep(std::string const& tensor, Nests const& nests, Touched const& value) {
  if (!std::ranges::includes(own_, nests)) return;
  std::lock_guard lock(mutex_);
  touched_.try_emplace({tensor, nests}, value);
}

std::optional<double> LocalityMemo::traffic(void const* nest, int64_t capacity) const {
  std::lock_guard lock(mutex_);
  auto found = traffic_.find({nest, capacity});
  return found == traffic_.end() ? std::nullopt : std::optional(found->second);
}

void LocalityMemo::keep(void const* nest, int64_t capacity, double bytes) {
  if (!own_.contains(nest)) return;
  std::lock_guard lock(mutex_);
  traffic_.try_emplace({nest, capacity}, bytes);
}

/// Empty: of a nest that is not the program's own, whose statements may end before this does.
LocalityMemo::Site LocalityMemo::key_of(ir::BlockSite const& site) const {
  void const* nest = site.loops.empty() ? static_cast<void const*>(site.block) : site.loops.front();
  if (!own_.contains(nest)) return {};
  Site key(site.loops.begin(), site.loops.end());
  key.push_back(site.block);
  return key;
}

LocalityMemo::Accesses LocalityMemo::accesses(ir::BlockSite const& site) {
  auto found = [&] { return std::make_shared<std::vector<TensorAccess> const>(accesses_of(site)); };
  Site key = key_of(site);
  if (key.empty()) return found();
  {
    std::lock_guard lock(mutex_);
    if (auto known = accesses_.find(key); known != accesses_.end()) return known->second;
  }
  Accesses made = found();
  std::lock_guard lock(mutex_);
  return accesses_.try_emplace(std::move(key), std::move(made)).first->second;
}

Instructions LocalityMemo::instructions(ir::BlockSite const& site, int vector_lanes) {
  std::pair key{key_of(site), vector_lanes};
  if (key.first.empty()) return instructions_of(compiled(site, vector_lanes).site, vector_lanes);
  {
    std::lock_guard lock(mutex_);
    if (auto known = instructions_.find(key); known != instructions_.end()) return known->second;
  }
  Instructions made = instructions_of(compiled(site, vector_lanes).site, vector_lanes);
  std::lock_guard lock(mutex_);
  return instructions_.try_emplace(std::move(key), made).first->second;
}

}  // namespace tw::analysis
