#include "targets/cuda/compiler/resources.h"

#include <fmt/format.h>

#include <algorithm>

#include "targets/cuda/hardware/description.h"

namespace tw::cuda {
namespace {

/// Blocks of the launch; nothing where a size tells.
std::optional<int64_t> blocks_of(gpu::LaunchShape const& shape) {
  int64_t blocks = 1;
  for (ir::Expr const& extent : shape.grid) {
    auto value = ir::as_int(extent);
    if (!value) return std::nullopt;
    blocks *= *value;
  }
  return blocks;
}

FunctionResources const* find(Assembled const& assembled, std::string const& name) {
  auto found = std::ranges::find(assembled.functions, name, &FunctionResources::function);
  return found == assembled.functions.end() ? nullptr : &*found;
}

class Writer {
public:
  Writer(CodeListing& listing, Hardware const& hardware, gpu::Multiprocessor const& unit)
      : listing_(listing), hardware_(hardware), unit_(unit) {}

  void function(LaunchedFunction const& one, FunctionResources const* counted,
                std::string const& why_not) {
    line("{}: {} blocks of {} threads", one.name, gpu::grid_text(one.shape),
         gpu::block_text(one.shape));
    if (counted) {
      line("  registers      {} of each thread, of {}", counted->registers,
           unit_.registers_per_thread);
      line("  spills         {}",
           counted->spill_bytes > 0
               ? fmt::format("{} bytes of stores and loads", counted->spill_bytes)
               : std::string("none"));
      if (counted->stack_bytes > 0)
        line("  local memory   {} bytes of each thread", counted->stack_bytes);
    } else {
      line("  registers      not known: {}", why_not);
    }
    int64_t shared = counted && !one.is_given ? counted->shared_bytes : one.shared_bytes;
    line("  shared memory  {} bytes of each block, of {}{}", shared, unit_.shared_per_block,
         one.is_given ? ", given by the launch" : "");
    occupancy({.registers = counted ? counted->registers : 0,
               .shared_bytes = shared,
               .threads = int(one.shape.threads())},
              counted != nullptr, one.shape);
  }

  void remarks(std::vector<std::string> const& list) {
    for (std::string const& one : list) line("  ptxas says     {}", one);
  }

private:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    listing_.text += fmt::format(format, std::forward<Values>(values)...) + "\n";
    listing_.source_line.push_back(0);
  }

  void occupancy(gpu::KernelUse const& use, bool counted, gpu::LaunchShape const& shape) {
    gpu::Occupancy now = gpu::occupancy(unit_, use);
    if (now.blocks == 0) return line("  occupancy      no block fits a multiprocessor");
    line(
        "  occupancy      {}{} blocks of a multiprocessor: {} of {} warps ({:.0f} %), limited by "
        "{}",
        counted ? "" : "at most ", now.blocks, now.warps, unit_.max_warps, now.share * 100,
        gpu::limit_text(now.limit));
    if (std::string next = gpu::next_step(unit_, use); !next.empty())
      line("  next step      {}", next);
    auto blocks = blocks_of(shape);
    if (!blocks) return;
    int64_t at_once = int64_t(hardware_.unit().count) * now.blocks;
    int64_t waves = (*blocks + at_once - 1) / at_once;
    line(
        "  waves          {} of up to {} blocks on {} multiprocessors; the last one is filled to "
        "{:.0f} %",
        waves, at_once, hardware_.unit().count,
        100.0 * double(*blocks - (waves - 1) * at_once) / double(at_once));
  }

  CodeListing& listing_;
  Hardware const& hardware_;
  gpu::Multiprocessor const& unit_;
};

}  // namespace

/// From this compute capability on the system takes a part of each block's shared memory
/// (cuda_occupancy.h).
constexpr int kReserves = 80;

Result<gpu::Multiprocessor> multiprocessor_of(Hardware const& hardware) {
  gpu::Multiprocessor unit;
  TRY_ASSIGN(int64_t warps, number_of(hardware, kWarps));
  TRY_ASSIGN(int64_t blocks, number_of(hardware, kBlocks));
  TRY_ASSIGN(unit.shared_per_block, number_of(hardware, kSharedPerBlock));
  unit.max_warps = int(std::min<int64_t>(warps, 4096));
  unit.max_blocks = int(std::min<int64_t>(blocks, 4096));
  MemoryLevel const* shared = hardware.memory(kSharedMemory);
  if (!shared || shared->bytes < unit.shared_per_block)
    return bad_input("wrong_processor",
                     "'" + hardware.name.substr(0, 80) + "' does not say its shared memory");
  unit.shared_per_unit = shared->bytes;
  if (capability_of(hardware) < kReserves) {
    unit.shared_reserved = 0;
    unit.shared_unit = 256;
  }
  return unit;
}

CodeListing resources_listing(std::string const& key, Hardware const& hardware,
                              gpu::Multiprocessor const& unit,
                              std::vector<LaunchedFunction> const& functions,
                              Result<Assembled> const& assembled) {
  CodeListing listing{key, {}, {}};
  Writer writer(listing, hardware, unit);
  for (LaunchedFunction const& one : functions)
    writer.function(one, assembled ? find(*assembled, one.name) : nullptr,
                    assembled ? "ptxas did not say" : assembled.error().message);
  if (assembled) writer.remarks(assembled->remarks);
  return listing;
}

}  // namespace tw::cuda
