#include "targets/shared/gpu/warp_accesses.h"

#include <algorithm>
#include <utility>

#include "engine/arith/places.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/lowering/async_copy_order.h"
#include "engine/lowering/pipeline.h"
#include "targets/shared/gpu/instruction_mix.h"

namespace tw::gpu {

using namespace ir;

namespace {

constexpr int64_t kWidest = 16;  // bytes of a thread's access

class Collecting {
public:
  Collecting(Function const& function, LaunchShape const& shape, int warp, int64_t alignment,
             CallAccesses const& calls)
      : shape_(shape), warp_(warp), alignment_(alignment), calls_(calls) {
    for (Buffer const& param : function.params) places_[param->name] = false;
  }

  std::vector<WarpAccess> run(Stmt const& body) {
    visit(body);
    return std::move(found_);
  }

private:
  /// A loop around, and how many conditions are around it.
  struct LoopHere {
    For const* loop;
    size_t conditions;
  };

  void visit(Stmt const& s) {
    if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) visit(child);
    } else if (auto const* loop = s.as<For>()) {
      visit_loop(*loop);
    } else if (auto const* alloc = s.as<Alloc>()) {
      if (alloc->buffer->scope == kSharedScope) places_[alloc->buffer->name] = true;
      visit(alloc->body);
    } else if (auto const* test = s.as<If>()) {
      loads(s, test->condition);
      visit_branches(*test);
    } else if (auto const* let = s.as<Let>()) {
      visit(let->body);
    } else if (auto const* store = s.as<Store>()) {
      loads(s, store->value);
      for (Expr const& index : store->indices) loads(s, index);
      add(s, *store->buffer, store->indices[0], true);
    } else if (auto const* call = s.as<IntrinsicCall>()) {
      copies(s, *call);
    }
  }

  /// A condition on counters with both branches is a guard that a pass has moved out of loops: the
  /// first version needs none.
  void visit_branches(If const& test) {
    std::string const around = version_;
    auto waits = [](Stmt const& s) { return has_phases(s); };
    if (test.else_body && holds(test.then_body, waits)) {  // roles, each of some warps
      visit(test.then_body);
      return visit(test.else_body);
    }
    bool tiles = test.else_body && std::ranges::any_of(around_, [&](LoopAround const& loop) {
                   return uses_variable(test.condition, loop.name);
                 });
    if (tiles) version_ = "whole tiles";
    where(test.condition, [&] { visit(test.then_body); });
    if (tiles) version_ = "edge tiles";
    if (test.else_body) where(unary(UnaryOp::kNot, test.condition), [&] { visit(test.else_body); });
    version_ = around;
  }

  void call_reads(Stmt const& s, std::vector<CallAccess> const& reads) {
    for (CallAccess const& one : reads) {
      together_ = one.width;
      lanes_ = one.lanes;
      auto const& element = one.element.to<Load>();
      add(s, *element.buffer, element.indices[0], false);
    }
    together_ = 1;
    lanes_ = 0;
  }

  /// What a call reaches is one access of each thread, of elements side by side.
  void copies(Stmt const& s, IntrinsicCall const& call) {
    if (reads_by_itself(*call.intrinsic) || has_phases(s)) return;
    if (auto known = calls_.find(&call); known != calls_.end()) return call_reads(s, known->second);
    for (size_t i = 0; i < call.operands.size(); ++i) {
      Expr first = arith::first_of(call.operands[i]);
      auto const* element = first.as<Load>();
      if (!element || call.operands[i].axes.empty()) continue;
      int64_t elements = 1;
      for (OperandAxis const& axis : call.operands[i].axes)
        elements *= as_int(axis.extent).value_or(1);
      // What is wider than any access a unit of its own brings.
      if (elements * int64_t(size_of(element->buffer->type)) > kWidest) continue;
      together_ = int(elements);
      add(s, *element->buffer, element->indices[0],
          call.intrinsic->params[i].kind != ParamKind::kRead);
      together_ = 1;
    }
  }

  template <typename Inside>
  void where(Expr const& condition, Inside const& inside) {
    conditions_.push_back(condition);
    inside();
    conditions_.pop_back();
  }

  void visit_loop(For const& loop) {
    int dimension = -1;
    if (loop.bind.starts_with("threadIdx.")) dimension = loop.bind.back() - 'x';
    around_.push_back({loop.name(), as_int(loop.extent).value_or(0), dimension,
                       loop.bind.starts_with("blockIdx.")});
    bool lanes = loop.loop_kind == LoopKind::kVector && alignment_ > 0 && loop.body.as<Store>();
    if (lanes) vector_ = &loop;
    loops_.push_back({&loop, conditions_.size()});
    visit(loop.body);
    loops_.pop_back();
    vector_ = nullptr;
    around_.pop_back();
  }

  /// What stands on a side of a choice may be left out.
  void loads(Stmt const& s, Expr const& e) {
    walk(e, [&](Expr const& one) {
      if (auto const* choice = one.as<Select>()) {
        loads(s, choice->condition);
        For const* vector = std::exchange(vector_, nullptr);  // each is read where it is chosen
        where(choice->condition, [&] { loads(s, choice->a); });
        where(unary(UnaryOp::kNot, choice->condition), [&] { loads(s, choice->b); });
        vector_ = vector;
        return false;
      }
      if (auto const* read = one.as<Load>()) add(s, *read->buffer, read->indices[0], false);
      return true;
    });
  }

  void add(Stmt const& s, BufferNode const& tensor, Expr const& index, bool store) {
    auto place = places_.find(tensor.name);
    if (place == places_.end()) return;  // a thread's own
    WarpAccess access{.statement = s.get(), .tensor = tensor.name, .shared = place->second};
    access.store = store;
    access.bytes = int(size_of(tensor.type));
    access.guarded = !conditions_.empty();
    access.version = version_;
    access.around = around_;
    access.index = index;
    access.conditions = conditions_;
    access.lanes = lanes_;
    take_vectors(access);
    bool known = std::ranges::all_of(around_, [](LoopAround const& one) { return one.extent > 0; });
    if (!known)
      access.undecided = "a loop has an extent that is known at run time only";
    else
      count_access(access, access.index, access.width, access.around, shape_, warp_, Counted::kAll);
    auto again = std::ranges::find_if(found_, [&](WarpAccess const& other) {
      return other.statement == access.statement && other.tensor == access.tensor &&
             other.store == store && other.width == access.width &&
             other.average == access.average && other.most == access.most &&
             other.undecided == access.undecided;
    });
    if (again == found_.end())
      found_.push_back(std::move(access));
    else
      ++again->alike;
  }

  /// Elements that one access of a thread reaches together: the loop then runs from vector to
  /// vector.
  void take_vectors(WarpAccess& access) const {
    access.width = together_;
    if (together_ > 1 || alignment_ == 0) return;
    for (size_t depth = loops_.size(); depth-- > 0;)
      if (merges(loops_[depth]) && take_vectors(access, depth)) return;
  }

  /// The code of a loop that is written out merges neighbours that no condition keeps apart.
  bool merges(LoopHere const& here) const {
    return here.loop == vector_ ||
           (here.loop->loop_kind == LoopKind::kUnroll && here.conditions == conditions_.size());
  }

  bool take_vectors(WarpAccess& access, size_t depth) const {
    For const& loop = *loops_[depth].loop;
    for (int lanes : {4, 2}) {
      if (lanes * access.bytes > kWidest || as_int(loop.extent).value_or(1) % lanes != 0 ||
          !arith::vector_begin(access.index, loop.name(), access.bytes, lanes, alignment_))
        continue;
      access.width = lanes;
      Expr counter = loop.var;
      access.index = substitute(access.index, {{loop.name(), counter * int64_t(lanes)}});
      access.around[depth].extent /= lanes;
      return true;
    }
    return false;
  }

  LaunchShape const& shape_;
  int warp_;
  int64_t alignment_;
  CallAccesses const& calls_;
  int together_ = 1;                    ///< elements of what a call reaches
  int lanes_ = 0;                       ///< of a warp that take part in it; 0: all
  For const* vector_ = nullptr;         ///< whose body is the store that is looked at
  std::map<std::string, bool> places_;  ///< tensors of main memory, and shared ones
  std::vector<LoopAround> around_;
  std::vector<LoopHere> loops_;  ///< the same ones
  std::vector<WarpAccess> found_;
  std::string version_;
  std::vector<Expr> conditions_;
};

/// The host starts it in each step in time: a size that begins at 0 is the counter of its loop.
Stmt with_steps(Function const& device_function) {
  Stmt body = device_function.body;
  for (SizeParam const& size : device_function.sizes)
    if (size.low == 0)
      body = make<For>(LoopId(), size.var, int_imm(size.high + 1), LoopKind::kSerial, body);
  return body;
}

}  // namespace

std::vector<WarpAccess> warp_accesses(Function const& device_function, LaunchShape const& shape,
                                      int warp, int64_t alignment, CallAccesses const& calls) {
  return Collecting(device_function, shape, warp, alignment, calls)
      .run(with_steps(device_function));
}

}  // namespace tw::gpu
