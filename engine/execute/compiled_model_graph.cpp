#include "engine/execute/compiled_model_graph.h"

#include <fmt/format.h>

#include <set>

#include "engine/execute/prepacked_tensors.h"
#include "engine/graph/control.h"
#include "engine/tensor/bytes.h"

namespace tw {
namespace {

constexpr double kLongRun = 2;  // seconds

}  // namespace

Result<TensorHandle> CompiledModelParts::allocate(int place, int64_t bytes) {
  TRY_ASSIGN(ScopedTensor tensor,
             allocate_scoped(device(place), std::max<int64_t>(bytes, 64), options.call));
  tensors.push_back(std::move(tensor));
  return tensors.back().get();
}

Status CompiledModelParts::load_library(Plan const& plan, int place,
                                        std::vector<std::byte> const& bytes) {
  PlaceParts& parts = places[size_t(place)];
  if (!bytes.empty()) {
    TRY_ASSIGN(parts.library, load_scoped(parts.device, bytes, options.call));
  }
  int64_t most = 0;
  for (size_t k = 0; k < codes.size(); ++k)
    if (plan.kernels[k].place == place)
      most = std::max(
          {most, codes[k].run.workspace_bytes, codes[k].load ? codes[k].load->workspace_bytes : 0});
  TRY_ASSIGN(parts.workspace, allocate(place, most));
  return {};
}

void CompiledModelGraph::place_in(BufferView arena, MemoryPlan const& memory, int place) {
  for (Allocation const& one : memory.allocations)
    places_[{place, one.value}] = {arena.tensor, arena.offset + one.offset};
}

Status CompiledModelGraph::prepare(Plan const& plan, std::vector<BufferView> const& arenas) {
  for (size_t p = 0; p < arenas.size(); ++p) place_in(arenas[p], plan.memory_at(int(p)), int(p));
  return add_steps();
}

Status CompiledModelGraph::prepare(BufferView arena, Places given) {
  places_ = std::move(given);
  place_in(arena, plan_.memory, place_);
  return add_steps();
}

Status CompiledModelGraph::add_steps() {
  TRY(place_values());
  for (size_t s = 0; s < plan_.steps.size(); ++s) {
    StepKind kind = plan_.steps[s].kind;
    if (kind == StepKind::kKernel) {
      TRY(add_kernel(int(s)));
      continue;
    }
    order_.push_back(-1 - int(s));
    if (kind == StepKind::kControl) TRY(add_bodies(int(s)));
  }
  return {};
}

/// Every value that a step touches gets its place: constants and the graph's inputs and outputs
/// tensors of their own, the rest the arena.
Status CompiledModelGraph::place_values() {
  std::set<ValueAt> wanted;
  for (ValueId id : graph_.inputs) wanted.insert({place_, id});
  for (PlanStep const& step : plan_.steps) {
    int from = step.kind == StepKind::kCopy ? step.from : step.place;
    for (ValueId id : step.inputs) wanted.insert({from, id});
    for (ValueId id : step.outputs) wanted.insert({step.place, id});
  }
  for (auto const& [place, id] : wanted)
    if (id.valid() && !places_.contains({place, id})) TRY(place_value(id, place));
  return {};
}

Status CompiledModelGraph::place_value(ValueId id, int place) {
  auto info = stored_info(graph_.value(id));
  if (!info) return {};
  TRY_ASSIGN(int64_t count, element_count(info->shape));
  TRY_ASSIGN(TensorHandle handle, parts_.allocate(place, count * size_of(info->type)));
  places_[{place, id}] = {handle, 0};
  return graph_.value(id).is_constant() ? set(id, graph_.value(id).constant, place) : Status();
}

/// What the step's kernel makes of its parameters, made now.
Result<std::vector<BufferView>> CompiledModelGraph::make_parameters(PlanStep const& step,
                                                                    KernelCode const& code) {
  if (!code.load) return std::vector<BufferView>();
  PlaceParts const& at = parts_.places[size_t(step.place)];
  LoadPart part{at.library.get(), code.load->symbol, {at.workspace, 0}, code.made};
  std::vector<BufferView> inputs;
  for (ValueId id : step.inputs) inputs.push_back(places_.at({step.place, id}));
  auto room = [&](ir::BufferNode const& buffer) {
    return parts_.allocate(step.place, size_in_bytes(buffer));
  };
  return make_tensors(at.device, part, std::move(inputs), room, parts_.options.threads,
                      parts_.options.call);
}

Status CompiledModelGraph::add_kernel(int number) {
  PlanStep const& step = plan_.steps[size_t(number)];
  if (order_.empty() || order_.back() < 0 || segment_places_.back() != step.place) {
    order_.push_back(int(segments_.size()));
    segments_.emplace_back();
    segment_places_.push_back(step.place);
    segment_kernels_.emplace_back();
  }
  KernelCode const& code = parts_.codes[size_t(step.kernel)];
  TRY_ASSIGN(std::vector<BufferView> made, make_parameters(step, code));
  PlaceParts const& at = parts_.places[size_t(step.place)];
  DeviceStep call{at.library.get(), code.run.symbol, {}, {at.workspace, 0}};
  for (ValueId id : step.inputs) call.buffers.push_back(places_.at({step.place, id}));
  call.buffers.insert(call.buffers.end(), made.begin(), made.end());
  for (ValueId id : step.outputs) call.buffers.push_back(places_.at({step.place, id}));
  segments_.back().push_back(std::move(call));
  segment_kernels_.back().push_back(step.kernel);
  return {};
}

/// Only one of the graphs of a step runs at a time: they share one arena. What they capture they
/// read where it lies.
Status CompiledModelGraph::add_bodies(int number) {
  PlanStep const& step = plan_.steps[size_t(number)];
  Node const& node = control_node(graph_, step);
  int64_t most = 0;
  for (BodyPlan const& body : step.bodies) most = std::max(most, body.memory.arena_bytes);
  TRY_ASSIGN(TensorHandle arena, parts_.allocate(step.place, most));
  for (size_t b = 0; b < step.bodies.size(); ++b) {
    Graph const& body = *node.sub_graphs[b];
    Places given;
    size_t first = body.inputs.size() - size_t(node.captured);
    for (size_t i = 0; i < size_t(node.captured); ++i) {
      ValueId outside = node.inputs[operand_count(node) + i], inside = body.inputs[first + i];
      auto place = places_.find({step.place, outside});
      if (place != places_.end() && equal(graph_.value(outside).type, body.value(inside).type))
        given[{step.place, inside}] = place->second;
    }
    bodies_[number].push_back(
        std::make_unique<CompiledModelGraph>(body, step.bodies[b], parts_, step.place));
    TRY(bodies_[number].back()->prepare(BufferView{arena, 0}, std::move(given)));
  }
  return {};
}

Status CompiledModelGraph::set(ValueId id, NDArray const& array, int place) {
  auto found = places_.find({place, id});
  if (found == places_.end()) {
    here_[id] = array;
    return {};
  }
  auto info = stored_info(graph_.value(id));
  if (!info || info->type != array.type() || info->shape != array.shape())
    return bad_input(
        "wrong_shapes",
        fmt::format("'{}' must be {}, but {}[{}] was computed", graph_.value(id).name,
                    to_text(graph_.value(id).type), to_text(array.type()), to_text(array.shape())));
  if (array.byte_size() == 0) return {};
  return parts_.device(place).write(found->second.tensor, found->second.offset, bytes_of(array),
                                    parts_.options.call);
}

Result<NDArray> CompiledModelGraph::get(ValueId id, int place) {
  Value const& value = graph_.value(id);
  if (value.is_constant()) return value.constant;
  auto found = places_.find({place, id});
  if (found == places_.end()) return here_[id];
  auto info = stored_info(value);
  TRY_ASSIGN(NDArray array, NDArray::create(info->type, info->shape));
  if (array.byte_size() > 0)
    TRY(parts_.device(place).read(
        found->second.tensor, found->second.offset,
        {static_cast<std::byte*>(array.data()), size_t(array.byte_size())}, parts_.options.call));
  return array;
}

Status CompiledModelGraph::run_copy(PlanStep const& step) {
  TRY_ASSIGN(NDArray value, get(step.inputs[0], step.from));
  return set(step.outputs[0], value, step.place);
}

Status CompiledModelGraph::run_bodies(PlanStep const& step, int number) {
  Node const& node = control_node(graph_, step);
  std::vector<NDArray> operands(node.inputs.size());
  for (size_t i = 0; i < operand_count(node); ++i) {
    if (!node.inputs[i].valid()) continue;
    TRY_ASSIGN(operands[i], get(node.inputs[i], step.place));
  }
  auto run_body = [&](size_t b, std::vector<NDArray> const& given) -> Result<std::vector<NDArray>> {
    CompiledModelGraph& body = *bodies_.at(number)[b];
    std::vector<ValueId> const& inputs = body.graph().inputs;
    TRY(check_body_inputs(body.graph(), given.size() + size_t(node.captured)));
    for (size_t i = 0; i < given.size(); ++i) TRY(body.set(inputs[i], given[i]));
    for (size_t i = 0; i < size_t(node.captured); ++i) {
      ValueId outside = node.inputs[operand_count(node) + i], inside = inputs[given.size() + i];
      if (places_.contains({step.place, outside}) && body.is_placed(inside)) continue;
      TRY_ASSIGN(NDArray array, get(outside, step.place));
      TRY(body.set(inside, array));
    }
    TRY(body.run());
    std::vector<NDArray> outputs;
    for (ValueId id : body.graph().outputs) {
      TRY_ASSIGN(NDArray output, body.get(id));
      outputs.push_back(std::move(output));
    }
    return outputs;
  };
  ControlLimits limits;
  limits.stop = parts_.options.call.stop;
  TRY_ASSIGN(std::vector<NDArray> results, run_control(graph_, node, operands, run_body, limits));
  for (size_t i = 0; i < step.outputs.size(); ++i)
    if (step.outputs[i].valid()) TRY(set(step.outputs[i], results[i], step.place));
  return {};
}

Status CompiledModelGraph::run_reference(PlanStep const& step) {
  std::vector<NDArray> inputs;
  for (ValueId id : step.inputs) {
    TRY_ASSIGN(NDArray input, get(id, step.place));
    inputs.push_back(std::move(input));
  }
  ReferenceOptions options;
  options.stop = parts_.options.call.stop;
  TRY_ASSIGN(std::vector<NDArray> results, reference_of(graph_, step, inputs, options));
  for (size_t i = 0; i < step.outputs.size(); ++i)
    if (step.outputs[i].valid()) TRY(set(step.outputs[i], results[i], step.place));
  return {};
}

Status CompiledModelGraph::run_segment(int segment) {
  auto start = std::chrono::steady_clock::now();
  Device& device = parts_.device(segment_places_[size_t(segment)]);
  TRY(device.run(segments_[size_t(segment)], parts_.options.threads, parts_.options.call));
  segment_seconds_[segment] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {};
}

Status CompiledModelGraph::run() {
  for (int entry : order_) {
    if (entry >= 0) {
      TRY(run_segment(entry));
      continue;
    }
    int number = -1 - entry;
    PlanStep const& step = plan_.steps[size_t(number)];
    if (parts_.options.call.stop.stop_requested())
      return environment_failed("cancelled", "the run was cancelled");
    TRY(step.kind == StepKind::kControl ? run_bodies(step, number)
        : step.kind == StepKind::kCopy  ? run_copy(step)
                                        : run_reference(step));
  }
  return {};
}

Status CompiledModelGraph::time(int rounds, CompiledModelTiming& timing) {
  bool whole = is_one_segment();
  for (size_t s = 0; s < segments_.size(); ++s) {
    // What just ran for so long is warm: a slow device is not kept busy for nothing.
    auto ran = segment_seconds_.find(int(s));
    bool warm = ran != segment_seconds_.end() && ran->second > kLongRun;
    TimingOptions timing_options{.warm_up = warm ? 0 : 1,
                                 .repeats = whole ? rounds : 3,
                                 .min_sample_seconds = 0,
                                 .most_seconds = 60};
    CallOptions call = parts_.options.call;
    call.timeout = std::chrono::minutes(3);
    Device& device = parts_.device(segment_places_[s]);
    TRY_ASSIGN(Timing measured,
               device.time(segments_[s], parts_.options.threads, timing_options, call));
    for (size_t i = 0; i < measured.steps.size(); ++i)
      timing.kernels.push_back({segment_kernels_[s][i], measured.steps[i].least() * 1e3});
    if (whole)
      for (double seconds : measured.total.seconds) timing.samples_ms.push_back(seconds * 1e3);
  }
  for (auto const& [number, bodies] : bodies_)
    for (auto const& body : bodies) {
      CompiledModelTiming inside;
      TRY(body->time(3, inside));
      timing.kernels.insert(timing.kernels.end(), inside.kernels.begin(), inside.kernels.end());
    }
  return {};
}

}  // namespace tw
