#include "engine/package/made_tensors.h"

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

/// The part of the kernel that runs at load, for this machine, whatever the target.
Result<LoadTimeSplit> split_of(PackageSource const& source, PlanStep const& step) {
  TRY_ASSIGN(ir::Program program, te::to_program(source.plan.kernels[size_t(step.kernel)].kernel));
  TRY_ASSIGN(Schedule schedule, schedule_of(program, given_script(source.scripts, step.kernel),
                                            source.backend));
  return split_load_time(schedule.program());
}

}  // namespace

Result<std::vector<NDArray>> make_tensors(PackageSource const& source, Graph const& graph,
                                          PlanStep const& step, CallOptions const& call) {
  TRY_ASSIGN(LoadTimeSplit split, split_of(source, step));
  if (!split.at_load) return std::vector<NDArray>();
  TRY_ASSIGN(std::vector<LoweredStage> stages,
             lower(*split.at_load, source.host.target(), source.host.passes()));
  TRY_ASSIGN(Artifact code,
             source.host.compile(stages.back().kernel, CodeTier::kFast, CodeTexts::kNone));
  Bench bench(source.device, call);
  TRY(bench.load(code.library));
  DeviceStep run{bench.library(), code.symbol, {}, {}};
  for (ValueId id : step.inputs) {
    NDArray constant = graph.value(id).constant;  // what is no constant is not read
    BufferView view;
    if (!constant.empty()) {
      TRY_ASSIGN(view, bench.put(constant));
    }
    run.buffers.push_back(view);
  }
  std::vector<NDArray> made;
  for (ir::Buffer const& buffer : split.made) {
    TRY_ASSIGN(NDArray array,
               NDArray::create(buffer->type, ir::constant_shape(*buffer).value_or(Shape{})));
    TRY_ASSIGN(BufferView view, bench.put(array));
    run.buffers.push_back(view);
    made.push_back(array);
  }
  TRY_ASSIGN(run.workspace, bench.allocate(code.workspace_bytes));
  TRY(source.device.run({&run, 1}, 1, call));
  for (size_t i = 0; i < made.size(); ++i) {
    TensorHandle const& tensor = run.buffers[step.inputs.size() + i].tensor;
    TRY_ASSIGN(made[i], get_tensor(source.device, tensor, made[i].type(), made[i].shape(), call));
  }
  return made;
}

}  // namespace tw
