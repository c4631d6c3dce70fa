#include "engine/execute/compiled_model.h"

#include <fmt/format.h>

#include <chrono>

#include "engine/compile/compile_plan.h"
#include "engine/execute/assemble.h"
#include "engine/execute/compiled_model_graph.h"
#include "engine/execute/compiled_model_program.h"

namespace tw {

namespace {

/// One library of everything that runs at a place, now and later.
Result<std::vector<std::byte>> link_all(Plan const& plan, std::vector<KernelCode> const& codes,
                                        int place, Backend const& backend) {
  std::vector<CodeParts> kernels;
  for (size_t k = 0; k < codes.size(); ++k) {
    if (plan.kernels[k].place != place) continue;
    KernelCode const& code = codes[k];
    kernels.push_back(code.run.parts);
    if (code.load) kernels.push_back(code.load->parts);
  }
  if (kernels.empty()) return std::vector<std::byte>();
  return backend.link(kernels);
}

/// Inputs are the only values that nothing in the graph makes.
Status check_shapes(Graph const& graph) {
  for (ValueId id : graph.inputs)
    if (Value const& value = graph.value(id); !tensor_info(value))
      return bad_input(
          "unknown_shape",
          fmt::format("the shape of '{}' is not known: set the shapes of the inputs with --shape",
                      value.name),
          Place{{}, 0, 0, value.name});
  return {};
}

}  // namespace

CompiledModel::CompiledModel(Graph const& graph) : graph_(graph) {}
CompiledModel::~CompiledModel() = default;

Result<std::unique_ptr<CompiledModel>> CompiledModel::create(Graph const& graph, Plan const& plan,
                                                             Backend const& backend, Device& device,
                                                             CompiledModelOptions const& options) {
  CompiledModelPlacement one{backend, device};
  return create(graph, plan, {&one, 1}, options);
}

Result<std::unique_ptr<CompiledModel>> CompiledModel::create(
    Graph const& graph, Plan const& plan, std::span<CompiledModelPlacement const> places,
    CompiledModelOptions const& options) {
  if (places.size() != plan.places())
    return bad_input("wrong_places", fmt::format("the plan needs {} devices, {} were given",
                                                 plan.places(), places.size()));
  if (PlanStep const* opaque = first_opaque(plan))
    return refused("opaque_node", fmt::format("{}: {}", opaque->node, opaque->reason));
  TRY(check_shapes(graph));
  CompileOptions compile{.scripts = options.scripts,
                         .tier = options.tier,
                         .cache = options.cache,
                         .stop = options.call.stop,
                         .progress = options.progress};
  std::vector<Backend const*> backends;
  for (CompiledModelPlacement const& one : places) backends.push_back(&one.backend);
  TRY_ASSIGN(std::vector<KernelCode> codes, compile_plan(plan, backends, compile));
  if (options.progress) options.progress({"uploading parameters", 0, 0});
  std::unique_ptr<CompiledModel> network(new CompiledModel(graph));
  network->parts_ = std::make_unique<CompiledModelParts>(places, options, std::move(codes));
  CompiledModelParts& parts = *network->parts_;
  std::vector<BufferView> arenas;
  for (size_t p = 0; p < places.size(); ++p) {
    TRY_ASSIGN(std::vector<std::byte> library,
               link_all(plan, parts.codes, int(p), places[p].backend));
    TRY(parts.load_library(plan, int(p), library));
  }
  if (places.size() == 1 && parts.places[0].library && runs_as_program(graph, plan)) {
    TRY_ASSIGN(network->program_,
               CompiledModelProgram::create(graph, plan, places[0].backend, parts));
    return network;
  }
  for (size_t p = 0; p < places.size(); ++p) {
    TRY_ASSIGN(TensorHandle arena, parts.allocate(int(p), plan.memory_at(int(p)).arena_bytes));
    arenas.push_back({arena, 0});
  }
  network->steps_ = std::make_unique<CompiledModelGraph>(graph, plan, parts);
  TRY(network->steps_->prepare(plan, arenas));
  return network;
}

Status CompiledModel::set_input(size_t index, NDArray const& array) {
  return program_ ? program_->set_input(index, array) : steps_->set(graph_.inputs[index], array);
}

Status CompiledModel::run_once() { return program_ ? program_->run() : steps_->run(); }

Result<NDArray> CompiledModel::output(size_t index) {
  return program_ ? program_->output(index) : steps_->get(graph_.outputs[index]);
}

Result<std::vector<NDArray>> CompiledModel::run(std::vector<NDArray> const& inputs) {
  TRY(check_inputs(graph_, inputs));
  for (size_t i = 0; i < inputs.size(); ++i) TRY(set_input(i, inputs[i]));
  TRY(run_once());
  std::vector<NDArray> outputs;
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    TRY_ASSIGN(NDArray result, output(i));
    outputs.push_back(std::move(result));
  }
  return outputs;
}

Result<CompiledModelTiming> CompiledModel::time(int rounds) {
  CompiledModelTiming timing;
  TRY(program_ ? program_->time(rounds, timing) : steps_->time(rounds, timing));
  // With anything else than the device's work in between only the whole can be timed, from here.
  bool timed = program_ || steps_->is_one_segment();
  for (int round = 0; !timed && round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    TRY(run_once());
    timing.samples_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  return timing;
}

}  // namespace tw
