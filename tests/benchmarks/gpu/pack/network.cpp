// A whole network: its kernels, in which order and on which tensors they run. Weights are seeded,
// each as large as the model's own, so that the pack holds none of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/compile/optimize.h"
#include "engine/compile/plan.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "tests/benchmarks/gpu/pack/sampled.h"
#include "tests/benchmarks/gpu/pack/writer.h"
#include "tests/benchmarks/gpu/values.h"

namespace tw::gpu_bench {
namespace {

using Json = nlohmann::json;

/// Of the largest sampled element; errors of some fifty kernels add up.
constexpr double kTolerance = 2e-4;
constexpr uint64_t kFirstSeed = 1000;

NDArray seeded(Shape const& shape, uint64_t seed, float scale) {
  NDArray array = NDArray::create(DType::kF32, shape).value();
  auto values = array.as<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = scale * seeded_value(seed, i);
  return array;
}

struct Parameters {
  std::map<ValueId, size_t> number;
  Json list = Json::array();
};

Parameters seed_parameters(Graph& graph) {
  Parameters made;
  for (size_t id = 0; id < graph.values.size(); ++id) {
    Value& value = graph.values[id];
    if (!value.is_constant() || value.constant.type() != DType::kF32) continue;
    float scale = 0;
    for (float one : value.constant.as<float>()) scale = std::max(scale, std::fabs(one));
    uint64_t seed = kFirstSeed + made.list.size();
    made.number[ValueId{int32_t(id)}] = made.list.size();
    made.list.push_back({{"bytes", value.constant.byte_size()}, {"seed", seed}, {"scale", scale}});
    value.constant = seeded(value.constant.shape(), seed, scale);
  }
  return made;
}

/// Where a step's tensor lies: ["arena", byte], or the number of an input, output or parameter.
Result<Json> place_of(Graph const& graph, Plan const& plan, Parameters const& parameters,
                      ValueId id) {
  auto number = [&](std::vector<ValueId> const& list) {
    return size_t(std::ranges::find(list, id) - list.begin());
  };
  if (size_t i = number(graph.inputs); i < graph.inputs.size()) return Json{"input", i};
  if (size_t i = number(graph.outputs); i < graph.outputs.size()) return Json{"output", i};
  if (auto own = parameters.number.find(id); own != parameters.number.end())
    return Json{"parameter", own->second};
  if (Allocation const* one = plan.memory.find(id)) return Json{"arena", one->offset};
  return refused("not_exportable", "a tensor of '" + graph.name + "' lies nowhere");
}

Result<Json> steps_of(Graph const& graph, Plan const& plan, Parameters const& parameters) {
  Json steps = Json::array();
  for (PlanStep const& step : plan.steps) {
    if (step.kind != StepKind::kKernel)
      return refused("not_exportable", fmt::format("{} is no kernel: {}", step.node, step.reason));
    Json places = Json::array();
    for (auto const* list : {&step.inputs, &step.outputs})
      for (ValueId id : *list) {
        TRY_ASSIGN(Json place, place_of(graph, plan, parameters, id));
        places.push_back(std::move(place));
      }
    steps.push_back({{"kernel", step.kernel}, {"places", std::move(places)}});
  }
  return steps;
}

/// What the kernels say, added up over the steps.
void add_up(Json& code) {
  int64_t workspace = 0;
  for (Json const& kernel : code["kernels"])
    workspace = std::max(workspace, kernel["workspace"].get<int64_t>());
  code["workspace"] = workspace;
  std::map<std::string, double> seconds;
  for (Json const& step : code["steps"]) {
    Json const& kernel = code["kernels"][step["kernel"].get<size_t>()];
    Json modelled = kernel.value("modelled", Json::object());
    for (auto const& [name, model] : modelled.items())
      seconds[name] += model["seconds"].get<double>();
  }
  for (auto const& [name, sum] : seconds) code["modelled"][name] = {{"seconds", sum}};
}

Result<Json> sampled_outputs(Graph const& graph, std::vector<NDArray> const& inputs) {
  TRY_ASSIGN(std::vector<NDArray> outputs, reference_run(graph, inputs));
  NDArray const& output = outputs[0];
  std::vector<int64_t> index;
  std::vector<double> value;
  constexpr int64_t kCount = 64;
  for (int64_t i = 0; i < std::min(kCount, output.size()); ++i) {
    index.push_back(i * output.size() / std::min(kCount, output.size()));
    value.push_back(output.value_at(index.back()));
  }
  Json one = {{"type", to_text(output.type())}, {"shape", output.shape()}};
  one["samples"] = {{"index", index}, {"value", value}, {"tolerance", kTolerance}};
  return Json::array({one});
}

}  // namespace

Status PackWriter::add_network(std::string const& name, ImportedModel const& model,
                               Point const& options) {
  TRY_ASSIGN(Graph imported, build_graph(model));
  Decisions decisions(options);
  TRY_ASSIGN(Graph graph, optimize(imported, *families_[0].backend, decisions));
  Parameters parameters = seed_parameters(graph);
  TRY_ASSIGN(Plan plan, make_plan(graph));
  Json item = {{"name", name}, {"part", "times"}, {"parameters", parameters.list}};
  item["peer"] = {{"op", "network"}, {"name", name}};
  TRY_ASSIGN(Json steps, steps_of(graph, plan, parameters));
  for (Family const& family : families_)
    item["code"][family.architecture] = {
        {"steps", steps}, {"arena", plan.memory.arena_bytes}, {"kernels", Json::array()}};
  for (size_t k = 0; k < plan.kernels.size(); ++k) {
    PackedKernel kernel{fmt::format("{}_{}", name, k), plan.kernels[k].kernel, {}};
    kernel.kernel.name = kernel.name;
    TRY_ASSIGN(Json all, codes(kernel));
    for (auto const& [architecture, code] : all.items())
      item["code"][architecture]["kernels"].push_back(code);
  }
  for (Json& code : item["code"]) add_up(code);
  double flops = 0, bytes = 0;
  for (PlanStep const& step : plan.steps) {
    flops += double(plan.kernels[size_t(step.kernel)].flops);
    bytes += double(plan.kernels[size_t(step.kernel)].bytes);
  }
  item["flops"] = flops;
  item["bytes"] = bytes;
  std::vector<NDArray> inputs;
  for (ValueId id : graph.inputs) {
    auto shape = graph.value(id).shape();
    if (!shape) return refused("unknown_shape", "an input of '" + name + "' has no shape");
    inputs.push_back(seeded(*shape, inputs.size() + 1, 1));
    item["inputs"].push_back({{"type", "f32"}, {"shape", *shape}, {"seed", inputs.size()}});
  }
  TRY_ASSIGN(item["outputs"], sampled_outputs(graph, inputs));
  json_["items"].push_back(std::move(item));
  return {};
}

}  // namespace tw::gpu_bench
