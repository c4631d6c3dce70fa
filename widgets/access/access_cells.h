// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the lanes of one request of a warp go, as cells of a picture: sectors of main memory, four
/// to a line of 128 bytes, or banks of shared memory, a row for each pass.
#pragma once

#include <vector>

#include "engine/session/launches.h"

namespace tw {

struct AccessCell {
  int column = 0, row = 0;
  double used = 0;         ///< of its bytes, 0 to 1
  std::vector<int> lanes;  ///< that touch it
};

struct AccessCells {
  bool banks = false;
  int columns = 0, rows = 0;
  std::vector<AccessCell> cells;
  std::vector<int> of_lane;    ///< index of the cell that holds its first byte; -1: takes no part
  std::vector<int64_t> lines;  ///< of sectors: by column, the line's first byte
  int64_t asked = 0;           ///< different bytes
  int64_t moved = 0;           ///< of sectors: bytes that memory hands over

  AccessCell const* cell(int lane) const {
    bool known = lane >= 0 && size_t(lane) < of_lane.size() && of_lane[size_t(lane)] >= 0;
    return known ? &cells[size_t(of_lane[size_t(lane)])] : nullptr;
  }
};

AccessCells cells_of(WarpRequest const& request, bool shared, int bytes);

}  // namespace tw
