/// What a test tells the stand-in for NVIDIA's driver, and what it asks of it. Plain C: the
/// stand-in is a library of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tw::testing {

struct StandIn {
  // How the driver and its one device are.
  int version = 12040, devices = 1, major = 9;
  uint64_t memory_bytes = uint64_t(64) << 20;
  // What the next such call returns, instead of doing anything; 0: it does what it is for.
  int init = 0, context = 0, launch = 0, instantiate = 0;
  /// What ran has failed so: every call from then on says the same. 0: nothing has.
  std::atomic<int> lost = 0;
  std::atomic<bool> hangs = false;  ///< a stream never comes to its end

  /// Runs a function of the loaded PTX; the number of an error, or 0.
  int (*run)(void* self, char const* function, unsigned const grid[3], unsigned const block[3],
             void** parameters) = nullptr;
  void* self = nullptr;

  // What there is of each; 0 when everything was given back.
  int contexts = 0, allocations = 0, streams = 0, events = 0, modules = 0, graphs = 0;
  unsigned shared_bytes = 0;           ///< of the last launch
  size_t arguments = 0;                ///< that its function takes
  int to_device = 0, from_device = 0;  ///< copies since a test set them to 0
  int graph_launches = 0;              ///< likewise
};

/// Exported by the stand-in as "stand_in".
using StandInFunction = StandIn* (*)();

}  // namespace tw::testing
