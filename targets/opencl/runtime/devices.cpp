#include "targets/opencl/runtime/devices.h"

#include <algorithm>
#include <cctype>

#include "targets/opencl/hardware/description.h"

namespace tw::opencl {
namespace {

constexpr cl_uint kMostPlatforms = 32, kMostDevices = 64;

/// What a device answers to a question; zero where it does not.
template <typename T>
T asked(Functions const& cl, cl_device_id device, cl_device_info what) {
  T value{};
  if (cl.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) != CL_SUCCESS) return T{};
  return value;
}

std::string text(Functions const& cl, cl_device_id device, cl_device_info what) {
  char buffer[4096] = {};
  if (cl.clGetDeviceInfo(device, what, sizeof buffer - 1, buffer, nullptr) != CL_SUCCESS) return {};
  std::string answer(buffer);
  size_t end = answer.find_last_not_of(' ');
  return end == std::string::npos ? "" : answer.substr(0, end + 1);
}

/// The lower the earlier.
int rank(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return 0;
  return type & CL_DEVICE_TYPE_ACCELERATOR ? 1 : 2;
}

Hardware described(Functions const& cl, cl_device_id device) {
  constexpr char const* kKinds[] = {"GPU", "accelerator", "CPU"};
  Hardware hardware{.target = kOpenClTarget, .name = text(cl, device, CL_DEVICE_NAME)};
  auto type = asked<cl_device_type>(cl, device, CL_DEVICE_TYPE);
  hardware.code[kKind] = kKinds[rank(type)];
  hardware.code[kThreads] =
      std::to_string(asked<size_t>(cl, device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  bool doubles = asked<cl_device_fp_config>(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  hardware.code[kDoubles] = doubles ? "yes" : "no";
  hardware.units = {{.name = "compute unit",
                     .count = int(asked<cl_uint>(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS))}};
  hardware.memories = {{.name = kLocalMemory,
                        .bytes = int64_t(asked<cl_ulong>(cl, device, CL_DEVICE_LOCAL_MEM_SIZE)),
                        .cache = false},
                       {.name = "DRAM",
                        .bytes = int64_t(asked<cl_ulong>(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE)),
                        .shared_by = hardware.units[0].count,
                        .cache = false}};
  return hardware;
}

bool works(Functions const& cl, cl_device_id device) {
  return asked<cl_bool>(cl, device, CL_DEVICE_AVAILABLE) &&
         asked<cl_bool>(cl, device, CL_DEVICE_COMPILER_AVAILABLE) &&
         asked<cl_bool>(cl, device, CL_DEVICE_ENDIAN_LITTLE);
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = char(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

}  // namespace

Result<std::vector<FoundDevice>> devices() {
  TRY_ASSIGN(Functions const* cl, functions());
  cl_platform_id platforms[kMostPlatforms];
  cl_uint count = 0;
  if (cl->clGetPlatformIDs(kMostPlatforms, platforms, &count) != CL_SUCCESS) count = 0;
  std::vector<FoundDevice> found;
  for (cl_uint i = 0; i < std::min(count, kMostPlatforms); ++i) {
    cl_device_id list[kMostDevices];
    cl_uint devices = 0;
    if (cl->clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, kMostDevices, list, &devices) !=
        CL_SUCCESS)
      continue;
    for (cl_uint d = 0; d < std::min(devices, kMostDevices); ++d)
      if (works(*cl, list[d])) found.push_back({platforms[i], list[d], described(*cl, list[d])});
  }
  if (found.empty())
    return environment_failed("no_such_hardware", "no OpenCL driver has a device here");
  std::ranges::stable_sort(found, {}, [&](FoundDevice const& one) {
    return rank(asked<cl_device_type>(*cl, one.device, CL_DEVICE_TYPE));
  });
  return found;
}

Result<FoundDevice> find_device(std::string_view part) {
  TRY_ASSIGN(std::vector<FoundDevice> all, devices());
  std::string names;
  for (FoundDevice& one : all) {
    if (lower(one.hardware.name).contains(lower(part))) return std::move(one);
    names += (names.empty() ? "" : ", ") + one.hardware.name;
  }
  return environment_failed(
      "no_such_hardware",
      "no OpenCL device is called '" + std::string(part.substr(0, 80)) + "'; there are: " + names);
}

}  // namespace tw::opencl
