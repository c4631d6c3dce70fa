#include "targets/opencl/compiler/opencl_backend.h"

#include "targets/opencl/compiler/dialect.h"
#include "targets/opencl/hardware/description.h"
#include "targets/shared/gpu_text/sheet.h"
#include "targets/shared/gpu_text/text_backend.h"

namespace tw::opencl {
namespace {

char const* local_doc(Hardware const& hardware) {
  return hardware.word(gpu_text::kBlockMemory) == "cache"
             ? "local memory: what the threads of a work-group share, a part of main memory that "
               "caches hold"
             : "local memory: what the threads of a work-group share";
}

/// A device that is there has never been asked for them; one that is described may lack them.
char const* no_roofs(Hardware const& hardware) {
  return gpu_text::number_of(hardware, gpu_text::kWarp) > 0
             ? "the maker of the GPU does not say how many multiply-adds it does in a cycle"
             : "no kernels are known yet that reach what an OpenCL device can do";
}

}  // namespace

Result<std::shared_ptr<Backend const>> create_opencl_backend(Hardware const& hardware) {
  TRY_ASSIGN(Limits limits, limits_of(hardware));
  return gpu_text::create_text_backend(
      hardware,
      {.target = kOpenClTarget,
       .title = "OpenCL · " + hardware.name,
       .text = {"opencl", "OpenCL C",
                "what the device's own driver compiles, one function for each launch"},
       .generator = "OpenCL C 1",
       .dialect = &dialect(),
       .head = &kernel_head(),
       .barrier = kBarrierName,
       .barrier_doc = "all threads of the work-group meet",
       .shared_doc = local_doc(hardware),
       .local_doc = "private memory: registers of one thread, where they suffice",
       .threads = limits.threads,
       .block_bytes = limits.local_bytes,
       .doubles = limits.doubles,
       .warp = int(gpu_text::number_of(hardware, gpu_text::kWarp)),
       .no_occupancy = "how many registers a thread takes only the driver of the GPU knows",
       .no_banks = "the banks of its local memory are not documented",
       .no_roofs = no_roofs(hardware)});
}

}  // namespace tw::opencl
