#include "engine/lowering/warp_rows.h"

#include <algorithm>
#include <bit>
#include <map>

#include "engine/arith/simplify.h"
#include "engine/ir/annotations.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/target/axis_of.h"

namespace tw {

using namespace ir;

namespace {

bool is_of_threads(ThreadAxis const* axis) {
  return axis && axis->level == Level::kThread && !axis->interleaved;
}

/// How many threads a launch has along each axis; none: other passes make further threads.
std::optional<std::map<std::string, int64_t>> launched(Target const& target, For const& launch) {
  std::map<std::string, int64_t> extents;
  bool known = true;
  auto count = [&](For const& loop) {
    ThreadAxis const* axis = axis_of(target, loop);
    known = known && !said_of(loop, kRolesWord) && !(axis && axis->interleaved);
    if (!is_of_threads(axis)) return;
    std::optional<int64_t> extent = as_int(loop.extent);
    known = known && extent;
    int64_t& most = extents.try_emplace(loop.bind, 1).first->second;
    most = std::max(most, extent.value_or(1));
  };
  count(launch);
  walk(launch.body, [&](Stmt const& s) {
    if (auto const* loop = s.as<For>()) count(*loop);
    return true;
  });
  if (!known) return std::nullopt;
  return extents;
}

/// The indices of a read or a write as functions of axes and loops.
class RowReads {
public:
  RowReads(Target const& target, BlockSite const& site, std::string const& axis, int64_t threads)
      : target_(target),
        store_(*reduction_of(*site.block)->store),
        own_(site.block->id),
        axis_(axis),
        threads_(threads) {
    for (For const* loop : site.loops) enter(*loop);
    take_iters(*site.block);
    written_ = in_axes(store_.indices);
    named_.clear();
  }

  bool hold(Stmt const& body) {
    visit(body);
    return good_;
  }

private:
  void enter(For const& loop) {
    if (is_of_threads(axis_of(target_, loop))) named_[loop.name()] = var(loop.bind);
  }
  void take_iters(Block const& block) {
    Substitution const loops = named_;
    for (IterVar const& iter : block.iters) named_[iter.name()] = substitute(iter.binding, loops);
  }
  std::vector<Expr> in_axes(std::vector<Expr> const& indices) const {
    std::vector<Expr> made;
    for (Expr const& e : indices) made.push_back(arith::simplify(substitute(e, named_)));
    return made;
  }

  void visit(Stmt const& root) {
    walk(root, [&](Stmt const& s) {
      Substitution const outside = named_;
      bool const had_thread = has_thread_;
      if (auto const* loop = s.as<For>()) {
        enter(*loop);
        if (loop->bind == axis_)
          has_thread_ = as_int(loop->extent).value_or(threads_ + 1) <= threads_;
        visit(loop->body);
      } else if (auto const* block = s.as<Block>()) {
        take_iters(*block);
        if (block->id.value != own_.value) visit_block(*block);
      } else {
        if (s.as<IntrinsicCall>() || s.as<Store>()) look(s);
        return true;
      }
      named_ = outside;
      has_thread_ = had_thread;
      return false;
    });
  }

  void visit_block(Block const& block) {
    if (block.init) visit(block.init);
    visit(block.body);
  }

  void look(Stmt const& s) {
    walk_writes(
        s, [&](Touched const& at) { good_ = good_ && at.buffer->name != store_.buffer->name; });
    walk_reads(s, [&](Touched const& at) {
      if (at.buffer->name != store_.buffer->name) return;
      good_ = good_ && has_thread_ && !s.as<IntrinsicCall>() &&
              std::ranges::equal(in_axes(at.indices), written_,
                                 [](Expr const& a, Expr const& b) { return equal(a, b); });
    });
  }

  Target const& target_;
  Store const& store_;
  BlockId own_;
  std::string axis_;
  int64_t threads_;
  std::vector<Expr> written_;
  Substitution named_;
  bool has_thread_ = false, good_ = true;
};

class WithThread : public Rewriter {
public:
  WithThread(std::string tensor, Buffer by, std::string axis)
      : tensor_(std::move(tensor)), by_(std::move(by)), axis_(std::move(axis)) {}

  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    auto const* read = next.as<Load>();
    if (!read || read->buffer->name != tensor_ || !thread_) return next;
    std::vector<Expr> indices = read->indices;
    indices.push_back(thread_);
    return load(by_, std::move(indices));
  }
  Stmt visit(Stmt const& s) override {
    Expr const outside = thread_;
    if (auto const* loop = s.as<For>(); loop && loop->bind == axis_) thread_ = loop->var;
    Stmt next = rebuild(s);
    thread_ = outside;
    auto const* alloc = next.as<Alloc>();
    if (!alloc || alloc->buffer->name != tensor_) return next;
    return make_from<Alloc>(alloc->origin, by_, alloc->body);
  }

private:
  std::string tensor_;
  Buffer by_;
  std::string axis_;
  Expr thread_;
};

}  // namespace

std::optional<WarpRow> warp_row(Target const& target, For const& launch, For const& bound,
                                DType type) {
  auto fastest = std::ranges::find_if(target.axes,
                                      [](ThreadAxis const& axis) { return is_of_threads(&axis); });
  std::optional<int64_t> count = as_int(bound.extent);
  if (!target.shuffles.of(type) || !count || *count < 2 || fastest == target.axes.end() ||
      bound.bind != fastest->name)
    return std::nullopt;
  auto extents = launched(target, launch);
  if (!extents) return std::nullopt;
  WarpRow row;
  row.lanes = std::min(target.shuffles.lanes, int64_t(std::bit_ceil(uint64_t(*count))));
  row.threads = (*count + row.lanes - 1) / row.lanes * row.lanes;
  int64_t& along = (*extents)[bound.bind];
  along = std::max(along, row.threads);
  int64_t rows = 1;
  for (auto const& [axis, extent] : *extents)
    if (axis != bound.bind) rows *= extent;
  bool fits = along <= fastest->extent &&
              (target.threads_per_block == 0 || along * rows <= target.threads_per_block);
  if (!fits || (rows > 1 && along % row.lanes != 0)) return std::nullopt;
  // What is left of each warp is added by one.
  if (row.groups() > target.shuffles.lanes) return std::nullopt;
  return row;
}

bool is_of_its_row(Target const& target, Stmt const& body, BlockSite const& site,
                   std::string const& axis, int64_t threads) {
  return RowReads(target, site, axis, threads).hold(body);
}

Stmt with_thread(Stmt const& body, std::string const& tensor, Buffer const& by,
                 std::string const& axis) {
  return WithThread(tensor, by, axis).visit(body);
}

}  // namespace tw
