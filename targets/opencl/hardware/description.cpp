#include "targets/opencl/hardware/description.h"

#include <charconv>

namespace tw::opencl {
namespace {

constexpr int64_t kMostThreads = 1 << 16;

}  // namespace

Hardware any_device() {
  Limits const least;
  return {.target = kOpenClTarget,
          .name = "any OpenCL device",
          .code = {{kKind, "device"}, {kThreads, std::to_string(least.threads)}},
          .units = {{.name = "compute unit"}},
          .memories = {{.name = kLocalMemory, .bytes = least.local_bytes, .cache = false},
                       {.name = "DRAM", .cache = false}}};
}

Result<Limits> limits_of(Hardware const& hardware) {
  Limits limits;
  std::string threads = hardware.word(kThreads);
  auto [end, error] =
      std::from_chars(threads.data(), threads.data() + threads.size(), limits.threads);
  MemoryLevel const* local = hardware.memory(kLocalMemory);
  bool sound = hardware.target == kOpenClTarget && error == std::errc() &&
               end == threads.data() + threads.size() && limits.threads >= 1 &&
               limits.threads <= kMostThreads && local && local->bytes > 0;
  if (!sound)
    return bad_input("wrong_processor",
                     "'" + hardware.name.substr(0, 80) + "' is no description of an OpenCL device");
  limits.local_bytes = local->bytes;
  limits.doubles = hardware.word(kDoubles) == "yes";
  return limits;
}

}  // namespace tw::opencl
