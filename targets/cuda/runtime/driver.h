/// The functions of NVIDIA's driver, opened at run time: nothing is linked, no header of a toolkit
/// is needed, and a machine without it is one without CUDA devices. Declared after the CUDA Driver
/// API reference manual; names end in "_v2" where the driver's own do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/support/base/error.h"

namespace tw::cuda {

using CuResult = int;
using CuDevice = int;
using CuPointer = unsigned long long;  ///< a place in the device's memory
using CuContext = struct CuContextOfDriver*;
using CuModule = struct CuModuleOfDriver*;
using CuFunction = struct CuFunctionOfDriver*;
using CuStream = struct CuStreamOfDriver*;
using CuEvent = struct CuEventOfDriver*;
using CuGraph = struct CuGraphOfDriver*;
using CuGraphExec = struct CuGraphExecOfDriver*;

// Of CUresult.
inline constexpr CuResult kCuSuccess = 0, kCuOutOfMemory = 2, kCuNoDevice = 100;
// Of CUdevice_attribute.
enum CuAttribute : int {
  kCuClockKilohertz = 13,
  kCuMultiprocessors = 16,
  kCuMemoryClockKilohertz = 36,
  kCuMemoryBusBits = 37,
  kCuL2Bytes = 38,
  kCuThreadsPerMultiprocessor = 39,
  kCuMajor = 75,
  kCuMinor = 76,
  kCuSharedPerMultiprocessor = 81,
  kCuSharedPerBlockAtMost = 97,
  kCuBlocksPerMultiprocessor = 106
};
/// Of CUstreamCaptureMode: other threads do as they like meanwhile.
inline constexpr int kCuCaptureThreadLocal = 1;
/// Of CUfunction_attribute: bytes that a launch may give to a block.
inline constexpr int kCuMostGivenShared = 8;

#define TW_CUDA_FUNCTIONS(F)                                                                      \
  F(cuInit, (unsigned flags))                                                                     \
  F(cuDriverGetVersion, (int* version))                                                           \
  F(cuDeviceGetCount, (int* count))                                                               \
  F(cuDeviceGet, (CuDevice * device, int ordinal))                                                \
  F(cuDeviceGetName, (char* name, int length, CuDevice device))                                   \
  F(cuDeviceGetAttribute, (int* value, int attribute, CuDevice device))                           \
  F(cuDeviceTotalMem_v2, (size_t * bytes, CuDevice device))                                       \
  F(cuDevicePrimaryCtxRetain, (CuContext * context, CuDevice device))                             \
  F(cuDevicePrimaryCtxRelease_v2, (CuDevice device))                                              \
  F(cuCtxSetCurrent, (CuContext context))                                                         \
  F(cuMemAlloc_v2, (CuPointer * memory, size_t bytes))                                            \
  F(cuMemFree_v2, (CuPointer memory))                                                             \
  F(cuMemsetD8Async, (CuPointer memory, unsigned char value, size_t bytes, CuStream stream))      \
  F(cuMemcpyHtoDAsync_v2, (CuPointer to, void const* from, size_t bytes, CuStream stream))        \
  F(cuMemcpyDtoHAsync_v2, (void* to, CuPointer from, size_t bytes, CuStream stream))              \
  F(cuMemcpyDtoDAsync_v2, (CuPointer to, CuPointer from, size_t bytes, CuStream stream))          \
  F(cuStreamCreate, (CuStream * stream, unsigned flags))                                          \
  F(cuStreamDestroy_v2, (CuStream stream))                                                        \
  F(cuStreamSynchronize, (CuStream stream))                                                       \
  F(cuStreamWaitEvent, (CuStream stream, CuEvent event, unsigned flags))                          \
  F(cuStreamBeginCapture_v2, (CuStream stream, int mode))                                         \
  F(cuStreamEndCapture, (CuStream stream, CuGraph * graph))                                       \
  F(cuGraphInstantiateWithFlags, (CuGraphExec * made, CuGraph graph, unsigned long long flags))   \
  F(cuGraphLaunch, (CuGraphExec graph, CuStream stream))                                          \
  F(cuGraphExecDestroy, (CuGraphExec graph))                                                      \
  F(cuGraphDestroy, (CuGraph graph))                                                              \
  F(cuEventCreate, (CuEvent * event, unsigned flags))                                             \
  F(cuEventDestroy_v2, (CuEvent event))                                                           \
  F(cuEventRecord, (CuEvent event, CuStream stream))                                              \
  F(cuEventSynchronize, (CuEvent event))                                                          \
  F(cuEventElapsedTime, (float* milliseconds, CuEvent from, CuEvent to))                          \
  F(cuModuleLoadDataEx,                                                                           \
    (CuModule * module, void const* image, unsigned count, int* options, void** values))          \
  F(cuModuleUnload, (CuModule module))                                                            \
  F(cuModuleGetFunction, (CuFunction * function, CuModule module, char const* name))              \
  F(cuFuncSetAttribute, (CuFunction function, int attribute, int value))                          \
  F(cuLaunchKernel, (CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,      \
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, \
                     CuStream stream, void** parameters, void** extra))                           \
  F(cuGetErrorName, (CuResult code, char const** name))

struct Driver {
#define TW_MEMBER(name, parameters) CuResult(*name) parameters = nullptr;
  TW_CUDA_FUNCTIONS(TW_MEMBER)
#undef TW_MEMBER

  /// "CUDA_ERROR_OUT_OF_MEMORY" of its number.
  std::string name_of(CuResult code) const;
};

/// A driver that lies in that file, made ready. Errors: no_such_hardware, whose message ends a
/// sentence: there is none, or it is too old.
Result<Driver> open_driver(std::string const& file);

/// This machine's, opened once for the process.
Result<Driver const*> driver();

}  // namespace tw::cuda
