#include "engine/lowering/role_threads.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/target/axis_of.h"

namespace tw {

using namespace ir;

namespace {

constexpr char kRoleAxis[] = "threadIdx.z";

}  // namespace

std::unexpected<Error> no_roles(std::string why) {
  return refused("no_roles", "threads cannot be split by roles: " + std::move(why));
}

Result<RoleThreads> RoleThreads::of(Target const& target, Stmt const& launch) {
  RoleThreads made;
  made.target_ = &target;
  made.body_ = launch;
  for (auto const* loop = launch.as<For>(); loop && axis_of(target, *loop);
       loop = made.body_.as<For>()) {
    auto extent = as_int(loop->extent);
    if (!extent) return no_roles("how many threads a block has is not known");
    made.computing_ *= *extent;
    made.loops_.push_back(loop);
    made.body_ = loop->body;
  }
  return made;
}

Status RoleThreads::choose(std::optional<int64_t> filling) {
  filling_ = filling.value_or(computing_);
  if (computing_ + filling_ > target_->threads_per_block)
    return no_roles(fmt::format("{} threads and {} that fill are more than the {} of a block",
                                computing_, filling_, target_->threads_per_block));
  if (filling_ == computing_) {
    for (For const* loop : loops_)
      if (loop->bind == kRoleAxis) return no_roles(fmt::format("{} is bound already", kRoleAxis));
    return {};
  }
  longer_ = *std::ranges::max_element(
      loops_, {}, [&](For const* loop) { return axis_of(*target_, *loop) - &target_->axes[0]; });
  extent_ = *as_int(longer_->extent);
  int64_t row = computing_ / extent_;
  more_ = filling_ / row;
  if (filling_ % row == 0) return {};
  return no_roles(fmt::format("{} threads that fill are no whole number of the {} below each of {}",
                              filling_, row, longer_->bind));
}

Expr RoleThreads::fills() const {
  return longer_ ? int_imm(extent_) <= longer_->var : var(kRoleAxis) < int_imm(1);
}

Stmt RoleThreads::by_turns(Stmt const& s) const {
  if (!longer_) return s;
  int64_t turns = (extent_ + more_ - 1) / more_;
  Expr turn = var(longer_->name() + ".turn"), own = longer_->var - int_imm(extent_);
  Expr at = turns == 1 ? own : turn * int_imm(more_) + own;
  Stmt part = substitute(s, {{longer_->name(), at}});
  if (extent_ % more_ != 0) part = make<If>(at < int_imm(extent_), part);
  return turns == 1
             ? part
             : make<For>(LoopId(), turn, int_imm(turns), LoopKind::kSerial, part, std::string());
}

Stmt RoleThreads::launched(Stmt body) const {
  for (auto at = loops_.rbegin(); at != loops_.rend(); ++at) {
    For const& loop = **at;
    Expr extent = &loop == longer_ ? int_imm(extent_ + more_) : loop.extent;
    body = make_from<For>(loop.origin, loop.id, loop.var, extent, loop.loop_kind, body, loop.bind);
  }
  if (longer_) return body;
  return make<For>(LoopId(), var(kRoleAxis), int_imm(2), LoopKind::kBind, body, kRoleAxis);
}

}  // namespace tw
