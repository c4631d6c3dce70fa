/// A kernel whose blocks bring a row of so many bytes to shared memory and write it backwards.
#pragma once

#include <string>

#include "engine/backend/backend.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"

namespace tw::testing {

struct SharedRows {
  te::Kernel kernel;
  Schedule schedule;
};

/// `threads` of a block. Errors: those of the steps.
inline Result<SharedRows> shared_rows(int64_t bytes, int threads, Backend const& backend) {
  std::string row = std::to_string(bytes), last = std::to_string(bytes - 1);
  TRY_ASSIGN(te::Kernel kernel,
             te::parse_kernel("tilewright te 1\nkernel rows(X: u8[2, " + row +
                              "]) -> Y\n  Y[i in 2, j in " + row + "] = X[i, " + last + "-j]\n"));
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  std::string by = std::to_string(threads);
  TRY_ASSIGN(Script steps,
             parse_script("tilewright schedule 1\nbind(Y.i, axis=blockIdx.x)\n"
                          "j0, j1 = split(Y.j, factor=" +
                          by +
                          ")\nbind(j1, axis=threadIdx.x)\n"
                          "cache_read(Y, tensor=X, scope=shared)\ncompute_at(X_cache, Y.i)\n"
                          "c0, c1 = split(X_cache.d1, factor=" +
                          by +
                          ")\n"
                          "bind(c1, axis=threadIdx.x)\n"));
  auto done = replay(Schedule(program, backend.shared_target()), steps);
  if (!done) return refused(done.error().code, done.error().message);
  return SharedRows{std::move(kernel), std::move(*done)};
}

}  // namespace tw::testing
