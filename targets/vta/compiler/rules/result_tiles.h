/// The loops of a result of bytes, cut into tiles for which the memory of sums has room twice: two
/// virtual threads take turns.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/schedule/decisions.h"
#include "targets/vta/compiler/rules/steps.h"
#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

class ResultTiles {
public:
  /// `result`: the block that writes it. Nothing where it is not of bytes, or all its loops go
  /// through one element.
  static std::optional<ResultTiles> create(Steps const& steps, std::string const& result,
                                           Configuration const& configuration);

  /// Elements that a tile of these extents, one for each loop, takes with its operands.
  using Elements = std::function<int64_t(std::vector<int64_t> const& tile)>;
  size_t loops() const { return loops_.size(); }

  /// From the innermost loop outwards as much as there is room for; a tile that has none is
  /// rejected. The loop around a tile, where its operands are brought; empty: there is none.
  std::string cut(Steps& steps, Decisions& decisions, Elements const& elements);

private:
  using Loop = std::pair<std::string, int64_t>;  ///< with its extent

  std::vector<int64_t> choose(Decisions& decisions, Elements const& elements) const;
  std::string take_turns(Steps& steps, std::string const& loop);

  std::string result_;
  std::vector<Loop> loops_, lanes_;
  std::vector<std::string> outer_, inner_;
  int64_t depth_ = 0;  ///< elements of the memory for sums
  int64_t count_ = 0;
};

}  // namespace tw::vta
