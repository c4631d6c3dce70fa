// for(threadIdx.x) t: S += x[t]   -->   for(threadIdx.x) t: { P = x[t]; Q = P of t ^ 16; P += Q ..
#include "engine/lowering/shuffled_sum.h"

#include <algorithm>
#include <bit>
#include <span>

#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/target/axis_of.h"

namespace tw {

using namespace ir;

ShuffledSum::ShuffledSum(ThreadSum const& shared, Target const& target, FreshNames& fresh)
    : ThreadSumParts(shared, target, fresh),
      sum_(info_.store->buffer),
      shuffle_(target.shuffles.of(sum_->type)) {
  For const* around = bound_around();
  bool one_bound = std::ranges::none_of(
      std::span(shared.site.loops).subspan(shared.first), [&](For const* loop) {
        return loop != shared.bound && axis_of(target, *loop) && is_part(block_, *loop, true);
      });
  bool known = std::ranges::all_of(spatial_, [](For const* loop) {
    return as_int(loop->extent) && loop->loop_kind != LoopKind::kVector;
  });
  if (one_bound && known && block_.init.as<Store>())
    row_ = warp_row(target, around ? *around : *shared.site.loops[shared.first], *shared.bound,
                    sum_->type);
}

Stmt ShuffledSum::run(Stmt const& body) {
  std::string const& axis = shared_.bound->bind;
  bool own = is_shared() && is_of_its_row(target_, body, shared_.site, axis, row_->threads);
  if (own) of_thread_ = sum_of_threads();
  std::vector<Stmt> stmts{of_warps()};
  if (row_->groups() > 1) stmts.push_back(of_block());
  Stmt next = put(body, std::move(stmts));
  return own ? with_thread(next, sum_->name, of_thread_, axis) : next;
}

bool ShuffledSum::is_shared() const {
  MemoryScope const* memory = target_.scope(sum_->scope);
  return memory && memory->shared_by == Level::kBlock;
}

Buffer ShuffledSum::sum_of_threads() const {
  std::vector<int64_t> shape = *constant_shape(*sum_);
  shape.push_back(row_->threads);
  return make_buffer(sum_->name, sum_->type, shape, sum_->scope);
}

Expr ShuffledSum::thread() const { return shared_.bound->var; }

Expr ShuffledSum::warp() const { return floor_div(thread(), int_imm(row_->lanes)); }

Expr ShuffledSum::in_warp() const { return floor_mod(thread(), int_imm(row_->lanes)); }

Buffer ShuffledSum::of_a_thread(char const* name) {
  auto memory = std::ranges::find(target_.scopes, Level::kThread, &MemoryScope::shared_by);
  std::vector<int64_t> shape;
  for (For const* loop : spatial_)
    if (!is_bound(*loop)) shape.push_back(as_int(loop->extent).value_or(1));
  if (shape.empty()) shape.push_back(1);
  return make_buffer(fresh_.tensor(sum_->name + name), sum_->type, shape, memory->name);
}

std::vector<Expr> ShuffledSum::place() const {
  std::vector<Expr> at;
  for (For const* loop : spatial_)
    if (!is_bound(*loop)) at.push_back(loop->var);
  if (at.empty()) at.push_back(int_imm(0));
  return at;
}

Expr ShuffledSum::value_of(Buffer const& tensor) const { return load(tensor, place()); }

Stmt ShuffledSum::of_warps() {
  Buffer const sum = of_a_thread("_own");
  Expr few;
  if (as_int(shared_.bound->extent) != row_->threads)
    few = binary(BinaryOp::kLt, thread(), shared_.bound->extent);
  Stmt terms = partial(sum, place(), own(), row_->threads, both(few, chosen_), guard_);
  for (size_t i = shared_.site.loops.size(); i-- > shared_.first;)
    if (!is_bound(*shared_.site.loops[i])) terms = around(*shared_.site.loops[i], terms);
  std::vector<Stmt> stmts = unset_where_guarded(sum);
  stmts.push_back(terms);
  stmts.push_back(steps(sum, row_->lanes));
  if (row_->groups() > 1) parts_ = tensor(row_->groups());
  stmts.push_back(in_own_loops(parts_ ? part_of_warp(sum) : result(sum)));
  return nest(sum, std::move(stmts), row_->threads, shared_.bound->id);
}

Stmt ShuffledSum::of_block() {
  Buffer const sum = of_a_thread("_own");
  int64_t parts = row_->groups(), lanes = int64_t(std::bit_ceil(uint64_t(parts)));
  Expr part = of_thread_ ? floor_mod(thread(), int_imm(lanes)) : thread();
  Expr value = load(parts_, element(part));
  if (parts < lanes) value = select(binary(BinaryOp::kLt, part, int_imm(parts)), value, nothing());
  std::vector<Stmt> stmts = unset_where_guarded(sum);
  stmts.push_back(in_own_loops(block(sum->name, guard_, make<Store>(sum, place(), value))));
  stmts.push_back(steps(sum, lanes));
  stmts.push_back(in_own_loops(result(sum)));
  return nest(sum, std::move(stmts), of_thread_ ? row_->threads : lanes, fresh_.loop());
}

std::vector<Stmt> ShuffledSum::unset_where_guarded(Buffer const& sum) {
  if (!guard_) return {};
  return {in_own_loops(make<Store>(sum, place(), nothing()))};
}

Stmt ShuffledSum::steps(Buffer const& sum, int64_t lanes) {
  Buffer const other = of_a_thread("_other");
  std::vector<Stmt> stmts;
  for (int64_t step = lanes / 2; step > 0; step /= 2) {
    std::vector<Operand> operands{one(other), one(sum), {int_imm(lanes), {}}, {int_imm(step), {}}};
    stmts.push_back(make<IntrinsicCall>(shuffle_, std::move(operands)));
    stmts.push_back(make<Store>(sum, place(), binary(info_.op, value_of(sum), value_of(other))));
  }
  return make<Alloc>(other, in_own_loops(seq(std::move(stmts))));
}

Operand ShuffledSum::one(Buffer const& tensor) const {
  return {value_of(tensor), {{var(tensor->name + ".0"), int_imm(1)}}};
}

Stmt ShuffledSum::part_of_warp(Buffer const& sum) {
  Expr first = binary(BinaryOp::kEq, in_warp(), int_imm(0));
  return block(parts_->name, both(guard_, first),
               make<Store>(parts_, element(warp()), value_of(sum)));
}

Stmt ShuffledSum::result(Buffer const& sum) {
  Expr value = value_of(sum), start = block_.init.to<Store>().value;
  if (!equal(start, nothing())) value = binary(info_.op, start, value);
  std::vector<Expr> at = info_.store->indices;
  if (of_thread_) at.push_back(thread());
  Expr first = of_thread_ ? Expr() : binary(BinaryOp::kEq, thread(), int_imm(0));
  return make_from<Block>(block_.origin, block_.id, block_.name, block_.op, spatial_iters(),
                          both(guard_, first), Stmt(),
                          make<Store>(of_thread_ ? of_thread_ : sum_, at, value));
}

Stmt ShuffledSum::block(std::string const& name, Expr const& guard, Stmt const& body) {
  return make_from<Block>(block_.origin, fresh_.block(), name, block_.op, spatial_iters(), guard,
                          Stmt(), body);
}

bool ShuffledSum::is_bound(For const& loop) { return loop.loop_kind == LoopKind::kBind; }

Stmt ShuffledSum::around(For const& loop, Stmt const& body, std::optional<LoopId> id) {
  return make_from<For>(loop.origin, id.value_or(loop.id), loop.var, loop.extent, loop.loop_kind,
                        body, loop.bind);
}

Stmt ShuffledSum::in_own_loops(Stmt body) {
  for (size_t i = spatial_.size(); i-- > 0;)
    if (!is_bound(*spatial_[i])) body = around(*spatial_[i], body, fresh_.loop());
  return body;
}

Stmt ShuffledSum::nest(Buffer const& sum, std::vector<Stmt> stmts, int64_t threads, LoopId id) {
  For const& bound = *shared_.bound;
  Stmt body = make_from<For>(bound.origin, id, bound.var, int_imm(threads), LoopKind::kBind,
                             make<Alloc>(sum, seq(std::move(stmts))), bound.bind);
  for (size_t i = spatial_.size(); i-- > 0;)
    if (is_bound(*spatial_[i])) body = around(*spatial_[i], body, fresh_.loop());
  return body;
}

}  // namespace tw
