#include "targets/vta/hardware/boards.h"

#include <algorithm>

#include "targets/vta/hardware/board_sources.h"

namespace tw::vta {
namespace {

constexpr std::string_view kStandardBoard = "pynq";

std::vector<Configuration> read_boards() {
  std::vector<Configuration> boards;
  for (BoardSource const& source : board_sources()) {
    auto board = parse_configuration(source.text, source.file);
    TW_ASSERT(board, "the boards that the program comes with are legal");
    boards.push_back(std::move(*board));
  }
  std::ranges::sort(boards, {}, [](Configuration const& board) {
    return std::pair(board.name != kStandardBoard, board.name);
  });
  return boards;
}

}  // namespace

std::vector<Configuration> const& boards() {
  static std::vector<Configuration> const all = read_boards();
  return all;
}

Configuration const* find_board(std::string_view name) {
  auto found = std::ranges::find(boards(), name, &Configuration::name);
  return found == boards().end() ? nullptr : &*found;
}

}  // namespace tw::vta
