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
  for (size_t i = 1; i < request.loops.size(); ++i) {
    ir::LoopSite const &outer = request.loops[i - 1], &inner = request.loops[i];
    if (!inner.around.empty() && inner.around.back()->id == outer.loop->id) continue;
    return refuse(
        "not_neighbours",
        fmt::format("{} is not directly inside {}", reference_of(request.program, inner.loop->id),
                    reference_of(request.program, outer.loop->id)),
        "fuse: each loop must be directly inside the one before it", request.loops);
  }
  return Proof{"fusing neighbours keeps the order of iterations"};
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  std::string wanted;
  for (ir::LoopSite const& site : request.loops)
    wanted += (wanted.empty() ? "" : "_") + site.loop->name();
  std::string name = made_name(request, 0, wanted);
  ir::LoopId id = applied.program.fresh_loop();
  ir::Expr fused = ir::var(name), extent;  // of the loops that have been looked at
  ir::Substitution by;
  for (size_t i = request.loops.size(); i-- > 0;) {
    ir::For const& loop = *request.loops[i].loop;
    ir::Expr counter = extent ? ir::floor_div(fused, extent) : fused;
    by[loop.name()] = i > 0 ? ir::floor_mod(counter, loop.extent) : counter;
    extent = extent ? loop.extent * extent : loop.extent;
    applied.cursors[loop.id] = {id};
  }
  std::vector<std::pair<std::string, int64_t>> known;
  if (auto iterations = ir::as_int(extent)) known.emplace_back(name, *iterations);
  ir::For const &outer = *request.loops.front().loop, &inner = *request.loops.back().loop;
  ir::Stmt body = rebind(inner.body, by, nullptr, known, request.loops[0].around);
  body = ir::make<ir::For>(id, fused, extent, ir::LoopKind::kSerial, body);
  applied.program.body = ir::replace_loop(request.program.body, outer.id, body);
  applied.made = {id};
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "fuse",
      .key = "F",
      .title = "Fuse loops",
      .doc = "Merges loops, each directly inside the one before it, into one.",
      .rewrite = "for i in N: for j in M: A[i, j]  -->  for i_j in N*M: A[i_j // M, i_j % M]",
      .refused = "cannot be fused",
      .at_hand = true,
      .targets = -1,
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
