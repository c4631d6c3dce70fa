#include "targets/opencl/compiler/dialect.h"

#include "engine/lowering/pipeline.h"
#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/shared/gpu_text/type_names.h"

namespace tw::opencl {
namespace {

/// Integers and floats of up to 64 bits, which both have the names of their elements.
std::string vector_type(DType type, int lanes) {
  bool narrow = is_float(type) && size_of(type) < 4;  // see c_text::NarrowFloats
  return type == DType::kBool || narrow ? "" : gpu_text::type_name(type) + std::to_string(lanes);
}

/// They stand wherever an element may.
std::string vector_load(ir::BufferNode const&, int lanes, std::string const& element) {
  return "vload" + std::to_string(lanes) + "(0, &" + element + ")";
}

std::string vector_store(ir::BufferNode const&, int lanes, std::string const& element,
                         std::string const& value) {
  return "vstore" + std::to_string(lanes) + "(" + value + ", 0, &" + element + ")";
}

/// Key words of OpenCL C 1.2, section 6.9 and 6.1, with those of vectors.
std::string reserved_words() {
  std::string words =
      " kernel global local constant private read_only write_only read_write bool half uchar "
      "ushort "
      "uint ulong complex imaginary pipe uniform event image1d image2d image3d true false NULL "
      "vload_half vstore_half_rte as_float as_uint barrier vload2 vload4 vstore2 vstore4 "
      "get_local_id get_group_id ";
  for (char const* type : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                           "half", "float", "double", "bool", "quad"})
    for (char const* lanes : {"2", "3", "4", "8", "16"}) words += std::string(type) + lanes + " ";
  return words;
}

}  // namespace

c_text::Dialect const& dialect() {
  static std::string const reserved = reserved_words();
  static c_text::Dialect const made{
      .name = "OpenCL C",
      .reserved = reserved,
      .helper_head = "static",
      .type = gpu_text::type_name,
      .single_suffix = "",
      .narrow_indices = true,
      .on_division_by_zero = "{ *fault = 1; return 0; }",
      .fault_type = "global int*",
      .unroll = "#pragma unroll",
      .vectors = {.type = vector_type, .load = vector_load, .store = vector_store},
      // OpenCL C has these without any extension.
      .narrow = {.from_half = "return vload_half(0, (half const*)&x);",
                 .to_half = "ushort y; vstore_half_rte(x, 0, (half*)&y); return y;",
                 .single_of = "as_float",
                 .bits_of = "as_uint"},
      .scopes = {{kStackScope, ""}, {kSharedScope, "local "}},
      .axes = {{"blockIdx.x", "get_group_id(0)"},
               {"blockIdx.y", "get_group_id(1)"},
               {"blockIdx.z", "get_group_id(2)"},
               {"threadIdx.x", "get_local_id(0)"},
               {"threadIdx.y", "get_local_id(1)"},
               {"threadIdx.z", "get_local_id(2)"}},
      .calls = {{kBarrierName, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"}},
  };
  return made;
}

c_text::KernelHead const& kernel_head() {
  static c_text::KernelHead const head{
      .before = "__attribute__((reqd_work_group_size(%x, %y, %z)))\nkernel ",
      .pointer = "global ",
      .has_begins = true};
  return head;
}

}  // namespace tw::opencl
