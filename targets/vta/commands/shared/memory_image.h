/// What lies in main memory before a stream runs, and what lies there after it: from files, to
/// files, or made up.
#pragma once

#include "targets/vta/commands/shared/group.h"
#include "targets/vta/hardware/assembly.h"

namespace tw::vta {

inline constexpr char kMemoryOption[] = "--memory";

/// "--data", "--memory" and "--memory-out".
std::vector<CommandParameter> memory_parameters();

/// As large as the stream reaches, or as the file: the file's bytes from address 0 on, or bytes by
/// the seed, or zeros; the stream's own micro-ops over them. Errors: those of reading;
/// unused_option (a file and a seed); main_memory_too_large.
Result<std::vector<std::byte>> memory_before(CommandArguments const& arguments,
                                             Assembly const& assembly);
/// To the file that is named, if one is.
Status write_memory(CommandArguments const& arguments, std::span<std::byte const> memory);

}  // namespace tw::vta
