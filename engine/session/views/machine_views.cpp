#include "engine/session/views/machine_views.h"

#include <algorithm>

#include "engine/compile/load_time.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "engine/schedule/legality/bound_loops.h"
#include "engine/session/views/memory_views.h"
#include "engine/target/memory_parts.h"

namespace tw::session {
namespace {

void describe_barriers(ir::KernelIr const& kernel, ir::IntrinsicNode const& barrier,
                       NestView& view) {
  auto bar_of = [&](int loop) {
    return int(std::ranges::find(view.bars, loop, &LoopBar::id) - view.bars.begin());
  };
  size_t waiting = 0;  // those from there on have no bar behind them yet
  for (CodeLine const& line : text_of_kernel(kernel).lines) {
    if (line.barrier) {
      BarrierLine found{barrier.name, barrier.doc, -1, int(view.bars.size())};
      for (int loop : line.loops)
        if (bar_of(loop) < int(view.bars.size())) found.loop = loop;
      view.barriers.push_back(std::move(found));
    }
    int opened = line.loop >= 0 ? bar_of(line.loop) : int(view.bars.size());
    if (opened == int(view.bars.size())) continue;
    for (; waiting < view.barriers.size(); ++waiting) view.barriers[waiting].before = opened;
  }
}

}  // namespace

BoundTo bound_to(std::string const& axis, Target const& target) {
  auto found = std::ranges::find(target.axes, axis, &ThreadAxis::name);
  if (found == target.axes.end()) return BoundTo::kNothing;
  if (found->interleaved) return BoundTo::kTurns;
  return found->level == Level::kBlock ? BoundTo::kBlocks : BoundTo::kThreads;
}

void describe_machine(ir::Program const& program, Backend const& backend, NestView& view) {
  Target const& target = backend.target();
  if (!target.axes.empty() || has_limited_memories(target))
    view.memories = memory_cards(program, target);
  if (!target.barrier || !has_bound_loops(program)) return;
  // What does not fit is shown, too: nothing is asked of the target.
  std::span<Pass const> passes = backend.passes();
  auto check = std::ranges::find(passes, "check_target", &Pass::name);
  auto lowered =
      lower(split_load_time(program).at_run, target, passes.first(size_t(check - passes.begin())));
  if (lowered) describe_barriers(lowered->back().kernel, *target.barrier, view);
}

std::map<std::string, ir::Intrinsic> called_instructions(ir::Stmt const& body) {
  std::map<std::string, ir::Intrinsic> called;
  ir::walk(body, [&](ir::Stmt const& s) {
    if (auto const* call = s.as<ir::IntrinsicCall>())
      called.emplace(call->intrinsic->name, call->intrinsic);
    return true;
  });
  return called;
}

std::map<std::string, ir::Intrinsic> called_instructions(ir::KernelIr const& kernel) {
  std::map<std::string, ir::Intrinsic> called = called_instructions(kernel.host.body);
  for (ir::Function const& function : kernel.device)
    called.merge(called_instructions(function.body));
  return called;
}

void mark_call(CodeLine& line, std::map<std::string, ir::Intrinsic> const& called) {
  constexpr std::string_view kWord = "call ";
  size_t begin = line.text.find_first_not_of(' ');
  if (begin == std::string::npos || !std::string_view(line.text).substr(begin).starts_with(kWord))
    return;
  begin += kWord.size();
  size_t end = line.text.find('(', begin);
  if (end == std::string::npos) return;
  auto found = called.find(line.text.substr(begin, end - begin));
  if (found == called.end()) return;
  line.call = found->first;
  line.barrier = found->second->barrier;
}

}  // namespace tw::session
