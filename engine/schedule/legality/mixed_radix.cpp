#include "engine/schedule/legality/mixed_radix.h"

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/ir/stmt.h"

namespace tw {
namespace {

using namespace ir;

std::optional<Digit> digit_of(Expr const& e) {
  if (auto const* v = e.as<Variable>()) return Digit{v->name, 1, 0, 1, 0};
  auto const* node = e.as<Binary>();
  auto number = node ? as_int(node->b) : std::nullopt;
  if (!number || *number < 1) return std::nullopt;
  auto inner = digit_of(node->a);
  if (!inner) return std::nullopt;
  bool whole = inner->modulo == 0 || inner->modulo % *number == 0;
  if (!whole) return std::nullopt;
  if (node->op == BinaryOp::kFloorMod) {
    inner->modulo = *number;
    return inner;
  }
  if (node->op != BinaryOp::kFloorDiv) return std::nullopt;
  if (__builtin_mul_overflow(inner->divide, *number, &inner->divide)) return std::nullopt;
  inner->modulo /= *number;
  return inner;
}

std::vector<Digit> of_loop(std::vector<Digit> digits, std::string const& loop) {
  std::erase_if(digits, [&](Digit const& d) { return d.loop != loop; });
  std::sort(digits.begin(), digits.end(),
            [](Digit const& a, Digit const& b) { return a.divide < b.divide; });
  return digits;
}

int64_t top_of(Digit const& digit, int64_t extent) {
  int64_t top = 0;
  bool whole = digit.modulo == 0 || __builtin_mul_overflow(digit.divide, digit.modulo, &top);
  return whole ? std::max(extent, digit.divide) : top;
}

}  // namespace

arith::Ranges ranges_of(std::vector<For const*> const& loops) {
  arith::Ranges ranges;
  for (For const* loop : loops)
    if (auto extent = as_int(loop->extent)) ranges.set(loop->name(), {0, *extent - 1});
  return ranges;
}

arith::Ranges iterator_ranges(Block const& block) {
  arith::Ranges ranges;
  for (IterVar const& iter : block.iters)
    ranges.set(iter.name(), {0, as_int(iter.extent).value_or(int64_t(1) << 31) - 1});
  return ranges;
}

std::optional<RadixForm> radix_form(Expr const& e, arith::Ranges const& ranges) {
  arith::Linear linear = arith::to_linear(e);
  std::stable_sort(linear.terms.begin(), linear.terms.end(),
                   [](auto const& a, auto const& b) { return a.factor < b.factor; });
  RadixForm form{{}, linear.constant};
  int64_t reach = 1;
  for (auto const& term : linear.terms) {
    auto digit = digit_of(term.term);
    auto range = arith::bounds(term.term, ranges);
    if (!digit || !range || range->low != 0) return std::nullopt;
    if (range->high == 0) continue;
    if (term.factor < reach) return std::nullopt;
    // The largest sum of this digit and the lower ones is below reach.
    if (__builtin_mul_overflow(term.factor, range->high + 1, &reach)) return std::nullopt;
    digit->factor = term.factor;
    digit->high = range->high;
    form.digits.push_back(*digit);
  }
  return form;
}

bool covers(std::vector<Digit> digits, std::string const& loop, int64_t extent) {
  int64_t reach = 1;
  for (Digit const& digit : of_loop(std::move(digits), loop)) {
    // A higher digit that starts inside of what is known adds what lies above it.
    if (digit.divide > reach || reach % digit.divide != 0) return reach >= extent;
    reach = std::max(reach, top_of(digit, extent));
  }
  return reach >= extent;
}

bool runs_once(BlockSite const& site, std::vector<For const*> const& loops) {
  arith::Ranges ranges = ranges_of(site.loops);
  std::vector<Digit> digits;
  for (IterVar const& iter : site.block->iters)
    if (auto form = radix_form(iter.binding, ranges))
      digits.insert(digits.end(), form->digits.begin(), form->digits.end());
  return std::ranges::all_of(loops, [&](For const* loop) {
    auto extent = as_int(loop->extent);
    return extent && covers(digits, loop->name(), *extent);
  });
}

bool tiles(std::vector<Digit> digits, std::string const& loop, int64_t extent) {
  int64_t reach = 1;
  for (Digit const& digit : of_loop(std::move(digits), loop)) {
    if (digit.divide != reach) return false;
    reach = top_of(digit, extent);
  }
  return reach >= extent;
}

}  // namespace tw
