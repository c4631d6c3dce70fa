/// Layouts of tensors for those who choose one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tw::session {

/// Layouts that are worth a try for a tensor of this shape, as steps write them: "BA16b".
std::vector<std::string> layout_choices(std::vector<int64_t> const& shape);

/// In which order the first elements of two dimensions lie.
struct LayoutPath {
  std::vector<std::pair<int, int>> cells;  ///< row and column of each, as they lie
  int rows = 0, columns = 0;
  std::string row, column;  ///< letters of the dimensions
};
/// Of the two that the layout treats differently, else of the last two. Empty: it does not fit the
/// shape, or that has less than two dimensions.
std::optional<LayoutPath> layout_path(std::string const& layout, std::vector<int64_t> const& shape);

}  // namespace tw::session
