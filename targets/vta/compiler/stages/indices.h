/// Where accesses go while some loops stand still: indices as sums of loops with factors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/arith/linear.h"
#include "engine/ir/stmt.h"
#include "engine/support/base/error.h"

namespace tw::vta {

/// The values of the loops that stand still.
using Standing = std::map<std::string, int64_t, std::less<>>;

/// The value of a whole-number expression; nothing where it speaks of a loop that runs, or reads a
/// tensor.
std::optional<int64_t> value_of(ir::Expr const& e, Standing const& standing);

/// A loop of a nest that becomes one call: iterations [low, high) run.
struct RunningLoop {
  std::string name;
  int64_t low = 0, high = 0;
  int64_t extent() const { return high - low; }
};

/// base + sum of factors[i] * (value of loop i).
struct Form {
  int64_t base = 0;
  std::vector<int64_t> factors;          ///< one for each running loop
  arith::Linear const* index = nullptr;  ///< of an element: what it is the form of
  int64_t of(std::vector<RunningLoop> const& loops, std::string const& name) const;
};

/// An element of a tensor that a form was asked for.
struct AskedElement {
  arith::Linear const* index = nullptr;
  std::string tensor;
};

/// Linear forms of expressions, each made once: they are asked for again in every iteration of the
/// loops that stand still.
class Indices {
public:
  /// Of an index. Errors: vta_index, which names what keeps it from being a sum of loops.
  Result<Form> form(ir::Expr const& e, std::vector<RunningLoop> const& running,
                    Standing const& standing);
  /// Of an element in row-major order, in scalars.
  Result<Form> form(ir::Load const& read, std::vector<RunningLoop> const& running,
                    Standing const& standing);
  Result<Form> form(ir::Store const& store, std::vector<RunningLoop> const& running,
                    Standing const& standing);

  /// Elements whose forms were asked for since `forget_asked`.
  std::vector<AskedElement> const& asked() const { return asked_; }
  void forget_asked() { asked_.clear(); }

private:
  Result<Form> form_of(arith::Linear const& linear, std::vector<RunningLoop> const& running,
                       Standing const& standing) const;
  Result<Form> flat(void const* node, ir::Buffer const& buffer,
                    std::vector<ir::Expr> const& indices, std::vector<RunningLoop> const& running,
                    Standing const& standing);

  std::unordered_map<void const*, arith::Linear> known_;
  std::vector<AskedElement> asked_;
};

}  // namespace tw::vta
