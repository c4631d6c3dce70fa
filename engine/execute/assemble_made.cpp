// What a package holds of what its kernels make of their parameters: made on this machine's device.
#include "engine/compile/load_time.h"
#include "engine/device/scoped_handle.h"
#include "engine/execute/assembler.h"
#include "engine/execute/prepacked_tensors.h"
#include "engine/ir/rewrite.h"

namespace tw {
namespace {

/// Tensors and a library on the device that go away with this value.
class Bench {
public:
  Bench(Device& device, CallOptions const& call) : device_(device), call_(call) {}

  Status load(std::vector<std::byte> const& library) {
    TRY_ASSIGN(library_, load_scoped(device_, library, call_));
    return {};
  }
  Result<TensorHandle> put(NDArray const& array) {
    TRY_ASSIGN(ScopedTensor tensor, put_scoped(device_, array, call_));
    tensors_.push_back(std::move(tensor));
    return tensors_.back().get();
  }
  Result<TensorHandle> allocate(int64_t bytes) {
    TRY_ASSIGN(ScopedTensor tensor, allocate_scoped(device_, std::max<int64_t>(bytes, 64), call_));
    tensors_.push_back(std::move(tensor));
    return tensors_.back().get();
  }
  LibraryHandle library() const { return library_.get(); }

private:
  Device& device_;
  CallOptions const& call_;
  std::vector<ScopedTensor> tensors_;
  ScopedLibrary library_;
};

/// The part of the kernel that runs at load, for this machine, whatever the target.
Result<LoadTimeSplit> split_of(PackageSource const& source, PlanStep const& step) {
  TRY_ASSIGN(ir::Program program, te::to_program(source.plan.kernels[size_t(step.kernel)].kernel));
  TRY_ASSIGN(Schedule schedule, schedule_of(program, given_script(source.scripts, step.kernel),
                                            source.backend_at(step.place)));
  return split_load_time(schedule.program());
}

/// Blocks and threads of a GPU one after the other, as this machine's processor has none.
ir::Program on_one_thread(ir::Program program) {
  program.body = ir::rewrite_stmts(program.body, [](ir::Stmt const& s) -> ir::Stmt {
    auto const* loop = s.as<ir::For>();
    if (!loop || loop->loop_kind != ir::LoopKind::kBind) return nullptr;
    return ir::make_from<ir::For>(s->origin, loop->id, loop->var, loop->extent,
                                  ir::LoopKind::kSerial, loop->body);
  });
  return program;
}

/// Compiled for this machine, which a package for another one is made on.
Result<LoadPart> compile_here(PackageSource const& source, PlanStep const& step, Bench& bench) {
  TRY_ASSIGN(LoadTimeSplit split, split_of(source, step));
  TW_ASSERT(split.at_load, "the kernel's code was made of the same split, and has such a part");
  TRY_ASSIGN(std::vector<LoweredStage> stages, lower(on_one_thread(std::move(*split.at_load)),
                                                     source.host.target(), source.host.passes()));
  TRY_ASSIGN(Artifact code,
             source.host.compile(stages.back().kernel, CodeTier::kFast, CodeTexts::kNone));
  TRY(bench.load(code.library));
  TRY_ASSIGN(TensorHandle workspace, bench.allocate(code.workspace_bytes));
  return LoadPart{bench.library(), code.symbol, {workspace, 0}, std::move(split.made)};
}

/// As it is loaded already, or compiled for here.
Result<LoadPart> load_part(PackageSource const& source, PlanStep const& step,
                           KernelCode const& code, Bench& bench) {
  if (source.loaded == LibraryHandle()) return compile_here(source, step, bench);
  TRY_ASSIGN(TensorHandle workspace, bench.allocate(code.load->workspace_bytes));
  return LoadPart{source.loaded, code.load->symbol, {workspace, 0}, code.made};
}

}  // namespace

Result<std::vector<NDArray>> made_arrays(PackageSource const& source, Graph const& graph,
                                         PlanStep const& step, KernelCode const& code,
                                         CallOptions const& call) {
  if (!code.load) return std::vector<NDArray>();
  Bench bench(source.device, call);
  TRY_ASSIGN(LoadPart part, load_part(source, step, code, bench));
  std::vector<BufferView> inputs(step.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    NDArray constant = graph.value(step.inputs[i]).constant;  // what is no constant is not read
    if (constant.empty()) continue;
    TRY_ASSIGN(inputs[i].tensor, bench.put(constant));
  }
  auto room = [&](ir::BufferNode const& buffer) { return bench.allocate(size_in_bytes(buffer)); };
  TRY_ASSIGN(std::vector<BufferView> made,
             make_tensors(source.device, part, std::move(inputs), room, 1, call));
  std::vector<NDArray> arrays;
  for (size_t i = 0; i < made.size(); ++i) {
    ir::BufferNode const& buffer = *part.made[i];
    TRY_ASSIGN(NDArray array, get_tensor(source.device, made[i].tensor, buffer.type,
                                         ir::constant_shape(buffer).value_or(Shape{}), call));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace tw
