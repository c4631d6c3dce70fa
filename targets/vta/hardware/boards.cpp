#include "targets/vta/hardware/boards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/support/files.h"

#include "targets/vta/hardware/board_sources.h"

namespace tw::vta {
namespace {

constexpr std::string_view kStandardBoard = "pynq";
constexpr int64_t kMostText = 1 << 20;

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

Result<Configuration> board_or_file(std::string_view word) {
  if (Configuration const* board = find_board(word)) return *board;
  bool is_file = word.find('/') != std::string_view::npos || word.ends_with(kConfigurationEnding);
  if (is_file) {
    TRY_ASSIGN(std::string text, read_text(std::string(word), kMostText));
    return parse_configuration(text, word);
  }
  std::vector<std::string> names;
  for (Configuration const& board : boards()) names.push_back(board.name);
  return bad_input("unknown_board", fmt::format("there is no board '{}'; the boards are {}",
                                                word.substr(0, 80), fmt::join(names, ", ")));
}

}  // namespace tw::vta
