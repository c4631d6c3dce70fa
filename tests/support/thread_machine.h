/// A made-up machine of blocks and threads, for programs that no target here runs: what is lowered
/// for it is interpreted.
#pragma once

#include "engine/ir/interpreter.h"
#include "engine/ir/intrinsic.h"
#include "engine/lowering/passes.h"
#include "engine/target/target.h"

namespace tw::testing {

inline std::shared_ptr<Target const> thread_machine() {
  static auto const target = std::make_shared<Target const>(Target{
      .name = "threads",
      .hardware = {},
      .scopes = {{.name = kGlobalScope, .doc = "main memory"},
                 {.name = "shared",
                  .doc = "of the threads of a block",
                  .bytes = 48 << 10,
                  .shared_by = Level::kBlock},
                 {.name = "local", .doc = "of one thread", .shared_by = Level::kThread}},
      .axes = {{"threadIdx.x", 64},
               {"threadIdx.y", 64},
               {"threadIdx.z", 8},
               {"blockIdx.x", 1 << 16, Level::kBlock},
               {"blockIdx.y", 1 << 16, Level::kBlock},
               {"blockIdx.z", 1 << 16, Level::kBlock}},
      .threads_per_block = 256,
      .barrier =
          ir::declare(
              {.name = "sync_threads", .doc = "all threads of the block meet", .barrier = true})
              .value()});
  return target;
}

}  // namespace tw::testing
