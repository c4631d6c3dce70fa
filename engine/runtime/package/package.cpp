#include "engine/runtime/package/package.h"

#include <algorithm>

#include "engine/runtime/kernel_code.h"
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
      return bad_input("bad_package", "the description is too large");
  }
  TRY(file.status());
  return text;
}

}  // namespace

Package::~Package() {
  steps_.reset();
  for (Loaded& place : places_)
    for (void* memory : place.allocated) place.processor->release(memory);
}

Result<MemoryPlace> Package::Loaded::allocate(int64_t bytes) {
  TRY_ASSIGN(void* given, processor->allocate(std::max<int64_t>(bytes, 64)));
  allocated.push_back(given);
  return MemoryPlace{given, 0};
}

/// A processor for every place. Errors: wrong_processor, those of opening.
Status Package::add_places(std::unique_ptr<DeviceRuntime> processor, OpenOther const& open) {
  TRY(processor->can_run(description_.target));
  places_.push_back({std::move(processor)});
  for (Site const& site : description_.elsewhere) {
    if (!open)
      return bad_input("wrong_processor",
                       "some steps of the package need a device of the target '" +
                           site.target.name + "', which this machine does not have");
    int64_t bytes = description_.parameters.bytes + site.arena_bytes + site.workspace_bytes;
    TRY_ASSIGN(std::unique_ptr<DeviceRuntime> other, open(site.target, bytes));
    TRY(other->can_run(site.target));
    places_.push_back({std::move(other)});
  }
  return {};
}

/// Where a processor reads this process' memory, all loads of the folder share one copy.
Status Package::load_parameters(Loaded& place) {
  place.memory.parameters = {parameters_->data(), 0};
  if (place.processor->host_address(place.memory.parameters) != nullptr) return {};
  int64_t bytes = description_.parameters.bytes;
  TRY_ASSIGN(place.memory.parameters, place.allocate(bytes));
  place.processor->write(place.memory.parameters,
                         {static_cast<std::byte const*>(parameters_->data()), size_t(bytes)});
  return {};
}

Status Package::load_library(fs::path const& folder, File const& named, Loaded& place) {
  constexpr int64_t kMost = int64_t(1) << 30;
  if (named.bytes == 0) return {};  // nothing runs there
  if (named.bytes > kMost) return damaged(named, "it would be too large");
  std::vector<std::byte> bytes(size_t(named.bytes));
  OpenFile file(folder / named.name);
  TRY(read_exactly(file, named, bytes));
  TRY_ASSIGN(place.library, place.processor->load(bytes));  // the bytes that were checked
  return {};
}

Status Package::allocate_tensors() {
  for (auto const& [list, of] : {std::pair(&description_.inputs, &first().memory.inputs),
                                 std::pair(&description_.outputs, &first().memory.outputs)})
    for (Tensor const& tensor : *list) {
      TRY_ASSIGN(MemoryPlace memory, first().allocate(tensor.bytes));
      of->push_back(memory);
    }
  return {};
}

std::vector<PlaceOf> Package::places() {
  std::vector<PlaceOf> places;
  for (Loaded& one : places_)
    places.push_back({one.library.get(), one.processor.get(), one.memory});
  return places;
}

Result<std::unique_ptr<Package>> Package::load(fs::path const& folder,
                                               std::unique_ptr<DeviceRuntime> processor,
                                               int threads, OpenOther const& open) {
  std::unique_ptr<Package> package(new Package());
  TRY_ASSIGN(std::string text, read_description(folder));
  TRY_ASSIGN(package->description_, parse_description(text));
  Description const& description = package->description_;
  TRY(package->add_places(std::move(processor), open));
  TRY_ASSIGN(package->parameters_,
             Parameters::load(folder / description.parameters.name, description.parameters));
  TRY(package->allocate_tensors());
  for (size_t p = 0; p < package->places_.size(); ++p) {
    Loaded& place = package->places_[p];
    Site const& site = description.site(int(p));
    TRY(package->load_parameters(place));
    TRY(package->load_library(folder, site.library, place));
    TRY_ASSIGN(place.memory.arena, place.allocate(site.arena_bytes));
    TRY_ASSIGN(place.memory.workspace, place.allocate(site.workspace_bytes));
  }
  package->own_ = package->first().memory;
  TRY_ASSIGN(package->steps_, BoundSteps::bind(description.steps, package->places()));
  for (Loaded& place : package->places_) place.processor->use_threads(threads);
  return package;
}

void Package::end_threads() {
  for (Loaded& place : places_) place.processor->use_threads(1);
}

void Package::use(Memory memory) {
  first().memory = std::move(memory);
  steps_->use(first().memory);
}

void Package::use_input(size_t index, void* memory) {
  Memory changed = first().memory;
  changed.inputs[index] = memory ? MemoryPlace{memory, 0} : own_.inputs[index];
  use(std::move(changed));
}

void Package::use_output(size_t index, void* memory) {
  Memory changed = first().memory;
  changed.outputs[index] = memory ? MemoryPlace{memory, 0} : own_.outputs[index];
  use(std::move(changed));
}

Status Package::run() {
  TRY(steps_->run([&](DeviceRuntime& processor, std::string const& symbol, void* kernel,
                      std::span<MemoryPlace const> buffers) -> Status {
    int32_t code = processor.call(kernel, buffers);
    if (code == 0) return {};
    if (auto failure = processor.take_failure()) return std::unexpected(std::move(*failure));
    return stopped_with("the kernel '" + symbol + "'", code);
  }));
  for (Loaded& place : places_) TRY(place.processor->finish());
  return {};
}

}  // namespace tw::package
