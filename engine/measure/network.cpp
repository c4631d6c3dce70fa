#include "engine/measure/network.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "engine/compile/kernel_code.h"

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

std::span<std::byte const> bytes_of(NDArray const& array) {
  return {static_cast<std::byte const*>(array.data()), size_t(array.byte_size())};
}

int64_t bytes_of_buffer(ir::BufferNode const& buffer) {
  Shape shape = ir::constant_shape(buffer).value_or(Shape{});
  return element_count(shape).value_or(0) * size_of(buffer.type);
}

}  // namespace

struct Network::Parts {
  Graph const& graph;
  Plan const& plan;
  Device& device;
  NetworkOptions options;
  std::map<ValueId, BufferView> places;
  std::vector<TensorHandle> tensors;
  std::vector<LibraryHandle> libraries;
  std::vector<std::vector<DeviceStep>> segments;  // runs of kernel steps
  std::vector<std::vector<int>> segment_steps;    // their numbers in the plan
  std::vector<int> order;                         // >= 0: a segment; < 0: reference step -1 - n

  ~Parts() {
    for (TensorHandle const& tensor : tensors) (void)device.free(tensor);
    for (LibraryHandle const& library : libraries) (void)device.free(library);
  }

  Result<TensorHandle> allocate(int64_t bytes) {
    TRY_ASSIGN(TensorHandle handle, device.allocate(std::max<int64_t>(bytes, 64), options.call));
    tensors.push_back(handle);
    return handle;
  }

  Result<int64_t> bytes_of_value(ValueId id) const {
    Value const& value = graph.value(id);
    auto shape = value.shape();
    if (!shape || !value.type.dtype)
      return bad_input(
          "unknown_shape",
          fmt::format("the shape of '{}' is not known; fix the inputs' shapes", value.name),
          Place{{}, 0, 0, value.name});
    TRY_ASSIGN(int64_t count, element_count(*shape));
    return count * size_of(*value.type.dtype);
  }

  /// Every value that a step touches gets its place: constants and the model's inputs and outputs
  /// tensors of their own, the rest the arena.
  Status place_values() {
    TRY_ASSIGN(TensorHandle arena, allocate(plan.memory.arena_bytes));
    for (Allocation const& allocation : plan.memory.allocations)
      places[allocation.value] = {arena, allocation.offset};
    std::set<ValueId> wanted(graph.inputs.begin(), graph.inputs.end());
    for (PlanStep const& step : plan.steps) {
      wanted.insert(step.inputs.begin(), step.inputs.end());
      wanted.insert(step.outputs.begin(), step.outputs.end());
    }
    for (ValueId id : wanted) {
      if (!id.valid() || places.contains(id)) continue;
      TRY_ASSIGN(int64_t bytes, bytes_of_value(id));
      TRY_ASSIGN(TensorHandle handle, allocate(bytes));
      places[id] = {handle, 0};
      if (graph.value(id).is_constant())
        TRY(device.write(handle, 0, bytes_of(graph.value(id).constant), options.call));
    }
    return {};
  }

  Result<TensorHandle> load_libraries(std::vector<KernelCode> const& codes) {
    int64_t most = 0;
    for (KernelCode const& code : codes) {
      TRY_ASSIGN(LibraryHandle library, device.load(code.run.library, options.call));
      libraries.push_back(library);
      most = std::max({most, code.run.workspace_bytes, code.load ? code.load->workspace_bytes : 0});
    }
    return allocate(most);
  }

  /// What the step's kernel makes of its parameters, made now.
  Result<std::vector<BufferView>> make_parameters(PlanStep const& step, KernelCode const& code,
                                                  TensorHandle workspace) {
    std::vector<BufferView> made;
    if (!code.load) return made;
    TRY_ASSIGN(LibraryHandle library, device.load(code.load->library, options.call));
    DeviceStep call{library, code.load->symbol, {}, {workspace, 0}};
    for (ValueId id : step.inputs) call.buffers.push_back(places[id]);
    for (ir::Buffer const& buffer : code.made) {
      TRY_ASSIGN(TensorHandle tensor, allocate(bytes_of_buffer(*buffer)));
      made.push_back({tensor, 0});
      call.buffers.push_back(made.back());
    }
    std::vector<DeviceStep> calls{std::move(call)};
    TRY(device.run(calls, options.threads, options.call));
    (void)device.free(library);
    return made;
  }

  Status load_kernels(std::vector<KernelCode> const& codes) {
    TRY_ASSIGN(TensorHandle workspace, load_libraries(codes));
    for (size_t s = 0; s < plan.steps.size(); ++s) {
      PlanStep const& step = plan.steps[s];
      if (step.kind == StepKind::kOpaque) return refused("opaque_node", step.reason);
      if (step.kind == StepKind::kReference) {
        order.push_back(-1 - int(s));
        continue;
      }
      if (order.empty() || order.back() < 0) {
        order.push_back(int(segments.size()));
        segments.emplace_back();
        segment_steps.emplace_back();
      }
      KernelCode const& code = codes[size_t(step.kernel)];
      TRY_ASSIGN(std::vector<BufferView> made, make_parameters(step, code, workspace));
      DeviceStep call{libraries[size_t(step.kernel)], code.run.symbol, {}, {workspace, 0}};
      for (ValueId id : step.inputs) call.buffers.push_back(places[id]);
      call.buffers.insert(call.buffers.end(), made.begin(), made.end());
      for (ValueId id : step.outputs) call.buffers.push_back(places[id]);
      segments.back().push_back(std::move(call));
      segment_steps.back().push_back(int(s));
    }
    return {};
  }

  Result<NDArray> fetch(ValueId id) {
    Value const& value = graph.value(id);
    if (value.is_constant()) return value.constant;
    TRY_ASSIGN(NDArray array, NDArray::create(value.type.dtype.value_or(DType::kF32),
                                              value.shape().value_or(Shape{})));
    BufferView const& place = places[id];
    TRY(device.read(place.tensor, place.offset,
                    {static_cast<std::byte*>(array.data()), size_t(array.byte_size())},
                    options.call));
    return array;
  }

  Status run_reference(PlanStep const& step) {
    std::map<ValueId, NDArray> values;
    for (ValueId id : step.inputs) {
      if (!id.valid()) continue;
      TRY_ASSIGN(values[id], fetch(id));
    }
    for (NodeId node_id : graph.groups[size_t(step.group)].nodes) {
      Node const& node = graph.node(node_id);
      std::vector<NDArray> operands;
      for (ValueId id : node.inputs)
        operands.push_back(id.valid() && values.contains(id) ? values[id] : NDArray());
      TRY_ASSIGN(std::vector<NDArray> results, run_node(graph, node, operands));
      for (size_t i = 0; i < node.outputs.size() && i < results.size(); ++i)
        values[node.outputs[i]] = results[i];
    }
    for (ValueId id : step.outputs)
      TRY(device.write(places[id].tensor, places[id].offset, bytes_of(values[id]), options.call));
    return {};
  }

  Status run_all() {
    for (int entry : order) {
      if (entry >= 0)
        TRY(device.run(segments[size_t(entry)], options.threads, options.call));
      else
        TRY(run_reference(plan.steps[size_t(-1 - entry)]));
    }
    return {};
  }
};

Network::Network(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Network::~Network() = default;

Result<std::unique_ptr<Network>> Network::create(Graph const& graph, Plan const& plan,
                                                 Backend const& backend, Device& device,
                                                 NetworkOptions const& options) {
  for (PlanStep const& step : plan.steps)
    if (step.kind == StepKind::kOpaque) return refused("opaque_node", step.reason);
  if (options.progress) options.progress({"compiling kernels", 0, int64_t(plan.kernels.size())});
  TRY_ASSIGN(std::vector<KernelCode> codes, compile_all(plan, backend, options));
  if (options.progress) options.progress({"uploading parameters", 0, 0});
  std::unique_ptr<Parts> parts(new Parts{graph, plan, device, options, {}, {}, {}, {}, {}, {}});
  TRY(parts->place_values());
  TRY(parts->load_kernels(codes));
  return std::unique_ptr<Network>(new Network(std::move(parts)));
}

Result<std::vector<NDArray>> Network::run(std::vector<NDArray> const& inputs) {
  TRY(check_inputs(parts_->graph, inputs));
  for (size_t i = 0; i < inputs.size(); ++i) {
    BufferView const& place = parts_->places[parts_->graph.inputs[i]];
    TRY(parts_->device.write(place.tensor, place.offset, bytes_of(inputs[i]),
                             parts_->options.call));
  }
  TRY(parts_->run_all());
  std::vector<NDArray> outputs;
  for (ValueId id : parts_->graph.outputs) {
    TRY_ASSIGN(NDArray output, parts_->fetch(id));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<NetworkTiming> Network::time(int rounds) {
  NetworkTiming timing;
  timing.step_ms.assign(parts_->plan.steps.size(), 0);
  bool whole = parts_->order.size() == 1 && parts_->order[0] >= 0;
  for (size_t s = 0; s < parts_->segments.size(); ++s) {
    if (parts_->segments[s].empty()) continue;
    TimingPlan plan{
        .warm_up = 1, .repeats = whole ? rounds : 3, .min_sample_seconds = 0, .most_seconds = 60};
    CallOptions call = parts_->options.call;
    call.timeout = std::chrono::minutes(3);
    TRY_ASSIGN(Timing measured,
               parts_->device.time(parts_->segments[s], parts_->options.threads, plan, call));
    for (size_t i = 0; i < measured.steps.size(); ++i)
      timing.step_ms[size_t(parts_->segment_steps[s][i])] = measured.steps[i].least() * 1e3;
    if (whole)
      for (double seconds : measured.total.seconds) timing.samples_ms.push_back(seconds * 1e3);
  }
  // With references in between only the whole can be timed, from here.
  for (int round = 0; !whole && round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    TRY(parts_->run_all());
    timing.samples_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  return timing;
}

}  // namespace tw
