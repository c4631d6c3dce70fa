#include "engine/analysis/touched.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/analysis/index_sets.h"
#include "engine/arith/linear.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/strides.h"

namespace tw::analysis {
namespace {

using namespace ir;

/// Terms that share loops, with the dimensions that they add to.
struct Component {
  std::set<std::string> loops;
  struct Part {
    size_t dimension;
    int64_t factor;
    Expr term;
  };
  std::vector<Part> parts;
};

/// The indices of one access, taken apart; no value when one of them depends on data.
struct Indices {
  Point base;
  std::vector<Component> components;
};

bool depends_on_data(Expr const& e) {
  bool found = false;
  walk(e, [&](Expr const& x) {
    found = found || x.as<Load>() != nullptr;
    return !found;
  });
  return found;
}

std::set<std::string> running_loops(Expr const& term, Iterations const& iterations) {
  std::set<std::string> loops;
  walk(term, [&](Expr const& e) {
    auto const* v = e.as<Variable>();
    if (v && iterations.running.count(v->name)) loops.insert(v->name);
    return true;
  });
  return loops;
}

void add_part(std::vector<Component>& components, std::set<std::string> loops,
              Component::Part part) {
  Component joined{std::move(loops), {std::move(part)}};
  for (size_t i = components.size(); i-- > 0;) {
    bool shared = std::any_of(joined.loops.begin(), joined.loops.end(), [&](auto const& name) {
      return components[i].loops.count(name) > 0;
    });
    if (!shared) continue;
    joined.loops.insert(components[i].loops.begin(), components[i].loops.end());
    joined.parts.insert(joined.parts.end(), components[i].parts.begin(), components[i].parts.end());
    components.erase(components.begin() + std::ptrdiff_t(i));
  }
  components.push_back(std::move(joined));
}

std::optional<Indices> take_apart(TensorAccess const& access, Iterations const& iterations,
                                  ExprEvaluator& evaluator) {
  Indices indices;
  for (size_t d = 0; d < access.indices.size(); ++d) {
    if (depends_on_data(access.indices[d])) return std::nullopt;
    arith::Linear linear = arith::to_linear(access.indices[d]);
    indices.base.push_back(linear.constant);
    for (auto const& term : linear.terms) {
      if (auto const* loop = term.term.as<Variable>()) {
        if (auto stands = iterations.standing.find(loop->name);
            stands != iterations.standing.end()) {
          indices.base[d] += term.factor * stands->second;
          continue;
        }
      }
      std::set<std::string> loops = running_loops(term.term, iterations);
      if (loops.empty())
        indices.base[d] += term.factor * evaluator.integer(evaluator.compile(term.term), 0);
      else
        add_part(indices.components, loops, {d, term.factor, term.term});
    }
  }
  return indices;
}

/// Every vector that the component adds, over the dimensions of its group.
std::optional<Points> points_of(Component const& component, std::vector<size_t> const& dimensions,
                                Iterations const& iterations, ExprEvaluator& evaluator) {
  std::vector<std::pair<int, int64_t>> loops;
  int64_t count = 1;
  for (std::string const& name : component.loops) {
    loops.emplace_back(evaluator.slot(name), iterations.running.at(name));
    count *= loops.back().second;
    if (count > kMostPoints) return std::nullopt;
  }
  size_t rank = dimensions.size();
  std::vector<Compiled> terms;
  std::vector<size_t> places;
  for (auto const& part : component.parts) {
    terms.push_back(evaluator.compile(part.term));
    places.push_back(size_t(std::find(dimensions.begin(), dimensions.end(), part.dimension) -
                            dimensions.begin()));
  }
  Points points(size_t(count) * rank, 0);
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n;
    for (auto const& [slot, extent] : loops) evaluator.set(slot, rest % extent), rest /= extent;
    for (size_t p = 0; p < terms.size(); ++p)
      points[size_t(n) * rank + places[p]] +=
          component.parts[p].factor * evaluator.integer(terms[p], 0);
  }
  return points;
}

/// The dimensions that are connected by components, each group in ascending order.
std::vector<std::vector<size_t>> groups_of(Indices const& indices) {
  std::vector<size_t> group(indices.base.size());
  for (size_t d = 0; d < group.size(); ++d) group[d] = d;
  for (Component const& component : indices.components)
    for (auto const& part : component.parts) {
      size_t from = group[part.dimension], to = group[component.parts[0].dimension];
      for (size_t& g : group)
        if (g == from) g = to;
    }
  std::map<size_t, std::vector<size_t>> members;
  for (size_t d = 0; d < group.size(); ++d) members[group[d]].push_back(d);
  std::vector<std::vector<size_t>> groups;
  for (auto& [key, list] : members) groups.push_back(std::move(list));
  std::sort(groups.begin(), groups.end());
  return groups;
}

/// Of one dimension to which each loop adds by itself, as in i.0 * 32 + i.1: most indices are such,
/// and need no list of points.
std::optional<std::vector<int64_t>> plain_values(size_t dimension, Indices const& indices,
                                                 int64_t extent, Iterations const& iterations) {
  std::vector<Progression> progressions;
  for (Component const& component : indices.components) {
    if (component.parts[0].dimension != dimension) continue;
    auto const* loop = component.parts[0].term.as<Variable>();
    if (!loop || component.parts.size() != 1) return std::nullopt;
    progressions.push_back({component.parts[0].factor, iterations.running.at(loop->name)});
  }
  return sums_without_gap(indices.base[dimension], std::move(progressions), extent);
}

std::optional<IndexSet> set_of(std::vector<size_t> const& dimensions, Indices const& indices,
                               Shape const& shape, Iterations const& iterations,
                               ExprEvaluator& evaluator) {
  if (dimensions.size() == 1)
    if (auto values = plain_values(dimensions[0], indices, shape[dimensions[0]], iterations))
      return IndexSet{dimensions, *std::move(values)};
  Point base;
  Shape box;
  for (size_t d : dimensions) base.push_back(indices.base[d]), box.push_back(shape[d]);
  Sum sum(base);
  for (Component const& component : indices.components) {
    if (std::find(dimensions.begin(), dimensions.end(), component.parts[0].dimension) ==
        dimensions.end())
      continue;
    auto points = points_of(component, dimensions, iterations, evaluator);
    if (!points) return std::nullopt;
    sum.add(std::move(*points));
  }
  auto values = sum.within(box);
  if (!values) return std::nullopt;
  return IndexSet{dimensions, std::move(*values)};
}

/// What one access reaches, or nothing when that cannot be counted.
std::optional<Region> region_of(TensorAccess const& access, Shape const& shape,
                                Iterations const& iterations) {
  ExprEvaluator evaluator;
  for (auto const& [name, value] : iterations.standing) evaluator.set(evaluator.slot(name), value);
  auto indices = take_apart(access, iterations, evaluator);
  if (!indices) return std::nullopt;
  Region region;
  for (std::vector<size_t> const& dimensions : groups_of(*indices)) {
    auto set = set_of(dimensions, *indices, shape, iterations, evaluator);
    if (!set) return std::nullopt;
    region.push_back(std::move(*set));
  }
  if (evaluator.failed()) return std::nullopt;
  return region;
}

/// An access some of whose indices are data: each choice reaches what the other indices reach.
struct Chosen {
  int64_t elements = 0, lines = 0;
};

std::optional<Chosen> chosen_by_data(TensorAccess const& access, Shape const& shape,
                                     Shape const& strides, Iterations const& iterations,
                                     int64_t line_bytes) {
  TensorAccess rest{access.buffer, {}, access.writes, access.update};
  Shape rest_shape, rest_strides;
  std::set<std::string> choosing;
  int64_t places = 1, choices = 1;
  for (size_t d = 0; d < access.indices.size(); ++d) {
    if (!depends_on_data(access.indices[d])) {
      rest.indices.push_back(access.indices[d]);
      rest_shape.push_back(shape[d]);
      rest_strides.push_back(strides[d]);
      continue;
    }
    places *= shape[d];
    choosing.merge(running_loops(access.indices[d], iterations));
  }
  if (rest.indices.size() == access.indices.size()) return std::nullopt;
  for (std::string const& name : choosing)
    choices = std::min(choices * iterations.running.at(name), places);
  auto region = region_of(rest, rest_shape, iterations);
  if (!region) return std::nullopt;
  int64_t elements = size_of_region(*region), size = size_of(access.buffer->type);
  bool scattered = depends_on_data(access.indices.back());
  // What is chosen may begin in the middle of a line.
  int64_t lines =
      scattered ? elements : lines_of(*region, rest_shape, rest_strides, size, line_bytes) + 1;
  return Chosen{choices * elements, choices * lines};
}

}  // namespace

Touched touched(std::vector<RunningAccess> const& accesses, int64_t line_bytes) {
  if (accesses.empty()) return {};
  BufferNode const& buffer = *accesses.front().access->buffer;
  int64_t size = size_of(buffer.type), all = size;
  Shape shape;
  for (Expr const& extent : buffer.shape) {
    shape.push_back(as_int(extent).value_or(1));
    all *= shape.back();
  }
  Shape const strides = strides_of(shape, buffer.alignments);
  int64_t in_memory = shape.empty() ? size : size * strides.front() * shape.front();
  int64_t all_lines = (in_memory + line_bytes - 1) / line_bytes * line_bytes;
  std::vector<Region> regions;
  Touched result;
  for (auto const& [access, iterations] : accesses) {
    if (auto region = region_of(*access, shape, iterations)) {
      join(regions, std::move(*region));
      continue;
    }
    auto chosen = chosen_by_data(*access, shape, strides, iterations, line_bytes);
    if (!chosen) return {all, all_lines, false};
    result.exact = false;
    result.bytes += size * chosen->elements;
    result.line_bytes += line_bytes * chosen->lines;
  }
  auto elements = size_of_union(regions);
  result.exact = result.exact && elements.has_value();
  for (Region const& region : regions) {
    if (!elements) result.bytes += size * size_of_region(region);
    result.line_bytes += line_bytes * lines_of(region, shape, strides, size, line_bytes);
  }
  if (elements) result.bytes += size * *elements;
  result.bytes = std::min(result.bytes, all);
  result.line_bytes =
      std::clamp(result.line_bytes, result.bytes, std::max(all_lines, result.bytes));
  return result;
}

}  // namespace tw::analysis
