#include "targets/shared/gpu/shared_layout.h"

#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/lowering/pipeline.h"

namespace tw::gpu {

SharedLayout shared_layout(ir::Function const& device_function, int64_t alignment) {
  SharedLayout layout;
  ir::walk(device_function.body, [&](ir::Stmt const& s) {
    auto const* alloc = s.as<ir::Alloc>();
    if (!alloc || alloc->buffer->scope != kSharedScope) return true;
    ir::BufferNode const& tensor = *alloc->buffer;
    if (!layout.offsets.emplace(tensor.name, layout.bytes).second) return true;
    int64_t bytes = ir::as_int(tensor.shape[0]).value_or(0) * int64_t(size_of(tensor.type));
    int64_t taken = (bytes + alignment - 1) / alignment * alignment;
    layout.parts.push_back({tensor.name, taken});
    layout.bytes += taken;
    return true;
  });
  return layout;
}

}  // namespace tw::gpu
