// A library with the names of NVIDIA's driver for a device that does not exist: memory is this
// process's, streams are done at once, and whoever tests says what runs and what fails.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "targets/cuda/runtime/driver.h"
#include "tests/cuda/stand_in/stand_in.h"

using namespace tw::cuda;
using tw::testing::StandIn;

namespace tw::cuda {
struct CuContextOfDriver {};
struct CuStreamOfDriver {};
struct CuEventOfDriver {
  std::chrono::steady_clock::time_point at{};
};
struct CuFunctionOfDriver {
  std::string name;
  size_t parameters = 0;  ///< of 64 bits
  int most_given = 48 << 10;
};
/// A launch that has not been.
struct Captured {
  CuFunction function = nullptr;
  std::array<unsigned, 3> grid{}, block{};
  std::vector<uint64_t> words;
};
struct CuGraphOfDriver {
  std::vector<Captured> launches;
};
struct CuGraphExecOfDriver {
  std::vector<Captured> launches;
};
struct CuModuleOfDriver {
  std::map<std::string, CuFunctionOfDriver> functions;
};
}  // namespace tw::cuda

namespace {

constexpr int kInvalidValue = 1, kInvalidPtx = 218, kNotFound = 500;
constexpr int kCaptureUnsupported = 900;
constexpr int kMostShared = 227 << 10, kMostThreads = 1024;

/// For a process that no test speaks to: which of its faults it has, as a word of the variable that
/// such a driver reads.
bool has(std::string_view fault) {
  char const* words = std::getenv("CUDA_VISIBLE_DEVICES");
  return words && std::string_view(words).contains(fault);
}

StandIn state{.version = has("old") ? 11040 : 12040,
              .devices = has("none") ? 0 : 1,
              .memory_bytes = uint64_t(has("small") ? 1 : 64) << 20};
CuContextOfDriver the_context;
std::map<CuPointer, size_t> memory;
uint64_t used = 0;
std::optional<std::vector<Captured>> capture;

/// Whether so many bytes lie in one allocation.
bool lies(CuPointer place, size_t bytes) {
  auto after = memory.upper_bound(place);
  if (after == memory.begin()) return false;
  auto [begin, size] = *std::prev(after);
  return place + bytes <= begin + size;
}

int copied(void* to, void const* from, size_t bytes, bool valid) {
  if (state.lost != 0) return state.lost;
  if (!valid) return kInvalidValue;
  std::memcpy(to, from, bytes);
  return 0;
}

int ran(Captured const& one) {
  state.arguments = one.function->parameters;
  if (!state.run) return 0;
  std::vector<uint64_t> words = one.words;
  std::vector<void*> parameters;
  for (uint64_t& word : words) parameters.push_back(&word);
  return state.run(state.self, one.function->name.c_str(), one.grid.data(), one.block.data(),
                   parameters.data());
}

void* host(CuPointer place) { return reinterpret_cast<void*>(place); }

}  // namespace

extern "C" {

#define TW_EXPORT __attribute__((visibility("default")))

TW_EXPORT StandIn* stand_in() { return &state; }

TW_EXPORT CuResult cuInit(unsigned) { return state.init; }
TW_EXPORT CuResult cuDriverGetVersion(int* version) { return *version = state.version, 0; }
TW_EXPORT CuResult cuDeviceGetCount(int* count) { return *count = state.devices, 0; }
TW_EXPORT CuResult cuDeviceGet(CuDevice* device, int ordinal) { return *device = ordinal, 0; }
TW_EXPORT CuResult cuDeviceGetName(char* name, int length, CuDevice) {
  return std::strncpy(name, "Stand-in", size_t(length)), 0;
}
TW_EXPORT CuResult cuDeviceTotalMem_v2(size_t* bytes, CuDevice) {
  return *bytes = state.memory_bytes, 0;
}
TW_EXPORT CuResult cuDeviceGetAttribute(int* value, int attribute, CuDevice) {
  std::map<int, int> const answers{{kCuClockKilohertz, 1980000},
                                   {kCuMultiprocessors, 132},
                                   {kCuMemoryClockKilohertz, 2619000},
                                   {kCuMemoryBusBits, 5120},
                                   {kCuL2Bytes, 50 << 20},
                                   {kCuThreadsPerMultiprocessor, 2048},
                                   {kCuMajor, state.major},
                                   {kCuMinor, 0},
                                   {kCuSharedPerMultiprocessor, 228 << 10},
                                   {kCuSharedPerBlockAtMost, kMostShared},
                                   {kCuBlocksPerMultiprocessor, 32}};
  auto found = answers.find(attribute);
  return found == answers.end() ? kInvalidValue : (*value = found->second, 0);
}
TW_EXPORT CuResult cuDevicePrimaryCtxRetain(CuContext* context, CuDevice) {
  if (state.context != 0) return state.context;
  return ++state.contexts, *context = &the_context, 0;
}
TW_EXPORT CuResult cuDevicePrimaryCtxRelease_v2(CuDevice) { return --state.contexts, 0; }
TW_EXPORT CuResult cuCtxSetCurrent(CuContext) { return 0; }

TW_EXPORT CuResult cuMemAlloc_v2(CuPointer* place, size_t bytes) {
  if (state.lost != 0) return state.lost;
  if (bytes > state.memory_bytes - used) return kCuOutOfMemory;
  constexpr size_t kLine = 256;  // of which the driver's places are multiples
  void* made = std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine);
  if (!made) return kCuOutOfMemory;
  *place = reinterpret_cast<CuPointer>(made);
  memory[*place] = bytes;
  used += bytes;
  return ++state.allocations, 0;
}
TW_EXPORT CuResult cuMemFree_v2(CuPointer place) {
  auto found = memory.find(place);
  if (found == memory.end()) return kInvalidValue;
  used -= found->second;
  memory.erase(found);
  std::free(host(place));
  return --state.allocations, state.lost;
}
TW_EXPORT CuResult cuMemsetD8Async(CuPointer place, unsigned char value, size_t bytes, CuStream) {
  if (state.lost != 0) return state.lost;
  if (!lies(place, bytes)) return kInvalidValue;
  return std::memset(host(place), value, bytes), 0;
}
TW_EXPORT CuResult cuMemcpyHtoDAsync_v2(CuPointer to, void const* from, size_t bytes, CuStream) {
  ++state.to_device;
  return copied(host(to), from, bytes, lies(to, bytes));
}
TW_EXPORT CuResult cuMemcpyDtoHAsync_v2(void* to, CuPointer from, size_t bytes, CuStream) {
  ++state.from_device;
  return copied(to, host(from), bytes, lies(from, bytes));
}
TW_EXPORT CuResult cuMemcpyDtoDAsync_v2(CuPointer to, CuPointer from, size_t bytes, CuStream) {
  return copied(host(to), host(from), bytes, lies(from, bytes) && lies(to, bytes));
}

TW_EXPORT CuResult cuStreamCreate(CuStream* stream, unsigned) {
  return ++state.streams, *stream = new CuStreamOfDriver, 0;
}
TW_EXPORT CuResult cuStreamDestroy_v2(CuStream stream) { return --state.streams, delete stream, 0; }
TW_EXPORT CuResult cuStreamSynchronize(CuStream) {
  if (capture) return kCaptureUnsupported;
  while (state.hangs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return state.lost;
}
TW_EXPORT CuResult cuStreamBeginCapture_v2(CuStream, int) {
  if (capture) return kCaptureUnsupported;
  capture.emplace();
  return state.lost;
}
TW_EXPORT CuResult cuStreamEndCapture(CuStream, CuGraph* graph) {
  if (!capture) return kCaptureUnsupported;
  *graph = new CuGraphOfDriver{std::move(*capture)};
  capture.reset();
  return ++state.graphs, int(state.lost);
}
TW_EXPORT CuResult cuGraphInstantiateWithFlags(CuGraphExec* made, CuGraph graph,
                                               unsigned long long) {
  if (state.instantiate != 0) return std::exchange(state.instantiate, 0);
  return ++state.graphs, *made = new CuGraphExecOfDriver{graph->launches}, 0;
}
TW_EXPORT CuResult cuGraphLaunch(CuGraphExec graph, CuStream) {
  if (capture) return kCaptureUnsupported;
  if (state.lost != 0) return state.lost;
  ++state.graph_launches;
  for (Captured const& one : graph->launches)
    if (int code = ran(one); code != 0) return state.lost = code, 0;  // the launch itself was good
  return 0;
}
TW_EXPORT CuResult cuGraphExecDestroy(CuGraphExec graph) { return --state.graphs, delete graph, 0; }
TW_EXPORT CuResult cuGraphDestroy(CuGraph graph) { return --state.graphs, delete graph, 0; }
TW_EXPORT CuResult cuStreamWaitEvent(CuStream, CuEvent, unsigned) { return state.lost; }
TW_EXPORT CuResult cuEventCreate(CuEvent* event, unsigned) {
  return ++state.events, *event = new CuEventOfDriver, 0;
}
TW_EXPORT CuResult cuEventDestroy_v2(CuEvent event) { return --state.events, delete event, 0; }
TW_EXPORT CuResult cuEventRecord(CuEvent event, CuStream) {
  return event->at = std::chrono::steady_clock::now(), int(state.lost);
}
TW_EXPORT CuResult cuEventSynchronize(CuEvent) { return state.lost; }
TW_EXPORT CuResult cuEventElapsedTime(float* milliseconds, CuEvent from, CuEvent to) {
  return *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count(), 0;
}

/// Only the names of its functions are read.
TW_EXPORT CuResult cuModuleLoadDataEx(CuModule* module, void const* image, unsigned count,
                                      int* options, void** values) {
  std::string text(static_cast<char const*>(image));
  if (!text.contains(".version")) {
    constexpr int kErrorLog = 5;
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == kErrorLog)
        std::strcpy(static_cast<char*>(values[i]), "line 1; fatal: no version\nand more");
    return kInvalidPtx;
  }
  auto* made = new CuModuleOfDriver;
  constexpr std::string_view kEntry = ".entry ";
  for (size_t at = 0; (at = text.find(kEntry, at)) != std::string::npos;) {
    at += kEntry.size();
    std::string name = text.substr(at, text.find_first_of("( \n", at) - at);
    made->functions[name].name = name;
    std::string_view head = std::string_view(text).substr(at, text.find(')', at) - at);
    for (size_t p = 0; (p = head.find(".param", p)) != head.npos; ++p)
      ++made->functions[name].parameters;
  }
  return ++state.modules, *module = made, 0;
}
TW_EXPORT CuResult cuModuleUnload(CuModule module) { return --state.modules, delete module, 0; }
TW_EXPORT CuResult cuModuleGetFunction(CuFunction* function, CuModule module, char const* name) {
  auto found = module->functions.find(name);
  return found == module->functions.end() ? kNotFound : (*function = &found->second, 0);
}
TW_EXPORT CuResult cuFuncSetAttribute(CuFunction function, int attribute, int value) {
  if (attribute != kCuMostGivenShared || value > kMostShared) return kInvalidValue;
  return function->most_given = std::max(function->most_given, value), 0;
}
TW_EXPORT CuResult cuLaunchKernel(CuFunction function, unsigned grid_x, unsigned grid_y,
                                  unsigned grid_z, unsigned block_x, unsigned block_y,
                                  unsigned block_z, unsigned shared_bytes, CuStream,
                                  void** parameters, void**) {
  if (state.lost != 0) return state.lost;
  if (state.launch != 0) return std::exchange(state.launch, 0);
  uint64_t threads = uint64_t(block_x) * block_y * block_z;
  if (threads == 0 || threads > kMostThreads || shared_bytes > unsigned(function->most_given))
    return kInvalidValue;
  state.shared_bytes = shared_bytes;
  Captured one{function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {}};
  for (size_t i = 0; i < function->parameters; ++i)
    one.words.push_back(*static_cast<uint64_t*>(parameters[i]));
  if (capture) return capture->push_back(std::move(one)), 0;
  int code = ran(one);
  if (code != 0) state.lost = code;  // the launch itself was good
  if (has("lost")) state.lost = 719;
  if (has("hangs")) state.hangs = true;
  return 0;
}
TW_EXPORT CuResult cuGetErrorName(CuResult code, char const** name) {
  std::map<int, char const*> const names{
      {1, "CUDA_ERROR_INVALID_VALUE"},     {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},       {218, "CUDA_ERROR_INVALID_PTX"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"}};
  auto found = names.find(code);
  return found == names.end() ? kInvalidValue : (*name = found->second, 0);
}

}  // extern "C"
