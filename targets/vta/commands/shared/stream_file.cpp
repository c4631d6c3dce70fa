#include "targets/vta/commands/shared/stream_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/support/base/quantities.h"
#include "engine/support/base/random.h"
#include "engine/support/files.h"
#include "targets/vta/commands/shared/board_option.h"
#include "targets/vta/commands/shared/memory_image.h"
#include "targets/vta/commands/shared/micro_ops.h"
#include "targets/vta/hardware/encoding.h"
#include "targets/vta/simulator/checks.h"

namespace tw::vta {
namespace {

constexpr int64_t kMostFile = int64_t(1) << 28;
constexpr uint64_t kMostMemory = uint64_t(1) << 30;  ///< that a simulation gets here
constexpr std::string_view kTextBegin = "tilewright ";

std::vector<std::byte> bytes_of(std::string const& content) {
  std::vector<std::byte> bytes(content.size());
  std::memcpy(bytes.data(), content.data(), content.size());
  return bytes;
}

/// Errors: truncated_stream, where the last one is cut off.
Result<std::vector<std::pair<uint64_t, MicroOp>>> decode_uops(Configuration const& configuration,
                                                              std::string const& content,
                                                              uint64_t at,
                                                              std::string const& file) {
  size_t size = size_t(configuration.uop_bytes());
  if (content.size() % size != 0)
    return bad_input(
        "truncated_stream",
        fmt::format("{} bytes are not a multiple of micro-ops of {} bytes", content.size(), size),
        Place{file, 0, 0, {}});
  std::vector<std::pair<uint64_t, MicroOp>> uops;
  for (size_t i = 0; i * size < content.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, content.data() + i * size, size);
    uops.emplace_back(at + i, decode_uop(configuration, bits));
  }
  return uops;
}

Result<Assembly> decode_files(CommandArguments const& arguments, std::string const& file,
                              std::string const& content) {
  if (arguments.has("--uops-at") && !arguments.has("--uops"))
    return bad_input("unused_option",
                     "--uops-at says where the micro-ops of --uops lie, and there "
                     "is no --uops");
  Assembly assembly;
  TRY_ASSIGN(assembly.configuration, board_of(arguments.text(kBoardOption)));
  std::vector<std::byte> bytes = bytes_of(content);
  auto stream = decode(assembly.configuration, bytes);
  if (!stream) {
    stream.error().place.file = file;
    return std::unexpected(stream.error());
  }
  assembly.stream = std::move(*stream);
  if (!arguments.has("--uops")) return assembly;
  std::string beside = arguments.text("--uops");
  TRY_ASSIGN(std::string uops, read_file(beside, kMostFile));
  TRY_ASSIGN(assembly.uops, decode_uops(assembly.configuration, uops,
                                        uint64_t(arguments.number("--uops-at", 0)), beside));
  return assembly;
}

Result<Assembly> read_any(CommandArguments const& arguments) {
  std::string file = arguments.text("FILE");
  TRY_ASSIGN(std::string content, read_file(file, kMostFile));
  if (!content.starts_with(kTextBegin)) return decode_files(arguments, file, content);
  for (char const* option : {kBoardOption, "--uops", "--uops-at"})
    if (arguments.has(option))
      return bad_input("unused_option",
                       fmt::format("{} is for bits: the text says itself what it is for", option),
                       Place{file, 0, 0, {}});
  TRY_ASSIGN(Assembly assembly, parse_assembly(content, file));
  TRY(check_processor(assembly.configuration, file));
  return assembly;
}

/// The first byte of main memory behind what the instruction moves; 0: it moves nothing.
uint64_t end_in_memory(Configuration const& configuration, Instruction const& instruction) {
  bool moves = instruction.opcode == Opcode::kLoad || instruction.opcode == Opcode::kStore;
  Transfer const& t = instruction.transfer;
  if (!moves || t.nothing()) return 0;
  uint64_t last = t.dram + uint64_t(t.y_size - 1) * t.x_stride + t.x_size;
  return last * uint64_t(configuration.element_bytes_in_dram(t.memory));
}

std::unexpected<Error> too_large(std::string const& who, uint64_t bytes) {
  auto [reaches, most] = bytes_apart(double(bytes), double(kMostMemory));
  return bad_input("main_memory_too_large",
                   fmt::format("{} reaches {} of main memory, and {} are simulated here at most",
                               who, reaches, most));
}

}  // namespace

std::vector<CommandParameter> stream_parameters() {
  return {{.name = "FILE",
           .type = "",
           .doc = "a stream as text (`tw lower KERNEL --target vta --stage instructions` prints "
                  "one), or as the bits that an accelerator fetches",
           .required = true},
          board_parameter("of bits: the accelerator that they are for (default: pynq)"),
          {.name = "--uops",
           .type = "FILE",
           .doc = "of bits: the micro-ops that the stream loads, as they lie in main memory"},
          {.name = "--uops-at",
           .type = "N",
           .doc = "of bits: where the first of those lies, counted in micro-ops (default: 0)",
           .kind = ParameterKind::kNumber,
           .low = 0,
           .high = int64_t(kMostMemory)}};
}

Result<Assembly> read_stream(CommandArguments const& arguments, StreamNeeds needs) {
  TRY_ASSIGN(Assembly assembly, read_any(arguments));
  std::string file = arguments.text("FILE");
  if (needs == StreamNeeds::kProgram)
    if (auto whole = check_end(assembly.configuration, assembly.stream); !whole) {
      whole.error().place.file = file;
      return std::unexpected(whole.error());
    }
  // An image of main memory has them where the stream brings none.
  bool elsewhere = needs == StreamNeeds::kInstructions || arguments.has(kMemoryOption);
  if (!elsewhere || !assembly.uops.empty())
    TRY(check_micro_ops(assembly, arguments.text("--uops", file)));
  return assembly;
}

Result<UopImage> uop_image(Assembly const& assembly) {
  if (assembly.uops.empty()) return UopImage();
  auto [first, last] =
      std::ranges::minmax_element(assembly.uops, {}, &std::pair<uint64_t, MicroOp>::first);
  uint64_t size = uint64_t(assembly.configuration.uop_bytes()), count = last->first - first->first;
  if (count >= kMostMemory / size) return too_large("the last micro-op", count * size);
  UopImage image{first->first, std::vector<std::byte>(size_t((count + 1) * size))};
  for (auto const& [address, uop] : assembly.uops) {
    TRY_ASSIGN(uint64_t bits, encode(assembly.configuration, uop));
    std::memcpy(image.bytes.data() + (address - image.address) * size, &bits, size_t(size));
  }
  return image;
}

Result<std::vector<std::byte>> main_memory(Assembly const& assembly, std::optional<uint64_t> seed) {
  uint64_t size = uint64_t(assembly.configuration.uop_bytes()), bytes = 0;
  for (size_t i = 0; i < assembly.stream.size(); ++i) {
    uint64_t end = end_in_memory(assembly.configuration, assembly.stream[i]);
    if (end > kMostMemory) return too_large(fmt::format("instruction {}", i), end);
    bytes = std::max(bytes, end);
  }
  for (auto const& [address, uop] : assembly.uops) {
    if (address >= kMostMemory / size) return too_large("a micro-op", kMostMemory + 1);
    bytes = std::max(bytes, (address + 1) * size);
  }
  std::vector<std::byte> memory{size_t(bytes)};
  if (seed)
    for (Rng rng(*seed); std::byte & one : memory) one = std::byte(rng.next());
  TRY(place_micro_ops(assembly, memory));
  return memory;
}

Status place_micro_ops(Assembly const& assembly, std::span<std::byte> memory) {
  auto size = size_t(assembly.configuration.uop_bytes());
  for (auto const& [address, uop] : assembly.uops) {
    TRY_ASSIGN(uint64_t bits, encode(assembly.configuration, uop));
    std::memcpy(memory.data() + address * size, &bits, size);
  }
  return {};
}

}  // namespace tw::vta
