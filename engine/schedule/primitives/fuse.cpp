#include <fmt/format.h>

#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw::primitive_fuse {
namespace {

std::expected<Proof, Refusal> check(StepRequest const& request) {
  int64_t product = 1;
  for (ir::LoopSite const& site : request.loops) {
    auto extent = plain_loop(request.program, site, "fuse");
    if (!extent) return std::unexpected(extent.error());
    if (__builtin_mul_overflow(product, *extent, &product))
      return refuse("extent_too_large",
                    "the fused loop would have more iterations than can be counted",
                    "fuse: the product of the extents must fit in 63 bits", request.loops);
  }
  auto chain = perfect_chain(request.program, request.loops, "fuse");
  if (!chain) return std::unexpected(chain.error());
  if (chain->size() != 2 || (*chain)[0].loop->id != request.loops[0].loop->id)
    return refuse("not_neighbours",
                  fmt::format("{} is not directly inside {}",
                              reference_of(request.program, request.loops[1].loop->id),
                              reference_of(request.program, request.loops[0].loop->id)),
                  "fuse: the second loop must be directly inside the first", request.loops);
  return Proof{"fusing neighbours keeps the order of iterations"};
}

Applied apply(StepRequest const& request) {
  ir::For const& outer = *request.loops[0].loop;
  ir::For const& inner = *request.loops[1].loop;
  Applied applied{request.program, {}, {}};
  std::string name = made_name(request, 0, outer.name() + "_" + inner.name());
  ir::LoopId id = applied.program.fresh_loop();
  ir::Expr fused = ir::var(name), extent = outer.extent * inner.extent;
  ir::Substitution by{{outer.name(), ir::floor_div(fused, inner.extent)},
                      {inner.name(), ir::floor_mod(fused, inner.extent)}};
  std::vector<std::pair<std::string, int64_t>> known;
  if (auto iterations = ir::as_int(extent)) known.emplace_back(name, *iterations);
  ir::Stmt body = rebind(inner.body, by, nullptr, known, request.loops[0].around);
  body = ir::make<ir::For>(id, fused, extent, ir::LoopKind::kSerial, body);
  applied.program.body = ir::replace_loop(request.program.body, outer.id, body);
  applied.cursors[outer.id] = {id};
  applied.cursors[inner.id] = {id};
  applied.made = {id};
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "fuse",
      .key = "F",
      .title = "Fuse two loops",
      .doc = "Merges a loop and the loop directly inside it into one.",
      .rewrite = "for i in N: for j in M: A[i, j]  -->  for i_j in N*M: A[i_j // M, i_j % M]",
      .refused = "cannot be fused",
      .at_hand = true,
      .targets = 2,
      .gives = 1,
      .check = check,
      .apply = apply,
      .open_sizes = OpenSizes{apply},
      .refuses = {"extent_too_large", "extent_unknown", "loop_annotated", "not_neighbours",
                  "not_on_one_chain", "not_only_blocks", "not_perfectly_nested", "opaque_block"},
  };
  return primitive;
}

}  // namespace tw::primitive_fuse
