#include "targets/cuda/compiler/dialect.h"

#include <fmt/format.h>

#include "engine/lowering/pipeline.h"
#include "targets/cuda/compiler/async_copies.h"
#include "targets/cuda/compiler/bulk_copies.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/cuda/compiler/phase_barriers.h"
#include "targets/cuda/compiler/warp_shuffles.h"
#include "targets/cuda/compiler/warpgroup_code.h"
#include "targets/cuda/hardware/description.h"

namespace tw::cuda {
namespace {

/// Of the first elements of what the threads of a block share; said in their declarations.
constexpr int64_t kSharedAlignment = 16;

std::string type_of(DType type) {
  switch (type) {
    case DType::kF32:
      return "float";
    case DType::kF64:
      return "double";
    case DType::kI8:
      return "signed char";
    case DType::kU8:
    case DType::kBool:
      return "unsigned char";
    case DType::kI16:
      return "short";
    case DType::kU16:
    case DType::kF16:  // see c_text::NarrowFloats
    case DType::kBF16:
      return "unsigned short";
    case DType::kI32:
      return "int";
    case DType::kU32:
      return "unsigned";
    case DType::kU64:
      return "unsigned long long";
    default:
      return "long long";
  }
}

std::string vector_type(DType type, int lanes) {
  char const* name = nullptr;
  switch (type) {
    case DType::kF32:
      name = "float";
      break;
    case DType::kI32:
      name = "int";
      break;
    case DType::kU32:
      name = "uint";
      break;
    case DType::kI8:
      name = "char";
      break;
    case DType::kU8:
      name = "uchar";
      break;
    case DType::kI16:
      name = "short";
      break;
    case DType::kU16:
      name = "ushort";
      break;
    case DType::kF64:
      name = lanes == 2 ? "double" : nullptr;  // no access is wider than 16 bytes
      break;
    default:
      break;
  }
  return name ? name + std::to_string(lanes) : "";
}

std::string vector_load(ir::BufferNode const& tensor, int lanes, std::string const& element) {
  return "*(" + vector_type(tensor.type, lanes) + " const*)&" + element;
}

std::string vector_store(ir::BufferNode const& tensor, int lanes, std::string const& element,
                         std::string const& value) {
  return "*(" + vector_type(tensor.type, lanes) + "*)&" + element + " = " + value;
}

/// "tw_a0 = *%4 | *%5 << 16": a register made of elements from one operand on.
std::string packed(std::string const& name, MatrixUnit const& unit, int first) {
  if (unit.factor == DType::kF32)
    return fmt::format("unsigned {} = __float_as_uint(*%{});\n", name, first);
  int bits = 32 / unit.packed();
  std::string text = "unsigned " + name + " = ";
  for (int i = 0; i < unit.packed(); ++i) {
    std::string element = fmt::format("*%{}", first + i);
    if (unit.factor == DType::kI8) element = "(unsigned char)" + element;
    text += i == 0 ? element : fmt::format(" | (unsigned){} << {}", element, i * bits);
  }
  return text + ";\n";
}

/// Declares registers from `first` on, and fills them from operands from `from` on.
std::string fetched(MatrixUnit const& unit, Fetch fetch, int first, int registers, int from) {
  std::string text;
  if (fetch == Fetch::kElements) {
    for (int r = 0; r < registers; ++r)
      text += "  " + packed(fmt::format("tw_{}", first + r), unit, from + r * unit.packed());
    return text;
  }
  std::string names, places, outputs;
  for (int r = 0; r < registers; ++r) {
    char const* comma = r == 0 ? "" : ", ";
    names += fmt::format("{}tw_{}", comma, first + r);
    places += fmt::format("{}%%{}", comma, r);
    outputs += fmt::format("{}\"=r\"(tw_{})", comma, first + r);
  }
  return fmt::format(
      "  unsigned {0};\n"
      "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x{1}{2}.shared.b16 {{{3}}}, [%%{1}];\"\n"
      "               : {4}\n"
      "               : \"r\"((unsigned)__cvta_generic_to_shared(%{5})) : \"memory\");\n",
      names, registers, fetch == Fetch::kAcross ? ".trans" : "", places, outputs, from);
}

std::string product(MatrixForm const& form) {
  MatrixUnit const& unit = *form.unit;
  char const* type = unit.factor == DType::kF16    ? "f16"
                     : unit.factor == DType::kBF16 ? "bf16"
                     : unit.factor == DType::kF32  ? "tf32"
                     : unit.factor == DType::kI8   ? "s8"
                                                   : "u8";
  bool whole = unit.sum == DType::kI32;
  std::string text = "{\n" + fetched(unit, form.a, 0, kRegistersOfA, kSums) +
                     fetched(unit, form.b, kRegistersOfA, kRegistersOfB, kSums + form.of_a());
  std::string inputs, sums;
  for (int r = 0; unit.factor == DType::kF32 && r < kRegistersOfA + kRegistersOfB; ++r)
    text += fmt::format(
        "  asm(\"cvt.rna.tf32.f32 %%0, %%1;\" : \"=r\"(tw_{0}) : "
        "\"f\"(__uint_as_float(tw_{0})));\n",
        r);
  for (int r = 0; r < kRegistersOfA + kRegistersOfB; ++r)
    inputs += fmt::format("{}\"r\"(tw_{})", r == 0 ? "" : ", ", r);
  for (int i = 0; i < kSums; ++i)
    sums += fmt::format("{}\"+{}\"(*%{})", i == 0 ? "" : ", ", whole ? "r" : "f", i);
  return text +
         fmt::format(
             "  asm volatile(\"mma.sync.aligned.m16n8k{0}.row.col.{1}.{2}.{2}.{1} \"\n"
             "               \"{{%%0, %%1, %%2, %%3}}, {{%%4, %%5, %%6, %%7}}, {{%%8, %%9}}, \"\n"
             "               \"{{%%0, %%1, %%2, %%3}};\"\n"
             "               : {3}\n"
             "               : {4});\n"
             "}}",
             unit.terms(), whole ? "s32" : "f32", type, sums, inputs);
}

/// Inline PTX needs no header, which NVRTC has not.
std::map<std::string, std::string, std::less<>> calls() {
  std::map<std::string, std::string, std::less<>> made{
      {kBarrierName, "__syncthreads();"},
      {kCommitName, "asm volatile(\"cp.async.commit_group;\" ::: \"memory\");"},
      {kWaitName, "asm volatile(\"cp.async.wait_group %%0;\" :: \"n\"(%0) : \"memory\");"}};
  for (MatrixForm const& form : matrix_forms()) made[form.name()] = product(form);
  add_warpgroup_texts(made);
  add_phase_texts(made);
  add_bulk_texts(made);
  add_shuffle_texts(made);
  for (AsyncCopy const& copy : kAsyncCopies)
    made[copy.name] = fmt::format(
        "asm volatile(\"cp.async.{}.shared.global [%%0], [%%1], {};\" :: "
        "\"r\"((unsigned)__cvta_generic_to_shared(%0)), \"l\"(%1) : \"memory\");",
        copy.bytes == 16 ? "cg" : "ca", copy.bytes);
  return made;
}

/// Words of C++ that are none of C's, and what the printed code says.
constexpr std::string_view kReserved =
    " alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t class compl "
    "const_cast constexpr decltype delete dynamic_cast explicit export false friend mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "reinterpret_cast static_assert static_cast template this thread_local throw true try typeid "
    "typename using virtual wchar_t xor xor_eq threadIdx blockIdx blockDim gridDim warpSize dim3 "
    "uint3 __align__ __global__ __device__ __shared__ __restrict__ __syncthreads "
    "block_memory ";

}  // namespace

c_text::Dialect const& dialect() {
  static c_text::Dialect const made{
      .name = "CUDA C",
      .reserved = kReserved,
      .helper_head = "__device__ static inline",
      .type = type_of,
      .single_suffix = "f",
      .narrow_indices = true,
      .on_division_by_zero = "{ *fault = 1; return 0; }",
      .fault_type = "int*",
      .unroll = "#pragma unroll",
      .vectors = {.type = vector_type,
                  .load = vector_load,
                  .store = vector_store,
                  .are_aligned = true,
                  .tensor_alignment = kTensorAlignment,
                  .shared_alignment = kSharedAlignment},
      .narrow = {.from_half = "float y; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x)); "
                              "return y;",
                 .to_half = "unsigned short y; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : "
                            "\"f\"(x)); return y;",
                 .single_of = "__uint_as_float",
                 .bits_of = "__float_as_uint"},
      .scopes = {{kStackScope, ""}, {kSharedScope, "__shared__ __align__(16) "}},
      .axes = {{"blockIdx.x", "blockIdx.x"},
               {"blockIdx.y", "blockIdx.y"},
               {"blockIdx.z", "blockIdx.z"},
               {"threadIdx.x", "threadIdx.x"},
               {"threadIdx.y", "threadIdx.y"},
               {"threadIdx.z", "threadIdx.z"}},
      .calls = calls(),
  };
  return made;
}

c_text::KernelHead const& kernel_head() {
  static c_text::KernelHead const head{.before = "extern \"C\" __global__ __launch_bounds__(%n)\n",
                                       .pointer = "",
                                       .restrict_word = "__restrict__",
                                       .given_shared =
                                           "extern __shared__ __align__(64) unsigned char "
                                           "block_memory[];",
                                       .given_name = "block_memory"};
  return head;
}

}  // namespace tw::cuda
