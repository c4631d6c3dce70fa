#include "targets/shared/gpu_text/type_names.h"

namespace tw::gpu_text {

std::string type_name(DType type) {
  switch (type) {
    case DType::kF32:
      return "float";
    case DType::kF64:
      return "double";
    case DType::kI8:
      return "char";
    case DType::kU8:
    case DType::kBool:
      return "uchar";
    case DType::kI16:
      return "short";
    case DType::kU16:
    case DType::kF16:  // see c_text::NarrowFloats
    case DType::kBF16:
      return "ushort";
    case DType::kI32:
      return "int";
    case DType::kU32:
      return "uint";
    case DType::kU64:
      return "ulong";
    default:
      return "long";
  }
}

}  // namespace tw::gpu_text
