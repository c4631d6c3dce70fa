#include "engine/arith/packing.h"

#include <algorithm>
#include <functional>
#include <set>

#include "engine/ir/op.h"

namespace tw::arith {
namespace {

std::optional<Interval> bounds_of(std::vector<Linear> const& numbers, Ranges const& ranges) {
  std::optional<Interval> all;
  for (Linear const& number : numbers) {
    auto one = bounds(to_expr(number), ranges);
    if (!one) return std::nullopt;
    all = all ? Interval{std::min(all->low, one->low), std::max(all->high, one->high)} : *one;
  }
  return all;
}

/// Multiples of a step, counted in steps, and what is left.
struct Parts {
  std::vector<Linear> coarse, fine;
};

Parts parts_of(std::vector<Linear> const& numbers, int64_t step) {
  Parts parts;
  for (Linear const& number : numbers) {
    Linear coarse, fine;
    fine.constant = number.constant % step;
    if (fine.constant < 0) fine.constant += step;
    coarse.constant = (number.constant - fine.constant) / step;
    for (Linear::Term const& term : number.terms) {
      if (term.factor % step == 0)
        coarse.terms.push_back({term.term, term.factor / step});
      else
        fine.terms.push_back(term);
    }
    parts.coarse.push_back(std::move(coarse));
    parts.fine.push_back(std::move(fine));
  }
  return parts;
}

/// With a digit for the multiples of `step`; nothing where the rests do not stay below it.
std::optional<Packing> packed_by(std::vector<Linear> const& numbers, int64_t step,
                                 Ranges const& ranges) {
  Parts parts = parts_of(numbers, step);
  auto coarse = bounds_of(parts.coarse, ranges), fine = bounds_of(parts.fine, ranges);
  if (!coarse || !fine || fine->high - fine->low >= step) return std::nullopt;
  auto packing = packing_of(parts.fine, ranges);
  if (!packing) return std::nullopt;
  packing->low += coarse->low * step;
  packing->digits.insert(packing->digits.begin(), {step, coarse->high - coarse->low + 1});
  return packing;
}

}  // namespace

int64_t Packing::size() const {
  int64_t size = 1;
  for (Digit const& digit : digits) size *= digit.count;
  return size;
}

Expr Packing::place_of(Expr const& above, Ranges const& ranges) const {
  Expr rest = above, place;
  for (Digit const& digit : digits) {
    Expr count = digit.step == 1 ? rest : ir::floor_div(rest, ir::int_imm(digit.step));
    place = place ? place * ir::int_imm(digit.count) + count : count;
    if (digit.step > 1) rest = ir::floor_mod(rest, ir::int_imm(digit.step));
  }
  return simplify(place, ranges);
}

std::optional<Packing> packing_of(std::vector<Linear> const& numbers, Ranges const& ranges) {
  auto reach = bounds_of(numbers, ranges);
  if (!reach) return std::nullopt;
  Packing best{reach->low, {{1, reach->high - reach->low + 1}}};
  std::set<int64_t, std::greater<>> steps;
  for (Linear const& number : numbers)
    for (Linear::Term const& term : number.terms) steps.insert(std::abs(term.factor));
  steps.erase(1);
  for (int64_t step : steps)
    if (auto packing = packed_by(numbers, step, ranges); packing && packing->size() < best.size())
      best = std::move(*packing);
  return best;
}

}  // namespace tw::arith
