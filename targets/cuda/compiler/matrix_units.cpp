#include "targets/cuda/compiler/matrix_units.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/places.h"
#include "engine/arith/simplify.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/parse_call.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "targets/cuda/compiler/lane_walk.h"

namespace tw::cuda {

using namespace ir;

namespace {

constexpr int64_t kColumns = 4;  // groups of them: thread 4g+t has those of group t
constexpr int64_t kMatrixRows = 8, kRowBytes = 16;  // of one part of what ldmatrix loads

TensorIntrinsic declared(MatrixUnit const& unit) {
  IntrinsicNode node = **parse_intrinsic(
      fmt::format("intrinsic {0}(update c: {1}[2, 2], read a: {2}[2, {3}] @shared, "
                  "read b: {2}[{3}, 2] @shared)\n"
                  "  for i in 2\n    for j in 2\n      for k in {3}\n"
                  "        c[i, j] = c[i, j]+{1}(a[i, k])*{1}(b[k, j])\n",
                  unit.name, to_text(unit.sum), to_text(unit.factor), unit.terms()));
  node.doc = fmt::format(
      "a warp's product of 16x{0} by {0}x8 numbers of type {1}{3}, two rows and "
      "two columns of each thread, summed in {2}",
      unit.terms(), to_text(unit.factor), to_text(unit.sum),
      unit.rounded ? fmt::format(", rounded to {}", unit.rounded) : "");
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

/// Where the row begins that lane 8m+r hands over to ldmatrix: row r of the m-th part of a
/// register. Of `a` parts are those of rows g, g+8 in turn, then of the other half of the terms.
Element row_of_a(MatrixUnit const& unit, Fetch fetch, Expr const& lane) {
  Expr part = floor_div(lane, int_imm(kMatrixRows)), row = floor_mod(lane, int_imm(kMatrixRows));
  Expr half = floor_div(part, int_imm(2)), own = floor_mod(part, int_imm(2));
  if (fetch == Fetch::kTerms)
    return {row * int_imm(kColumns), {own, half * int_imm(kColumns * unit.packed())}};
  return {int_imm(0), {own, half * int_imm(kMatrixRows) + row}};
}

/// Of `b` parts are halves of the terms; lanes 16 to 31 hand over what is not looked at.
Element row_of_b(MatrixUnit const& unit, Fetch fetch, Expr const& lane) {
  Expr half = floor_mod(floor_div(lane, int_imm(kMatrixRows)), int_imm(2)),
       row = floor_mod(lane, int_imm(kMatrixRows));
  if (fetch == Fetch::kTerms)
    return {floor_div(row, int_imm(2)),
            {half * int_imm(kColumns * unit.packed()), floor_mod(row, int_imm(2))}};
  return {int_imm(0), {half * int_imm(kMatrixRows) + row, int_imm(0)}};
}

/// Element `at` of the row that begins with `first`.
Element in_row_of_a(Element first, Fetch fetch, int64_t at) {
  if (fetch == Fetch::kTerms)
    first.axes[1] = first.axes[1] + at;
  else
    first.of = int_imm(at * kColumns);
  return first;
}
Element in_row_of_b(Element first, Fetch fetch, int64_t at) {
  if (fetch == Fetch::kTerms) {
    first.axes[0] = first.axes[0] + at;
  } else {
    first.of = int_imm(at / 2);
    first.axes[1] = int_imm(at % 2);
  }
  return first;
}

class MatrixMatching final : public LaneWalk {
public:
  Status run(Function const& function) {
    visit(function.body);
    return status_;
  }
  std::map<StmtNode const*, Stmt> take() { return std::move(made_); }

private:
  void visit_call(Stmt const& s, IntrinsicCall const& call) override {
    auto unit = std::ranges::find(kMatrixUnits, call.intrinsic->name,
                                  [](MatrixUnit const& one) { return std::string(one.name); });
    if (unit == kMatrixUnits.end()) return;
    if (std::string why = why_apart(kWarpThreads, "the lanes of a warp"); !why.empty())
      return refuse(*unit, why);
    Expr lane = lane_->var;
    check_groups(*unit, call.operands[1], floor_mod(lane, int_imm(kColumns)), "rows");
    check_groups(*unit, call.operands[2], floor_div(lane, int_imm(kColumns)) * int_imm(kColumns),
                 "columns");
    if (!status_) return;
    made_[s.get()] = made_call(*unit, call, lane);
  }

  Stmt made_call(MatrixUnit const& unit, IntrinsicCall const& call, Expr const& lane) const {
    MatrixForm form{&unit};
    std::vector<Operand> operands;
    for (int i = 0; i < kSums; ++i) operands.push_back(at(call.operands[0], sum_of(i, lane)));
    form.a = fetch_of(unit, call.operands[1], kWarpThreads, row_of_a, in_row_of_a);
    if (form.a != Fetch::kElements)
      operands.push_back(at(call.operands[1], row_of_a(unit, form.a, lane)));
    else
      for (int i = 0; i < form.of_a(); ++i)
        operands.push_back(at(call.operands[1], element_of_a(unit, i, lane)));
    form.b = fetch_of(unit, call.operands[2], kWarpThreads / 2, row_of_b, in_row_of_b);
    if (form.b != Fetch::kElements)
      operands.push_back(at(call.operands[2], row_of_b(unit, form.b, lane)));
    else
      for (int i = 0; i < form.of_b(); ++i)
        operands.push_back(at(call.operands[2], element_of_b(unit, i, lane)));
    IntrinsicNode made = *call.intrinsic;
    made.name = form.name();
    return make_from<IntrinsicCall>(call.origin, std::make_shared<IntrinsicNode const>(made),
                                    std::move(operands));
  }

  using RowOf = Element (*)(MatrixUnit const&, Fetch, Expr const&);
  using InRow = Element (*)(Element, Fetch, int64_t);
  /// Whether all rows that the first `lanes` lanes hand over lie side by side, at multiples of
  /// their size.
  Fetch fetch_of(MatrixUnit const& unit, Operand const& operand, int64_t lanes, RowOf row_of,
                 InRow in_row) const {
    int64_t bytes = size_of(unit.factor);
    for (Fetch fetch : {Fetch::kTerms, Fetch::kAcross}) {
      if (fetch == Fetch::kAcross && bytes != 2) continue;
      bool good = true;
      for (int64_t lane = 0; lane < lanes && good; ++lane) {
        Element first = row_of(unit, fetch, int_imm(lane));
        Expr begin = index_of(operand, first);
        good = arith::alignment_of(begin, bytes, kRowBytes) % kRowBytes == 0;
        for (int64_t e = 1; e < kRowBytes / bytes && good; ++e)
          good = is_int(arith::simplify(index_of(operand, in_row(first, fetch, e)) - begin), e);
      }
      if (good) return fetch;
    }
    return Fetch::kElements;
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

  Expr index_of(Operand const& of, Element const& element) const {
    Substitution by;
    for (size_t d = 0; d < of.axes.size(); ++d) by[of.axes[d].name()] = element.axes[d];
    // First whose operand it is: the axes speak of the thread itself.
    Expr index = substitute(known(of.value.to<Load>().indices[0]), {{lane_->name(), element.of}});
    return arith::simplify(substitute(index, by), ranges_);
  }

  Operand at(Operand const& of, Element const& element) const {
    Operand made;
    made.axes.push_back({var("one"), int_imm(1)});
    made.value = load(of.value.to<Load>().buffer, {index_of(of, element)});
    return made;
  }

  void refuse(MatrixUnit const& unit, std::string const& why) {
    if (status_)
      status_ = refused("not_a_warp", fmt::format("{} is run by the 32 threads of a warp together: "
                                                  "{}",
                                                  unit.name, why));
  }

  std::map<StmtNode const*, Stmt> made_;
};

}  // namespace

void add_matrix_units(Target& target) {
  for (MatrixUnit const& unit : kMatrixUnits) target.intrinsics.push_back(declared(unit));
}

std::string MatrixForm::name() const {
  constexpr char const* kWays[] = {"", "terms", "across"};
  std::string text = unit->name;
  if (a != Fetch::kElements) text += fmt::format(" a:{}", kWays[size_t(a)]);
  if (b != Fetch::kElements) text += fmt::format(" b:{}", kWays[size_t(b)]);
  return text;
}

std::vector<MatrixForm> matrix_forms() {
  std::vector<MatrixForm> forms;
  for (MatrixUnit const& unit : kMatrixUnits)
    for (Fetch a : {Fetch::kElements, Fetch::kTerms, Fetch::kAcross})
      for (Fetch b : {Fetch::kElements, Fetch::kTerms, Fetch::kAcross})
        forms.push_back({&unit, a, b});
  return forms;
}

std::optional<MatrixForm> form_of(IntrinsicCall const& made) {
  for (MatrixForm const& form : matrix_forms())
    if (form.name() == made.intrinsic->name) return form;
  return std::nullopt;
}

Result<std::map<StmtNode const*, Stmt>> matrix_calls(KernelIr const& kernel) {
  MatrixMatching matching;
  for (Function const& function : kernel.device) TRY(matching.run(function));
  return matching.take();
}

}  // namespace tw::cuda
