/// wgmma.mma_async, made for this machine's processor: a function in its place reads shared memory
/// by the descriptors that the code hands over, and gives each thread the sums that the PTX ISA
/// says.
#pragma once

#ifndef Q_MOC_RUN  // it does not come to an end of these
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "targets/shared/llvm/device_shell.h"
#endif
#include <bit>
#include <cstring>

#include "engine/tensor/nearest.h"
#include "targets/cuda/compiler/warpgroup_units.h"
#include "tests/support/thread_fibers.h"

namespace tw::testing {

inline constexpr char kMultiplyByWarpgroup[] = "tw_multiply_by_warpgroup";

inline llvm::GlobalVariable* global(llvm::Module& module, char const* name, llvm::Type* type) {
  if (auto* found = module.getNamedGlobal(name)) return found;
  module.getOrInsertGlobal(name, type);
  auto* made = module.getNamedGlobal(name);
  made->setInitializer(llvm::Constant::getNullValue(type));
  return made;
}

/// What the threads of a warpgroup hand over, each the same.
struct WarpgroupCall {
  unsigned char const *a = nullptr, *b = nullptr;
  uint64_t a_descriptor = 0, b_descriptor = 0;
  int64_t a_columns_first = 0, b_columns_first = 0;
  bool operator==(WarpgroupCall const&) const = default;
};

/// A matrix in shared memory (PTX ISA, Asynchronous Warpgroup Level Matrix Shared Memory Layout).
struct SharedMatrix {
  unsigned char const* begin = nullptr;
  int64_t leading = 0, stride = 0;  ///< bytes
  bool transposed = false;          ///< M- or N-major
  int64_t size = 2;                 ///< bytes of an element

  /// Matrix-descriptor-encode: bits 29-16 leading dimension byte offset, 45-32 stride dimension
  /// byte offset, 63-62 swizzling mode (0: none); each offset without its last four bits.
  SharedMatrix(unsigned char const* first, uint64_t descriptor, bool columns_first, int64_t bytes)
      : begin(first),
        leading(int64_t(descriptor >> 16 & 0x3fff) << 4),
        stride(int64_t(descriptor >> 32 & 0x3fff) << 4),
        transposed(columns_first),
        size(bytes) {}

  /// Canonical layouts without swizzling, in elements, with T of them in 128 bits. K-major:
  /// ((8,m),(T,2k)):((1T,SBO),(1,LBO)); MN-major: ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO)).
  unsigned char const* at(int64_t row, int64_t k) const {
    int64_t wide = 16 / size;
    if (!transposed)
      return begin + row % 8 * 16 + row / 8 * stride + k % wide * size + k / wide * leading;
    return begin + row % wide * size + row / wide * stride + k % 8 * 16 + k / 8 * leading;
  }
};

inline double number_at(DType type, unsigned char const* place) {
  uint16_t bits = 0;
  uint32_t word = 0;
  switch (type) {
    case DType::kI8:
      return static_cast<signed char>(*place);
    case DType::kU8:
      return *place;
    case DType::kF32:  // as tf32: of 23 bits of mantissa the first ten
      std::memcpy(&word, place, sizeof word);
      return double(std::bit_cast<float>(word & ~uint32_t(0x1fff)));
    default:
      std::memcpy(&bits, place, sizeof bits);
      return type == DType::kF16 ? half_to_float(bits) : std::bit_cast<float>(uint32_t(bits) << 16);
  }
}

/// Accumulator D of wgmma .m64nNk*: register 4c+2h+b of a thread is of row 16*warp + lane/4 + 8h
/// and column 8c + 2*(lane%4) + b (PTX ISA, WGMMA .m64nNk16 register fragment layout).
inline void multiply_by_warpgroup(int64_t number, uint32_t* sums, WarpgroupCall const* call) {
  cuda::WarpgroupUnit const& unit = cuda::warpgroup_units()[size_t(number)];
  for (void const* other : Block::hand_over(call))
    if (*static_cast<WarpgroupCall const*>(other) != *call) std::abort();
  auto bytes = int64_t(size_of(unit.factor));
  SharedMatrix a(call->a, call->a_descriptor, call->a_columns_first != 0, bytes);
  SharedMatrix b(call->b, call->b_descriptor, call->b_columns_first != 0, bytes);
  int64_t thread = Block::thread() % 128, warp = thread / 32, lane = thread % 32;
  for (int64_t d = 0; d < unit.columns / 2; ++d) {
    int64_t row = 16 * warp + lane / 4 + 8 * (d / 2 % 2);
    int64_t column = 8 * (d / 4) + 2 * (lane % 4) + d % 2;
    for (int64_t k = 0; k < 32 / bytes; ++k) {
      double x = number_at(unit.factor, a.at(row, k)), y = number_at(unit.factor, b.at(column, k));
      if (unit.sum == DType::kI32)
        sums[d] += uint32_t(int64_t(x * y));
      else
        sums[d] = std::bit_cast<uint32_t>(float(double(std::bit_cast<float>(sums[d])) + x * y));
    }
  }
  Block::wait();
}

/// Hands the sums and what tells the matrices to `multiply_by_warpgroup`.
inline void call_warpgroup(llvm::IRBuilder<>& builder, size_t number,
                           std::vector<llvm::Value*> const& operands) {
  auto count = size_t(cuda::warpgroup_units()[number].columns / 2);
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  llvm::IRBuilder<> entry(&function->getEntryBlock(), function->getEntryBlock().begin());
  auto *word = builder.getInt32Ty(), *wide = builder.getInt64Ty();
  llvm::Value* sums = entry.CreateAlloca(llvm::ArrayType::get(word, count));
  llvm::Value* call = entry.CreateAlloca(llvm::ArrayType::get(wide, 6));
  auto copy = [&](llvm::Value* from, llvm::Value* to) {
    builder.CreateStore(builder.CreateAlignedLoad(word, from, llvm::Align(4)), to);
  };
  auto sum = [&](size_t i) { return builder.CreateConstInBoundsGEP1_64(word, sums, i); };
  for (size_t i = 0; i < count; ++i) copy(operands[i], sum(i));
  for (size_t i = 0; i < 6; ++i)
    builder.CreateStore(operands[count + i], builder.CreateConstInBoundsGEP1_64(wide, call, i));
  auto* pointer = builder.getPtrTy();
  auto* place = global(*builder.GetInsertBlock()->getModule(), kMultiplyByWarpgroup, pointer);
  builder.CreateCall(llvm::FunctionType::get(builder.getVoidTy(), {wide, pointer, pointer}, false),
                     builder.CreateLoad(pointer, place), {builder.getInt64(number), sums, call});
  for (size_t i = 0; i < count; ++i) copy(sum(i), operands[i]);
}

inline void fill_warpgroup(DeviceShell& shell) {
  using Operands = std::vector<llvm::Value*>;
  for (char const* name :
       {cuda::kCommitProducts, cuda::kWaitProducts, cuda::kFenceProducts, cuda::kFenceShared})
    shell.calls[name] = [](llvm::IRBuilder<>&, Operands const&) {};
  for (size_t i = 0; i < cuda::warpgroup_units().size(); ++i)
    shell.calls[cuda::warpgroup_units()[i].name] = [i](llvm::IRBuilder<>& builder,
                                                       Operands const& operands) {
      call_warpgroup(builder, i, operands);
    };
}

}  // namespace tw::testing
