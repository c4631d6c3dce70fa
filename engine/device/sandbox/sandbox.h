/// Limits that a process sets on itself before it runs code from elsewhere: what a kernel needs is
/// allowed, and nothing besides.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

struct SandboxOptions {
  std::filesystem::path folder;  ///< becomes the working folder
  int64_t memory_bytes = 0;      ///< of tensors; the process gets somewhat more
  int socket = -1;               ///< to the client; the one descriptor above 2 that stays open
};

/// Errors: not_confined. A limit that the system does not know is left out; see `open_ways`.
Status enter_sandbox(SandboxOptions const& confinement);

/// What this system does not stop a confined process from, for people: "reading the files that
/// this user may read: the system has no Landlock". Empty: nothing that is known.
std::vector<std::string> open_ways();

/// What a confined process takes besides its tensors, in resident bytes: code, stacks, messages.
constexpr int64_t kBesidesTensors = int64_t(256) << 20;
/// A kernel runs on 1,024 threads at most.
constexpr int kMostWorkerThreads = 1100;

}  // namespace tw
