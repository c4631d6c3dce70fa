/// What the emitter of device functions makes for PTX, made for this machine's processor instead:
/// counters come from a table, threads are fibers that meet at barriers, and each access is checked
/// for the alignment that was proven.
#pragma once

#ifndef Q_MOC_RUN  // it does not come to an end of these
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "targets/shared/llvm/device_shell.h"
#include "targets/shared/llvm/proven_alignment.h"
#endif
#include <bit>
#include <cstring>

#include "engine/runtime/module.h"
#include "engine/tensor/nearest.h"
#include "targets/cuda/compiler/async_copies.h"
#include "targets/cuda/compiler/dialect.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/cuda/compiler/phase_barriers.h"
#include "targets/cuda/compiler/warp_shuffles.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/gpu/launch_shape.h"
#include "targets/shared/gpu/shared_layout.h"
#include "targets/shared/link/link.h"
#include "targets/shared/llvm/device_module.h"
#include "targets/shared/llvm/machine.h"
#include "tests/support/emitted_warpgroup.h"
#include "tests/support/thread_fibers.h"

namespace tw::testing {

inline constexpr char kMultiply[] = "tw_multiply", kLoadMatrix[] = "tw_load_matrix",
                      kUsePhases[] = "tw_use_phases";

/// Blocks along x, y and z, then threads: six numbers of 32 bits.
inline llvm::Value* counter(llvm::IRBuilder<>& builder, std::string const& axis) {
  size_t at = std::string("xyz").find(axis.back());
  auto* table = llvm::ArrayType::get(builder.getInt32Ty(), 6);
  auto* numbers = global(*builder.GetInsertBlock()->getModule(), kAt, table);
  llvm::Value* place = builder.CreateConstInBoundsGEP2_32(
      table, numbers, 0, unsigned(at + (axis.starts_with("thread") ? 3 : 0)));
  return builder.CreateZExt(builder.CreateLoad(builder.getInt32Ty(), place), builder.getInt64Ty());
}

inline llvm::Value* reciprocal(llvm::IRBuilder<>& builder, llvm::Value* x) {
  return builder.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1), x);
}

/// What `tw_load_matrix` makes of a row that each lane hands over: the registers of a thread.
inline void fetch_rows(llvm::IRBuilder<>& builder, int registers, cuda::Fetch fetch,
                       llvm::Value* row, llvm::Value* to) {
  auto* pointer = builder.getPtrTy();
  auto* word = builder.getInt64Ty();
  auto* place = global(*builder.GetInsertBlock()->getModule(), kLoadMatrix, pointer);
  builder.CreateCall(
      llvm::FunctionType::get(builder.getVoidTy(), {word, word, pointer, pointer}, false),
      builder.CreateLoad(pointer, place),
      {builder.getInt64(uint64_t(registers)), builder.getInt64(fetch == cuda::Fetch::kAcross), row,
       to});
}

/// Hands the elements of a thread, each with its number among the unit's, to `Block::multiply`.
inline void multiply(llvm::IRBuilder<>& builder, cuda::MatrixForm const& form,
                     std::vector<llvm::Value*> const& places) {
  cuda::MatrixUnit const& one = *form.unit;
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  llvm::IRBuilder<> entry(&function->getEntryBlock(), function->getEntryBlock().begin());
  auto* type = builder.getIntNTy(unsigned(size_of(one.factor)) * 8);
  auto* word = builder.getInt32Ty();
  size_t of_a = size_t(cuda::kRegistersOfA * one.packed()),
         of_b = size_t(cuda::kRegistersOfB * one.packed());
  llvm::Value* taken = entry.CreateAlloca(llvm::ArrayType::get(type, of_a + of_b));
  llvm::Value* sums = entry.CreateAlloca(llvm::ArrayType::get(word, cuda::kSums));
  auto copy = [&](llvm::Type* of, llvm::Value* from, llvm::Value* to, llvm::Align align) {
    builder.CreateStore(builder.CreateAlignedLoad(of, from, align), to);
  };
  llvm::Align own{uint64_t(size_of(one.factor))};
  size_t next = cuda::kSums;
  auto take = [&](cuda::Fetch fetch, int registers, size_t first, size_t count) {
    auto to = [&](size_t i) { return builder.CreateConstInBoundsGEP1_64(type, taken, first + i); };
    if (fetch != cuda::Fetch::kElements)
      return fetch_rows(builder, registers, fetch, places[next++], to(0));
    for (size_t i = 0; i < count; ++i) copy(type, places[next++], to(i), own);
  };
  take(form.a, cuda::kRegistersOfA, 0, of_a);
  take(form.b, cuda::kRegistersOfB, of_a, of_b);
  auto sum = [&](size_t i) { return builder.CreateConstInBoundsGEP1_64(word, sums, i); };
  for (size_t i = 0; i < cuda::kSums; ++i) copy(word, places[i], sum(i), llvm::Align(4));
  auto* pointer = builder.getPtrTy();
  auto* place = global(*builder.GetInsertBlock()->getModule(), kMultiply, pointer);
  builder.CreateCall(
      llvm::FunctionType::get(builder.getVoidTy(), {builder.getInt64Ty(), pointer, pointer}, false),
      builder.CreateLoad(pointer, place),
      {builder.getInt64(uint64_t(form.unit - cuda::kMatrixUnits.data())), sums, taken});
  for (size_t i = 0; i < cuda::kSums; ++i) copy(word, sum(i), places[i], llvm::Align(4));
}

/// By `Block::shuffle`, as bits of 64.
inline void shuffle(llvm::IRBuilder<>& builder, DType type,
                    std::vector<llvm::Value*> const& operands) {
  auto* pointer = builder.getPtrTy();
  auto* word = builder.getInt64Ty();
  auto* own = builder.getIntNTy(unsigned(size_of(type)) * 8);
  auto* place = global(*builder.GetInsertBlock()->getModule(), kShuffle, pointer);
  llvm::Align align{uint64_t(size_of(type))};
  llvm::Value* value = builder.CreateZExt(builder.CreateAlignedLoad(own, operands[1], align), word);
  llvm::Value* got =
      builder.CreateCall(llvm::FunctionType::get(word, {word, word, word}, false),
                         builder.CreateLoad(pointer, place), {value, operands[2], operands[3]});
  builder.CreateAlignedStore(builder.CreateTrunc(got, own), operands[0], align);
}

inline void fill(DeviceShell& shell) {
  shell.counter = counter;
  shell.reciprocal = reciprocal;
  using Operands = std::vector<llvm::Value*>;
  auto nothing = [](llvm::IRBuilder<>&, Operands const&) {};
  shell.calls[cuda::kCommitName] = shell.calls[cuda::kWaitName] = nothing;
  fill_warpgroup(shell);
  for (cuda::MatrixForm const& form : cuda::matrix_forms())
    shell.calls[form.name()] = [form](llvm::IRBuilder<>& builder, Operands const& operands) {
      multiply(builder, form, operands);
    };
  for (cuda::AsyncCopy const& copy : cuda::kAsyncCopies)
    shell.calls[copy.name] = [bytes = copy.bytes](llvm::IRBuilder<>& builder,
                                                  Operands const& operands) {
      auto* type = llvm::FixedVectorType::get(builder.getInt8Ty(), unsigned(bytes));
      llvm::Align align{uint64_t(bytes)};
      builder.CreateAlignedStore(builder.CreateAlignedLoad(type, operands[1], align), operands[0],
                                 align);
    };
  for (auto [name, use] : {std::pair{cuda::kOpenName, PhaseUse::kOpen},
                           {cuda::kArriveName, PhaseUse::kArrive},
                           {cuda::kDeliverName, PhaseUse::kArrive},
                           {cuda::kAwaitName, PhaseUse::kAwait}})
    shell.calls[name] = [use = int64_t(use)](llvm::IRBuilder<>& builder, Operands const& operands) {
      auto* pointer = builder.getPtrTy();
      auto* place = global(*builder.GetInsertBlock()->getModule(), kUsePhases, pointer);
      auto* word = builder.getInt64Ty();
      builder.CreateCall(llvm::FunctionType::get(builder.getVoidTy(), {word, pointer, word}, false),
                         builder.CreateLoad(pointer, place),
                         {builder.getInt64(uint64_t(use)), operands[0],
                          operands.size() > 1 ? operands[1] : builder.getInt64(0)});
    };
  for (DType type : cuda::kShuffledTypes)
    shell.calls[cuda::shuffle_name(type)] = [type](llvm::IRBuilder<>& builder,
                                                   Operands const& operands) {
      shuffle(builder, type, operands);
    };
  shell.calls[cuda::kBarrierName] = [](llvm::IRBuilder<>& builder, Operands const&) {
    auto* pointer = builder.getPtrTy();
    auto* place = global(*builder.GetInsertBlock()->getModule(), kMeet, pointer);
    builder.CreateCall(llvm::FunctionType::get(builder.getVoidTy(), false),
                       builder.CreateLoad(pointer, place));
  };
}

/// A function that takes the arguments as a list of words.
inline void mark(llvm::Function& function, std::array<int64_t, 3> const&) {
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
inline void check(llvm::Instruction& access, llvm::Value* address, llvm::Align align) {
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
inline int check_alignments(llvm::Module& module) {
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

inline void define_given_shared(llvm::Module& module, int64_t bytes) {
  llvm::GlobalVariable* declared = module.getNamedGlobal(kGivenShared);
  if (!declared) return;
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), uint64_t(bytes));
  auto* made = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                        llvm::Constant::getNullValue(type));
  made->setAlignment(declared->getAlign());
  declared->replaceAllUsesWith(made);
  declared->eraseFromParent();
}

inline double element(cuda::MatrixUnit const& unit, void const* all, int64_t at) {
  if (unit.factor == DType::kI8) return static_cast<int8_t const*>(all)[at];
  if (unit.factor == DType::kU8) return static_cast<uint8_t const*>(all)[at];
  if (unit.factor == DType::kF32) {  // cvt.rna.tf32: ten bits of mantissa, ties away from zero
    uint32_t word = static_cast<uint32_t const*>(all)[at];
    return std::bit_cast<float>((word + 0x1000) & ~uint32_t(0x1fff));
  }
  uint16_t bits = static_cast<uint16_t const*>(all)[at];
  return unit.factor == DType::kF16 ? half_to_float(bits)
                                    : std::bit_cast<float>(uint32_t(bits) << 16);
}

inline void add(cuda::MatrixUnit const& unit, std::span<void const* const> warp, int64_t row,
                int64_t column, int64_t k, uint32_t& sum) {
  // Of f16: a0, a1 are k = 2t, 2t+1 of row g, a2, a3 of row g+8, a4 ... the same with k + 8.
  int64_t packed = unit.packed(), half = 4 * packed;
  int64_t pack = k % half / packed, in_pack = k % packed;
  int64_t a = (k / half * 2 + row / 8) * packed + in_pack, b = k / half * packed + in_pack;
  double x = element(unit, warp[size_t(row % 8 * 4 + pack)], a);
  double y = element(unit, warp[size_t(column * 4 + pack)], 8 * packed / 2 + b);
  if (unit.sum == DType::kI32) {
    sum += uint32_t(int64_t(x * y));
    return;
  }
  sum = std::bit_cast<uint32_t>(float(double(std::bit_cast<float>(sum)) + x * y));
}

/// mma.sync, of what the lanes of a warp hand over in the registers that the PTX ISA says (Matrix
/// Fragments for mma.m16n8k16 with floating point type, for mma.m16n8k32): groupID is lane / 4,
/// threadID_in_group lane % 4. All warps of the block are to come here together.
inline void multiply_in_warp(int64_t unit, void* sums, void const* factors) {
  cuda::MatrixUnit const& one = cuda::kMatrixUnits[size_t(unit)];
  std::span<void const* const> warp = Block::hand_over(factors);
  int64_t lane = Block::thread() % 32, group = lane / 4, in_group = lane % 4;
  std::array<uint32_t, 4> made{};
  std::memcpy(made.data(), sums, sizeof made);
  for (size_t c = 0; c < 4; ++c) {
    int64_t row = c < 2 ? group : group + 8, column = in_group * 2 + int64_t(c & 1);
    for (int64_t k = 0; k < one.terms(); ++k) add(one, warp, row, column, k, made[c]);
  }
  Block::wait();
  std::memcpy(sums, made.data(), sizeof made);
}

/// ldmatrix.sync.aligned.m8n8 (PTX ISA): lane 8m+r hands over where row r of part m begins; of each
/// part thread 4g+t gets elements 2t and 2t+1 of row g in a register, of a transposed one element g
/// of rows 2t and 2t+1. All warps of the block are to come here together.
inline void load_matrix(int64_t registers, int64_t transposed, void const* row, void* made) {
  std::span<void const* const> rows = Block::hand_over(row);
  int64_t lane = Block::thread() % 32, g = lane / 4, t = lane % 4;
  auto element = [&](int64_t part, int64_t r, int64_t at) {
    uint16_t bits = 0;
    std::memcpy(&bits, static_cast<char const*>(rows[size_t(part * 8 + r)]) + at * 2, 2);
    return bits;
  };
  std::array<uint16_t, 8> own{};
  for (int64_t part = 0; part < registers; ++part)
    for (int64_t i = 0; i < 2; ++i)
      own[size_t(part * 2 + i)] =
          transposed ? element(part, 2 * t + i, g) : element(part, g, 2 * t + i);
  Block::wait();
  std::memcpy(made, own.data(), size_t(registers) * 4);
}

/// The device functions of a kernel.
class EmittedDevice {
public:
  struct Code {
    std::vector<std::byte> library;
    int proven = 0;
    int64_t given_bytes = 0;
  };
  /// `names`: of the functions, in the order of `kernel.device`. Errors: those of the emitter.
  static Result<Code> code(Machine const& machine, ir::KernelIr const& kernel,
                           std::vector<std::string> const& names) {
    std::vector<DeviceFunction> functions;
    int64_t given = 0;
    for (size_t i = 0; i < kernel.device.size(); ++i) {
      TRY_ASSIGN(gpu::LaunchShape shape, gpu::launch_shape(kernel.device[i]));
      gpu::SharedLayout shared = gpu::shared_layout(kernel.device[i], cuda::kTensorAlignment);
      constexpr int64_t kMostDeclared = 48 << 10;
      if (shared.bytes > kMostDeclared)
        given = std::max(given, shared.bytes);
      else
        shared.offsets.clear();
      functions.push_back({names[i], shape.block, std::move(shared.offsets)});
    }
    llvm::LLVMContext context;
    DeviceKind const kind{.global_space = 0, .shared_space = 0, .fill = fill, .mark = mark};
    TRY_ASSIGN(auto own_calls, cuda::matrix_calls(kernel));
    TRY_ASSIGN(auto of_warpgroups, cuda::warpgroup_calls(kernel));
    own_calls.merge(of_warpgroups);
    TRY_ASSIGN(auto module, build_device_module(kernel, ir::print(kernel), machine, kind, functions,
                                                own_calls, context));
    define_given_shared(*module, std::max<int64_t>(given, 1));
    prove_alignments(*module);
    int proven = check_alignments(*module);
    TRY_ASSIGN(Emitted emitted, machine.generate(*module, CodeTier::kFull, CodeTexts::kNone));
    TRY_ASSIGN(std::vector<std::byte> library, link_shared_library({&emitted.object, 1}));
    return Code{std::move(library), proven, given};
  }
  static Result<EmittedDevice> create(Machine const& machine, ir::KernelIr const& kernel,
                                      std::vector<std::string> const& names) {
    TRY_ASSIGN(Code made, code(machine, kernel, names));
    TRY_ASSIGN(LoadedModule loaded, LoadedModule::load(made.library));
    return EmittedDevice(std::move(loaded), made.proven, made.given_bytes);
  }

  int proven() const { return proven_; }                ///< accesses of more than eight bytes
  int64_t given_bytes() const { return given_bytes_; }  ///< shared memory that a launch gives

  /// Block after block. `arguments`: a word of 64 bits for each, the fault word's address last.
  /// Errors: divergent_barrier, misaligned.
  Status launch(std::string const& name, std::array<int64_t, 3> const& grid,
                std::array<int64_t, 3> const& block, std::span<void* const> arguments) const {
    TRY_ASSIGN(void* address, loaded_.symbol(kCall + name));
    auto at = loaded_.symbol(kAt), meet = loaded_.symbol(kMeet),
         phases = loaded_.symbol(kUsePhases), rows = loaded_.symbol(kLoadMatrix),
         product = loaded_.symbol(kMultiply),
         of_warpgroup = loaded_.symbol(kMultiplyByWarpgroup);  // where they are used
    if (rows) *static_cast<void**>(*rows) = reinterpret_cast<void*>(&load_matrix);
    if (product) *static_cast<void**>(*product) = reinterpret_cast<void*>(&multiply_in_warp);
    if (of_warpgroup)
      *static_cast<void**>(*of_warpgroup) = reinterpret_cast<void*>(&multiply_by_warpgroup);
    if (auto shuffle = loaded_.symbol(kShuffle))
      *static_cast<void**>(*shuffle) = reinterpret_cast<void*>(&Block::shuffle);
    if (phases) *static_cast<void**>(*phases) = reinterpret_cast<void*>(&Block::use_phases);
    void* nowhere = nullptr;
    int32_t none[6] = {};
    int32_t* numbers = at ? static_cast<int32_t*>(*at) : none;
    for (int64_t b = 0; b < grid[0] * grid[1] * grid[2]; ++b) {
      numbers[0] = int32_t(b % grid[0]);
      numbers[1] = int32_t(b / grid[0] % grid[1]);
      numbers[2] = int32_t(b / grid[0] / grid[1]);
      if (!Block::run(reinterpret_cast<Block::Function>(address), arguments.data(), block, numbers,
                      meet ? static_cast<void**>(*meet) : &nowhere))
        return refused("divergent_barrier", "threads of a block do not meet");
    }
    if (*static_cast<int32_t*>(arguments.back()) == 2)
      return refused("misaligned", "an access is not where its alignment says");
    return {};
  }

private:
  EmittedDevice(LoadedModule loaded, int proven, int64_t given)
      : loaded_(std::move(loaded)), proven_(proven), given_bytes_(given) {}

  LoadedModule loaded_;
  int proven_;
  int64_t given_bytes_;
};

}  // namespace tw::testing
