#include "targets/metal/compiler/dialect.h"

#include "engine/lowering/pipeline.h"
#include "targets/shared/gpu_text/type_names.h"

namespace tw::metal {
namespace {

/// Of no more than 16 bytes, as tensors are aligned.
std::string vector_type(DType type, int lanes) {
  bool narrow = is_float(type) && size_of(type) < 4;  // see c_text::NarrowFloats
  bool fits = type != DType::kBool && !narrow && size_of(type) * lanes <= 16;
  return fits ? gpu_text::type_name(type) + std::to_string(lanes) : "";
}

/// Every pointer says in which memory it points.
std::string space_of(ir::BufferNode const& tensor) {
  return tensor.scope == kSharedScope ? "threadgroup " : "device ";
}

std::string vector_load(ir::BufferNode const& tensor, int lanes, std::string const& element) {
  return "*(" + space_of(tensor) + vector_type(tensor.type, lanes) + " const*)&" + element;
}

std::string vector_store(ir::BufferNode const& tensor, int lanes, std::string const& element,
                         std::string const& value) {
  return "*(" + space_of(tensor) + vector_type(tensor.type, lanes) + "*)&" + element + " = " +
         value;
}

/// Those with a fast variant are asked for by the precise one's name, whatever the compiler's
/// options (Metal Shading Language Specification, Math Functions). There is no erf.
std::string function_name(std::string_view name, DType) {
  if (name == "erf") return "";
  for (std::string_view one : {"exp", "log", "sqrt", "tanh", "sin", "cos", "pow"})
    if (name == one) return "precise::" + std::string(name);
  return std::string(name);
}

/// Words of Metal that are none of C's, with those of vectors, and what the printed code says.
std::string reserved_words() {
  std::string words =
      " alignas alignof and and_eq bitand bitor bool catch class compl const_cast constexpr "
      "decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept "
      "not not_eq nullptr operator or or_eq private protected public reinterpret_cast "
      "static_assert static_cast template this thread_local throw true try typeid typename using "
      "virtual wchar_t xor xor_eq kernel vertex fragment device constant thread threadgroup "
      "threadgroup_imageblock metal precise fast half uchar ushort uint ulong size_t ptrdiff_t "
      "sampler texture1d texture2d texture3d array atomic_int atomic_uint mem_flags "
      "threadgroup_barrier as_type simdgroup_barrier block_place thread_place main ";
  for (char const* type : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                           "half", "float", "bool", "bfloat"})
    for (char const* lanes : {"2", "3", "4"}) words += std::string(type) + lanes + " ";
  return words;
}

}  // namespace

c_text::Dialect const& dialect() {
  static std::string const reserved = reserved_words();
  static c_text::Dialect const made{
      .name = "Metal",
      .reserved = reserved,
      .helper_head = "static inline",
      .type = gpu_text::type_name,
      .function = function_name,
      .narrow_indices = true,
      .on_division_by_zero = "{ *fault = 1; return 0; }",
      .fault_type = "device int*",
      .unroll = "#pragma unroll",
      .vectors = {.type = vector_type,
                  .load = vector_load,
                  .store = vector_store,
                  .are_aligned = true,
                  .tensor_alignment = 64,
                  .shared_alignment = 16},
      .narrow = {.from_half = "return float(as_type<half>(x));",
                 .to_half = "return as_type<ushort>(half(x));",
                 .single_of = "as_type<float>",
                 .bits_of = "as_type<uint>"},
      .scopes = {{kStackScope, ""}, {kSharedScope, "alignas(16) threadgroup "}},
      .axes = {{"blockIdx.x", "block_place.x"},
               {"blockIdx.y", "block_place.y"},
               {"blockIdx.z", "block_place.z"},
               {"threadIdx.x", "thread_place.x"},
               {"threadIdx.y", "thread_place.y"},
               {"threadIdx.z", "thread_place.z"}},
      .calls = {{kBarrierName,
                 "threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);"}},
  };
  return made;
}

c_text::KernelHead const& kernel_head() {
  static c_text::KernelHead const head{
      .before = "[[max_total_threads_per_threadgroup(%n)]]\nkernel ",
      .pointer = "device ",
      .restrict_word = "",
      .number = "constant @&",
      .place = " [[buffer(#)]]",
      .last = {"uint3 block_place [[threadgroup_position_in_grid]]",
               "uint3 thread_place [[thread_position_in_threadgroup]]"}};
  return head;
}

}  // namespace tw::metal
