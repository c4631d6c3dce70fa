#include "engine/analysis/locality_memo.h"

#include <algorithm>

#include "engine/analysis/compiled_loops.h"
#include "engine/ir/stmt.h"

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

namespace {

/// What is known under the key; made without the lock where it is not, by several at once perhaps.
template <typename Key, typename Value, typename Make>
Value known_or_made(std::mutex& mutex, std::map<Key, Value>& all, Key key, Make make) {
  {
    std::lock_guard lock(mutex);
    if (auto known = all.find(key); known != all.end()) return known->second;
  }
  Value made = make();
  std::lock_guard lock(mutex);
  return all.try_emplace(std::move(key), std::move(made)).first->second;
}

}  // namespace

LocalityMemo::Accesses LocalityMemo::accesses(ir::BlockSite const& site) {
  auto make = [&] { return std::make_shared<std::vector<TensorAccess> const>(accesses_of(site)); };
  Site key = key_of(site);
  return key.empty() ? make() : known_or_made(mutex_, accesses_, std::move(key), make);
}

Instructions LocalityMemo::instructions(ir::BlockSite const& site, int vector_lanes) {
  auto make = [&] { return compiled_instructions(site, vector_lanes); };
  std::pair key{key_of(site), vector_lanes};
  return key.first.empty() ? make() : known_or_made(mutex_, instructions_, std::move(key), make);
}

}  // namespace tw::analysis
