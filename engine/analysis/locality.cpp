#include "engine/analysis/locality.h"

#include <algorithm>
#include <functional>

#include "engine/ir/rewrite.h"

namespace tw::analysis {

using namespace ir;

namespace {

/// A loop on the way to an access.
struct Step {
  std::string name;
  int64_t extent;
};

/// An access with the loops around it and the first of them that its tensor's instances share.
struct IndexBounds {
  TensorAccess const* access = nullptr;
  std::vector<Step> loops;
  size_t allocated_at = 0;     ///< number of loops around the allocation; 0: outside of all
  std::vector<bool> reduces;   ///< of each loop: it feeds a reduce iterator of the block
  void const* nest = nullptr;  ///< the outermost statement around it
};

int64_t product(std::vector<Step> const& loops, size_t from) {
  int64_t count = 1;
  for (size_t i = from; i < loops.size(); ++i) count *= loops[i].extent;
  return count;
}

}  // namespace

struct Locality::Node {
  size_t depth = 0;  ///< loops around, this one not counted
  int64_t line_bytes = 64;
  For const* loop = nullptr;
  void const* nest = nullptr;    ///< the statement, of the outermost
  LocalityMemo* memo = nullptr;  ///< of the root, and of the outermost
  std::vector<std::unique_ptr<Node>> children;
  std::vector<IndexBounds const*> reaches;  ///< of all blocks below
  std::vector<std::string> allocates;       ///< tensors that live inside of this node only
  LocalityMemo::Accesses accesses;          ///< of a block
  std::vector<std::unique_ptr<IndexBounds>> own;
  mutable std::map<std::pair<size_t, int64_t>, Touched> known;

  /// What the accesses reach while the loops from `first` on run; `factor` > 0 limits the first.
  Touched reached(size_t first, int64_t factor = 0) const;
  double moved(size_t first) const;
  double traffic(int64_t capacity) const;
  double found_traffic(int64_t capacity) const;
  Touched of_tensor(std::string const& name, std::vector<IndexBounds const*> const& list,
                    size_t first, int64_t factor) const;
};

namespace {

Iterations iterations_of(IndexBounds const& reach, size_t first, int64_t factor) {
  Iterations result;
  size_t from = std::max(first, reach.allocated_at);
  for (size_t i = 0; i < reach.loops.size(); ++i) {
    Step const& loop = reach.loops[i];
    int64_t extent = i == first && factor > 0 ? std::min(factor, loop.extent) : loop.extent;
    if (i >= from)
      result.running[loop.name] = extent;
    else
      result.standing[loop.name] = (loop.extent - 1) / 2;
  }
  return result;
}

using ByTensor = std::map<std::string, std::vector<IndexBounds const*>>;

ByTensor by_tensor(std::vector<IndexBounds const*> const& reaches) {
  ByTensor tensors;
  for (IndexBounds const* reach : reaches) tensors[reach->access->buffer->name].push_back(reach);
  return tensors;
}

Touched touched_by(std::vector<IndexBounds const*> const& reaches, int64_t line_bytes, size_t first,
                   int64_t factor) {
  std::vector<RunningAccess> accesses;
  for (IndexBounds const* reach : reaches)
    accesses.push_back({reach->access, iterations_of(*reach, first, factor)});
  return touched(accesses, line_bytes);
}

void add(Touched& into, Touched const& other) {
  into.bytes += other.bytes;
  into.line_bytes += other.line_bytes;
  into.exact = into.exact && other.exact;
}

/// The tensor is made below from nothing: a complete block, or a reduction that begins and ends
/// while the loops from `first` on run.
bool begins_inside(std::vector<IndexBounds const*> const& reaches, size_t first) {
  for (IndexBounds const* reach : reaches) {
    if (!reach->access->writes) continue;
    if (!reach->access->update) return true;
    bool outside = false;
    for (size_t i = 0; i < std::min(first, reach->loops.size()); ++i)
      outside = outside || reach->reduces[i];
    return !outside;
  }
  return false;
}

std::vector<std::unique_ptr<IndexBounds>> reaches_of(
    BlockSite const& site, std::vector<TensorAccess> const& accesses,
    std::map<std::string, size_t> const& allocated) {
  IndexBounds model;
  model.nest = site.loops.empty() ? static_cast<void const*>(site.block) : site.loops.front();
  for (For const* loop : site.loops) {
    model.loops.push_back({loop->name(), as_int(loop->extent).value_or(1)});
    model.reduces.push_back(
        std::any_of(site.block->iters.begin(), site.block->iters.end(), [&](IterVar const& iter) {
          return (iter.kind == IterKind::kReduce || iter.kind == IterKind::kOpaque) &&
                 uses_variable(iter.binding, loop->name());
        }));
  }
  std::vector<std::unique_ptr<IndexBounds>> reaches;
  for (TensorAccess const& access : accesses) {
    auto reach = std::make_unique<IndexBounds>(model);
    auto place = allocated.find(access.buffer->name);
    reach->allocated_at = place == allocated.end() ? 0 : place->second;
    reach->access = &access;
    reaches.push_back(std::move(reach));
  }
  return reaches;
}

}  // namespace

Touched Locality::Node::reached(size_t first, int64_t factor) const {
  auto [place, fresh] = known.try_emplace({first, factor});
  if (!fresh) return place->second;
  Touched sum;
  for (auto const& [name, list] : by_tensor(reaches))
    add(sum, of_tensor(name, list, first, factor));
  return place->second = sum;
}

/// Of the whole program a tensor's part is often known: few drafts change the nests that it is in.
Touched Locality::Node::of_tensor(std::string const& name,
                                  std::vector<IndexBounds const*> const& list, size_t first,
                                  int64_t factor) const {
  if (!memo || nest || first > 0 || factor > 0) return touched_by(list, line_bytes, first, factor);
  LocalityMemo::Nests nests;
  for (IndexBounds const* reach : list) nests.insert(reach->nest);
  if (auto known_before = memo->touched(name, nests)) return *known_before;
  Touched value = touched_by(list, line_bytes, first, factor);
  memo->keep(name, nests, value);
  return value;
}

/// Lines that come in and lines that leave, each once.
double Locality::Node::moved(size_t first) const {
  double bytes = 0;
  for (auto const& [name, list] : by_tensor(reaches)) {
    bool lives_inside = list.front()->allocated_at > first ||
                        std::find(allocates.begin(), allocates.end(), name) != allocates.end();
    if (lives_inside) continue;
    std::vector<IndexBounds const*> reads, writes;
    for (IndexBounds const* reach : list) (reach->access->writes ? writes : reads).push_back(reach);
    if (!reads.empty() && !begins_inside(list, first))
      bytes += double(touched_by(reads, line_bytes, first, 0).line_bytes);
    bytes += double(touched_by(writes, line_bytes, first, 0).line_bytes);
  }
  return bytes;
}

double Locality::Node::traffic(int64_t capacity) const {
  if (!memo || !nest) return found_traffic(capacity);
  if (auto known_before = memo->traffic(nest, capacity)) return *known_before;
  double bytes = found_traffic(capacity);
  memo->keep(nest, capacity, bytes);
  return bytes;
}

double Locality::Node::found_traffic(int64_t capacity) const {
  if (reached(depth).line_bytes <= capacity) return moved(depth);
  // What an iteration leaves for the next stays if what comes between fits: less than both touch
  // together, more than one touches alone.
  int64_t between = loop ? (reached(depth + 1).line_bytes + reached(depth, 2).line_bytes) / 2 : 0;
  if (loop && between <= capacity) return moved(depth);
  double sum = 0;
  for (auto const& child : children) sum += child->traffic(capacity);
  if (children.empty()) sum = moved(loop ? depth + 1 : depth);
  return loop ? sum * double(as_int(loop->extent).value_or(1)) : sum;
}

namespace {

/// Walks a program's statements; the tree has a node for each loop and each block.
struct Building {
  std::map<std::string, size_t> allocated;
  std::vector<For const*> loops;
};

}  // namespace

Locality::Locality(Program const& program, int64_t line_bytes, LocalityMemo* memo)
    : root_(std::make_unique<Node>()) {
  root_->line_bytes = line_bytes;
  root_->memo = memo;
  Building at;
  std::function<void(Stmt const&, Node&)> grow = [&](Stmt const& s, Node& into) {
    if (auto const* list = s.as<Seq>()) {
      for (Stmt const& one : list->stmts) grow(one, into);
    } else if (auto const* alloc = s.as<Alloc>()) {
      at.allocated[alloc->buffer->name] = at.loops.size();
      into.allocates.push_back(alloc->buffer->name);
      grow(alloc->body, into);
    } else if (auto const* test = s.as<If>()) {
      grow(test->then_body, into);
      if (test->else_body) grow(test->else_body, into);
    } else if (auto const* loop = s.as<For>()) {
      auto node = std::make_unique<Node>();
      node->depth = at.loops.size();
      node->line_bytes = line_bytes;
      node->loop = loop;
      if (at.loops.empty()) node->nest = loop;
      if (at.loops.empty()) node->memo = memo;
      loops_[loop->id.value] = node.get();
      at.loops.push_back(loop);
      grow(loop->body, *node);
      at.loops.pop_back();
      into.reaches.insert(into.reaches.end(), node->reaches.begin(), node->reaches.end());
      into.children.push_back(std::move(node));
    } else if (auto const* block = s.as<Block>()) {
      auto node = std::make_unique<Node>();
      node->depth = at.loops.size();
      node->line_bytes = line_bytes;
      BlockSite site{block, at.loops};
      node->accesses = memo ? memo->accesses(site)
                            : std::make_shared<std::vector<TensorAccess> const>(accesses_of(site));
      node->own = reaches_of(site, *node->accesses, at.allocated);
      for (auto const& reach : node->own) node->reaches.push_back(reach.get());
      into.reaches.insert(into.reaches.end(), node->reaches.begin(), node->reaches.end());
      into.children.push_back(std::move(node));
    }
  };
  grow(program.body, *root_);
}

Locality::~Locality() = default;
Locality::Locality(Locality&&) noexcept = default;

LocalityMemo* Locality::memo() const { return root_->memo; }

LoopLocality Locality::loop(LoopId id) const {
  Node const& node = *loops_.at(id.value);
  LoopLocality result{node.reached(node.depth + 1), node.reached(node.depth), 1};
  double accesses = 0;
  for (IndexBounds const* reach : node.reaches)
    accesses +=
        double(size_of(reach->access->buffer->type)) * double(product(reach->loops, node.depth));
  if (result.whole.bytes > 0) result.reuse = accesses / double(result.whole.bytes);
  return result;
}

Touched Locality::whole() const { return root_->reached(0); }

double Locality::traffic(int64_t capacity) const { return root_->traffic(capacity); }

int64_t Locality::largest_fit(LoopId id, int64_t capacity) const {
  Node const& node = *loops_.at(id.value);
  int64_t extent = as_int(node.loop->extent).value_or(1), best = 0;
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d * d <= extent; ++d)
    if (extent % d == 0) {
      divisors.push_back(d);
      if (d * d < extent) divisors.push_back(extent / d);
    }
  std::sort(divisors.begin(), divisors.end());
  // More iterations reach more: halve the list.
  size_t low = 0, high = divisors.size();
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (node.reached(node.depth, divisors[middle]).line_bytes <= capacity) {
      best = divisors[middle];
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return best;
}

}  // namespace tw::analysis
