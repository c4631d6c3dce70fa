// The row of the table of targets: Apple's GPUs, which are described without one being there.
#include <fmt/format.h>

#include "engine/backend/target_table.h"
#include "targets/metal/compiler/dialect.h"
#include "targets/shared/gpu_text/sheet.h"
#include "targets/shared/gpu_text/text_backend.h"

namespace tw {
namespace {

constexpr char kMetalTarget[] = "metal";
constexpr char kThreadgroupMemory[] = "threadgroup";
/// Of the buffer argument table.
constexpr size_t kMostBuffers = 31;

/// As these chips are reported; nothing here was checked against a device. Apple says neither SIMD
/// groups of 32 threads, 128 multiply-adds of a core in a cycle, nor clocks.
constexpr gpu_text::Sheet kSheets[] = {
    {.name = "m1",
     .title = "Apple M1",
     .unit = "GPU core",
     .units = 8,
     .threads = 1024,
     .warp = 32,
     .block_kib = 32,
     .block_in_cache = false,
     .lanes = 128,
     .megahertz = 1278,
     .gigabytes_per_second = 68},
    {.name = "m2-max",
     .title = "Apple M2 Max",
     .unit = "GPU core",
     .units = 38,
     .threads = 1024,
     .warp = 32,
     .block_kib = 32,
     .block_in_cache = false,
     .lanes = 128,
     .megahertz = 1398,
     .gigabytes_per_second = 400},
};

std::vector<std::string> spellings() {
  std::vector<std::string> names = gpu_text::spellings_of(kSheets, kMetalTarget);
  names.insert(names.begin(), kMetalTarget);
  return names;
}

Result<Hardware> hardware(std::string const& spelling) {
  gpu_text::Sheet sheet = kSheets[0];
  if (spelling != kMetalTarget) {
    TRY_ASSIGN(sheet, gpu_text::sheet_named(kSheets, spelling));
  }
  return gpu_text::hardware_of(sheet, kMetalTarget, kThreadgroupMemory);
}

Result<std::shared_ptr<Backend const>> create(Hardware const& machine, std::string) {
  MemoryLevel const* memory = machine.memory(kThreadgroupMemory);
  int64_t threads = gpu_text::number_of(machine, gpu_text::kThreads);
  int64_t warp = gpu_text::number_of(machine, gpu_text::kWarp);
  if (machine.target != kMetalTarget || !memory || memory->bytes < 1 || threads < 1 ||
      threads > 1024 || warp < 1 || warp > threads)
    return bad_input("wrong_processor",
                     "'" + machine.name.substr(0, 80) + "' is no description of an Apple GPU");
  return gpu_text::create_text_backend(
      machine,
      {.target = kMetalTarget,
       .title = "Metal · " + machine.name,
       .text = {"metal", "Metal", "what Apple's compiler takes, one function for each launch"},
       .generator = "Metal 1",
       .dialect = &metal::dialect(),
       .head = &metal::kernel_head(),
       .prologue = metal::kPrologue,
       .most_parameters = kMostBuffers,
       .barrier = metal::kBarrierName,
       .barrier_doc = "all threads of the threadgroup meet",
       .shared_doc = "threadgroup memory: what the threads of a threadgroup share",
       .local_doc = "registers of one thread, where they suffice",
       .threads = threads,
       .block_bytes = memory->bytes,
       .warp = int(warp),
       .no_occupancy = "Apple says neither how many registers a core has nor how many a thread "
                       "takes",
       .no_banks = "the banks of threadgroup memory are not documented",
       .no_roofs = "its description lacks a clock or a bandwidth"});
}

std::string kind(Hardware const& machine) {
  return fmt::format("Apple GPU, {} cores", machine.unit().count);
}

}  // namespace

TargetEntry const& target_metal() {
  static TargetEntry const entry{
      .name = kMetalTarget,
      .spellings = spellings,
      .hardware = hardware,
      .kind = kind,
      .matches = [](Hardware const& machine) { return machine.target == kMetalTarget; },
      .runs_here = [](MachineNeeds const&) -> Status {
        return bad_input("wrong_processor", "only an Apple GPU runs its code");
      },
      .create_backend = create,
      .described = true,
      .roofs = gpu_text::roofs_of,
  };
  return entry;
}

}  // namespace tw
