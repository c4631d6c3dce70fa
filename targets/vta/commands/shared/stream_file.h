/// Streams as the commands take them: as text, or as the bits that an accelerator fetches.
#pragma once

#include <optional>

#include "targets/vta/commands/shared/group.h"
#include "targets/vta/hardware/assembly.h"

namespace tw::vta {

/// FILE, "--board", "--uops" and "--uops-at".
std::vector<CommandParameter> stream_parameters();
/// What a stream's file must hold for a command to be right about it.
enum class StreamNeeds : uint8_t {
  kInstructions,  ///< to show or translate them: micro-ops may be left out, but only all of them
  kMicroOps,      ///< each one that an instruction loads
  kProgram,       ///< those, and finish at the end
};
/// A text says all by itself; bits need the board, and their micro-ops beside them. Which of both a
/// file is, is seen by its first words. Errors: those of the file, of the text and of decoding;
/// unused_option (a text says that itself); missing_micro_ops, no_finish.
Result<Assembly> read_stream(CommandArguments const& arguments, StreamNeeds needs);

/// Micro-ops as they lie in main memory, from the lowest address on; zeros between them.
struct UopImage {
  uint64_t address = 0;  ///< of the first, in micro-ops
  std::vector<std::byte> bytes;
};
/// Errors: main_memory_too_large, where they lie too far apart.
Result<UopImage> uop_image(Assembly const& assembly);

/// Main memory as large as the stream reaches: micro-ops where they lie, elsewhere zeros, or bytes
/// by chance. Errors: main_memory_too_large, with the instruction.
Result<std::vector<std::byte>> main_memory(Assembly const& assembly, std::optional<uint64_t> seed);

/// Writes them where they lie in a memory that is large enough.
Status place_micro_ops(Assembly const& assembly, std::span<std::byte> memory);

}  // namespace tw::vta
