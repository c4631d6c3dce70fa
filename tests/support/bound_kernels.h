/// The kernels for blocks and threads in tests/opencl/kernels: small enough for a simulator of
/// devices, of shapes that divide and shapes that do not, each with its schedule or the default.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/backend/backend.h"
#include "engine/ir/interpreter.h"
#include "engine/schedule/macros/macro_set.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "tests/support/paths.h"

namespace tw::testing {

struct BoundKernel {
  std::string name;
  te::Kernel kernel;
  Schedule schedule;
  ir::KernelIr lowered;
};

inline std::string text_of_file(std::filesystem::path const& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

inline constexpr char kBoundKernels[] = "/tests/opencl/kernels";
/// With instructions that CUDA alone has.
inline constexpr char kCudaKernels[] = "/tests/cuda/kernels";

inline std::vector<std::string> bound_kernel_names(std::vector<std::string> const& folders = {
                                                       kBoundKernels}) {
  std::vector<std::string> names;
  for (std::string const& folder : folders)
    for (auto const& entry : std::filesystem::directory_iterator(source(folder)))
      if (entry.path().extension() == ".te") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

/// Errors: those of reading, of the steps and of lowering.
inline Result<BoundKernel> bound_kernel(std::string const& name, Backend const& backend) {
  std::filesystem::path file = source(kBoundKernels + ("/" + name));
  if (!std::filesystem::exists(file.string() + ".te")) file = source(kCudaKernels + ("/" + name));
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel(text_of_file(file.string() + ".te")));
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  TRY_ASSIGN(Schedule schedule, backend.default_schedule(program));
  if (std::string script = file.string() + ".tws"; std::filesystem::exists(script)) {
    MacroSet const macros(builtin_macros());
    TRY_ASSIGN(Script steps, parse_script(text_of_file(script), {}, false, &macros));
    auto done = replay(Schedule(program, backend.shared_target()), steps, &macros);
    if (!done) return refused(done.error().code, done.error().message);
    schedule = std::move(*done);
  }
  TRY_ASSIGN(std::vector<LoweredStage> stages,
             lower(schedule.program(), backend.target(), backend.passes(),
                   {.off = {}, .verify = VerifyPasses::kEach, .observe = {}}));
  return BoundKernel{name, std::move(kernel), std::move(schedule), std::move(stages.back().kernel)};
}

}  // namespace tw::testing
