/// What is known of a program's nests, for programs that have most of them in common with it:
/// drafts of a step change one nest of many.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/touched.h"
#include "engine/ir/program.h"

namespace tw::analysis {

/// Several threads may ask at once. Nests are known by their address: statements are shared between
/// programs that a step made from each other, and this holds its program.
class LocalityMemo {
public:
  explicit LocalityMemo(ir::Program program);

  using Nests = std::set<void const*>;  ///< the outermost statements
  /// Of what one tensor's accesses in these nests reach together; empty: not known.
  std::optional<Touched> touched(std::string const& tensor, Nests const& nests) const;
  /// Kept if all nests are the program's.
  void keep(std::string const& tensor, Nests const& nests, Touched const& value);
  std::optional<double> traffic(void const* nest, int64_t capacity) const;
  void keep(void const* nest, int64_t capacity, double bytes);

private:
  ir::Program program_;
  Nests own_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, Nests>, Touched> touched_;
  std::map<std::pair<void const*, int64_t>, double> traffic_;
};

}  // namespace tw::analysis
