#include "targets/cuda/compiler/matrix_rule.h"

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "targets/cuda/compiler/fragment_conv.h"
#include "targets/cuda/compiler/fragment_product.h"
#include "targets/cuda/compiler/matrix_tiles.h"
#include "targets/cuda/compiler/warpgroup_units.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/gpu/implicit_product.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/steps.h"

namespace tw::cuda {
namespace {

using namespace ir;

constexpr int64_t kMostParts = 32;  // of a sum

/// The unit whose types the product has. None that rounds its factors: who wants it asks for it.
MatrixUnit const* unit_of(Block const& block) {
  auto const* store = block.body.as<Store>();
  std::vector<Load const*> reads = gpu::multiplied_reads(block);
  if (!store || reads.size() != 2) return nullptr;
  for (MatrixUnit const& unit : kMatrixUnits)
    if (!unit.rounded && store->buffer->type == unit.sum && reads[0]->type == unit.factor &&
        reads[1]->type == unit.factor)
      return &unit;
  return nullptr;
}

/// Nothing: its last two dimensions are others than rows, or columns, and terms.
std::optional<Factor> factor_of(Load const& read, gpu::Product const& product, Block const& block) {
  size_t rank = read.indices.size(), loops = product.loops.size();
  if (rank < 2 || rank > loops - 1) return std::nullopt;
  std::string const& term = block.iters[loops - 1].name();
  Factor factor{.terms_last = uses_variable(read.indices.back(), term), .batched = rank == 3};
  if (!factor.terms_last && !uses_variable(read.indices[rank - 2], term)) return std::nullopt;
  if (factor.batched && !uses_variable(read.indices[0], block.iters[0].name())) return std::nullopt;
  return factor;
}

/// Types and factors; nothing: no unit has these.
std::optional<Tiles> plain_tiles(Program const& program, gpu::Product const& product) {
  std::vector<BlockSite> const sites = blocks_of(program.body);
  Block const& block = *sites.front().block;
  Tiles tiles{.unit = unit_of(block)};
  if (!tiles.unit) return std::nullopt;
  std::vector<Load const*> reads = gpu::multiplied_reads(block);
  for (size_t i = 0; i < 2; ++i) {
    auto factor = factor_of(*reads[i], product, block);
    if (!factor) return std::nullopt;
    tiles.factors[i] = *factor;
  }
  return tiles;
}

/// Rows, columns and terms of a product, and how many there are of it.
struct Extents {
  int64_t rows, columns, terms, batches = 1;
  explicit Extents(gpu::Product const& product)
      : rows(product.extents[product.extents.size() - 3]),
        columns(product.extents[product.extents.size() - 2]),
        terms(product.extents.back()) {
    if (product.extents.size() > 3) batches = product.extents.front();
  }
  int64_t blocks(int64_t tile_rows, int64_t tile_columns) const {
    return batches * tiles_in(rows, tile_rows) * tiles_in(columns, tile_columns);
  }
};

/// What is left open of a product by matrix units.
struct Choice {
  int64_t warpgroups = 0, rows = 64, columns = 64, parts = 1;
  Tiles of(Tiles tiles, Extents const& all) const {
    tiles.warpgroups = warpgroups;
    tiles.rows = rows;
    tiles.columns = columns;
    tiles.parts = parts;
    tiles.fit(all.rows, all.columns, all.terms);
    return tiles;
  }
};

bool has_warpgroups(Target const& target) {
  return target.hardware.word(kArchitecture) == kWarpgroupArchitecture;
}

/// Into how many parts the terms may be cut: whole tiles of them.
std::vector<int64_t> part_choices(int64_t terms, Tiles const& tiles) {
  int64_t count = tiles_in(terms, tiles.terms());
  std::vector<int64_t> parts;
  for (int64_t n = 1; n <= std::min(kMostParts, count); ++n)
    if (count % n == 0) parts.push_back(n);
  return parts;
}

/// Whole sums, and so many parts that each multiprocessor has a block, and two.
std::vector<int64_t> worth_judging(std::vector<int64_t> const& parts, int64_t blocks,
                                   Target const& target) {
  std::vector<int64_t> counts{1};
  for (int64_t wanted : {1, 2}) {
    auto enough = std::ranges::find_if(
        parts, [&](int64_t n) { return blocks * n >= wanted * target.hardware.unit().count; });
    int64_t count = enough == parts.end() ? parts.back() : *enough;
    if (count > counts.back()) counts.push_back(count);
  }
  return counts;
}

/// Larger tiles of warps where those are whole, and leave no multiprocessor without any.
Choice choice_of_warps(Extents const& all, Target const& target) {
  bool whole = all.rows % 128 == 0 && all.columns % 128 == 0;
  int64_t edge = whole && all.blocks(128, 128) >= target.hardware.unit().count ? 128 : 64;
  return {0, edge, edge};
}

/// Those of warps first.
std::vector<Choice> choices_of(Tiles const& plain, Extents const& all, Target const& target) {
  std::vector<Choice> choices{choice_of_warps(all, target)};
  if (!has_warpgroups(target)) return choices;
  for (int64_t groups : {1, 2})
    for (int64_t columns : {64, 128, 256}) {
      Choice choice{groups, 64 * groups, columns};
      // What is twice as large as the product is one half zeros.
      if ((groups > 1 && all.rows <= 64) || (columns > 64 && all.columns <= columns / 2)) continue;
      std::vector<int64_t> parts{1};
      if (all.batches == 1)
        parts = worth_judging(part_choices(all.terms, choice.of(plain, all)),
                              all.blocks(choice.rows, columns), target);
      for (int64_t count : parts) {
        choice.parts = count;
        choices.push_back(choice);
      }
    }
  return choices;
}

std::optional<Schedule> as_chosen(Schedule const& start, gpu::Product const& product,
                                  Tiles const& tiles, ProofBudget budget) {
  gpu::Steps steps(start, budget);
  if (!schedule_product(steps, product, tiles)) return std::nullopt;
  return steps.schedule();
}

/// The fastest, unless somebody wants another one.
Choice asked(Choice choice, Tiles const& plain, gpu::Product const& product, Extents const& all,
             Target const& target, Decisions& decisions) {
  std::string const& c = product.block;
  if (has_warpgroups(target))
    choice.warpgroups = decisions.choose(c + ".warpgroups", {0, 1, 2}, choice.warpgroups);
  if (choice.warpgroups == 0) {
    std::vector<int64_t> edges{64, 128};
    std::erase_if(edges, [&](int64_t n) { return all.rows % n != 0 || all.columns % n != 0; });
    if (edges.empty()) edges = {64};
    int64_t edge = decisions.choose(c + ".tile", edges, choice_of_warps(all, target).rows);
    return {0, edge, edge};
  }
  choice.rows = 64 * choice.warpgroups;
  choice.columns = decisions.choose(c + ".columns", {64, 128, 256}, choice.columns);
  if (all.batches == 1)
    choice.parts = decisions.choose(c + ".parts", part_choices(all.terms, choice.of(plain, all)),
                                    choice.parts);
  return choice;
}

std::optional<Schedule> product_by_units(Program const& program, gpu::Product const& product,
                                         std::shared_ptr<Target const> const& target,
                                         Decisions& decisions, gpu::Judge const& judge) {
  auto plain = plain_tiles(program, product);
  if (!plain) return std::nullopt;
  // Where a warpgroup may multiply, that is the better choice.
  if (!has_warpgroups(*target))
    if (auto made = fragment_product(program, target, product, *plain->unit, decisions, judge))
      return made;
  Extents all(product);
  Schedule start(program, target);
  std::vector<Choice> const choices = choices_of(*plain, all, *target);
  std::optional<size_t> fastest;
  if (choices.size() > 1)
    fastest = judge.fastest("product by matrix units", program, choices.size(), [&](size_t i) {
      // Without proofs: the one that is taken is proven.
      return as_chosen(start, product, choices[i].of(*plain, all), ProofBudget::kTrusted);
    });
  Choice choice = asked(choices[fastest.value_or(0)], *plain, product, all, *target, decisions);
  auto made = as_chosen(start, product, choice.of(*plain, all), decisions.budget());
  if (made || choice.warpgroups == 0) return made;
  return as_chosen(start, product, choice_of_warps(all, *target).of(*plain, all),
                   decisions.budget());
}

/// What is left open of a convolution by matrix units.
struct ConvChoice {
  Choice tiles;
  gpu::TermOrder order = gpu::TermOrder::kChannelsFirst;
};

/// Tiles of each size, those of warps first.
std::vector<Choice> conv_tiles(Target const& target) {
  std::vector<Choice> tiles{{0, 64, 64}, {0, 128, 128}};
  if (has_warpgroups(target))
    for (int64_t groups : {1, 2})
      for (int64_t columns : {64, 128}) tiles.push_back({groups, 64 * groups, columns});
  return tiles;
}

/// In each order of terms; sums whole, and in parts.
std::vector<ConvChoice> conv_choices(gpu::Convolution const& conv, Tiles const& plain,
                                     Target const& target) {
  std::vector<ConvChoice> all;
  gpu::ConvShape const& shape = conv.shape;
  int64_t places = shape.pictures * shape.rows * shape.columns;
  for (Choice choice : conv_tiles(target)) {
    Tiles tiles = plain;
    tiles.warpgroups = choice.warpgroups;
    int64_t blocks = tiles_in(shape.channels, choice.rows) * tiles_in(places, choice.columns);
    for (gpu::TermOrder order : {gpu::TermOrder::kChannelsFirst, gpu::TermOrder::kWindowFirst}) {
      if (order == gpu::TermOrder::kWindowFirst && conv.loops.reduce.size() == 1) continue;
      for (int64_t parts : worth_judging(part_choices(conv.loops.terms, tiles), blocks, target)) {
        choice.parts = parts;
        all.push_back({choice, order});
      }
    }
  }
  return all;
}

std::optional<Schedule> conv_as_product(Program const& program,
                                        std::shared_ptr<Target const> target,
                                        gpu::Convolution const& conv, Tiles const& plain,
                                        ConvChoice const& choice, ProofBudget budget) {
  gpu::Steps steps(Schedule(program, std::move(target)), budget);
  auto product = gpu::as_product(steps, conv, choice.order);
  if (!product) return std::nullopt;
  if (!schedule_product(steps, *product, choice.tiles.of(plain, Extents(*product))))
    return std::nullopt;
  return steps.schedule();
}

/// A convolution as a product of matrix units, in every way that is judged.
class ConvProducts {
public:
  ConvProducts(Program const& program, std::shared_ptr<Target const> target,
               gpu::Convolution const& conv, Tiles const& plain, gpu::Judge const& judge)
      : program_(program),
        target_(std::move(target)),
        conv_(conv),
        plain_(plain),
        judge_(judge),
        all_(conv_choices(conv, plain, *target_)) {}

  ConvChoice fastest() const { return fastest_of("convolution as a product", all_.size()); }
  /// Those without warpgroups come first.
  ConvChoice fastest_by_warps() const {
    auto count =
        std::ranges::count(all_, 0, [](ConvChoice const& one) { return one.tiles.warpgroups; });
    return fastest_of("convolution by warps", size_t(count));
  }
  std::optional<Schedule> made(ConvChoice const& choice, ProofBudget budget) const {
    return conv_as_product(program_, target_, conv_, plain_, choice, budget);
  }
  /// Than this schedule of its fragments.
  bool is_slower(ConvChoice const& choice, std::optional<Schedule> const& fragments) const {
    auto best = judge_.fastest(
        "convolution in fragments or as a product", program_, 2,
        [&](size_t i) { return i == 0 ? fragments : made(choice, ProofBudget::kTrusted); });
    return best.value_or(0) == 0;
  }

private:
  /// Without proofs: the one that is taken is proven.
  ConvChoice fastest_of(char const* rule, size_t count) const {
    auto at = judge_.fastest(rule, program_, count,
                             [&](size_t i) { return made(all_[i], ProofBudget::kTrusted); });
    return all_[at.value_or(0)];
  }

  Program const& program_;
  std::shared_ptr<Target const> target_;
  gpu::Convolution const& conv_;
  Tiles const& plain_;
  gpu::Judge const& judge_;
  std::vector<ConvChoice> all_;
};

void ask(std::string const& block, gpu::Convolution const& conv, Tiles const& plain,
         Target const& target, Decisions& decisions, Choice& tiles) {
  if (has_warpgroups(target))
    tiles.warpgroups = decisions.choose(block + ".warpgroups", {0, 1, 2}, tiles.warpgroups);
  tiles.columns = decisions.choose(block + ".tile", {64, 128}, tiles.columns);
  tiles.rows = tiles.warpgroups > 0 ? 64 * tiles.warpgroups : tiles.columns;
  Tiles of = plain;
  of.warpgroups = tiles.warpgroups;
  tiles.parts = decisions.choose(block + ".parts", part_choices(conv.loops.terms, of), tiles.parts);
}

std::optional<Schedule> conv_schedule(Program const& program, std::shared_ptr<Target const> target,
                                      Decisions& decisions, gpu::Judge const& judge) {
  auto conv = gpu::convolution_of(program);
  if (!conv) return std::nullopt;
  Tiles const plain{.unit = unit_of(*find_block(program, conv->block)->block),
                    .factors = {{.terms_last = true}, {.terms_last = false}}};
  if (!plain.unit) return std::nullopt;
  ConvProducts const products(program, target, *conv, plain, judge);
  ConvChoice choice = products.fastest();
  Decisions asked = decisions;
  auto fragments = fragment_conv(program, target, *conv, *plain.unit, asked, judge);
  if (fragments && products.is_slower(choice, fragments)) {
    decisions = std::move(asked);
    return fragments;
  }
  ask(conv->block, *conv, plain, *target, decisions, choice.tiles);
  auto made = products.made(choice, decisions.budget());
  if (made || choice.tiles.warpgroups == 0) return made;
  // A step of warpgroups was refused, or could not be proven.
  return products.made(products.fastest_by_warps(), decisions.budget());
}

}  // namespace

std::optional<Schedule> matrix_schedule(Program const& program,
                                        std::shared_ptr<Target const> target, Decisions& decisions,
                                        gpu::Judge const& judge) {
  auto product = gpu::product_of(program);
  if (product) return product_by_units(program, *product, target, decisions, judge);
  return conv_schedule(program, std::move(target), decisions, judge);
}

}  // namespace tw::cuda
