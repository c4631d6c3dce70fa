#include "targets/cuda/compiler/lane_walk.h"

#include <fmt/format.h>

#include "engine/ir/text.h"

namespace tw::cuda {

using namespace ir;

namespace {

constexpr char kLaneAxis[] = "threadIdx.x";

}  // namespace

void LaneWalk::visit(Stmt const& s) {
  walk(s, [&](Stmt const& child) {
    if (!status_) return false;
    if (auto const* loop = child.as<For>()) return visit_loop(*loop), false;
    if (auto const* test = child.as<If>()) return visit_if(*test), false;
    if (auto const* alloc = child.as<Alloc>()) return visit_alloc(*alloc), false;
    if (auto const* let = child.as<Let>()) {
      // The calls stay those of the kernel: a value is put in where it is asked for.
      values_[let->var.to<Variable>().name] = known(let->value);
      return visit(let->body), false;
    }
    if (auto const* call = child.as<IntrinsicCall>()) visit_call(child, *call);
    return true;
  });
}

void LaneWalk::visit_alloc(Alloc const& alloc) { visit(alloc.body); }

void LaneWalk::visit_loop(For const& loop) {
  bool lanes = loop.bind == kLaneAxis;
  if (lanes) lane_ = &loop;
  bool apart = differs(known(loop.extent));
  if (apart) around_.push_back(loop.extent);
  if (auto extent = as_int(loop.extent)) ranges_.set(loop.name(), {0, *extent - 1});
  visit(loop.body);
  ranges_.erase(loop.name());
  if (apart) around_.pop_back();
  if (lanes) lane_ = nullptr;
}

void LaneWalk::visit_if(If const& test) {
  bool apart = differs(known(test.condition));
  if (apart) around_.push_back(test.condition);
  visit(test.then_body);
  if (test.else_body) visit(test.else_body);
  if (apart) around_.pop_back();
}

/// What is read from memory may be different in each thread.
bool LaneWalk::differs(Expr const& e) const {
  bool found = false;
  walk(e, [&](Expr const& part) {
    auto const* used = part.as<Variable>();
    found = found || part.as<Load>() || (used && lane_ && used->name == lane_->name());
    return !found;
  });
  return found;
}

std::string LaneWalk::why_apart(int64_t threads, char const* called) const {
  if (!lane_ || as_int(lane_->extent) != std::optional(threads))
    return fmt::format("{} must have {} iterations, {}, and has {}", kLaneAxis, threads, called,
                       lane_ ? to_text(lane_->extent) : "none");
  if (around_.empty()) return {};
  return fmt::format("it stands below {}, which is not the same in all of them",
                     to_text(around_.back()));
}

Expr LaneWalk::known(Expr const& e) const { return values_.empty() ? e : substitute(e, values_); }

}  // namespace tw::cuda
