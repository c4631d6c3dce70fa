// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/access/access_cells.h"

#include <algorithm>
#include <map>
#include <set>

namespace tw {
namespace {

constexpr int64_t kSector = 32, kSectors = 4, kLine = kSector * kSectors;
constexpr int64_t kWord = 4, kBanks = 32;

int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/// Units of so many bytes that a lane touches, and how many of their bytes somebody wants.
struct Touched {
  std::map<int64_t, std::set<int64_t>> bytes;  ///< by unit
  std::map<int64_t, std::vector<int>> lanes;
};

Touched touched(WarpRequest const& request, int bytes, int64_t unit, size_t first, size_t end) {
  Touched found;
  for (size_t lane = first; lane < end; ++lane) {
    int64_t begin = request.address[lane];
    if (begin == -1) continue;
    for (int64_t at = begin; at < begin + bytes; ++at) {
      int64_t number = floor_quotient(at, unit);
      found.bytes[number].insert(at);
      auto& lanes = found.lanes[number];
      if (lanes.empty() || lanes.back() != int(lane)) lanes.push_back(int(lane));
    }
  }
  return found;
}

AccessCells sectors(WarpRequest const& request, int bytes) {
  AccessCells made{.rows = int(kSectors)};
  made.of_lane.assign(request.address.size(), -1);
  Touched all = touched(request, bytes, kSector, 0, request.address.size());
  std::map<int64_t, int> columns;
  std::map<int64_t, int> cells;
  for (auto const& [sector, own] : all.bytes) {
    int64_t line = floor_quotient(sector, kSectors);
    auto [column, is_new] = columns.try_emplace(line, int(columns.size()));
    if (is_new) made.lines.push_back(line * kLine);
    cells[sector] = int(made.cells.size());
    made.cells.push_back({column->second, int(sector - line * kSectors),
                          double(own.size()) / double(kSector), all.lanes[sector]});
    made.asked += int64_t(own.size());
  }
  made.columns = int(columns.size());
  made.moved = int64_t(made.cells.size()) * kSector;
  for (size_t lane = 0; lane < request.address.size(); ++lane)
    if (request.address[lane] != -1)
      made.of_lane[lane] = cells[floor_quotient(request.address[lane], kSector)];
  return made;
}

/// Words of one bank come one after the other, in the order of their lanes.
AccessCells banks(WarpRequest const& request, int bytes) {
  AccessCells made{.banks = true, .columns = int(kBanks)};
  made.of_lane.assign(request.address.size(), -1);
  size_t lanes = request.address.size();
  size_t together = request.together > 0 ? size_t(request.together) : lanes;
  for (size_t first = 0; first < lanes; first += together) {
    size_t end = std::min(first + together, lanes);
    Touched own = touched(request, bytes, kWord, first, end);
    std::vector<int64_t> words;
    for (auto const& [word, some] : own.bytes) words.push_back(word);
    std::ranges::sort(words, {},
                      [&](int64_t word) { return std::pair(own.lanes[word].front(), word); });
    std::map<int64_t, int> next;   // row of the next word, by bank
    std::map<int64_t, int> cells;  // by word
    int rows = made.rows;
    for (int64_t word : words) {
      int64_t bank = ((word % kBanks) + kBanks) % kBanks;
      int row = rows + next[bank]++;
      made.rows = std::max(made.rows, row + 1);
      cells[word] = int(made.cells.size());
      made.cells.push_back(
          {int(bank), row, double(own.bytes[word].size()) / double(kWord), own.lanes[word]});
      made.asked += int64_t(own.bytes[word].size());
    }
    for (size_t lane = first; lane < end; ++lane)
      if (request.address[lane] != -1)
        made.of_lane[lane] = cells[floor_quotient(request.address[lane], kWord)];
  }
  return made;
}

}  // namespace

AccessCells cells_of(WarpRequest const& request, bool shared, int bytes) {
  return shared ? banks(request, bytes) : sectors(request, bytes);
}

}  // namespace tw
