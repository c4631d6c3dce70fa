/// Parameters that several primitives have.
#pragma once

#include "engine/schedule/primitive.h"

namespace tw {

Parameter copied_tensor_parameter();
/// Of a cache; it need not be given.
Parameter cache_scope_parameter();
Parameter cache_layout_parameter();

}  // namespace tw
