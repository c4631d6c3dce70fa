#include "targets/vta/commands/shared/memory_image.h"

#include <algorithm>
#include <cstring>

#include "engine/support/files.h"
#include "targets/vta/commands/shared/stream_file.h"

namespace tw::vta {
namespace {

constexpr int64_t kMostImage = int64_t(1) << 30;
constexpr char kDataOption[] = "--data", kOutOption[] = "--memory-out";

}  // namespace

std::vector<CommandParameter> memory_parameters() {
  return {{.name = kDataOption,
           .type = "N",
           .doc = "fill main memory with bytes by this seed (default: zeros)",
           .kind = ParameterKind::kNumber,
           .low = 0,
           .high = INT64_MAX},
          {.name = kMemoryOption,
           .type = "FILE",
           .doc = "main memory before the run: the file's bytes from address 0 on, zeros behind "
                  "them; micro-ops that the stream brings itself go over them"},
          {.name = kOutOption,
           .type = "FILE",
           .doc = "write main memory as it is in the end to this file, from address 0 on"}};
}

Result<std::vector<std::byte>> memory_before(CommandArguments const& arguments,
                                             Assembly const& assembly) {
  bool by_seed = arguments.has(kDataOption), by_file = arguments.has(kMemoryOption);
  if (by_seed && by_file)
    return bad_input("unused_option",
                     "--data makes up what --memory reads out of a file: give one of them");
  if (!by_file) {
    auto seed = by_seed ? std::optional(uint64_t(arguments.number(kDataOption, 0))) : std::nullopt;
    return main_memory(assembly, seed);
  }
  TRY_ASSIGN(std::string image, read_file(arguments.text(kMemoryOption), kMostImage));
  TRY_ASSIGN(std::vector<std::byte> memory, main_memory(assembly, {}));
  memory.resize(std::max(memory.size(), image.size()));
  std::memcpy(memory.data(), image.data(), image.size());
  TRY(place_micro_ops(assembly, memory));
  return memory;
}

Status write_memory(CommandArguments const& arguments, std::span<std::byte const> memory) {
  if (!arguments.has(kOutOption)) return {};
  return write_output(arguments.text(kOutOption),
                      {reinterpret_cast<char const*>(memory.data()), memory.size()});
}

}  // namespace tw::vta
