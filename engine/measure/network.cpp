#include "engine/measure/network.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "engine/measure/network_graph.h"

namespace tw {

namespace {

Result<KernelCode> compile_task(KernelTask const& task, std::string const* script,
                                Backend const& backend, CodeTier tier) {
  TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
  std::string chosen;
  if (script) {
    chosen = *script;
  } else {
    TRY_ASSIGN(chosen, backend.default_script(program));
  }
  TRY_ASSIGN(ir::Program scheduled, schedule_program(program, chosen, ""));
  return compile_kernel(scheduled, backend, tier);
}

/// All kernels, on two threads: code generation is what takes the time.
Result<std::vector<KernelCode>> compile_all(Plan const& plan, Backend const& backend,
                                            NetworkOptions const& options) {
  std::vector<Result<KernelCode>> results(plan.kernels.size(), KernelCode{});
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < plan.kernels.size() && !options.call.stop.stop_requested();
         i = next++) {
      auto script = options.scripts.find(int(i));
      results[i] =
          compile_task(plan.kernels[i], script == options.scripts.end() ? nullptr : &script->second,
                       backend, options.tier);
    }
  };
  std::thread second(work);
  work();
  second.join();
  if (options.call.stop.stop_requested()) return refused("cancelled", "cancelled");
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

/// Inputs are the only values that nothing in the graph makes.
Status check_shapes(Graph const& graph) {
  for (ValueId id : graph.inputs)
    if (Value const& value = graph.value(id); !tensor_info(value))
      return bad_input(
          "unknown_shape",
          fmt::format("the shape of '{}' is not known; fix the inputs' shapes", value.name),
          Place{{}, 0, 0, value.name});
  return {};
}

}  // namespace

Network::Network(std::unique_ptr<NetworkParts> parts, std::unique_ptr<NetworkGraph> graph)
    : parts_(std::move(parts)), graph_(std::move(graph)) {}
Network::~Network() = default;

Result<std::unique_ptr<Network>> Network::create(Graph const& graph, Plan const& plan,
                                                 Backend const& backend, Device& device,
                                                 NetworkOptions const& options) {
  for (PlanStep const& step : plan.steps)
    if (step.kind == StepKind::kOpaque) return refused("opaque_node", step.reason);
  TRY(check_shapes(graph));
  if (options.progress) options.progress({"compiling kernels", 0, int64_t(plan.kernels.size())});
  TRY_ASSIGN(std::vector<KernelCode> codes, compile_all(plan, backend, options));
  if (options.progress) options.progress({"uploading parameters", 0, 0});
  auto parts = std::make_unique<NetworkParts>(device, options, std::move(codes));
  TRY(parts->load_libraries());
  TRY_ASSIGN(TensorHandle arena, parts->allocate(plan.memory.arena_bytes));
  auto on_device = std::make_unique<NetworkGraph>(graph, plan, *parts);
  TRY(on_device->prepare(arena, {}));
  return std::unique_ptr<Network>(new Network(std::move(parts), std::move(on_device)));
}

Result<std::vector<NDArray>> Network::run(std::vector<NDArray> const& inputs) {
  Graph const& graph = graph_->graph();
  TRY(check_inputs(graph, inputs));
  for (size_t i = 0; i < inputs.size(); ++i) TRY(graph_->set(graph.inputs[i], inputs[i]));
  TRY(graph_->run());
  std::vector<NDArray> outputs;
  for (ValueId id : graph.outputs) {
    TRY_ASSIGN(NDArray output, graph_->get(id));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<NetworkTiming> Network::time(int rounds) {
  NetworkTiming timing;
  TRY(graph_->time(rounds, timing));
  // With anything but kernels in between only the whole can be timed, from here.
  for (int round = 0; !graph_->is_one_segment() && round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    TRY(graph_->run());
    timing.samples_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  return timing;
}

}  // namespace tw
