/// Who of several kernels is searched next, when all share one budget.
#pragma once

#include <optional>
#include <vector>

namespace tw {

/// From each kernel some gain per second of search is expected: of the time that it takes in the
/// network, as much as it gained lately, or, as long as little was tried, what kernels gain
/// usually.
class BudgetShares {
public:
  /// What each takes in the network by rule, all its calls together: in seconds, 0 or more.
  explicit BudgetShares(std::vector<double> const& seconds);

  /// Nothing: all are closed.
  std::optional<int> next() const;
  /// A slice of the search took `cost` seconds, and `ratio` of the kernel's time by rule is left
  /// at best.
  void tell(int kernel, double ratio, double cost);
  /// There is nothing more to find.
  void close(int kernel);
  /// In seconds per run of the network: what was found so far.
  double gain(int kernel) const;

private:
  struct Kernel {
    double seconds = 0;
    double ratio = 1;   ///< of the time by rule, at best
    double lately = 0;  ///< share of the time that a slice gains, the last ones count most
    double cost = 0;    ///< of a slice, in seconds
    int slices = 0;
    bool closed = false;
  };
  double expected(Kernel const& kernel) const;

  std::vector<Kernel> kernels_;
};

}  // namespace tw
