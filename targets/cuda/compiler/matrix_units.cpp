#include "targets/cuda/compiler/matrix_units.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/places.h"
#include "engine/arith/simplify.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/parse_call.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

namespace tw::cuda {

using namespace ir;

namespace {

constexpr char kLaneAxis[] = "threadIdx.x";
constexpr int64_t kColumns = 4;  // groups of them: thread 4g+t has those of group t

TensorIntrinsic declared(MatrixUnit const& unit) {
  IntrinsicNode node = **parse_intrinsic(
      fmt::format("intrinsic {0}(update c: {1}[2, 2], read a: {2}[2, {3}] @shared, "
                  "read b: {2}[{3}, 2] @shared)\n"
                  "  for i in 2\n    for j in 2\n      for k in {3}\n"
                  "        c[i, j] = c[i, j]+{1}(a[i, k])*{1}(b[k, j])\n",
                  unit.name, to_text(unit.sum), to_text(unit.factor), unit.terms()));
  node.doc = fmt::format(
      "a warp's product of 16x{0} by {0}x8 numbers of type {1}, two rows and "
      "two columns of each thread, summed in {2}",
      unit.terms(), to_text(unit.factor), to_text(unit.sum));
  return {*declare(std::move(node)), {}};
}

/// Which element a thread hands over: of the operand that thread `of` has, at these axes.
struct Element {
  Expr of;
  std::vector<Expr> axes;
};

Element sum_of(int slot, Expr const& lane) {
  return {lane, {int_imm(slot / 2), int_imm(slot % 2)}};
}

/// In register r of `a` terms of row r % 2; thread t of a group has the t-th pack of a half.
Element element_of_a(MatrixUnit const& unit, int slot, Expr const& lane) {
  int pack = unit.packed(), at = slot / pack;
  return {lane,
          {int_imm(at % 2), floor_mod(lane, int_imm(kColumns)) * int_imm(pack) +
                                int_imm(slot % pack + kColumns * pack * (at / 2))}};
}

/// In both registers of `b` terms of column g, which threads of column group g/2 have.
Element element_of_b(MatrixUnit const& unit, int slot, Expr const& lane) {
  int pack = unit.packed(), at = slot / pack;
  return {floor_div(lane, int_imm(2 * kColumns)),
          {floor_mod(lane, int_imm(kColumns)) * int_imm(pack) +
               int_imm(slot % pack + kColumns * pack * at),
           floor_mod(floor_div(lane, int_imm(kColumns)), int_imm(2))}};
}

class Matching {
public:
  Status run(Function const& function) {
    visit(function.body);
    return status_;
  }
  std::map<StmtNode const*, std::vector<Operand>> take() { return std::move(made_); }

private:
  void visit(Stmt const& s) {
    walk(s, [&](Stmt const& child) {
      if (!status_) return false;
      if (auto const* loop = child.as<For>()) return visit_loop(*loop), false;
      if (auto const* test = child.as<If>()) return visit_if(*test), false;
      if (auto const* let = child.as<Let>()) {
        visit(substitute_keeping(*let));
        return false;
      }
      if (auto const* call = child.as<IntrinsicCall>()) visit_call(child, *call);
      return true;
    });
  }

  /// The calls stay those of the kernel: a value of a name is put in where it is asked for.
  Stmt substitute_keeping(Let const& let) {
    values_[let.var.to<Variable>().name] = known(let.value);
    return let.body;
  }
  Expr known(Expr const& e) const { return values_.empty() ? e : substitute(e, values_); }

  void visit_loop(For const& loop) {
    bool lanes = loop.bind == kLaneAxis;
    if (lanes) lane_ = &loop;
    bool differs = depends_on_lane(known(loop.extent));
    if (differs) around_.push_back(loop.extent);
    if (auto extent = as_int(loop.extent)) ranges_.set(loop.name(), {0, *extent - 1});
    visit(loop.body);
    ranges_.erase(loop.name());
    if (differs) around_.pop_back();
    if (lanes) lane_ = nullptr;
  }

  void visit_if(If const& test) {
    bool differs = depends_on_lane(known(test.condition));
    if (differs) around_.push_back(test.condition);
    visit(test.then_body);
    if (test.else_body) visit(test.else_body);
    if (differs) around_.pop_back();
  }

  /// What is read from memory may be different in each thread.
  bool depends_on_lane(Expr const& e) const {
    bool depends = false;
    walk(e, [&](Expr const& part) {
      auto const* variable = part.as<Variable>();
      depends =
          depends || part.as<Load>() || (variable && lane_ && variable->name == lane_->name());
      return !depends;
    });
    return depends;
  }

  void visit_call(Stmt const& s, IntrinsicCall const& call) {
    auto unit = std::ranges::find(kMatrixUnits, call.intrinsic->name,
                                  [](MatrixUnit const& one) { return std::string(one.name); });
    if (unit == kMatrixUnits.end()) return;
    if (!lane_ || as_int(lane_->extent) != std::optional(kWarpThreads))
      return refuse(*unit,
                    fmt::format("{} must have 32 iterations, the lanes of a warp, and has {}",
                                kLaneAxis, lane_ ? to_text(lane_->extent) : "none"));
    if (!around_.empty())
      return refuse(*unit, fmt::format("it stands below {}, which is not the same in all of them",
                                       to_text(around_.back())));
    Expr lane = lane_->var;
    check_groups(*unit, call.operands[1], floor_mod(lane, int_imm(kColumns)), "rows");
    check_groups(*unit, call.operands[2], floor_div(lane, int_imm(kColumns)) * int_imm(kColumns),
                 "columns");
    if (!status_) return;
    std::vector<Operand>& operands = made_[s.get()];
    auto add = [&](Operand const& of, Element const& element) {
      operands.push_back(at(of, element));
    };
    for (int i = 0; i < kSums; ++i) add(call.operands[0], sum_of(i, lane));
    for (int i = 0; i < kRegistersOfA * unit->packed(); ++i)
      add(call.operands[1], element_of_a(*unit, i, lane));
    for (int i = 0; i < kRegistersOfB * unit->packed(); ++i)
      add(call.operands[2], element_of_b(*unit, i, lane));
  }

  /// Threads that differ by `part` of their numbers alone have the same elements.
  void check_groups(MatrixUnit const& unit, Operand const& operand, Expr const& part,
                    char const* what) {
    auto const& element = operand.value.to<Load>();
    Expr index = known(element.indices[0]);
    bool data = false;
    walk(index, [&](Expr const& e) { return data = data || e.as<Load>(), !data; });
    for (int64_t lane = 0; lane < kWarpThreads && status_; ++lane) {
      auto in = [&](Expr const& number) { return substitute(index, {{lane_->name(), number}}); };
      Expr same =
          arith::simplify(int_imm(lane) - substitute(part, {{lane_->name(), int_imm(lane)}}));
      Expr apart = arith::simplify(in(int_imm(lane)) - in(same), ranges_);
      if (data || !is_int(apart, 0))
        refuse(unit, fmt::format("threads {} and {} must have the same {} of {}: thread 4g+t has "
                                 "rows of group g and columns of group t",
                                 lane, to_text(same), what, element.buffer->name));
    }
  }

  Operand at(Operand const& of, Element const& element) const {
    auto const& load = of.value.to<Load>();
    Substitution by;
    for (size_t d = 0; d < of.axes.size(); ++d) by[of.axes[d].name()] = element.axes[d];
    // First whose operand it is: the axes speak of the thread itself.
    Expr index = substitute(known(load.indices[0]), {{lane_->name(), element.of}});
    index = substitute(index, by);
    Operand made;
    made.axes.push_back({var("one"), int_imm(1)});
    made.value = tw::ir::load(load.buffer, {arith::simplify(index, ranges_)});
    return made;
  }

  void refuse(MatrixUnit const& unit, std::string const& why) {
    if (status_)
      status_ = refused("not_a_warp", fmt::format("{} is run by the 32 threads of a warp together: "
                                                  "{}",
                                                  unit.name, why));
  }

  std::map<StmtNode const*, std::vector<Operand>> made_;
  For const* lane_ = nullptr;
  std::vector<Expr> around_;  // what threads of a warp do not have in common
  Substitution values_;       // of names
  arith::Ranges ranges_;
  Status status_;
};

}  // namespace

void add_matrix_units(Target& target) {
  for (MatrixUnit const& unit : kMatrixUnits) target.intrinsics.push_back(declared(unit));
}

Result<std::map<StmtNode const*, std::vector<Operand>>> matrix_operands(KernelIr const& kernel) {
  Matching matching;
  for (Function const& function : kernel.device) TRY(matching.run(function));
  return matching.take();
}

}  // namespace tw::cuda
