#include "targets/cuda/runtime/driver_profile.h"

#include "targets/cuda/runtime/cuda_library.h"

namespace tw::cuda {

DriverProfile const& driver_profile() {
  static DriverProfile const profile{
      // The driver's libraries, and what it asks of the machine.
      .reads = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/ld.so.preload", "/sys",
                "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version",
                "/proc/devices", "/proc/modules", "/proc/driver", "/proc/sys/vm"},
      .devices = {"/dev/nvidia*"},
      .environment = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"},
      .settings = {"CUDA_CACHE_DISABLE=1"},
      .own_folder = {"HOME", "TMPDIR"},
      .open_ways = {"reading what is installed (/usr, /lib) and what the system tells of the "
                    "machine, where a kernel gets hold of NVIDIA's driver",
                    "orders to NVIDIA's devices: their driver checks them, not this device",
                    "writing in a folder of its own, 512 MB at most",
                    "memory of its processor beside that of tensors, up to 1 GB"},
      .check_library = [](std::span<std::byte const> library) -> Status {
        TRY(parts_of(library));
        return {};
      },
  };
  return profile;
}

}  // namespace tw::cuda
