/// A small convolution by rule on an accelerator, wherever that is.
#pragma once

#include "app/shared/environment.h"
#include "engine/backend/target_table.h"
#include "engine/session/use_cases.h"
#include "tests/support/vta_conv_text.h"

namespace tw::test {

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
    TRY_ASSIGN(bench.model, session::load_model(typed_kernels::kTypedConv, {}, *bench.backend));
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
