/// A small convolution by rule on an accelerator, wherever that is.
#pragma once

#include "app/shared/environment.h"
#include "engine/backend/target_table.h"
#include "engine/session/use_cases.h"

namespace tw::test {

inline constexpr char kBoardKernel[] =
    "te:tilewright te 1\n"
    "kernel conv(X: i8[1, 2, 6, 6, 16], W: i8[2, 2, 3, 3, 16, 16] @param) -> Y\n"
    "  pad[n in 1, c in 2, y in 8, x in 8, i in 16] = select(1 <= y && y < 7 && 1 <= x && x < 7, "
    "X[n, c, y-1, x-1, i], 0:i8)\n"
    "  conv[n in 1, o in 2, y in 6, x in 6, j in 16] = sum[c in 2, r in 3, s in 3, i in 16] "
    "i32(pad[n, c, y+r, x+s, i]) * i32(W[o, c, r, s, j, i])\n"
    "  Y[n in 1, o in 2, y in 6, x in 6, j in 16]: i8 = i8(min(max(conv[n, o, y, x, j] >> 8:i32, "
    "-127:i32), 127:i32))\n";

/// The kernel by rule, for what the device says that it is.
struct BoardBench {
  std::unique_ptr<Device> device;
  std::shared_ptr<Backend const> backend;
  session::Model model;
  session::RunOptions options;

  static Result<BoardBench> create(std::unique_ptr<Device> device) {
    BoardBench bench{.device = std::move(device), .backend = {}, .model = {}, .options = {}};
    TRY_ASSIGN(Hardware hardware, bench.device->describe({}));
    TRY_ASSIGN(bench.backend, create_backend(hardware, code_generator_program()));
    TRY_ASSIGN(bench.model, session::load_model(kBoardKernel, {}, *bench.backend));
    TRY_ASSIGN(std::string script, session::default_script(*bench.model, 0, *bench.backend));
    TRY_ASSIGN(bench.options.inputs, session::random_inputs(*bench.model, 1));
    bench.options.rounds = 3;
    bench.options.scripts = {{0, script}};
    return bench;
  }
  Result<session::RunResult> run() const {
    return session::run_model(*model, options, *backend, *device);
  }
};

}  // namespace tw::test
