#include "targets/cuda/compiler/matrix_accesses.h"

#include "engine/arith/places.h"
#include "engine/arith/simplify.h"
#include "engine/ir/stmt.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/cuda/hardware/description.h"

namespace tw::cuda {
namespace {

using namespace ir;

constexpr int kRegisterBytes = 4, kRowBytes = 16;

Load const& element_of(Operand const& operand) { return operand.value.to<Load>(); }

bool side_by_side(std::vector<Operand> const& operands, size_t first, int count) {
  Load const& begin = element_of(operands[first]);
  if (arith::alignment_of(begin.indices[0], size_of(begin.type), kTensorAlignment) %
          kRegisterBytes !=
      0)
    return false;
  for (int i = 1; i < count; ++i) {
    Expr apart = element_of(operands[first + size_t(i)]).indices[0] - begin.indices[0];
    if (!is_int(arith::simplify(apart), i)) return false;
  }
  return true;
}

/// Of one factor, whose operands begin with `first`.
void add_reads(IntrinsicCall const& call, MatrixUnit const& unit, Fetch fetch, int registers,
               size_t first, std::vector<gpu::CallAccess>& reads) {
  int packed = unit.packed();
  if (fetch != Fetch::kElements) {
    // Each part of a register is of eight rows.
    reads.push_back({call.operands[first].value, int(kRowBytes / size_of(unit.factor)),
                     registers * 8 < kWarpThreads ? registers * 8 : 0});
    return;
  }
  for (int r = 0; r < registers; ++r) {
    size_t at = first + size_t(r * packed);
    if (side_by_side(call.operands, at, packed)) {
      reads.push_back({call.operands[at].value, packed});
      continue;
    }
    for (size_t i = 0; i < size_t(packed); ++i) reads.push_back({call.operands[at + i].value});
  }
}

}  // namespace

gpu::CallAccesses matrix_accesses(std::map<StmtNode const*, Stmt> const& made) {
  gpu::CallAccesses accesses;
  for (auto const& [declared, stmt] : made) {
    auto const& call = stmt.to<IntrinsicCall>();
    auto form = form_of(call);
    if (!form) continue;
    std::vector<gpu::CallAccess>& reads = accesses[declared];
    add_reads(call, *form->unit, form->a, kRegistersOfA, kSums, reads);
    add_reads(call, *form->unit, form->b, kRegistersOfB, size_t(kSums + form->of_a()), reads);
  }
  return accesses;
}

}  // namespace tw::cuda
