/// Nests over scalars as nests over elements of the accelerator's memories.
#pragma once

#include "targets/vta/compiler/stages/nest.h"

namespace tw::vta {

/// A loop over elements: steps of a running loop, `step` of its iterations each.
struct ElementLoop {
  std::string name;
  int64_t extent = 1;
  size_t running = 0;  ///< number of the running loop
  int64_t step = 1;
};

/// base + sum of factors[i] * (value of element loop i), in elements.
struct ElementForm {
  int64_t base = 0;
  std::vector<int64_t> factors;
  arith::Linear const* index = nullptr;  ///< what it is the form of
};

/// Splits the loops of a nest into those that run through one element, lane by lane in row-major
/// order, and those that go from element to element.
class Elements {
public:
  /// `reference`: the index of one tensor in scalars, of which an element has `scalars`. Errors:
  /// vta_element, which names the loop that leaves an element half done, and the repair.
  static Result<Elements> create(std::vector<RunningLoop> const& running, Form const& reference,
                                 int64_t scalars, std::string const& tensor);

  /// Those with one iteration are left out.
  std::vector<ElementLoop> const& loops() const { return loops_; }
  /// Of another tensor in the same nest. Errors: vta_element where its lanes lie in another order,
  /// or its elements do not begin where they must.
  Result<ElementForm> of(Form const& form, std::string const& tensor) const;

private:
  struct Lane {
    size_t running;
    int64_t factor, extent;
  };
  explicit Elements(std::vector<RunningLoop> running, int64_t scalars)
      : running_(std::move(running)), scalars_(scalars) {}
  Status sort(size_t loop, int64_t factor, std::string const& tensor);
  Status lanes_fill_an_element(std::string const& tensor);

  std::vector<RunningLoop> running_;
  int64_t scalars_;
  std::vector<ElementLoop> loops_;
  std::vector<Lane> lanes_;
};

}  // namespace tw::vta
