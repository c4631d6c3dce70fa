#include "targets/opencl/runtime/driver_profile.h"

#include "targets/opencl/runtime/opencl_library.h"

namespace tw::opencl {

DriverProfile const& driver_profile() {
  static DriverProfile const profile{
      // Where the loader finds drivers, these find libraries, and they look at the machine.
      .reads = {"/etc/OpenCL", "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/sys",
                "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version",
                "/proc/devices", "/proc/modules", "/proc/driver", "/proc/sys/vm"},
      // PoCL starts the linker; its libraries and headers are here, too.
      .programs = {"/usr", "/lib", "/lib64", "/bin", "/opt"},
      .devices = {"/dev/dri", "/dev/kfd", "/dev/nvidia*", "/dev/mali*", "/dev/kgsl*", "/dev/dxg"},
      .environment = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "POCL_MAX_PTHREAD_COUNT",
                      "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"},
      .settings = {"CUDA_CACHE_DISABLE=1"},
      // PoCL keeps there what it has compiled: a search loads the same library several times.
      .own_folder = {"HOME", "TMPDIR", "XDG_CACHE_HOME", "POCL_CACHE_DIR"},
      .open_ways = {"reading what is installed (/usr, /lib, /opt), OpenCL's settings and what the "
                    "system tells of the machine: drivers compile",
                    "names, sizes and times of files",
                    "starting programs that are installed, confined in the same way: PoCL links",
                    "writing in a folder of its own, 512 MB at most, and files there that are "
                    "deleted while they are in use",
                    "orders to graphics devices: their drivers check them, not this device",
                    "memory of its processor beside that of tensors, up to 1 GB"},
      .check_library = [](std::span<std::byte const> library) -> Status {
        TRY(parts_of(library));
        return {};
      },
  };
  return profile;
}

}  // namespace tw::opencl
