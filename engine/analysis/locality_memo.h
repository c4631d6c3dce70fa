/// What is known of a program's nests, for programs that have most of them in common with it:
/// drafts of a step change one nest of many.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/instructions.h"
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

  using Accesses = std::shared_ptr<std::vector<TensorAccess> const>;
  /// Found once for a block of the program's own nests, each time for one of another nest.
  Accesses accesses(ir::BlockSite const& site);
  /// Of the block as a compiler leaves it (`compiled`), found as often. `vector_lanes`: 32-bit
  /// lanes of the machine's widest register.
  Instructions instructions(ir::BlockSite const& site, int vector_lanes);

private:
  using Site = std::vector<void const*>;  ///< a block and the loops around it
  Site key_of(ir::BlockSite const& site) const;

  ir::Program program_;
  Nests own_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, Nests>, Touched> touched_;
  std::map<std::pair<void const*, int64_t>, double> traffic_;
  std::map<Site, Accesses> accesses_;
  std::map<std::pair<Site, int>, Instructions> instructions_;
};

}  // namespace tw::analysis
