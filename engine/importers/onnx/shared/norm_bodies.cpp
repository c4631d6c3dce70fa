#include "engine/importers/onnx/shared/norm_bodies.h"

#include <fmt/format.h>

#include <numeric>

#include "engine/graph/shared/elements.h"

namespace tw::rules {

std::string wide_line(ForeignContext const& context) {
  return fmt::format("wide = Cast<to={}>(x)\n", context.types[0] == DType::kF64 ? 11 : 1);
}

Status expect_rank(ForeignContext const& context) {
  if (context.ranks.empty() || context.ranks[0] < 0)
    return unsupported("the number of dimensions is not known");
  return {};
}

Status expect_plain_stash(ForeignContext const& context) {
  if (foreign_integer(context.node, "stash_type", 1) != 1)
    return unsupported("a mean kept in another type than f32");
  return {};
}

Result<std::string> last_axes_line(ForeignContext const& context) {
  int64_t rank = context.ranks[0];
  TRY_ASSIGN(int64_t axis,
             ops::normal_axis(foreign_integer(context.node, "axis", -1), size_t(rank)));
  std::vector<int64_t> axes(size_t(rank - axis));
  std::iota(axes.begin(), axes.end(), axis);
  return fmt::format("axes = Constant<value_ints=[{}]>()\n", fmt::join(axes, ", "));
}

std::string variance_lines(std::string const& of) {
  return fmt::format(R"(mean = ReduceMean({0}, axes)
                        rest = Sub({0}, mean)
                        square = Mul(rest, rest)
                        variance = ReduceMean(square, axes)
)",
                     of);
}

std::string root_lines(ForeignContext const& context, std::string const& of) {
  return fmt::format(R"(number = Constant<value_float={0:.17e}>()
                        epsilon = CastLike(number, {1})
                        sum = Add({1}, epsilon)
                        root = Sqrt(sum)
)",
                     foreign_number(context.node, "epsilon", 1e-5), of);
}

}  // namespace tw::rules
