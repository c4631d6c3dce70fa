/// Tensors of others in the place of a package's own, and its own for others, by DLPack.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/runtime/package/description.h"

namespace tw::dlpack {

/// As DLPack's public header lays them out (DLDevice, DLDataType, DLTensor, DLManagedTensor).
struct Device {
  int32_t kind = 1;  ///< 1: the processor's memory
  int32_t number = 0;
};
struct ElementType {
  uint8_t code = 0;  ///< 0 signed, 1 unsigned, 2 IEEE float, 4 bfloat, 6 bool
  uint8_t bits = 0;
  uint16_t lanes = 1;
};
struct View {
  void* data = nullptr;
  Device device;
  int32_t rank = 0;
  ElementType type;
  int64_t* shape = nullptr;
  int64_t* strides = nullptr;  ///< in elements; null: dense, row-major
  uint64_t byte_offset = 0;
};
struct Managed {
  View view;
  void* context = nullptr;
  void (*deleter)(Managed*) = nullptr;  ///< may be null
};

/// Where the elements of `given` begin. Errors: unfit_tensor (says what it is and what `wanted`
/// is): of another type, shape or memory, with strides, not aligned to its elements.
Result<void*> place_of(Managed const& given, package::Tensor const& wanted);

/// `given` until the last copy goes away, which calls its deleter.
std::shared_ptr<Managed> take(Managed* given);

/// A tensor over `memory`; until its deleter is called it holds `keeps`.
Managed* lend(package::Tensor const& tensor, void* memory, std::shared_ptr<void const> keeps);

}  // namespace tw::dlpack
