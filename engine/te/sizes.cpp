#include "engine/te/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/arith/known_sizes.h"
#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/parse_expr.h"
#include "engine/ir/text.h"

namespace tw::te {
namespace {

std::unexpected<Error> invalid(std::string message) {
  return bad_input("invalid_kernel", std::move(message));
}

std::string name_of(Size const& size) { return size.range.var.to<ir::Variable>().name; }

/// "n=4, m=2"
std::string values_text(Kernel const& kernel, std::vector<int64_t> const& values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}={}", i ? ", " : "", name_of(kernel.sizes[i]), values[i]);
  return text;
}

bool is_extent_of(Buffer const& buffer, std::string const& size) {
  return std::ranges::any_of(buffer->shape,
                             [&](Expr const& e) { return ir::uses_variable(e, size); });
}

/// Sizes stand among the names that a stage may use.
Status verify_names(Kernel const& kernel) {
  for (Size const& size : kernel.sizes) {
    std::string name = name_of(size);
    auto same = [&](Size const& other) { return name_of(other) == name; };
    if (std::ranges::count_if(kernel.sizes, same) > 1)
      return invalid(fmt::format("two sizes are named {}", name));
    for (Stage const& stage : kernel.stages)
      for (auto const* list : {&stage.axes, &stage.reduce})
        for (Axis const& axis : *list)
          if (axis.name == name || "v" + axis.name == name)
            return invalid(fmt::format("stage {}: rename axis {}: {} is a size", stage.output->name,
                                       axis.name, name));
  }
  return {};
}

Status verify_range(Kernel const& kernel, Size const& size) {
  std::string name = name_of(size);
  if (size.range.low < 1 || size.range.high < size.range.low)
    return invalid(
        fmt::format("the size {} is in {}..{}: an extent is at least 1, and the maximum value not "
                    "less than the minimum",
                    name, size.range.low, size.range.high));
  if (size.shown < size.range.low || size.shown > size.range.high)
    return invalid(fmt::format("the size {} is to be shown at {}, which is not in {}..{}", name,
                               size.shown, size.range.low, size.range.high));
  auto has = [&](Buffer const& buffer) { return is_extent_of(buffer, name); };
  if (std::ranges::none_of(kernel.inputs, has) && std::ranges::none_of(kernel.outputs, has))
    return invalid(fmt::format("the size {} is in the shape of no input and no output", name));
  return {};
}

constexpr double kFarthest = double(int64_t(1) << 40);

/// What no number that an extent is made of exceeds.
double magnitude(Expr const& e) {
  if (auto value = ir::as_int(e)) return std::abs(double(*value));
  if (auto const* node = e.as<ir::Unary>()) return magnitude(node->a);
  auto const* node = e.as<ir::Binary>();
  if (!node) return double(kMostSize);
  double a = magnitude(node->a), b = magnitude(node->b);
  return node->op == ir::BinaryOp::kMul ? std::max(a, 1.0) * std::max(b, 1.0) : a + b;
}

void close(Axis& axis, arith::KnownSizes& known) {
  if (axis.size.empty()) return;
  axis.extent = ir::as_int(known.visit(extent_of(axis))).value_or(axis.extent);
  axis.size.clear();
}

}  // namespace

std::string range_text(Size const& size) {
  return fmt::format(
      "the size {} is in {}..{}: an extent is at least 1 and at most {}, and the maximum value not "
      "less than the minimum",
      name_of(size), size.range.low, size.range.high, kMostSize);
}

Expr extent_of(Axis const& axis) {
  if (axis.size.empty()) return ir::int_imm(axis.extent);
  ir::ExprScope scope;
  auto reader = ir::LineReader::create(axis.size, "", 0);
  TW_ASSERT(reader.has_value(), "an axis's size is an expression that was read or printed");
  for (ir::LineReader names = *reader; !names.at_end(); names.next())
    if (names.peek().kind == ir::Token::kName)
      scope.variables[std::string(names.peek().text)] = DType::kI64;
  auto extent = ir::parse_expr(*reader, scope);
  TW_ASSERT(extent.has_value(), "an axis's size is an expression that was read or printed");
  return *extent;
}

std::optional<Expr> affine_extent(Expr const& e) {
  if (e.type() != DType::kI64 || e.lanes() != 1 || magnitude(e) > kFarthest) return std::nullopt;
  arith::Linear sum = arith::to_linear(e);
  for (arith::Linear::Term const& term : sum.terms)
    if (!term.term.as<ir::Variable>()) return std::nullopt;
  return arith::to_expr(sum);
}

std::vector<ir::SizeParam> ranges_of(Kernel const& kernel) {
  std::vector<ir::SizeParam> ranges;
  for (Size const& size : kernel.sizes) ranges.push_back(size.range);
  return ranges;
}

std::vector<int64_t> shown_values(Kernel const& kernel) {
  std::vector<int64_t> values;
  for (Size const& size : kernel.sizes) values.push_back(size.shown);
  return values;
}

Kernel with_values(Kernel const& kernel, std::vector<int64_t> const& values) {
  if (kernel.sizes.empty()) return kernel;
  arith::KnownSizes known(ranges_of(kernel), values);
  Kernel closed = kernel;
  closed.sizes.clear();
  for (auto* list : {&closed.inputs, &closed.outputs})
    for (Buffer& buffer : *list) buffer = known.tensor(buffer);
  for (Stage& stage : closed.stages) {
    stage.output = known.tensor(stage.output);
    for (auto* list : {&stage.axes, &stage.reduce})
      for (Axis& axis : *list) close(axis, known);
    stage.body = known.visit(stage.body);
  }
  return closed;
}

Kernel shown(Kernel const& kernel) { return with_values(kernel, shown_values(kernel)); }

Result<Kernel> showing(Kernel kernel, std::map<std::string, int64_t> const& values) {
  for (auto const& [name, value] : values) {
    auto size =
        std::ranges::find_if(kernel.sizes, [&](Size const& one) { return name_of(one) == name; });
    if (size == kernel.sizes.end())
      return bad_input("no_such_size",
                       fmt::format("the kernel {} has no size {}", kernel.name, name));
    if (value < size->range.low || value > size->range.high)
      return bad_input("size_out_of_range",
                       fmt::format("the size {} must be from {} to {}, not {}", name,
                                   size->range.low, size->range.high, value));
    size->shown = value;
  }
  arith::KnownSizes known(ranges_of(kernel), shown_values(kernel));
  for (Stage& stage : kernel.stages)
    for (auto* list : {&stage.axes, &stage.reduce})
      for (Axis& axis : *list)
        if (!axis.size.empty())
          axis.extent = ir::as_int(known.visit(extent_of(axis))).value_or(axis.extent);
  return kernel;
}

Status verify_sizes(Kernel const& kernel) {
  for (Size const& size : kernel.sizes) TRY(verify_range(kernel, size));
  TRY(verify_names(kernel));
  std::vector<ir::SizeParam> ranges = ranges_of(kernel);
  if (arith::size_value_count(ranges) > arith::kMostSizeValues)
    return invalid(
        fmt::format("the sizes of {} take more than {} values together, and each is "
                    "looked at by itself",
                    kernel.name, arith::kMostSizeValues));
  for (std::vector<int64_t> const& values : arith::all_size_values(ranges))
    if (Status with = verify(with_values(kernel, values)); !with)
      return bad_input(with.error().code, fmt::format("with {}: {}", values_text(kernel, values),
                                                      with.error().message));
  return {};
}

}  // namespace tw::te
