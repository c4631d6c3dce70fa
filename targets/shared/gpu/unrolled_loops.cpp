#include "targets/shared/gpu/unrolled_loops.h"

#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "targets/shared/gpu/instruction_mix.h"

namespace tw::gpu {

using namespace ir;

namespace {

constexpr int64_t kMostUnrolled = 4096;  ///< iterations of a loop that is written out

bool is_index_of(Stmt const& s, std::string const& tensor, std::string const& counter) {
  bool used = false;
  auto look = [&](Touched const& at) {
    used = used || (at.buffer->name == tensor && uses_variable(at.indices[0], counter));
  };
  walk_reads(s, look);
  walk_writes(s, look);
  return used;
}

}  // namespace

bool is_unrolled(For const& loop, int64_t extent, Weight const& weight) {
  if (weight.stays || extent > kMostUnrolled) return false;
  return loop.loop_kind == LoopKind::kUnroll || loop.loop_kind == LoopKind::kVector;
}

Weight weigh(Stmt const& s) {
  Weight weight;
  if (auto const* loop = s.as<For>()) {
    weight = weigh(loop->body);
    int64_t extent = as_int(loop->extent).value_or(kMostUnrolled + 1);
    if (is_unrolled(*loop, extent, weight))
      weight.statements *= extent;
    else
      weight.stays = true;
    return weight;
  }
  auto join = [&](Stmt const& child) {
    if (!child) return;
    Weight one = weigh(child);
    weight.statements += one.statements;
    weight.stays = weight.stays || one.stays;
  };
  if (auto const* list = s.as<Seq>())
    for (Stmt const& child : list->stmts) join(child);
  else if (auto const* alloc = s.as<Alloc>())
    join(alloc->body);
  else if (auto const* let = s.as<Let>())
    join(let->body);
  else if (auto const* test = s.as<If>())
    join(test->then_body), join(test->else_body);
  else if (auto const* call = s.as<IntrinsicCall>())
    weight = {1, multiply_adds_of(*call->intrinsic) == 0};
  else
    weight = {1, false};
  return weight;
}

bool indices_are_known(Stmt const& s, std::string const& tensor) {
  if (auto const* loop = s.as<For>(); loop && loop->loop_kind != LoopKind::kBind) {
    int64_t extent = as_int(loop->extent).value_or(kMostUnrolled + 1);
    bool known = is_unrolled(*loop, extent, weigh(loop->body)) ||
                 !is_index_of(loop->body, tensor, loop->name());
    return known && indices_are_known(loop->body, tensor);
  }
  bool known = true;
  walk(s, [&](Stmt const& child) {
    auto const* loop = child.as<For>();
    if (!loop || loop->loop_kind == LoopKind::kBind) return known;
    known = known && indices_are_known(child, tensor);
    return false;
  });
  return known;
}

}  // namespace tw::gpu
