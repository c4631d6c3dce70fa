/// Index expressions as mixed-radix numbers whose digits are parts of loop variables: different
/// digits then mean different values, which is how independence is proved without search.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/arith/simplify.h"
#include "engine/ir/program.h"

namespace tw {

/// (loop // divide) % modulo, times `factor`; it takes the values 0..high. Modulo 0: no upper cut.
struct Digit {
  std::string loop;
  int64_t divide = 1;
  int64_t modulo = 0;
  int64_t factor = 1;
  int64_t high = 0;
  bool operator==(Digit const&) const = default;
};

/// constant + sum of digit * factor, where no sum of lower digits reaches the next factor.
struct RadixForm {
  std::vector<Digit> digits;
  int64_t constant = 0;
  bool operator==(RadixForm const&) const = default;
};

arith::Ranges ranges_of(std::vector<ir::For const*> const& loops);
/// Of a block's iterators; those whose extent is not known count to 2^31.
arith::Ranges iterator_ranges(ir::Block const& block);
/// Empty when the expression is something else.
std::optional<RadixForm> radix_form(ir::Expr const& e, arith::Ranges const& ranges);
/// A number that several variables make together, digit by digit from 0 on: 8*i + j for j below 8.
struct JoinedLoops {
  ir::Expr sum;
  std::vector<Digit> parts;  ///< each a whole variable, the lowest first
  int64_t extent = 0;
};
/// Those of which an expression takes quotients or remainders.
std::vector<JoinedLoops> joined_loops(std::vector<ir::Expr> const& indices,
                                      arith::Ranges const& ranges);
/// The values of the indices determine the number, and with it all of its parts.
bool covers(std::vector<ir::Expr> const& indices, JoinedLoops const& joined, arith::Ranges ranges);
/// The digits of `loop` determine it.
bool covers(std::vector<Digit> digits, std::string const& loop, int64_t extent);
/// The iterators of the block determine the loops: no two iterations run one instance. (False: it
/// is not shown.)
bool runs_once(ir::BlockSite const& site, std::vector<ir::For const*> const& loops);
/// As `covers`, and without overlap: the loop grows with each of its digits.
bool tiles(std::vector<Digit> digits, std::string const& loop, int64_t extent);

}  // namespace tw
