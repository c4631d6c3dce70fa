#include "engine/graph/shared/winograd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/graph/shared/window.h"

namespace tw::ops {
namespace {

using ir::Expr;
using Read = std::function<Expr(int64_t)>;
/// Which numbers of a row are added up before others: rows share these sums.
using Parts = std::vector<std::vector<size_t>>;

/// A sum times a factor.
struct Part {
  std::vector<std::pair<size_t, double>> terms;
  double factor = 1;
};

/// The last term is positive; equal factors are taken out of all terms.
std::optional<Part> part_of(std::vector<double> const& row, std::vector<size_t> const& columns) {
  Part part;
  for (size_t column : columns)
    if (row[column] != 0) part.terms.push_back({column, row[column]});
  if (part.terms.empty()) return std::nullopt;
  double last = part.terms.back().second;
  bool equal = std::ranges::all_of(
      part.terms, [&](auto const& term) { return std::abs(term.second) == std::abs(last); });
  part.factor = equal ? last : std::copysign(1.0, last);
  for (auto& [column, factor] : part.terms) factor /= part.factor;
  return part;
}

void turn_around(Part& part) {
  part.factor = -part.factor;
  for (auto& [column, factor] : part.terms) factor = -factor;
}

/// Nothing + a * x. The first of a sum has no negative factor of one.
Expr add_times(Expr const& sum, double factor, Expr const& x) {
  if (sum && factor == 1) return sum + x;
  if (sum && factor == -1) return sum - x;
  Expr product = factor == 1 ? x : immediate(factor, x.type()) * x;
  return sum ? sum + product : product;
}

Expr sum_of(Part part, Read const& read) {
  std::ranges::stable_partition(part.terms, [](auto const& term) { return term.second > 0; });
  Expr sum;
  for (auto const& [column, factor] : part.terms)
    sum = add_times(sum, factor, read(int64_t(column)));
  return sum;
}

/// A row of a transform times what `read` reads, with as few multiplications as its parts allow.
Expr row_times(std::vector<double> const& row, Parts const& parts, Read const& read) {
  std::vector<Part> made;
  for (auto const& columns : parts)
    if (auto part = part_of(row, columns)) made.push_back(std::move(*part));
  auto adds = [](Part const& part) { return part.factor > 0; };
  auto mixed = [](Part const& part) {
    return std::ranges::any_of(part.terms, [](auto const& term) { return term.second < 0; });
  };
  if (std::ranges::none_of(made, adds))
    if (auto some = std::ranges::find_if(made, mixed); some != made.end()) turn_around(*some);
  std::ranges::stable_partition(made, adds);
  Expr sum;
  for (Part const& part : made) sum = add_times(sum, part.factor, sum_of(part, read));
  return sum;
}

/// The row that `at` counts to. A loop that is unrolled leaves that one alone.
Expr rows_times(Transform const& rows, Parts const& parts, Expr const& at, Read const& read) {
  Expr value = row_times(rows.back(), parts, read);
  for (size_t i = rows.size() - 1; i-- > 0;)
    value = ir::select(ir::binary(ir::BinaryOp::kEq, at, ir::int_imm(int64_t(i))),
                       row_times(rows[i], parts, read), value);
  return value;
}

/// Of a tile's input and of weights: numbers with even and with odd places.
Parts by_parity(size_t count) {
  Parts parts(2);
  for (size_t i = 0; i < count; ++i) parts[i % 2].push_back(i);
  return parts;
}

/// Of products: those of points x and -x.
Parts by_points(size_t count) {
  Parts parts{{0}};
  for (size_t i = 1; i + 1 < count; i += 2) parts.push_back({i, i + 1});
  parts.push_back({count - 1});
  return parts;
}

/// One transform along the rows of small tiles, and one along the columns of what that makes:
/// `name` [i, j, rest...] in two stages. `first` reads (row, column) of what is transformed, at the
/// axes `rest`.
struct TwoSides {
  Transform const& rows;
  Parts parts;
  std::string name;
  std::vector<te::Axis> rest;
  std::function<Expr(Expr const& row, Expr const& column)> first;

  te::Stage along_rows(int64_t columns) const {
    std::vector<te::Axis> axes{{"i", int64_t(rows.size())}, {"j", columns}};
    axes.insert(axes.end(), rest.begin(), rest.end());
    Expr sum = rows_times(rows, parts, axes[0].var(),
                          [&](int64_t row) { return first(ir::int_imm(row), axes[1].var()); });
    return te::compute(name + "_rows", axes, sum, "winograd");
  }
  /// Row `i`, column `j` of the result at the indices `at` of the rest.
  Expr along_columns(te::Buffer const& half, Expr const& i, Expr const& j,
                     std::vector<Expr> const& at) const {
    return rows_times(rows, parts, j, [&](int64_t column) {
      std::vector<Expr> indices{i, ir::int_imm(column)};
      indices.insert(indices.end(), at.begin(), at.end());
      return ir::load(half, indices);
    });
  }
};

/// Both sides, with one axis `t` for the places of a tile in front.
Tensors by_places(TwoSides const& sides, int64_t columns) {
  int64_t edge = int64_t(sides.rows.size());
  Tensors tensors{{sides.along_rows(columns)}, {}};
  std::vector<te::Axis> axes{{"t", edge * edge}};
  axes.insert(axes.end(), sides.rest.begin(), sides.rest.end());
  Expr t = axes[0].var();
  Expr value = sides.along_columns(tensors.stages[0].output, ir::floor_div(t, ir::int_imm(edge)),
                                   ir::floor_mod(t, ir::int_imm(edge)), te::vars(sides.rest));
  tensors.stages.push_back(te::compute(sides.name, axes, value, "winograd"));
  tensors.outputs = {tensors.stages.back().output};
  return tensors;
}

/// Number `at` of the tile's input along `dim`, in the picture, for the tile `p`.
Expr place_in(WinogradTiles const& tiles, size_t dim, Expr const& p, Expr const& at) {
  Expr tile = dim == 1 ? ir::floor_mod(p, ir::int_imm(tiles.along(1)))
                       : ir::floor_mod(ir::floor_div(p, ir::int_imm(tiles.along(1))),
                                       ir::int_imm(tiles.along(0)));
  return tile * tiles.outputs + at - tiles.before[dim];
}

}  // namespace

Result<WinogradTiles> winograd_tiles(int64_t outputs, Attributes const& attributes,
                                     Shape const& input) {
  std::vector<int64_t> const ones(2, 1), threes(2, 3);
  if (outputs != 2 && outputs != 4)
    return unfit(fmt::format("tiles of {0}x{0} results, which are 2x2 or 4x4", outputs));
  if (input.size() != 4 || integers(attributes, "kernel") != threes ||
      integers(attributes, "strides", ones) != ones ||
      integers(attributes, "dilations", ones) != ones)
    return unfit("tiles are transformed for kernels of 3x3 over images, stride 1, dilation 1");
  TRY_ASSIGN(Window window, window_of(attributes, input));
  return WinogradTiles{outputs, input[0], window.in, window.out, window.before};
}

Transform const& weight_transform(int64_t outputs) {
  static Transform const two{{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  static Transform const four{{1. / 4, 0, 0},
                              {-1. / 6, -1. / 6, -1. / 6},
                              {-1. / 6, 1. / 6, -1. / 6},
                              {1. / 24, 1. / 12, 1. / 6},
                              {1. / 24, -1. / 12, 1. / 6},
                              {0, 0, 1}};
  return outputs == 2 ? two : four;
}

Transform const& input_transform(int64_t outputs) {
  static Transform const two{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
  static Transform const four{{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                              {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
  return outputs == 2 ? two : four;
}

Transform const& output_transform(int64_t outputs) {
  static Transform const two{{1, 1, 1, 0}, {0, 1, -1, -1}};
  static Transform const four{
      {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};
  return outputs == 2 ? two : four;
}

std::vector<double> on_both_sides(Transform const& rows, std::vector<double> const& matrix) {
  size_t made = rows.size(), edge = rows[0].size();
  std::vector<double> half(made * edge), result(made * made);
  for (size_t i = 0; i < made; ++i)
    for (size_t k = 0; k < edge; ++k)
      for (size_t l = 0; l < edge; ++l) half[i * edge + l] += rows[i][k] * matrix[k * edge + l];
  for (size_t i = 0; i < made; ++i)
    for (size_t j = 0; j < made; ++j)
      for (size_t l = 0; l < edge; ++l) result[i * made + j] += half[i * edge + l] * rows[j][l];
  return result;
}

Tensors winograd_weights(int64_t outputs, te::Buffer const& weights, std::string const& name) {
  Shape shape = shape_of(weights);
  std::vector<te::Axis> rest{{"o", shape[0], "out_channel"}, {"c", shape[1], "in_channel"}};
  TwoSides sides{weight_transform(outputs), by_parity(3), name, rest,
                 [&](Expr const& row, Expr const& column) {
                   return ir::load(weights, {rest[0].var(), rest[1].var(), row, column});
                 }};
  return by_places(sides, 3);
}

Tensors winograd_input(WinogradTiles const& tiles, te::Buffer const& input,
                       std::string const& name) {
  std::vector<te::Axis> rest{{"c", shape_of(input)[1], "in_channel"}, {"p", tiles.count()}};
  Expr c = rest[0].var(), p = rest[1].var(),
       n = ir::floor_div(p, ir::int_imm(tiles.along(0) * tiles.along(1)));
  std::vector<te::Axis> axes{{"y", tiles.inputs()}, {"x", tiles.inputs()}};
  axes.insert(axes.end(), rest.begin(), rest.end());
  Expr y = place_in(tiles, 0, p, axes[0].var()), x = place_in(tiles, 1, p, axes[1].var());
  Expr inside = ir::int_imm(0) <= y && y < tiles.in[0] && ir::int_imm(0) <= x && x < tiles.in[1];
  Expr read = ir::load(input, {n, c, y, x});
  te::Stage around =
      te::compute(name + "_tile", axes, ir::select(inside, read, immediate(0, read.type())), "pad");
  TwoSides sides{input_transform(tiles.outputs), by_parity(size_t(tiles.inputs())), name, rest,
                 [&](Expr const& row, Expr const& column) {
                   return ir::load(around.output, {row, column, c, p});
                 }};
  Tensors tensors = by_places(sides, tiles.inputs());
  tensors.stages.insert(tensors.stages.begin(), around);
  return tensors;
}

Tensors winograd_output(WinogradTiles const& tiles, te::Buffer const& products,
                        te::Buffer const& bias, std::string const& name) {
  int64_t channels = shape_of(products)[1];
  std::vector<te::Axis> rest{{"o", channels, "out_channel"}, {"p", tiles.count()}};
  TwoSides sides{
      output_transform(tiles.outputs), by_points(size_t(tiles.inputs())), name, rest,
      [&](Expr const& row, Expr const& column) {
        return ir::load(products, {row * tiles.inputs() + column, rest[0].var(), rest[1].var()});
      }};
  Tensors tensors{{sides.along_rows(tiles.inputs())}, {}};
  std::vector<te::Axis> axes = output_axes({tiles.batch, channels, tiles.out[0], tiles.out[1]});
  Expr edge = ir::int_imm(tiles.outputs), y = axes[2].var(), x = axes[3].var();
  Expr tile = (axes[0].var() * tiles.along(0) + ir::floor_div(y, edge)) * tiles.along(1) +
              ir::floor_div(x, edge);
  Expr value = sides.along_columns(tensors.stages[0].output, ir::floor_mod(y, edge),
                                   ir::floor_mod(x, edge), {axes[1].var(), tile});
  if (bias) value = value + ir::load(bias, {axes[1].var()});
  tensors.stages.push_back(te::compute(name, axes, value, "winograd"));
  tensors.outputs = {tensors.stages.back().output};
  return tensors;
}

}  // namespace tw::ops
