#include "engine/runtime/package/package.h"

#include <algorithm>

#include "engine/runtime/package/package_file.h"

namespace tw::package {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostDescriptionBytes = size_t(64) << 20;

Result<std::string> read_description(fs::path const& folder) {
  OpenFile file(folder / "model.json");
  TRY(file.status());
  std::string text;
  std::byte piece[1 << 14];
  while (size_t count = file.read(piece)) {
    text.append(reinterpret_cast<char const*>(piece), count);
    if (text.size() > kMostDescriptionBytes)
      return bad_input("bad_package", "the description is too large to be one");
  }
  TRY(file.status());
  return text;
}

}  // namespace

Package::~Package() {
  for (void* memory : allocated_) processor_->release(memory);
}

Result<DeviceAddress> Package::allocate(int64_t bytes) {
  TRY_ASSIGN(void* memory, processor_->allocate(std::max<int64_t>(bytes, 64)));
  allocated_.push_back(memory);
  return DeviceAddress{memory, 0};
}

/// Where the processor reads this process' memory, all loads of the folder share one copy.
Status Package::load_parameters(fs::path const& folder) {
  File const& weights = description_.parameters;
  TRY_ASSIGN(parameters_, Parameters::load(folder / weights.name, weights));
  memory_.parameters = {parameters_->data(), 0};
  if (processor_->host_address(memory_.parameters) != nullptr) return {};
  TRY_ASSIGN(memory_.parameters, allocate(weights.bytes));
  processor_->write(memory_.parameters, {static_cast<std::byte const*>(parameters_->data()),
                                         size_t(weights.bytes)});
  return {};
}

Status Package::load_library(fs::path const& folder) {
  constexpr int64_t kMost = int64_t(1) << 30;
  if (description_.library.bytes > kMost)
    return damaged(description_.library, "it would be too large");
  std::vector<std::byte> bytes(size_t(description_.library.bytes));
  OpenFile file(folder / description_.library.name);
  TRY(read_exactly(file, description_.library, bytes));
  TRY_ASSIGN(library_, processor_->load(bytes));  // the bytes that were checked
  return {};
}

Status Package::allocate_all() {
  for (Tensor const& tensor : description_.inputs) {
    TRY_ASSIGN(DeviceAddress memory, allocate(tensor.bytes));
    memory_.inputs.push_back(memory);
  }
  for (Tensor const& tensor : description_.outputs) {
    TRY_ASSIGN(DeviceAddress memory, allocate(tensor.bytes));
    memory_.outputs.push_back(memory);
  }
  TRY_ASSIGN(memory_.arena, allocate(description_.arena_bytes));
  TRY_ASSIGN(memory_.workspace, allocate(description_.workspace_bytes));
  own_ = memory_;
  return {};
}

Result<std::unique_ptr<Package>> Package::load(fs::path const& folder,
                                               std::unique_ptr<Processor> processor, int threads) {
  std::unique_ptr<Package> package(new Package(std::move(processor)));
  TRY_ASSIGN(std::string text, read_description(folder));
  TRY_ASSIGN(package->description_, parse_description(text));
  TRY(package->processor_->can_run(package->description_.target));
  TRY(package->load_parameters(folder));
  TRY(package->load_library(folder));
  TRY(package->allocate_all());
  TRY_ASSIGN(package->steps_,
             BoundSteps::bind(package->description_.steps, *package->library_,
                              *package->processor_, package->memory_));
  package->processor_->use_threads(threads);
  return package;
}

void Package::use(Memory memory) {
  memory_ = std::move(memory);
  steps_->use(memory_);
}

void Package::use_input(size_t index, void* memory) {
  Memory changed = memory_;
  changed.inputs[index] = memory ? DeviceAddress{memory, 0} : own_.inputs[index];
  use(std::move(changed));
}

void Package::use_output(size_t index, void* memory) {
  Memory changed = memory_;
  changed.outputs[index] = memory ? DeviceAddress{memory, 0} : own_.outputs[index];
  use(std::move(changed));
}

Status Package::run() {
  auto failed = [](std::string const& kernel, int32_t code) -> Status {
    if (code == 0) return {};
    return refused("kernel_failed", kernel + " stopped with code " + std::to_string(code));
  };
  TRY(steps_->run([&](std::string const& symbol, void* kernel,
                      std::span<DeviceAddress const> buffers) -> Status {
    int32_t code = processor_->call(kernel, buffers);
    return code == 0 ? Status() : failed("the kernel '" + symbol + "'", code);
  }));
  return failed("one of the kernels", processor_->wait());
}

}  // namespace tw::package
