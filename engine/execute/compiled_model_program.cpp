#include "engine/execute/compiled_model_program.h"

#include <algorithm>
#include <chrono>

#include "engine/tensor/bytes.h"

namespace tw {
namespace {

constexpr double kLongRun = 2;  // seconds

}  // namespace

bool runs_as_program(Graph const& graph, Plan const& plan) {
  return check_exportable(graph, plan).has_value();
}

Result<std::unique_ptr<CompiledModelProgram>> CompiledModelProgram::create(
    Graph const& graph, Plan const& plan, Backend const& backend, CompiledModelParts& parts) {
  std::unique_ptr<CompiledModelProgram> program(new CompiledModelProgram(parts));
  PackageSource source{graph,
                       plan,
                       backend,
                       backend,
                       parts.places[0].device,
                       parts.options.scripts,
                       parts.places[0].library.get()};
  TRY_ASSIGN(Assembly assembly, assemble(source, parts.codes, parts.options.call));
  program->description_ = std::move(assembly.description);
  TRY(program->place(assembly));
  TRY(program->upload(assembly.parameters));
  package::Description& description = program->description_;
  description.name = graph.name;
  description.kernels.clear();  // words for people
  description.library = {"kernels", 0, 0};
  description.parameters = {"parameters", assembly.parameter_bytes, 0};
  TRY_ASSIGN(LibraryHandle loaded,
             parts.places[0].device.load_network(
                 parts.places[0].library.get(), package::to_text(description), parts.options.call));
  parts.places[0].program = ScopedLibrary(parts.places[0].device, loaded);
  program->whole_.library = loaded;
  program->whole_.symbol = graph.name;
  return program;
}

Status CompiledModelProgram::place(Assembly const& assembly) {
  auto allocate = [&](int64_t bytes, BufferView& view) -> Status {
    TRY_ASSIGN(view.tensor, parts_.allocate(0, bytes));
    whole_.buffers.push_back(view);
    return {};
  };
  inputs_.resize(description_.inputs.size());
  for (size_t i = 0; i < inputs_.size(); ++i)
    TRY(allocate(description_.inputs[i].bytes, inputs_[i]));
  outputs_.resize(description_.outputs.size());
  for (size_t i = 0; i < outputs_.size(); ++i)
    TRY(allocate(description_.outputs[i].bytes, outputs_[i]));
  TRY(allocate(assembly.parameter_bytes, parameters_));
  TRY(allocate(description_.arena_bytes, arena_));
  whole_.workspace = {parts_.places[0].workspace, 0};
  return {};
}

Status CompiledModelProgram::upload(std::vector<PlacedParameter> const& parameters) {
  for (PlacedParameter const& one : parameters)
    if (one.content.byte_size() > 0)
      TRY(device().write(parameters_.tensor, one.offset, bytes_of(one.content),
                         parts_.options.call));
  return {};
}

BufferView CompiledModelProgram::view_of(package::Buffer const& buffer) const {
  using package::Region;
  switch (buffer.region) {
    case Region::kNothing:
      return {};
    case Region::kInput:
      return inputs_[size_t(buffer.at)];
    case Region::kOutput:
      return outputs_[size_t(buffer.at)];
    case Region::kParameters:
      return {parameters_.tensor, buffer.at};
    case Region::kArena:
      return {arena_.tensor, buffer.at};
  }
  return {};
}

Status CompiledModelProgram::set_input(size_t index, NDArray const& array) {
  if (array.byte_size() == 0) return {};
  return device().write(inputs_[index].tensor, 0, bytes_of(array), parts_.options.call);
}

Result<NDArray> CompiledModelProgram::output(size_t index) const {
  package::Tensor const& tensor = description_.outputs[index];
  TRY_ASSIGN(NDArray array, NDArray::create(tensor.type, tensor.shape));
  BufferView from = view_of(description_.results[index]);
  if (array.byte_size() > 0)
    TRY(device().read(from.tensor, from.offset,
                      {static_cast<std::byte*>(array.data()), size_t(array.byte_size())},
                      parts_.options.call));
  return array;
}

Status CompiledModelProgram::run() {
  auto start = std::chrono::steady_clock::now();
  TRY(device().run({&whole_, 1}, parts_.options.threads, parts_.options.call));
  last_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {};
}

/// Each kernel by itself, of whatever body, and which of the plan's it is.
std::vector<DeviceStep> CompiledModelProgram::kernel_steps(std::vector<int>& kernels) const {
  std::map<std::string, int> rows;
  for (size_t k = 0; k < parts_.codes.size(); ++k) rows[parts_.codes[k].run.symbol] = int(k);
  std::vector<DeviceStep> steps;
  package::for_each_step(description_.steps, [&](package::Step const& step) {
    if (step.kind != package::StepKind::kKernel) return;
    DeviceStep call{parts_.places[0].library.get(), step.symbol, {}, whole_.workspace};
    for (package::Buffer const& buffer : step.buffers) call.buffers.push_back(view_of(buffer));
    steps.push_back(std::move(call));
    kernels.push_back(rows.at(step.symbol));
  });
  return steps;
}

Status CompiledModelProgram::time(int rounds, CompiledModelTiming& timing) {
  CallOptions call = parts_.options.call;
  call.timeout = std::chrono::minutes(3);
  // Kernels one after the other are the whole.
  bool plain = std::ranges::all_of(description_.steps, [](package::Step const& step) {
    return step.kind == package::StepKind::kKernel;
  });
  TimingOptions timing_options{.warm_up = last_seconds_ > kLongRun ? 0 : 1,
                               .repeats = plain ? rounds : 3,
                               .min_sample_seconds = 0,
                               .most_seconds = 60};
  std::vector<int> kernels;
  std::vector<DeviceStep> steps = kernel_steps(kernels);
  if (!steps.empty()) {
    TRY_ASSIGN(Timing each, device().time(steps, parts_.options.threads, timing_options, call));
    for (size_t i = 0; i < steps.size(); ++i)
      timing.kernels.push_back({kernels[i], each.steps[i].least() * 1e3});
    if (plain) {
      for (double seconds : each.total.seconds) timing.samples_ms.push_back(seconds * 1e3);
      return {};
    }
  }
  timing_options.repeats = rounds;
  TRY_ASSIGN(Timing whole,
             device().time({&whole_, 1}, parts_.options.threads, timing_options, call));
  for (double seconds : whole.total.seconds) timing.samples_ms.push_back(seconds * 1e3);
  return {};
}

}  // namespace tw
