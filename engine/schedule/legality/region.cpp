#include "engine/schedule/legality/region.h"

#include <algorithm>

#include "engine/arith/index_bounds.h"
#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/mixed_radix.h"

namespace tw {
namespace {

using namespace ir;

/// An indirect read counts as the whole dimension: the value is not known where a nest is made, and
/// not even readable beside the iterations of the reader.
bool depends_on_data(Expr const& e) {
  bool depends = false;
  walk(e, [&](Expr const& x) { return depends = depends || x.as<Load>(), !depends; });
  return depends;
}

/// The values that the moving part may take, as runs with the shortest step first; empty: that is
/// not known. One run of step 1 has no gap.
std::vector<Run> moving_runs(arith::Linear const& moving, std::vector<For const*> const& running) {
  auto form = radix_form(arith::to_expr(moving), ranges_of(running));
  if (!form) return {};
  std::vector<Run> runs{{1, 1}};
  for (Digit const& digit : form->digits) {
    Run& last = runs.back();
    if (digit.factor == last.step * last.count)
      last.count *= digit.high + 1;
    else if (runs.size() == 1 && last.count == 1)
      last = {digit.factor, digit.high + 1};
    else
      runs.push_back({digit.factor, digit.high + 1});
  }
  return runs;
}

/// Between two numbers of each step stand others that the still part reaches.
bool gaps_are_filled(std::vector<Run> const& runs, arith::Linear const& still) {
  int64_t reach = 1;
  for (Run const& run : runs) {
    if (run.step > reach && std::ranges::none_of(still.terms, [&](arith::Linear::Term const& term) {
          return std::abs(term.factor) >= reach && std::abs(term.factor) < run.step;
        }))
      return false;
    reach = run.step * run.count;
  }
  return true;
}

/// A digit of an iterator that an index is, and what the index may be.
struct BoundedDigit {
  Digit digit;
  Span span;
};

/// The digits of an iterator that are indices on their own, the most significant one first.
std::vector<BoundedDigit> digits_of(std::string const& iterator, std::vector<Expr> const& indices,
                                    std::vector<Span> const& box, arith::Ranges const& ranges) {
  std::vector<BoundedDigit> digits;
  for (size_t d = 0; d < indices.size(); ++d) {
    auto form = radix_form(indices[d], ranges);
    if (form && form->digits.size() == 1 && form->constant == 0 && form->digits[0].factor == 1 &&
        form->digits[0].loop == iterator)
      digits.push_back({form->digits[0], box[d]});
  }
  std::ranges::sort(digits,
                    [](auto const& a, auto const& b) { return a.digit.divide > b.digit.divide; });
  return digits;
}

/// v + c or c - v inside of a span.
std::optional<Span> shifted_span(std::string const& iterator, Expr const& index, Span const& span) {
  arith::Linear linear = arith::to_linear(index);
  if (linear.terms.size() != 1 || std::abs(linear.factor_of(iterator)) != 1) return std::nullopt;
  if (linear.factor_of(iterator) == 1)
    return Span{span.base - linear.constant, span.extent, span.runs};
  return Span{int_imm(linear.constant - (span.extent - 1)) - span.base, span.extent,
              span.runs};  // which are the same from their other end
}

/// An index that counts whole strides of a value, with less than a stride beside it (the rows of a
/// window that do not overlap with the next one's), inside of a span of whole strides.
std::optional<Span> strided_span(std::string const& iterator, Expr const& index, Span const& span,
                                 arith::Ranges const& ranges) {
  arith::Linear rest = arith::to_linear(index), base = arith::to_linear(span.base);
  int64_t stride = rest.factor_of(iterator);
  std::erase_if(rest.terms, [&](arith::Linear::Term const& term) {
    auto const* v = term.term.as<Variable>();
    return v && v->name == iterator;
  });
  auto beside = stride > 1 ? arith::bounds(arith::to_expr(rest), ranges) : std::nullopt;
  if (!beside || beside->low < 0 || beside->high >= stride) return std::nullopt;
  bool whole = span.extent % stride == 0 && base.constant % stride == 0 &&
               std::ranges::all_of(base.terms, [&](arith::Linear::Term const& term) {
                 return term.factor % stride == 0;
               });
  std::vector<Run> runs = span.runs;
  for (Run& run : runs) {
    int64_t& divided = run.step == 1 ? run.count : run.step;
    whole = whole && divided % stride == 0;
    divided /= stride;
  }
  if (!whole) return std::nullopt;
  base.constant /= stride;
  for (arith::Linear::Term& term : base.terms) term.factor /= stride;
  return Span{arith::to_expr(base), span.extent / stride, std::move(runs)};
}

/// Of values of which each stands for `unit` in a row.
std::vector<Run> widened(std::vector<Run> runs, int64_t unit) {
  if (runs.empty() || unit == 1) return runs;
  for (Run& run : runs) run.step *= unit;
  if (runs.back().step == unit)
    runs.back() = {1, runs.back().count * unit};
  else
    runs.push_back({1, unit});
  return runs;
}

}  // namespace

std::vector<Run> runs_of(Span const& span) {
  return span.runs.empty() ? std::vector<Run>{{1, span.extent}} : span.runs;
}

std::optional<Span> iterator_span(std::string const& iterator, std::vector<Expr> const& indices,
                                  std::vector<Span> const& box, arith::Ranges const& ranges,
                                  Strides strides) {
  for (size_t d = 0; d < indices.size(); ++d)
    if (auto shifted = shifted_span(iterator, indices[d], box[d])) return shifted;
  for (size_t d = 0; strides == Strides::kWhole && d < indices.size(); ++d)
    if (auto strided = strided_span(iterator, indices[d], box[d], ranges)) return strided;
  std::vector<BoundedDigit> digits = digits_of(iterator, indices, box, ranges);
  if (digits.empty() || digits.front().digit.modulo != 0) return std::nullopt;
  // As long as a digit has one value, the next one counts; from then on all values are meant.
  Span span{int_imm(0), 1};
  int64_t unit = 0;
  for (auto const& [digit, bounded] : digits) {
    if (unit != 0 && digit.divide * digit.modulo != unit) break;
    unit = digit.divide;
    span.base = span.base + bounded.base * int_imm(unit);
    span.extent = bounded.extent * unit;
    span.runs = widened(bounded.runs, unit);
    if (bounded.extent > 1) break;
  }
  return span;
}

std::optional<Span> span_of(std::vector<Expr> const& indices,
                            std::vector<For const*> const& running) {
  auto reach = arith::index_bounds_of(indices, ranges_of(running));
  if (!reach || depends_on_data(arith::to_expr(reach->still))) return std::nullopt;
  std::vector<Run> runs = reach->one ? moving_runs(reach->moving, running) : std::vector<Run>();
  bool dense = runs.size() == 1 && runs.front().step == 1;
  if (dense || !gaps_are_filled(runs, reach->still)) runs.clear();
  std::ranges::reverse(runs);
  reach->still.constant += reach->low;
  return Span{arith::to_expr(reach->still), reach->high - reach->low + 1, std::move(runs)};
}

std::vector<BufferAccess> accesses_to(BlockSite const& site, std::string const& buffer) {
  arith::Ranges ranges = ranges_of(site.loops);
  std::vector<BufferAccess> found;
  for (Access const& access : accesses_of(site)) {
    if (access.buffer != buffer) continue;
    found.push_back({{}, access.writes, access.axes});
    for (Expr const& index : access.indices)
      found.back().indices.push_back(arith::simplify(index, ranges));
  }
  return found;
}

std::vector<Span> box_of(std::vector<BlockSite> const& sites, BufferNode const& buffer,
                         size_t still, bool writes, std::vector<For const*> const& sharing,
                         Longer longer) {
  std::vector<Span> box;
  std::vector<For const*> running = sharing;
  for (BlockSite const& site : sites)
    running.insert(running.end(), site.loops.begin() + int64_t(still), site.loops.end());
  for (size_t d = 0; d < buffer.shape.size(); ++d) {
    std::vector<Expr> indices;
    std::vector<For const*> inside = running;
    std::vector<Stmt> axes;  // as loops, which they are to a span
    for (BlockSite const& site : sites)
      for (BufferAccess const& access : accesses_to(site, buffer.name)) {
        if (access.writes != writes) continue;
        indices.push_back(access.indices[d]);
        for (OperandAxis const& axis : access.axes) {
          axes.push_back(make<For>(LoopId(), axis.var, axis.extent, LoopKind::kSerial, Stmt()));
          inside.push_back(&axes.back().to<For>());
        }
      }
    int64_t whole = as_int(buffer.shape[d]).value_or(1);
    auto span = span_of(indices, inside);
    bool kept = span && (span->extent < whole || longer == Longer::kKept || !span->runs.empty());
    box.push_back(kept ? *span : Span{int_imm(0), whole});
  }
  return box;
}

}  // namespace tw
