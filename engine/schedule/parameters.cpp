#include "engine/schedule/parameters.h"

namespace tw {

Parameter copied_tensor_parameter() {
  return {.name = "tensor", .doc = "the tensor to copy", .low = 0, .high = 0, .word = true};
}

Parameter cache_scope_parameter() {
  return {.name = "scope",
          .doc = "the memory of the cache",
          .low = 0,
          .high = 0,
          .optional = true,
          .scope = true};
}

Parameter cache_layout_parameter() {
  return {.name = "layout",
          .doc = "the order of the cache's dimensions, as for transform_layout",
          .low = 0,
          .high = 0,
          .optional = true,
          .word = true};
}

}  // namespace tw
