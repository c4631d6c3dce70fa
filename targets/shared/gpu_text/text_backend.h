/// GPUs whose drivers compile text: one backend for all kinds of C that they take.
#pragma once

#include <climits>

#include "engine/backend/backend.h"
#include "targets/shared/c_text/device_function.h"

namespace tw::gpu_text {

/// What one kind has otherwise than another: plain data.
struct TextGpu {
  std::string target;  ///< "opencl"
  std::string title;
  CodeTextKind text;      ///< what the device's driver compiles
  std::string generator;  ///< its version: code of another one is made again
  c_text::Dialect const* dialect = nullptr;
  c_text::KernelHead const* head = nullptr;
  std::string prologue = {};          ///< lines that its files begin with
  size_t most_parameters = SIZE_MAX;  ///< of a function
  std::string barrier, barrier_doc;   ///< where the threads of a block meet
  std::string shared_doc, local_doc;  ///< of what a block shares, and of what a thread has
  int64_t threads = 256;              ///< the most of a block
  int64_t block_bytes = 0;            ///< of memory that its threads share
  bool doubles = false;
  int warp = 0;  ///< threads that step together; 0: not known, and launches are not judged
  std::string no_occupancy;  ///< why nobody knows how many blocks run at once
  std::string no_banks;      ///< why nobody knows what an access to shared memory costs
  std::string no_roofs;      ///< why there are none
};

Result<std::shared_ptr<Backend const>> create_text_backend(Hardware const& hardware, TextGpu gpu);

}  // namespace tw::gpu_text
