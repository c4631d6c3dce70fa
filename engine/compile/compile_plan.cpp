#include "engine/compile/compile_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace tw {
namespace {

/// The key holds the plain program and its script, so that a kernel that is found costs no
/// scheduling either.
Result<KernelCode> compile_task(KernelTask const& task, std::string const* script,
                                Backend const& backend, CompileOptions const& options) {
  TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
  std::string key;
  if (options.cache) {
    key = code_key(program, script, backend, options.tier);
    if (auto found = options.cache->find(key)) return std::move(*found);
  }
  TRY_ASSIGN(Schedule schedule, schedule_of(program, script, backend));
  TRY_ASSIGN(KernelCode code, emit_kernel(schedule.program(), backend, options.tier, options.stop));
  code.script = schedule.script();
  if (options.cache) options.cache->keep(key, code);
  return code;
}

int thread_count(int wanted, size_t kernels) {
  int threads = wanted > 0 ? wanted : int(std::max(1u, std::thread::hardware_concurrency()));
  return int(std::min<size_t>(size_t(threads), std::max<size_t>(kernels, 1)));
}

}  // namespace

std::string const* given_script(std::map<int, std::string> const& scripts, int kernel) {
  auto found = scripts.find(kernel);
  return found == scripts.end() ? nullptr : &found->second;
}

Result<std::vector<KernelCode>> compile_plan(Plan const& plan, Backend const& backend,
                                             CompileOptions const& options) {
  Backend const* one = &backend;
  return compile_plan(plan, {&one, 1}, options);
}

Result<std::vector<KernelCode>> compile_plan(Plan const& plan,
                                             std::span<Backend const* const> backends,
                                             CompileOptions const& options) {
  std::vector<Result<KernelCode>> results(plan.kernels.size(), KernelCode{});
  std::atomic<size_t> next = 0, done = 0;
  auto work = [&](bool callers) {
    for (size_t i = next++; i < plan.kernels.size() && !options.stop.stop_requested(); i = next++) {
      if (callers && options.progress)
        options.progress({"compiling kernels", int64_t(done), int64_t(plan.kernels.size())});
      KernelTask const& task = plan.kernels[i];
      results[i] = compile_task(task, given_script(options.scripts, int(i)),
                                *backends[size_t(task.place)], options);
      ++done;
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < thread_count(options.threads, plan.kernels.size()); ++i)
      others.emplace_back(work, false);
    work(true);
  }
  if (options.stop.stop_requested()) return refused("cancelled", "cancelled");
  if (options.cache && options.cache->counts().kept > 0) options.cache->trim();
  std::vector<KernelCode> codes;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) {
      Error error = results[i].error();
      error.message = fmt::format("kernel {}: {}", plan.kernels[i].name, error.message);
      return std::unexpected(std::move(error));
    }
    codes.push_back(std::move(*results[i]));
  }
  return codes;
}

}  // namespace tw
