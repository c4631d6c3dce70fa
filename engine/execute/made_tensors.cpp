#include "engine/execute/made_tensors.h"

#include "engine/compile/load_time.h"
#include "engine/device/owned.h"

namespace tw {
namespace {

/// Tensors and a library on the device that go away with this value.
class Bench {
public:
  Bench(Device& device, CallOptions const& call) : device_(device), call_(call) {}

  Status load(std::vector<std::byte> const& library) {
    TRY_ASSIGN(library_, load_owned(device_, library, call_));
    return {};
  }
  Result<BufferView> put(NDArray const& array) {
    TRY_ASSIGN(OwnedTensor tensor, put_owned(device_, array, call_));
    tensors_.push_back(std::move(tensor));
    return BufferView{tensors_.back().get(), 0};
  }
  Result<BufferView> allocate(int64_t bytes) {
    TRY_ASSIGN(OwnedTensor tensor, allocate_owned(device_, std::max<int64_t>(bytes, 64), call_));
    tensors_.push_back(std::move(tensor));
    return BufferView{tensors_.back().get(), 0};
  }
  LibraryHandle library() const { return library_.get(); }

private:
  Device& device_;
  CallOptions const& call_;
  std::vector<OwnedTensor> tensors_;
  OwnedLibrary library_;
};

/// What runs once, when the model is loaded.
struct LoadPart {
  LibraryHandle library;
  std::string symbol;
  int64_t workspace_bytes = 0;
  std::vector<ir::Buffer> made;
};

/// The part of the kernel that runs at load, for this machine, whatever the target.
Result<LoadTimeSplit> split_of(PackageSource const& source, PlanStep const& step) {
  TRY_ASSIGN(ir::Program program, te::to_program(source.plan.kernels[size_t(step.kernel)].kernel));
  TRY_ASSIGN(Schedule schedule, schedule_of(program, given_script(source.scripts, step.kernel),
                                            source.backend_at(step.place)));
  return split_load_time(schedule.program());
}

/// Compiled for this machine, which a package for another one is made on.
Result<LoadPart> compile_here(PackageSource const& source, PlanStep const& step, Bench& bench) {
  TRY_ASSIGN(LoadTimeSplit split, split_of(source, step));
  if (!split.at_load) return LoadPart();
  TRY_ASSIGN(std::vector<LoweredStage> stages,
             lower(*split.at_load, source.host.target(), source.host.passes()));
  TRY_ASSIGN(Artifact code,
             source.host.compile(stages.back().kernel, CodeTier::kFast, CodeTexts::kNone));
  TRY(bench.load(code.library));
  return LoadPart{bench.library(), code.symbol, code.workspace_bytes, std::move(split.made)};
}

}  // namespace

Result<std::vector<NDArray>> make_tensors(PackageSource const& source, Graph const& graph,
                                          PlanStep const& step, KernelCode const& code,
                                          CallOptions const& call) {
  if (!code.load) return std::vector<NDArray>();
  Bench bench(source.device, call);
  LoadPart part{source.loaded, code.load->symbol, code.load->workspace_bytes, code.made};
  if (source.loaded == LibraryHandle()) {
    TRY_ASSIGN(part, compile_here(source, step, bench));
  }
  DeviceStep run{part.library, part.symbol, {}, {}};
  for (ValueId id : step.inputs) {
    NDArray constant = graph.value(id).constant;  // what is no constant is not read
    BufferView view;
    if (!constant.empty()) {
      TRY_ASSIGN(view, bench.put(constant));
    }
    run.buffers.push_back(view);
  }
  std::vector<NDArray> made;
  for (ir::Buffer const& buffer : part.made) {
    TRY_ASSIGN(NDArray array,
               NDArray::create(buffer->type, ir::constant_shape(*buffer).value_or(Shape{})));
    TRY_ASSIGN(BufferView view, bench.put(array));
    run.buffers.push_back(view);
    made.push_back(array);
  }
  TRY_ASSIGN(run.workspace, bench.allocate(part.workspace_bytes));
  TRY(source.device.run({&run, 1}, 1, call));
  for (size_t i = 0; i < made.size(); ++i) {
    TensorHandle const& tensor = run.buffers[step.inputs.size() + i].tensor;
    TRY_ASSIGN(made[i], get_tensor(source.device, tensor, made[i].type(), made[i].shape(), call));
  }
  return made;
}

}  // namespace tw
