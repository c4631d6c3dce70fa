#include "targets/vta/compiler/rules/tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "targets/vta/simulator/costs.h"

namespace tw::vta {
namespace {

/// What the timing simulator counts with.
constexpr TimingConstants kTiming;
/// Sums that are added to again no sooner than the pipeline is long.
constexpr int64_t kLeastSums = 4;

using Dims = std::vector<OperandDim>;

int64_t elements_of(Dims const& dims, std::vector<int64_t> const& tile) {
  int64_t elements = 1;
  for (OperandDim const& dim : dims) elements *= dim.reach(tile);
  return elements;
}

/// Runs of neighbouring elements in main memory: inner dimensions that are whole join.
int64_t rows_of(Dims const& dims, std::vector<int64_t> const& tile) {
  size_t d = dims.size();
  while (d > 0 && dims[d - 1].reach(tile) == dims[d - 1].extent) --d;
  if (d > 0) --d;
  int64_t rows = 1;
  for (size_t i = 0; i < d; ++i) rows *= dims[i].reach(tile);
  return rows;
}

double transfer(Configuration const& c, int64_t elements, int64_t rows, Memory memory) {
  return port_cycles(c, kTiming, memory, rows, elements * c.element_bytes_in_dram(memory));
}

/// Bytes of the whole tensor.
double bytes_of(Configuration const& c, Dims const& dims, Memory memory) {
  auto bytes = double(c.element_bytes_in_dram(memory));
  for (OperandDim const& dim : dims) bytes *= double(dim.extent);
  return bytes;
}

class Costs {
public:
  Costs(ProductStage const& stage, Epilogue const& epilogue, Configuration const& configuration,
        Tiles const& tiles)
      : stage_(stage), epilogue_(epilogue), c_(configuration), tiles_(tiles) {}

  bool have_room() const {
    int64_t threads = tiles_.thread_axis >= 0 ? 2 : 1;
    int64_t sums = elements_of(stage_.sum_dims, tiles_.tile);
    int64_t acc = sums;
    for (Dims const& operand : epilogue_.operands) acc += elements_of(operand, tiles_.tile);
    return threads * acc <= c_.depth(Memory::kAcc) &&
           threads * elements_of(stage_.data_dims, tiles_.tile) <= c_.depth(Memory::kInp) &&
           threads * elements_of(stage_.weight_dims, tiles_.tile) <= c_.depth(Memory::kWgt);
  }

  double cycles() const {
    if (!have_room()) return std::numeric_limits<double>::infinity();
    double outer = 1, steps = 1, uops = 1;
    for (size_t i = 0; i < stage_.axes.size(); ++i) {
      double count = double(stage_.axes[i].extent / tiles_.tile[i]);
      (i < stage_.spatial ? outer : steps) *= count;
      uops *= double(tiles_.tile[i]);
    }
    std::vector<int64_t> const& tile = tiles_.tile;
    double load = load_cycles(outer * steps);
    int64_t sums = elements_of(stage_.sum_dims, tile);
    double store = transfer(c_, sums, rows_of(stage_.sum_dims, tile), Memory::kOut);
    double operands = 0;
    for (Dims const& one : epilogue_.operands)
      operands += transfer(c_, elements_of(one, tile), rows_of(one, tile), Memory::kAcc);
    // The loops that are an instruction's drain the pipeline once each turn.
    double gemm =
        uops + kTiming.gemm_drain_cycles * std::max(1.0, uops / double(c_.depth(Memory::kUop) / 4));
    double compute = steps * gemm +
                     (kTiming.alu_cycles_per_uop * epilogue_.operations + 1) * double(sums) +
                     operands;
    double moved = steps * load + store + operands;
    double both = tiles_.thread_axis >= 0 ? std::max(compute, moved) + load / 8
                                          : compute + steps * load + store / 2;
    bool again_too_soon = sums < kLeastSums;
    return outer * both * (again_too_soon ? kLeastSums : 1) + load;
  }

private:
  /// Of one of `times` loads of a tile of both operands, in the order of loops that reads less
  /// anew: either data or weights are gone through once alone.
  double load_cycles(double times) const {
    auto of = [&](Dims const& dims, Memory memory, bool once) {
      return load_cycles(dims, memory, times, once);
    };
    double data_again = of(stage_.data_dims, Memory::kInp, false) +
                        of(stage_.weight_dims, Memory::kWgt, true),
           weights_again = of(stage_.data_dims, Memory::kInp, true) +
                           of(stage_.weight_dims, Memory::kWgt, false);
    return std::min(data_again, weights_again);
  }

  /// The first time that a tensor is gone through it comes from main memory, later from the cache
  /// where that has room for it.
  double load_cycles(Dims const& dims, Memory memory, double times, bool once) const {
    int64_t elements = elements_of(dims, tiles_.tile);
    double all = bytes_of(c_, dims, memory);
    auto tile = double(elements * c_.element_bytes_in_dram(memory));
    bool kept = once || all <= double(kTiming.cache_bytes);
    double missed = kept ? std::min(tile, all / times) : tile;
    return double(rows_of(dims, tiles_.tile)) * kTiming.dma_row_cycles +
           missed / port_rate(c_, kTiming, Memory::kWgt) +
           (tile - missed) / port_rate(c_, kTiming, Memory::kInp);
  }

  ProductStage const& stage_;
  Epilogue const& epilogue_;
  Configuration const& c_;
  Tiles const& tiles_;
};

}  // namespace

std::vector<int64_t> divisors_of(int64_t extent) {
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d <= extent; ++d)
    if (extent % d == 0) divisors.push_back(d);
  return divisors;
}

double cycles_of(ProductStage const& stage, Epilogue const& epilogue,
                 Configuration const& configuration, Tiles const& tiles) {
  return Costs(stage, epilogue, configuration, tiles).cycles();
}

std::optional<Tiles> best_tiles(ProductStage const& stage, Epilogue const& epilogue,
                                Configuration const& configuration) {
  std::vector<std::vector<int64_t>> choices;
  for (size_t i = 0; i < stage.axes.size(); ++i) {
    // Of the sums' loops only the first is cut: it goes over blocks of channels, the others over a
    // window, whose data overlaps.
    bool whole = i > stage.spatial;
    choices.push_back(whole ? std::vector{stage.axes[i].extent}
                            : divisors_of(stage.axes[i].extent));
  }
  std::optional<Tiles> best;
  double least = std::numeric_limits<double>::infinity();
  std::vector<size_t> at(choices.size());
  for (bool more = true; more;) {
    Tiles tiles;
    for (size_t i = 0; i < at.size(); ++i) tiles.tile.push_back(choices[i][at[i]]);
    for (int axis = -1; axis < int(stage.spatial); ++axis) {
      tiles.thread_axis = axis;
      if (axis >= 0 && stage.axes[size_t(axis)].extent / tiles.tile[size_t(axis)] % 2 != 0)
        continue;
      double cycles = cycles_of(stage, epilogue, configuration, tiles);
      if (cycles < least) least = cycles, best = tiles;
    }
    more = false;
    for (size_t i = 0; i < at.size() && !more; ++i) {
      more = ++at[i] < choices[i].size();
      if (!more) at[i] = 0;
    }
  }
  return best;
}

}  // namespace tw::vta
