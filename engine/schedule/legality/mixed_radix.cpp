#include "engine/schedule/legality/mixed_radix.h"

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
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

constexpr char kJoined[] = "joined loops";  // no variable is called so

/// Nothing: it is one variable, or the values of its parts are not all the numbers from 0 on.
std::optional<JoinedLoops> joined_of(Expr const& sum, arith::Ranges const& ranges) {
  auto form = radix_form(sum, ranges);
  if (!form || form->constant != 0 || form->digits.size() < 2) return std::nullopt;
  int64_t reach = 1;
  for (Digit const& digit : form->digits) {
    if (digit.divide != 1 || digit.modulo != 0 || digit.factor != reach) return std::nullopt;
    if (__builtin_mul_overflow(reach, digit.high + 1, &reach)) return std::nullopt;
  }
  return JoinedLoops{sum, std::move(form->digits), reach};
}

class Joining : public Rewriter {
public:
  explicit Joining(Expr const& sum) : sum_(sum) {}
  using Rewriter::visit;
  Expr visit(Expr const& e) override { return equal(e, sum_) ? var(kJoined) : rebuild(e); }

private:
  Expr const& sum_;
};

/// A digit of a part as one of the whole: 8*i + j has i // d as its quotient by 8*d.
Digit of_joined(Digit digit, JoinedLoops const& joined) {
  auto part = std::ranges::find(joined.parts, digit.loop, &Digit::loop);
  if (part == joined.parts.end()) return digit;
  bool top = part + 1 == joined.parts.end();
  int64_t count = part->high + 1, turn = digit.divide * std::max<int64_t>(1, digit.modulo);
  if (!top && count % turn != 0) return digit;  // what is above it would be in the quotient
  if (!top && digit.modulo == 0) digit.modulo = count / digit.divide;
  digit.loop = kJoined;
  digit.divide *= part->factor;
  return digit;
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

std::vector<JoinedLoops> joined_loops(std::vector<Expr> const& indices,
                                      arith::Ranges const& ranges) {
  std::vector<JoinedLoops> all;
  for (Expr const& index : indices)
    walk(index, [&](Expr const& e) {
      auto const* node = e.as<Binary>();
      if (!node || (node->op != BinaryOp::kFloorDiv && node->op != BinaryOp::kFloorMod))
        return true;
      auto same = [&](JoinedLoops const& one) { return equal(one.sum, node->a); };
      auto joined = joined_of(node->a, ranges);
      if (joined && std::ranges::none_of(all, same)) all.push_back(std::move(*joined));
      return true;
    });
  return all;
}

bool covers(std::vector<Expr> const& indices, JoinedLoops const& joined, arith::Ranges ranges) {
  ranges.set(kJoined, {0, joined.extent - 1});
  std::vector<Digit> digits;
  for (Expr const& index : indices)
    if (auto form = radix_form(Joining(joined.sum).visit(index), ranges))
      for (Digit const& digit : form->digits) digits.push_back(of_joined(digit, joined));
  return covers(std::move(digits), kJoined, joined.extent);
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
