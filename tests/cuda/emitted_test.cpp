// What the emitter makes of device functions for PTX, made for this machine's processor instead:
// counters come from a table, threads are fibers that meet at barriers. What it computes is what
// the plain program does, for kernels with schedules by hand and for random ones.
#include <QtTest>
#ifndef Q_MOC_RUN  // it does not come to an end of these
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "targets/shared/llvm/device_shell.h"
#include "targets/shared/llvm/proven_alignment.h"
#endif
#include <ucontext.h>

#include "engine/runtime/module.h"
#include "engine/schedule/names.h"
#include "targets/cuda/compiler/async_copies.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/compiler/dialect.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/gpu/launch_shape.h"
#include "targets/shared/gpu/shared_layout.h"
#include "targets/shared/link/link.h"
#include "targets/shared/llvm/device_module.h"
#include "targets/shared/llvm/machine.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/random_bindings.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"
#include "tests/support/shared_rows.h"

using namespace tw;

namespace {

constexpr char kAt[] = "tw_at", kMeet[] = "tw_meet", kCall[] = "tw_call_";

llvm::GlobalVariable* global(llvm::Module& module, char const* name, llvm::Type* type) {
  if (auto* found = module.getNamedGlobal(name)) return found;
  module.getOrInsertGlobal(name, type);
  auto* made = module.getNamedGlobal(name);
  made->setInitializer(llvm::Constant::getNullValue(type));
  return made;
}

/// Blocks along x, y and z, then threads: six numbers of 32 bits.
llvm::Value* counter(llvm::IRBuilder<>& builder, std::string const& axis) {
  size_t at = std::string("xyz").find(axis.back());
  auto* table = llvm::ArrayType::get(builder.getInt32Ty(), 6);
  auto* numbers = global(*builder.GetInsertBlock()->getModule(), kAt, table);
  llvm::Value* place = builder.CreateConstInBoundsGEP2_32(
      table, numbers, 0, unsigned(at + (axis.starts_with("thread") ? 3 : 0)));
  return builder.CreateZExt(builder.CreateLoad(builder.getInt32Ty(), place), builder.getInt64Ty());
}

llvm::Value* reciprocal(llvm::IRBuilder<>& builder, llvm::Value* x) {
  return builder.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1), x);
}

void fill(DeviceShell& shell) {
  shell.counter = counter;
  shell.reciprocal = reciprocal;
  using Operands = std::vector<llvm::Value*>;
  auto nothing = [](llvm::IRBuilder<>&, Operands const&) {};
  shell.calls[cuda::kCommitName] = shell.calls[cuda::kWaitName] = nothing;
  for (cuda::AsyncCopy const& copy : cuda::kAsyncCopies)
    shell.calls[copy.name] = [bytes = copy.bytes](llvm::IRBuilder<>& builder,
                                                  Operands const& operands) {
      auto* type = llvm::FixedVectorType::get(builder.getInt8Ty(), unsigned(bytes));
      llvm::Align align{uint64_t(bytes)};
      builder.CreateAlignedStore(builder.CreateAlignedLoad(type, operands[1], align), operands[0],
                                 align);
    };
  shell.calls[cuda::kBarrierName] = [](llvm::IRBuilder<>& builder, Operands const&) {
    auto* pointer = builder.getPtrTy();
    auto* place = global(*builder.GetInsertBlock()->getModule(), kMeet, pointer);
    builder.CreateCall(llvm::FunctionType::get(builder.getVoidTy(), false),
                       builder.CreateLoad(pointer, place));
  };
}

/// A function that takes the arguments as a list of words.
void mark(llvm::Function& function, std::array<int64_t, 3> const&) {
  llvm::LLVMContext& context = function.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false);
  auto* made = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                      kCall + function.getName().str(), *function.getParent());
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", made));
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& one : function.args())
    arguments.push_back(builder.CreateLoad(
        one.getType(),
        builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), made->getArg(0), one.getArgNo())));
  builder.CreateCall(&function, arguments);
  builder.CreateRetVoid();
}

/// Sets the fault word to 2 where an access does not stand at what its alignment says.
void check(llvm::Instruction& access, llvm::Value* address, llvm::Align align) {
  if (align.value() == 1) return;
  llvm::IRBuilder<> builder(&access);
  llvm::Function* function = access.getFunction();
  llvm::Value* fault = function->getArg(unsigned(function->arg_size() - 1));
  llvm::Value* rest = builder.CreateAnd(builder.CreatePtrToInt(address, builder.getInt64Ty()),
                                        builder.getInt64(align.value() - 1));
  llvm::Value* wrong = builder.CreateICmpNE(rest, builder.getInt64(0));
  llvm::Value* kept = builder.CreateLoad(builder.getInt32Ty(), fault);
  builder.CreateStore(builder.CreateSelect(wrong, builder.getInt32(2), kept), fault);
}

/// Accesses whose alignment is proven to be more than an element's, each with a check.
int check_alignments(llvm::Module& module) {
  std::vector<llvm::Instruction*> accesses;
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && !function.getName().starts_with(kCall))
      for (llvm::BasicBlock& block : function)
        for (llvm::Instruction& one : block)
          if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(one)) accesses.push_back(&one);
  int proven = 0;
  for (llvm::Instruction* one : accesses) {
    llvm::Align align = llvm::getLoadStoreAlignment(one);
    proven += align.value() > 8;
    check(*one, llvm::getLoadStorePointerOperand(one), align);
    // The processor does not ask for it: what computes must not depend on it.
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(one)) load->setAlignment(llvm::Align(1));
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(one)) store->setAlignment(llvm::Align(1));
  }
  return proven;
}

void define_given_shared(llvm::Module& module, int64_t bytes) {
  llvm::GlobalVariable* declared = module.getNamedGlobal(kGivenShared);
  if (!declared) return;
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), uint64_t(bytes));
  auto* made = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                        llvm::Constant::getNullValue(type));
  made->setAlignment(declared->getAlign());
  declared->replaceAllUsesWith(made);
  declared->eraseFromParent();
}

/// The threads of one block, which meet.
class Block {
public:
  using Function = void (*)(void const* arguments);

  /// False: some threads wait at a barrier that others never come to.
  static bool run(Function function, void const* arguments, std::array<int64_t, 3> const& threads,
                  int32_t* at, void** meet) {
    Block block(function, arguments);
    running_ = &block;
    *meet = reinterpret_cast<void*>(&Block::wait);
    size_t count = size_t(threads[0] * threads[1] * threads[2]);
    block.fibers_.resize(count);
    for (Fiber& fiber : block.fibers_) block.make(fiber);
    for (bool some = true; some;) {
      size_t left = 0;
      some = false;
      for (size_t i = 0; i < count; ++i) {
        block.current_ = i;
        at[3] = int32_t(int64_t(i) % threads[0]);
        at[4] = int32_t(int64_t(i) / threads[0] % threads[1]);
        at[5] = int32_t(int64_t(i) / threads[0] / threads[1]);
        ::swapcontext(&block.scheduler_, &block.fibers_[i].context);
        left += block.fibers_[i].done;
      }
      if (left != 0 && left != count) return false;
      some = left == 0;
    }
    return true;
  }

private:
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    bool done = false;
  };

  Block(Function function, void const* arguments) : function_(function), arguments_(arguments) {}

  void make(Fiber& fiber) {
    fiber.stack.resize(size_t(192) << 10);
    ::getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = nullptr;
    ::makecontext(&fiber.context, &Block::begin, 0);
  }
  static void begin() {
    Block& block = *running_;
    block.function_(block.arguments_);
    block.fibers_[block.current_].done = true;
    wait();
  }
  static void wait() {
    Block& block = *running_;
    ::swapcontext(&block.fibers_[block.current_].context, &block.scheduler_);
  }

  static Block* running_;
  Function function_;
  void const* arguments_;
  ucontext_t scheduler_;
  std::vector<Fiber> fibers_;
  size_t current_ = 0;
};
Block* Block::running_ = nullptr;

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class EmittedTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    // Rounding and products with sums are instructions from there on, no functions of a library.
    if (!__builtin_cpu_supports("fma")) QSKIP("this processor has no fused products and sums");
    machine_.emplace(Machine::create({.triple = {}, .cpu = "x86-64-v3", .features = {}}).value());
    backend_ = cuda::create_cuda_backend(cuda::known_gpus()[0].hardware, {}).value();
  }

  void each_kernel_is_right_data() {
    QTest::addColumn<QString>("name");
    for (std::string const& name :
         testing::bound_kernel_names({testing::kBoundKernels, testing::kCudaKernels}))
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void each_kernel_is_right() {
    QFETCH(QString, name);
    auto made = testing::bound_kernel(name.toStdString(), *backend_);
    QVERIFY2(made, sentence(made).c_str());
    Rng rng(11);
    std::vector<NDArray> inputs = testing::random_inputs(made->kernel, rng);
    auto wanted = ir::interpret(made->schedule.origin(), inputs).value();
    auto outputs = run(made->lowered, made->schedule.origin(), inputs);
    QVERIFY2(outputs, sentence(outputs).c_str());
    QCOMPARE(testing::difference(wanted, *outputs), std::string());
  }

  /// More than a function may declare on a GPU: here a variable takes the place of what a launch
  /// gives.
  void memory_that_a_launch_gives_is_used() {
    auto rows = testing::shared_rows(50001, 24, *backend_);
    QVERIFY2(rows, sentence(rows).c_str());
    auto stages = lower(rows->schedule.program(), backend_->target(), backend_->passes());
    QVERIFY2(stages, sentence(stages).c_str());
    Rng rng(5);
    std::vector<NDArray> inputs = testing::random_inputs(rows->kernel, rng);
    auto wanted = ir::interpret(rows->schedule.origin(), inputs).value();
    auto outputs = run(stages->back().kernel, rows->schedule.origin(), inputs);
    QVERIFY2(outputs, sentence(outputs).c_str());
    QCOMPARE(testing::difference(wanted, *outputs), std::string());
    QCOMPARE(given_bytes_, int64_t(50048));
  }

  void random_schedules_are_right() {
    int traces = qEnvironmentVariableIsSet("TW_TEST_TRACES")
                     ? qEnvironmentVariableIntValue("TW_TEST_TRACES")
                     : 250;
    Rng rng(qEnvironmentVariableIsSet("TW_TEST_SEED")
                ? qEnvironmentVariable("TW_TEST_SEED").toULongLong()
                : 20261129);
    int taken = 0;
    for (int trace = 0; trace < traces; ++trace) {
      std::string text = testing::test_kernel(trace, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule = testing::random_bound_schedule(
          Schedule(te::to_program(kernel).value(), backend_->shared_target()), trace, rng);
      std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
      auto stages = lower(schedule.program(), backend_->target(), backend_->passes());
      if (!stages) continue;
      std::string said = text + schedule.script();
      auto outputs = run(stages->back().kernel, schedule.origin(), inputs);
      if (!outputs && outputs.error().code.starts_with("unsupported")) continue;
      ++taken;
      QVERIFY2(outputs, (sentence(outputs) + "\n" + said).c_str());
      QVERIFY2(te::judge(*outputs, testing::expected_of(kernel, inputs)).equal, said.c_str());
    }
    qInfo("%d of %d taken, %d accesses with proven alignment so far", taken, traces, proven_);
    QVERIFY(proven_ > 0);
    QVERIFY(taken * 4 >= traces);
  }

private:
  Result<std::vector<NDArray>> run(ir::KernelIr const& kernel, ir::Program const& program,
                                   std::vector<NDArray> const& inputs) {
    std::vector<std::string> names;
    std::vector<gpu::LaunchShape> shapes;
    std::vector<DeviceFunction> functions;
    given_bytes_ = 0;
    for (size_t i = 0; i < kernel.device.size(); ++i) {
      TRY_ASSIGN(gpu::LaunchShape shape, gpu::launch_shape(kernel.device[i]));
      names.push_back("f" + std::to_string(i));
      gpu::SharedLayout shared = gpu::shared_layout(kernel.device[i], cuda::kTensorAlignment);
      constexpr int64_t kMostDeclared = 48 << 10;
      if (shared.bytes > kMostDeclared)
        given_bytes_ = std::max(given_bytes_, shared.bytes);
      else
        shared.offsets.clear();
      functions.push_back({names.back(), shape.block, std::move(shared.offsets)});
      shapes.push_back(std::move(shape));
    }
    llvm::LLVMContext context;
    DeviceKind const kind{.global_space = 0, .shared_space = 0, .fill = fill, .mark = mark};
    TRY_ASSIGN(auto module,
               build_device_module(kernel, ir::print(kernel), *machine_, kind, functions, context));
    define_given_shared(*module, std::max<int64_t>(given_bytes_, 1));
    prove_alignments(*module);
    proven_ += check_alignments(*module);
    TRY_ASSIGN(Emitted emitted, machine_->generate(*module, CodeTier::kFull, CodeTexts::kNone));
    TRY_ASSIGN(std::vector<std::byte> library, link_shared_library({&emitted.object, 1}));
    TRY_ASSIGN(LoadedModule loaded, LoadedModule::load(library));
    std::vector<NDArray> outputs;
    for (ir::Buffer const& output : program.outputs) {
      TRY_ASSIGN(NDArray array, NDArray::create(output->type, *ir::constant_shape(*output)));
      outputs.push_back(std::move(array));
    }
    TRY(launch_all(kernel, loaded, names, shapes, inputs, outputs));
    return outputs;
  }

  /// The device functions, in the order of the host's calls, with the kernel's tensors.
  static Status launch_all(ir::KernelIr const& kernel, LoadedModule const& loaded,
                           std::vector<std::string> const& names,
                           std::vector<gpu::LaunchShape> const& shapes,
                           std::vector<NDArray> const& inputs, std::vector<NDArray>& outputs) {
    int64_t bytes = 0;
    auto offsets = workspace_layout(kernel, &bytes);
    std::vector<std::byte> workspace(size_t(bytes) + 64);
    auto* start = workspace.data() + (64 - reinterpret_cast<uintptr_t>(workspace.data()) % 64) % 64;
    std::map<std::string, void*> tensors;
    for (auto const& [name, offset] : offsets) tensors[name] = start + offset;
    // Parameters may stand at whole lines: so do these.
    std::vector<std::vector<std::byte>> copies;
    auto aligned = [&](NDArray const& array) {
      copies.emplace_back(size_t(array.byte_size()) + 64);
      auto* place = copies.back().data();
      place += (64 - reinterpret_cast<uintptr_t>(place) % 64) % 64;
      std::memcpy(place, array.data(), size_t(array.byte_size()));
      return place;
    };
    copies.reserve(inputs.size() + outputs.size());
    std::vector<std::byte*> made;
    for (size_t i = 0; i < inputs.size(); ++i)
      tensors[kernel.host.params[i]->name] = aligned(inputs[i]);
    for (size_t i = 0; i < outputs.size(); ++i) {
      made.push_back(aligned(outputs[i]));
      tensors[kernel.host.params[inputs.size() + i]->name] = made.back();
    }
    for (size_t i = 0; i < kernel.device.size(); ++i)
      TRY(launch(kernel.device[i], loaded, names[i], shapes[i], tensors));
    for (size_t i = 0; i < outputs.size(); ++i)
      std::memcpy(outputs[i].data(), made[i], size_t(outputs[i].byte_size()));
    return {};
  }

  static Status launch(ir::Function const& function, LoadedModule const& loaded,
                       std::string const& name, gpu::LaunchShape const& shape,
                       std::map<std::string, void*> const& tensors) {
    TRY_ASSIGN(void* address, loaded.symbol(kCall + name));
    auto at = loaded.symbol(kAt), meet = loaded.symbol(kMeet);  // where they are used
    void* nowhere = nullptr;
    int32_t none[6] = {};
    int32_t fault = 0;
    std::vector<void*> arguments;
    for (ir::Buffer const& tensor : function.params) arguments.push_back(tensors.at(tensor->name));
    arguments.push_back(&fault);
    std::array<int64_t, 3> grid{};
    for (size_t d = 0; d < 3; ++d) grid[d] = ir::as_int(shape.grid[d]).value_or(0);
    int32_t* numbers = at ? static_cast<int32_t*>(*at) : none;
    for (int64_t b = 0; b < grid[0] * grid[1] * grid[2]; ++b) {
      numbers[0] = int32_t(b % grid[0]);
      numbers[1] = int32_t(b / grid[0] % grid[1]);
      numbers[2] = int32_t(b / grid[0] / grid[1]);
      if (!Block::run(reinterpret_cast<Block::Function>(address), arguments.data(), shape.block,
                      numbers, meet ? static_cast<void**>(*meet) : &nowhere))
        return refused("divergent_barrier", "threads of a block do not meet");
    }
    if (fault == 2) return refused("misaligned", "an access is not where its alignment says");
    if (fault != 0) return refused("division_by_zero", "it divided by zero");
    return {};
  }

  std::optional<Machine> machine_;
  int proven_ = 0;
  int64_t given_bytes_ = 0;  // of the last kernel's largest function
  std::shared_ptr<Backend const> backend_;
};

QTEST_GUILESS_MAIN(EmittedTest)
#include "emitted_test.moc"
