#include "targets/cuda/compiler/nvptx.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "targets/cuda/compiler/async_copies.h"
#include "targets/cuda/compiler/bulk_copies.h"
#include "targets/cuda/compiler/dialect.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/cuda/compiler/phase_barriers.h"
#include "targets/cuda/compiler/warp_shuffles.h"
#include "targets/cuda/compiler/warpgroup_code.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/llvm/device_shell.h"

namespace tw::cuda {
namespace {

constexpr char kTriple[] = "nvptx64-nvidia-cuda";
/// The version of PTX: the least that has what sm_90a asks for.
constexpr char kFeatures[] = "+ptx80";

struct Counter {
  std::string_view axis;
  llvm::Intrinsic::ID id;
};
constexpr Counter kCounters[] = {
    {"blockIdx.x", llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x},
    {"blockIdx.y", llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y},
    {"blockIdx.z", llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z},
    {"threadIdx.x", llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x},
    {"threadIdx.y", llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y},
    {"threadIdx.z", llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z},
};

llvm::Value* counter(llvm::IRBuilder<>& builder, std::string const& axis) {
  for (Counter const& one : kCounters)
    if (one.axis == axis)
      return builder.CreateZExt(builder.CreateIntrinsic(one.id, {}, {}), builder.getInt64Ty());
  return nullptr;
}

/// Sixteen bytes go past L1, which they would not come back from.
llvm::Intrinsic::ID id_of_copy(int bytes) {
  return bytes == 4   ? llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4
         : bytes == 8 ? llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8
                      : llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16;
}

llvm::Intrinsic::ID id_of(MatrixUnit const& unit) {
  switch (unit.factor) {
    case DType::kF16:
      return llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32;
    case DType::kBF16:
      return llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16;
    case DType::kI8:
      return llvm::Intrinsic::nvvm_mma_m16n8k32_row_col_s8;
    case DType::kF32:
      return llvm::Intrinsic::nvvm_mma_m16n8k8_row_col_tf32;
    default:
      return llvm::Intrinsic::nvvm_mma_m16n8k32_row_col_u8;
  }
}

/// Elements at these addresses, side by side in a register.
llvm::Value* packed(llvm::IRBuilder<>& builder, DType type, llvm::Value* const* first, int count) {
  llvm::Type* element =
      type == DType::kF16 ? builder.getHalfTy() : builder.getIntNTy(unsigned(size_of(type)) * 8);
  llvm::Value* all = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, unsigned(count)));
  for (int i = 0; i < count; ++i) {
    llvm::Value* one =
        builder.CreateAlignedLoad(element, first[i], llvm::Align(uint64_t(size_of(type))));
    all = builder.CreateInsertElement(all, one, uint64_t(i));
  }
  return type == DType::kF16 ? all : builder.CreateBitCast(all, builder.getInt32Ty());
}

/// To the nearest, as the bits of the register that the unit looks at do not say by themselves.
llvm::Value* rounded(llvm::IRBuilder<>& builder, MatrixUnit const& unit, llvm::Value* word) {
  if (unit.factor != DType::kF32) return word;
  return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_f2tf32_rna, {},
                                 {builder.CreateBitCast(word, builder.getFloatTy())});
}

llvm::Intrinsic::ID id_of_rows(int registers, Fetch fetch) {
  if (registers == kRegistersOfA)
    return fetch == Fetch::kTerms ? llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16
                                  : llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16;
  return fetch == Fetch::kTerms ? llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16
                                : llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16;
}

/// The registers of a factor, from what begins at `places`.
void add_registers(llvm::IRBuilder<>& builder, MatrixUnit const& unit, Fetch fetch, int registers,
                   llvm::Value* const* places, std::vector<llvm::Value*>& arguments) {
  if (fetch == Fetch::kElements) {
    for (int r = 0; r < registers; ++r)
      arguments.push_back(rounded(
          builder, unit, packed(builder, unit.factor, places + r * unit.packed(), unit.packed())));
    return;
  }
  llvm::CallInst* rows =
      builder.CreateIntrinsic(id_of_rows(registers, fetch), {places[0]->getType()}, {places[0]});
  rows->addFnAttr(llvm::Attribute::Convergent);
  auto* half = llvm::FixedVectorType::get(builder.getHalfTy(), 2);
  for (int r = 0; r < registers; ++r) {
    llvm::Value* one = builder.CreateExtractValue(rows, unsigned(r));
    arguments.push_back(unit.factor == DType::kF16 ? builder.CreateBitCast(one, half)
                                                   : rounded(builder, unit, one));
  }
}

void multiply(llvm::IRBuilder<>& builder, MatrixForm const& form,
              std::vector<llvm::Value*> const& places) {
  MatrixUnit const& unit = *form.unit;
  std::vector<llvm::Value*> arguments;
  add_registers(builder, unit, form.a, kRegistersOfA, &places[kSums], arguments);
  add_registers(builder, unit, form.b, kRegistersOfB, &places[size_t(kSums + form.of_a())],
                arguments);
  llvm::Type* sum = unit.sum == DType::kF32 ? builder.getFloatTy() : builder.getInt32Ty();
  llvm::Align align{uint64_t(size_of(unit.sum))};
  for (size_t i = 0; i < kSums; ++i)
    arguments.push_back(builder.CreateAlignedLoad(sum, places[i], align));
  llvm::CallInst* made = builder.CreateIntrinsic(id_of(unit), {}, arguments);
  made->addFnAttr(llvm::Attribute::Convergent);  // all threads of a warp stay together
  for (unsigned i = 0; i < kSums; ++i)
    builder.CreateAlignedStore(builder.CreateExtractValue(made, i), places[i], align);
}

void fill(DeviceShell& shell) {
  shell.counter = counter;
  using Operands = std::vector<llvm::Value*>;
  shell.calls[kBarrierName] = [](llvm::IRBuilder<>& builder, Operands const&) {
    builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
  };
  for (MatrixForm const& form : matrix_forms())
    shell.calls[form.name()] = [form](llvm::IRBuilder<>& builder, Operands const& operands) {
      multiply(builder, form, operands);
    };
  add_warpgroup_calls(shell);
  add_phase_calls(shell);
  add_bulk_calls(shell);
  add_shuffle_calls(shell);
  for (AsyncCopy const& copy : kAsyncCopies)
    shell.calls[copy.name] = [bytes = copy.bytes](llvm::IRBuilder<>& builder,
                                                  Operands const& operands) {
      builder.CreateIntrinsic(id_of_copy(bytes), {}, {operands[0], operands[1]});
    };
  shell.calls[kCommitName] = [](llvm::IRBuilder<>& builder, Operands const&) {
    builder.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group, {}, {});
  };
  shell.calls[kWaitName] = [](llvm::IRBuilder<>& builder, Operands const& operands) {
    builder.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {},
                            {builder.CreateTrunc(operands[0], builder.getInt32Ty())});
  };
  // Of one unit in the last place (PTX ISA, rcp.approx.ftz.f32: a relative error up to 2^-23).
  shell.reciprocal = [](llvm::IRBuilder<>& builder, llvm::Value* x) {
    return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {}, {x});
  };
}

/// LLVM 19 reads these from the module's list of annotations (NVPTX usage, "nvvm.annotations").
void mark(llvm::Function& function, std::array<int64_t, 3> const& block) {
  function.setCallingConv(llvm::CallingConv::PTX_Kernel);
  llvm::LLVMContext& context = function.getContext();
  llvm::NamedMDNode* list = function.getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  auto say = [&](char const* what, int64_t value) {
    auto* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), uint64_t(value));
    list->addOperand(llvm::MDNode::get(
        context, {llvm::ValueAsMetadata::get(&function), llvm::MDString::get(context, what),
                  llvm::ConstantAsMetadata::get(number)}));
  };
  say("kernel", 1);
  say("maxntidx", block[0]);
  say("maxntidy", block[1]);
  say("maxntidz", block[2]);
}

}  // namespace

Result<Machine> create_nvptx_machine(std::string const& architecture, std::string generator) {
  return Machine::create({.triple = kTriple,
                          .cpu = architecture,
                          .features = kFeatures,
                          .vector_bits = 0,
                          .generator = std::move(generator)});
}

DeviceKind const& nvptx_kind() {
  static DeviceKind const kind{.global_space = 1,
                               .shared_space = 3,
                               .tensor_alignment = kTensorAlignment,
                               .fill = fill,
                               .mark = mark};
  return kind;
}

}  // namespace tw::cuda
