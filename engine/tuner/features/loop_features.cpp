#include "engine/tuner/features/loop_features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/analysis/touched.h"
#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"

namespace tw {
namespace {

using namespace ir;

constexpr size_t kTensors = 3;  // of a block: more are rare where work is
constexpr size_t kLoops = 10;   // the innermost ones
constexpr size_t kKinds = 5;
constexpr int kThresholds = 12;
constexpr double kOctaves = 2;  // between two thresholds
constexpr size_t kOfNest = kKinds + 5;
constexpr size_t kOfLoop = 3 + kKinds + 3 * kTensors;

float logarithm(double value) {
  return float(std::copysign(std::log2(std::abs(value) + 1), value));
}

double extent_of(For const* loop) { return double(as_int(loop->extent).value_or(1)); }

double iterations_of(BlockSite const& site) {
  double count = 1;
  for (For const* loop : site.loops) count *= extent_of(loop);
  return count;
}

/// One tensor of the block: each dimension's index as a sum.
struct IndexBounds {
  struct Dimension {
    std::vector<arith::Linear::Term> terms;
    std::vector<std::vector<std::string>> loops;  ///< of each term
    double size = 1, elements = 1;                ///< of one step in it
  };
  std::vector<Dimension> dimensions;
  bool writes = false;
};

std::vector<std::string> variables_of(Expr const& term) {
  std::vector<std::string> names;
  walk(term, [&](Expr const& e) {
    auto const* variable = e.as<Variable>();
    if (variable && std::ranges::find(names, variable->name) == names.end())
      names.push_back(variable->name);
    return true;
  });
  return names;
}

IndexBounds index_bounds_of(analysis::TensorAccess const& access) {
  IndexBounds reach{.dimensions = std::vector<IndexBounds::Dimension>(access.indices.size()),
                    .writes = access.writes};
  double elements = 1;
  for (size_t d = access.indices.size(); d-- > 0;) {
    IndexBounds::Dimension& one = reach.dimensions[d];
    one.terms = arith::to_linear(access.indices[d]).terms;
    for (auto const& term : one.terms) one.loops.push_back(variables_of(term.term));
    one.size = double(as_int(access.buffer->shape[d]).value_or(1));
    one.elements = elements;
    elements *= one.size;
  }
  return reach;
}

/// Lengths of the loops that run, by name.
using Running = std::map<std::string, double>;

double touched(IndexBounds const& reach, Running const& running) {
  double count = 1;
  for (IndexBounds::Dimension const& one : reach.dimensions) {
    double span = 1;
    for (size_t i = 0; i < one.terms.size(); ++i) {
      double values = 1;
      for (std::string const& name : one.loops[i])
        if (auto loop = running.find(name); loop != running.end()) values *= loop->second;
      span += (values - 1) * std::abs(double(one.terms[i].factor));
    }
    count *= std::min(span, one.size);
  }
  return count;
}

double stride(IndexBounds const& reach, std::string const& loop) {
  double step = 0;
  for (IndexBounds::Dimension const& one : reach.dimensions)
    for (size_t i = 0; i < one.terms.size(); ++i)
      if (one.loops[i].size() == 1 && one.loops[i][0] == loop)
        step += double(one.terms[i].factor) * one.elements;
  return step;
}

/// What is written first, then what is read along the innermost vectors; of equal ones what has
/// more elements.
std::vector<IndexBounds> reaches_of(BlockSite const& site) {
  std::map<std::string, IndexBounds> by_tensor;
  for (analysis::TensorAccess const& access : analysis::accesses_of(site)) {
    IndexBounds& reach =
        by_tensor.try_emplace(access.buffer->name, index_bounds_of(access)).first->second;
    reach.writes = reach.writes || access.writes;
  }
  std::string vector;
  for (For const* loop : site.loops)
    if (loop->loop_kind == LoopKind::kVector) vector = loop->name();
  std::vector<IndexBounds> reaches;
  for (auto& [name, reach] : by_tensor) reaches.push_back(std::move(reach));
  auto place = [&](IndexBounds const& one) {
    double elements =
        one.dimensions.empty() ? 1 : one.dimensions.front().size * one.dimensions.front().elements;
    return std::tuple(!one.writes, stride(one, vector) == 0, -elements);
  };
  std::ranges::stable_sort(reaches, {}, place);
  reaches.resize(std::min(reaches.size(), kTensors));
  return reaches;
}

double product_of(LoopNest const& nest, LoopKind kind) {
  double product = 1;
  for (LoopContext const& loop : nest.loops)
    if (loop.kind == kind) product *= loop.length;
  return product;
}

/// Of the nest as a whole.
void add_nest(LoopNest const& nest, std::vector<float>& row) {
  for (size_t kind = 0; kind < kKinds; ++kind)
    row.push_back(logarithm(product_of(nest, LoopKind(kind))));
  row.push_back(float(nest.loops.size()));
  row.push_back(logarithm(nest.loops.empty() ? 1 : nest.loops.front().bottom_up));
  row.push_back(logarithm(nest.loops.empty() ? 1 : nest.loops.back().length));
  row.push_back(logarithm(nest.beside));
  row.push_back(logarithm(nest.beside_vectors));
}

/// The largest `value` of loops whose `below` is less than each threshold.
template <typename Value, typename Below>
void add_curve(LoopNest const& nest, Value value, Below below, std::vector<float>& row) {
  for (int i = 1; i <= kThresholds; ++i) {
    double threshold = std::exp2(kOctaves * i), largest = 0;
    for (LoopContext const& loop : nest.loops)
      if (below(loop) < threshold) largest = std::max(largest, double(value(loop)));
    row.push_back(logarithm(largest));
  }
}

/// The one that is run most often; there is one at least.
BlockSite const& most_run(std::vector<BlockSite> const& sites) {
  return *std::ranges::max_element(sites, {}, [](BlockSite const& site) {
    return std::pair(iterations_of(site), site.loops.size());
  });
}

}  // namespace

NestShape nest_shape(Program const& program) {
  NestShape shape;
  std::vector<BlockSite> sites = blocks_of(program.body);
  if (sites.empty()) return shape;
  for (IterVar const& iter : most_run(sites).block->iters) {
    shape.kind += iter.kind == IterKind::kSpatial ? 's' : 'r';
    shape.extents.push_back(double(as_int(iter.extent).value_or(1)));
  }
  return shape;
}

double apart(NestShape const& one, NestShape const& other) {
  double sum = 0;
  for (size_t i = 0; i < std::min(one.extents.size(), other.extents.size()); ++i)
    sum += std::abs(std::log2(std::max(one.extents[i], 1.0) / std::max(other.extents[i], 1.0)));
  return sum;
}

std::vector<LoopContext> contexts_of(BlockSite const& site) {
  std::vector<LoopContext> loops;
  std::vector<IndexBounds> reaches = reaches_of(site);
  Running running;
  double below = 1, all = iterations_of(site);
  for (size_t i = site.loops.size(); i-- > 0;) {
    For const* loop = site.loops[i];
    LoopContext one{.length = extent_of(loop), .kind = loop->loop_kind, .tensors = {}};
    running[loop->name()] = one.length;
    one.bottom_up = below *= one.length;
    one.top_down = all / below;
    for (IndexBounds const& reach : reaches) {
      double count = touched(reach, running);
      one.tensors.push_back({count, one.bottom_up / count, stride(reach, loop->name())});
    }
    loops.push_back(std::move(one));
  }
  std::ranges::reverse(loops);
  return loops;
}

LoopNest loop_nest(Program const& program) {
  LoopNest nest;
  std::vector<BlockSite> sites = blocks_of(program.body);
  if (sites.empty()) return nest;
  BlockSite const* most = &most_run(sites);
  for (BlockSite const& site : sites) {
    if (site.block == most->block) continue;
    double vectors = iterations_of(site);
    nest.beside += vectors;
    for (For const* loop : site.loops)
      if (loop->loop_kind == LoopKind::kVector) vectors /= extent_of(loop);
    nest.beside_vectors += vectors;
  }
  nest.loops = contexts_of(*most);
  return nest;
}

size_t context_width() { return kOfNest + kLoops * kOfLoop; }
size_t relation_width() { return kOfNest + kTensors * 4 * size_t(kThresholds); }

std::vector<float> context_features(LoopNest const& nest) {
  std::vector<float> row;
  row.reserve(context_width());
  add_nest(nest, row);
  for (size_t i = 0; i < std::min(kLoops, nest.loops.size()); ++i) {
    LoopContext const& loop = nest.loops[nest.loops.size() - 1 - i];
    for (double value : {loop.length, loop.top_down, loop.bottom_up})
      row.push_back(logarithm(value));
    for (size_t kind = 0; kind < kKinds; ++kind) row.push_back(float(loop.kind == LoopKind(kind)));
    for (size_t t = 0; t < kTensors; ++t) {
      TensorContext tensor = t < loop.tensors.size() ? loop.tensors[t] : TensorContext{};
      for (double value : {tensor.touched, tensor.reuse, tensor.stride})
        row.push_back(logarithm(value));
    }
  }
  row.resize(context_width(), std::numeric_limits<float>::quiet_NaN());
  return row;
}

std::vector<float> relation_features(LoopNest const& nest) {
  std::vector<float> row;
  row.reserve(relation_width());
  add_nest(nest, row);
  size_t tensors = nest.loops.empty() ? 0 : nest.loops.front().tensors.size();
  for (size_t t = 0; t < tensors; ++t) {
    auto touched = [t](LoopContext const& loop) { return loop.tensors[t].touched; };
    auto reuse = [t](LoopContext const& loop) { return loop.tensors[t].reuse; };
    auto top_down = [](LoopContext const& loop) { return loop.top_down; };
    add_curve(nest, reuse, touched, row);
    add_curve(nest, touched, reuse, row);
    add_curve(nest, top_down, touched, row);
    add_curve(nest, touched, top_down, row);
  }
  row.resize(relation_width(), std::numeric_limits<float>::quiet_NaN());
  return row;
}

}  // namespace tw
