// Bytes -> instructions of VTA -> the same bytes. The first byte chooses the board.
#include <algorithm>

#include "targets/vta/hardware/assembly.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/hardware/encoding.h"
#include "tests/fuzz/target.h"

using namespace tw;
using namespace tw::vta;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  if (size == 0) return 0;
  Configuration const& board = boards()[data[0] % boards().size()];
  std::span<std::byte const> bytes(reinterpret_cast<std::byte const*>(data + 1), size - 1);
  auto stream = decode(board, bytes);
  if (!stream) {
    fuzz::check_sentence(stream.error());
    return 0;
  }
  fuzz::accepted += !stream->empty();
  auto again = encode(board, *stream);
  TW_ASSERT(again && std::ranges::equal(*again, bytes), "instructions survive their bits");
  for (Instruction const& instruction : *stream) {
    auto line = parse_line(to_line(instruction));
    TW_ASSERT(line && *line == instruction, "an instruction survives its text");
  }
  return 0;
}
