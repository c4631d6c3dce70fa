#include "engine/analysis/locality_memo.h"

#include <algorithm>

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

}  // namespace tw::analysis
