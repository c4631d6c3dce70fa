#include "engine/measure/network.h"

#include <fmt/format.h>

#include <chrono>

#include "engine/compile/compile_plan.h"
#include "engine/measure/network_graph.h"

namespace tw {

namespace {

/// One library of everything that runs, now and later.
Result<std::vector<std::byte>> link_all(std::vector<KernelCode> const& codes,
                                        Backend const& backend) {
  std::vector<std::vector<std::byte>> objects;
  for (KernelCode const& code : codes) {
    objects.push_back(code.run.object);
    if (code.load) objects.push_back(code.load->object);
  }
  if (objects.empty()) return std::vector<std::byte>();
  return backend.link(objects);
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
  CompileOptions compile{.scripts = options.scripts,
                         .tier = options.tier,
                         .cache = options.cache,
                         .stop = options.call.stop,
                         .progress = options.progress};
  TRY_ASSIGN(std::vector<KernelCode> codes, compile_plan(plan, backend, compile));
  TRY_ASSIGN(std::vector<std::byte> library, link_all(codes, backend));
  if (options.progress) options.progress({"uploading parameters", 0, 0});
  auto parts = std::make_unique<NetworkParts>(device, options, std::move(codes));
  TRY(parts->load_library(library));
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
