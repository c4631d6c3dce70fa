#include "targets/opencl/compiler/known_gpus.h"

#include "targets/opencl/hardware/description.h"

namespace tw::opencl {
namespace {

/// Mali: warp width, threads of a core and f32 operations of a cycle (a multiply-add is two) as
/// Arm's Mali GPU Datasheet has them. Local memory is a part of main memory behind caches (Arm Mali
/// GPU OpenCL Developer Guide, The Mali GPU OpenCL memory model); drivers give a work-group 32 KiB.
/// A work-group is at most what a core holds: 384 threads of a G72, as drivers say of a G71, which
/// has as many; of a G78 half of its 1024, which is what is left where a function takes more than
/// 32 registers (neither limit was read off such a device). L2 is each phone's choice.
/// Adreno: shader processors and 32 KiB of local memory as Mesa has them
/// (src/freedreno/common/freedreno_devices.py). Waves of 64 threads, local memory on the chip and
/// work-groups of up to 1024 threads are what is reported of drivers; none was checked against a
/// device. Qualcomm documents neither multiply-adds of a cycle nor caches.
/// Phones: cores, clocks and memory as they are reported of Kirin 970 (G72 MP12), Google Tensor
/// (G78 MP20), Snapdragon 855 and 8 Gen 2; bandwidth is the clock of their memory by its 64 bits.
constexpr gpu_text::Sheet kSheets[] = {
    {.name = "mali-g72",
     .title = "Mali-G72 MP12",
     .unit = "shader core",
     .units = 12,
     .threads = 384,
     .warp = 4,
     .block_kib = 32,
     .block_in_cache = true,
     .lanes = 12,
     .megahertz = 746,
     .gigabytes_per_second = 29},
    {.name = "mali-g78",
     .title = "Mali-G78 MP20",
     .unit = "shader core",
     .units = 20,
     .threads = 512,
     .warp = 16,
     .block_kib = 32,
     .block_in_cache = true,
     .lanes = 32,
     .megahertz = 848,
     .gigabytes_per_second = 51},
    {.name = "adreno-640",
     .title = "Adreno 640",
     .unit = "shader processor",
     .units = 2,
     .threads = 1024,
     .warp = 64,
     .block_kib = 32,
     .block_in_cache = false,
     .lanes = 0,
     .megahertz = 585,
     .gigabytes_per_second = 34},
    {.name = "adreno-740",
     .title = "Adreno 740",
     .unit = "shader processor",
     .units = 6,
     .threads = 1024,
     .warp = 64,
     .block_kib = 32,
     .block_in_cache = false,
     .lanes = 0,
     .megahertz = 680,
     .gigabytes_per_second = 67},
};

}  // namespace

std::span<gpu_text::Sheet const> known_gpus() { return kSheets; }

Hardware hardware_of(gpu_text::Sheet const& sheet) {
  Hardware gpu = gpu_text::hardware_of(sheet, kOpenClTarget, kLocalMemory);
  gpu.code[kKind] = "GPU";
  return gpu;
}

}  // namespace tw::opencl
