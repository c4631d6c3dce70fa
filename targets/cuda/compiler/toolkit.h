/// Programs of a CUDA toolkit, where one is found: never needed to build, never linked.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::cuda {

struct Toolkit {
  std::filesystem::path ptxas;     ///< empty: there is none
  std::filesystem::path nvdisasm;  ///< likewise
  /// Asked where the first does not know an architecture: toolkit 13 has dropped sm_70.
  std::vector<std::filesystem::path> other_ptxas = {};
};

/// In CUDA_HOME, CUDA_PATH, /usr/local/cuda, on the path, and where the PyPI wheels
/// (nvidia-cuda-nvcc, nvidia-cuda-nvdisasm) of this machine's Python lie.
Toolkit find_toolkit();

/// What ptxas says of one function.
struct FunctionResources {
  std::string function;
  int registers = 0;
  int64_t spill_bytes = 0;  ///< stores and loads
  int64_t stack_bytes = 0;
  int64_t shared_bytes = 0;
};

struct Assembled {
  std::vector<FunctionResources> functions;
  std::vector<std::string> remarks = {};  ///< what ptxas says of matrix units that it serializes
  std::string sass = {};                  ///< empty: there is no nvdisasm
  std::vector<std::byte> cubin = {};      ///< the assembled file
};

/// Errors: no_toolkit; assembler_failed, with its first line or why it could not begin;
/// process_unavailable, program_timed_out.
Result<Assembled> assemble(Toolkit const& toolkit, std::string const& ptx,
                           std::string const& architecture);

/// Functions, and how many blocks at a time ptxas is to make room for (`.minnctapersm`).
using Room = std::map<std::string, int>;

/// ptxas saves registers so that more blocks fit at a time, and spills for them: a function of code
/// that is large enough for that is given room for fewer, as many as it does not spill with. None
/// without an assembler, or where none spills.
Room room_without_spills(Toolkit const& toolkit, std::string const& ptx,
                         std::string const& architecture);
/// On the line of the block's size, so that lines keep their numbers.
std::string with_room(std::string ptx, Room const& room);

/// The functions of the text that `ptxas --verbose` writes.
std::vector<FunctionResources> parse_resources(std::string_view text);

}  // namespace tw::cuda
