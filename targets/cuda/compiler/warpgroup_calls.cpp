// Whether the 128 threads of a warpgroup run a product together, and what its code hands over.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/arith/linear.h"
#include "engine/arith/places.h"
#include "engine/arith/simplify.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/lowering/pipeline.h"
#include "targets/cuda/compiler/lane_walk.h"
#include "targets/cuda/compiler/warpgroup_units.h"

namespace tw::cuda {

using namespace ir;

namespace {

constexpr int64_t kCoreRows = 8;         ///< of a core matrix
constexpr int64_t kMostApart = 1 << 18;  ///< bytes that a descriptor can say
constexpr int64_t kPlaces = 16;          ///< bytes that places are multiples of

/// How far apart core matrices stand, in elements.
struct CoreLayout {
  bool along_rows = true;  ///< terms stand side by side; else rows (or columns of `b`) do
  int64_t next_rows = 0, next_terms = 0;
  int64_t place(int64_t row, int64_t term, int64_t width) const {
    int64_t side = along_rows ? term : row, other = along_rows ? row : term;
    int64_t next_side = along_rows ? next_terms : next_rows,
            next_other = along_rows ? next_rows : next_terms;
    return side % width + side / width * next_side + other % kCoreRows * width +
           other / kCoreRows * next_other;
  }
};

/// The leading offset is that from core matrix to core matrix along terms, the stride that along
/// rows or columns, in either direction (PTX ISA, Strides: canonical layouts without swizzling).
int64_t descriptor(CoreLayout const& layout, DType type) {
  auto encoded = [&](int64_t elements) { return elements * int64_t(size_of(type)) / kPlaces; };
  return encoded(layout.next_terms) << 16 | encoded(layout.next_rows) << 32;
}

/// An operand's place as lanes and its axes run, from that of lane 0's first element.
class Places {
public:
  /// Nothing where other counters are mixed with them.
  static std::optional<Places> of(Expr const& index, std::vector<std::string> const& counters) {
    arith::Linear linear = arith::to_linear(index), telling;
    for (arith::Linear::Term const& term : linear.terms) {
      bool own = false, other = false;
      walk(term.term, [&](Expr const& e) {
        auto const* used = e.as<Variable>();
        if (used) (std::ranges::find(counters, used->name) == counters.end() ? other : own) = true;
        other = other || e.as<Load>();
        return true;
      });
      if (own && other) return std::nullopt;
      if (own) telling.terms.push_back(term);
    }
    return Places(arith::to_expr(telling), counters);
  }
  int64_t at(std::vector<int64_t> const& values) {
    for (size_t i = 0; i < values.size(); ++i) evaluator_.set(slots_[i], values[i]);
    return evaluator_.integer(index_, 0);
  }

private:
  Places(Expr const& index, std::vector<std::string> const& counters) {
    for (std::string const& name : counters) slots_.push_back(evaluator_.slot(name));
    index_ = evaluator_.compile(index);
  }
  ExprEvaluator evaluator_;
  std::vector<int> slots_;
  Compiled index_;
};

/// Places of rows and terms.
struct Found {
  int64_t terms = 0;
  std::vector<int64_t> places;
  /// No: it was found elsewhere.
  bool put(int64_t row, int64_t term, int64_t place) {
    auto i = size_t(row * terms + term);
    if (i >= places.size()) places.resize(i + 1, kNowhere);
    if (places[i] == kNowhere) places[i] = place;
    return places[i] == place;
  }
  int64_t at(int64_t row, int64_t term) const { return places[size_t(row * terms + term)]; }
  static constexpr int64_t kNowhere = INT64_MIN;
};

/// Of the sums that products update in a function, by name.
std::map<std::string, Buffer> sums_of(Stmt const& body) {
  std::map<std::string, Buffer> sums;
  walk(body, [&](Stmt const& s) {
    auto const* call = s.as<IntrinsicCall>();
    if (!call || !warpgroup_unit(*call->intrinsic)) return true;
    Buffer const& buffer = call->operands[0].value.to<Load>().buffer;
    sums[buffer->name] = buffer;
    return true;
  });
  return sums;
}

Operand element(Buffer const& buffer, Expr const& index) {
  Operand made;
  made.axes.push_back({var("one"), int_imm(1)});
  made.value = load(buffer, {index});
  return made;
}

class WarpgroupMatching final : public LaneWalk {
public:
  Status run(Function const& function) {
    sums_ = sums_of(function.body);
    if (sums_.empty()) return {};
    for (auto const& [name, buffer] : sums_)
      if (buffer->scope != kStackScope)
        return refused("sums_not_in_registers",
                       fmt::format("{} has sums that are under way, but they are in {} and not in "
                                   "registers of a thread",
                                   name, buffer->scope));
    visit(function.body);
    return status_;
  }
  OwnCalls take() { return std::move(made_); }

private:
  void visit_alloc(Alloc const& alloc) override {
    bool is_sum = sums_.contains(alloc.buffer->name);
    if (is_sum) there_.push_back(alloc.buffer);
    visit(alloc.body);
    if (is_sum) there_.pop_back();
  }

  void visit_call(Stmt const& s, IntrinsicCall const& call) override {
    std::string const& name = call.intrinsic->name;
    if (WarpgroupUnit const* unit = warpgroup_unit(*call.intrinsic)) {
      visit_product(s, *unit, call);
    } else if (name == kWaitProducts || name == kFenceProducts) {
      std::vector<Operand> operands = call.operands;
      add_sums(operands);
      made_[s.get()] = make<IntrinsicCall>(call.intrinsic, std::move(operands));
    }
  }

  /// Nothing that has to do with them goes past the call: it takes them and gives them back.
  void add_sums(std::vector<Operand>& operands) const {
    for (Buffer const& buffer : there_) {
      operands.push_back(element(buffer, int_imm(0)));
      operands.push_back({buffer->shape[0], {}});
      operands.push_back({int_imm(is_float(buffer->type) ? 1 : 0), {}});
    }
  }

  void visit_product(Stmt const& s, WarpgroupUnit const& unit, IntrinsicCall const& call) {
    if (std::string why = why_apart(kWarpgroupThreads, "the threads of a warpgroup"); !why.empty())
      return refuse_threads(unit, why);
    CoreLayout a, b;
    bool fits =
        find_layout(unit, call.operands[1], a,
                    [&](std::vector<int64_t> const& at) {  // lane, row of two, half, term
                      return std::pair(at[0] / 32 * 16 + at[0] % 32 / 4 + 8 * at[1],
                                       at[2] * unit.row() + at[3]);
                    }) &&
        find_layout(unit, call.operands[2], b, [&](std::vector<int64_t> const& at) {
          return std::pair(8 * at[3] + at[0] % 4 * 2 + at[4],  // lane, half, term, n, column
                           at[1] * unit.row() + at[2]);
        });
    if (!fits) return;
    std::vector<Operand> operands;
    for (int64_t n = 0; n < unit.columns / 8; ++n)
      for (int64_t slot = 0; slot < 4; ++slot)
        operands.push_back(at(call.operands[0], {slot / 2, n, slot % 2}));
    operands.push_back(at(call.operands[1], {0, 0, 0}));
    operands.push_back(at(call.operands[2], {0, 0, 0, 0}));
    for (CoreLayout const* layout : {&a, &b})
      operands.push_back({int_imm(descriptor(*layout, unit.factor)), {}});
    for (CoreLayout const* layout : {&a, &b})
      operands.push_back({int_imm(layout->along_rows ? 0 : 1), {}});
    made_[s.get()] = make<IntrinsicCall>(call.intrinsic, std::move(operands));
  }

  /// Every thread's elements, as `row_and_term` says of lane and axes which they are.
  template <typename F>
  bool find_layout(WarpgroupUnit const& unit, Operand const& operand, CoreLayout& layout,
                   F const& row_and_term) {
    auto const& first = operand.value.to<Load>();
    std::vector<std::string> counters{lane_->name()};
    arith::Ranges ranges = ranges_;
    for (OperandAxis const& axis : operand.axes) {
      counters.push_back(axis.name());
      ranges.set(axis.name(), {0, as_int(axis.extent).value_or(1) - 1});
    }
    auto places = Places::of(arith::simplify(known(first.indices[0]), ranges), counters);
    std::string const& name = first.buffer->name;
    if (!places) {
      refuse_places(unit, fmt::format("where it reads {} is not told by threads alone: {}", name,
                                      to_text(first.indices[0])));
      return false;
    }
    Found found{unit.terms(), {}};
    bool alike = true;
    each_point(operand, [&](std::vector<int64_t> const& point) {
      auto [row, term] = row_and_term(point);
      alike = found.put(row, term, places->at(point)) && alike;
    });
    if (!alike) {
      refuse_threads(
          unit,
          fmt::format("threads 32w+4g+t must have rows 16w+g and 16w+g+8, and columns 8n+2t and "
                      "8n+2t+1, but some that must have the same of {} do not",
                      name));
      return false;
    }
    return is_core(unit, name, found, layout) && is_aligned(unit, operand);
  }

  template <typename F>
  static void each_point(Operand const& operand, F const& f) {
    std::vector<int64_t> extents{kWarpgroupThreads}, point(operand.axes.size() + 1);
    int64_t count = kWarpgroupThreads;
    for (OperandAxis const& axis : operand.axes) {
      extents.push_back(as_int(axis.extent).value_or(1));
      count *= extents.back();
    }
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i;
      for (size_t d = extents.size(); d-- > 0; rest /= extents[d]) point[d] = rest % extents[d];
      f(point);
    }
  }

  bool is_core(WarpgroupUnit const& unit, std::string const& name, Found const& found,
               CoreLayout& layout) {
    int64_t first = found.at(0, 0), width = unit.row();
    auto apart = [&](int64_t row, int64_t term) { return found.at(row, term) - first; };
    layout = {.along_rows = apart(0, 1) == 1,
              .next_rows = apart(kCoreRows, 0),
              .next_terms = apart(0, unit.terms() / 2)};
    if (!layout.along_rows && !unit.has_transposes()) {
      refuse_places(unit, fmt::format("the terms of {} must stand side by side, as it has {}", name,
                                      to_text(unit.factor)));
      return false;
    }
    for (int64_t i = 0; i < int64_t(found.places.size()); ++i) {
      int64_t row = i / unit.terms(), term = i % unit.terms();
      int64_t wanted = layout.place(row, term, width);
      if (apart(row, term) == wanted) continue;
      refuse_places(
          unit,
          fmt::format("{} must lie in pieces of 8 rows of 16 bytes that stand evenly apart, as by "
                      "the layout BA{}b, but row or column {}, term {} is {} elements from the "
                      "first and not {}",
                      name, width, row, term, apart(row, term), wanted));
      return false;
    }
    for (int64_t elements : {layout.next_rows, layout.next_terms}) {
      int64_t bytes = elements * int64_t(size_of(unit.factor));
      if (bytes >= 0 && bytes < kMostApart && bytes % kPlaces == 0) continue;
      refuse_places(
          unit,
          fmt::format("pieces of {} stand {} bytes apart: it takes multiples of 16 below 256 KB",
                      name, bytes));
      return false;
    }
    return true;
  }

  bool is_aligned(WarpgroupUnit const& unit, Operand const& operand) {
    Operand begin = at(operand, std::vector<int64_t>(operand.axes.size(), 0));
    auto const& first = begin.value.to<Load>();
    int64_t bytes = arith::alignment_of(first.indices[0], int64_t(size_of(unit.factor)), kPlaces);
    if (bytes % kPlaces == 0) return true;
    refuse_places(
        unit,
        fmt::format("{} begins at element {}, which is only known to be at a multiple of {} bytes "
                    "and not of 16",
                    first.buffer->name, to_text(first.indices[0]), bytes));
    return false;
  }

  /// The element at these axes that thread 0 of the warpgroup has; of sums, that each thread has.
  Operand at(Operand const& of, std::vector<int64_t> const& axes) const {
    auto const& load = of.value.to<Load>();
    Substitution by{{lane_->name(), int_imm(0)}};
    if (sums_.contains(load.buffer->name)) by.clear();
    for (size_t d = 0; d < of.axes.size(); ++d) by[of.axes[d].name()] = int_imm(axes[d]);
    return element(load.buffer, arith::simplify(substitute(known(load.indices[0]), by), ranges_));
  }

  static std::string sentence(WarpgroupUnit const& unit, std::string const& why) {
    return fmt::format("{} is run by the 128 threads of a warpgroup together: {}", unit.name, why);
  }
  void refuse_threads(WarpgroupUnit const& unit, std::string const& why) {
    if (status_) status_ = refused("not_a_warpgroup", sentence(unit, why));
  }
  void refuse_places(WarpgroupUnit const& unit, std::string const& why) {
    if (status_) status_ = refused("no_core_matrices", sentence(unit, why));
  }

  OwnCalls made_;
  std::map<std::string, Buffer> sums_;
  std::vector<Buffer> there_;  // sums around
};

}  // namespace

Result<OwnCalls> warpgroup_calls(KernelIr const& kernel) {
  WarpgroupMatching matching;
  for (Function const& function : kernel.device) TRY(matching.run(function));
  return matching.take();
}

}  // namespace tw::cuda
