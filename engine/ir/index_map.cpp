#include "engine/ir/index_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/ir/expr.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

namespace tw::ir {
namespace {

constexpr size_t kMostDimensions = 16;
constexpr __int128 kMostIndex = int64_t(1) << 50;

struct Range {
  __int128 low = 0, high = 0;
};

std::optional<Range> range_of(Expr const& e, IndexMap const& map,
                              std::vector<int64_t> const& shape);

/// The least 2^n - 1 that is not below a number from zero on.
__int128 ones_above(__int128 value) {
  __int128 ones = 0;
  while (ones < value) ones = ones * 2 + 1;
  return ones;
}

std::optional<Range> by_constant(BinaryOp op, Range const& a, Range const& b) {
  if (b.low != b.high || b.low < 1 || a.low < 0) return std::nullopt;
  if (op == BinaryOp::kFloorDiv) return Range{a.low / b.low, a.high / b.low};
  if (a.low / b.low == a.high / b.low) return Range{a.low % b.low, a.high % b.low};
  return Range{0, std::min(b.low - 1, a.high)};
}

std::optional<Range> product(Range const& a, Range const& b) {
  __int128 ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return Range{*std::ranges::min_element(ends), *std::ranges::max_element(ends)};
}

std::optional<Range> range_of(Binary const& node, IndexMap const& map,
                              std::vector<int64_t> const& shape) {
  auto a = range_of(node.a, map, shape), b = range_of(node.b, map, shape);
  if (!a || !b) return std::nullopt;
  switch (node.op) {
    case BinaryOp::kAdd:
      return Range{a->low + b->low, a->high + b->high};
    case BinaryOp::kSub:
      return Range{a->low - b->high, a->high - b->low};
    case BinaryOp::kMul:
      return product(*a, *b);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
      return by_constant(node.op, *a, *b);
    case BinaryOp::kBitXor:
      if (a->low < 0 || b->low < 0) return std::nullopt;
      return Range{0, ones_above(std::max(a->high, b->high))};
    default:
      return std::nullopt;
  }
}

/// Every part of an index stays small, so that nothing wraps where it is computed.
std::optional<Range> range_of(Expr const& e, IndexMap const& map,
                              std::vector<int64_t> const& shape) {
  std::optional<Range> range;
  if (auto value = as_int(e)) range = Range{*value, *value};
  if (auto const* variable = e.as<Variable>()) {
    auto at = size_t(std::ranges::find(map.from, variable->name) - map.from.begin());
    if (at < shape.size()) range = Range{0, std::max<int64_t>(shape[at], 1) - 1};
  }
  if (auto const* node = e.as<Binary>()) range = range_of(*node, map, shape);
  if (!range || range->low < -kMostIndex || range->high > kMostIndex) return std::nullopt;
  return range;
}

std::unexpected<Error> bad_map(LineReader const& reader, std::string message) {
  return reader.error("bad_map", std::move(message));
}

Status check_parts(LineReader const& reader, Expr const& e) {
  bool good = e.type() == DType::kI64;
  walk(e, [&](Expr const& part) {
    auto const* node = part.as<Binary>();
    good = good && (part.as<IntImm>() || part.as<Variable>() || node);
    if (node) switch (node->op) {
        case BinaryOp::kAdd:
        case BinaryOp::kSub:
        case BinaryOp::kMul:
        case BinaryOp::kFloorDiv:
        case BinaryOp::kFloorMod:
        case BinaryOp::kBitXor:
          break;
        default:
          good = false;
      }
    return good;
  });
  if (good) return {};
  return bad_map(reader, fmt::format("'{}' is not made of its variables and whole numbers by +, -, "
                                     "*, //, % and ^",
                                     to_text(e)));
}

}  // namespace

Result<std::shared_ptr<IndexMap const>> parse_index_map(LineReader& reader) {
  IndexMap map;
  ExprScope scope;
  do {
    auto name = reader.name("the name of an index");
    if (!name) return bad_map(reader, name.error().message);
    if (!scope.variables.emplace(*name, DType::kI64).second)
      return bad_map(reader, fmt::format("'{}' stands for two indices", *name));
    map.from.push_back(std::move(*name));
  } while (reader.accept(","));
  if (!reader.accept("->")) return bad_map(reader, "'->' is expected after the names of indices");
  do {
    auto index = parse_expr(reader, scope);
    if (!index) return bad_map(reader, index.error().message);
    TRY(check_parts(reader, *index));
    map.to.push_back(std::move(*index));
  } while (reader.accept(","));
  if (std::max(map.from.size(), map.to.size()) > kMostDimensions)
    return bad_map(reader, fmt::format("it has more than {} dimensions", kMostDimensions));
  return std::make_shared<IndexMap const>(std::move(map));
}

Result<std::shared_ptr<IndexMap const>> parse_index_map(std::string_view text) {
  TRY_ASSIGN(LineReader reader, LineReader::create(text, "", 0));
  TRY_ASSIGN(auto map, parse_index_map(reader));
  if (!reader.at_end()) return bad_map(reader, fmt::format("unexpected '{}'", reader.peek().text));
  return map;
}

std::string to_text(IndexMap const& map) {
  std::string text;
  for (size_t i = 0; i < map.from.size(); ++i) text += (i ? ", " : "") + map.from[i];
  for (size_t i = 0; i < map.to.size(); ++i) text += (i ? ", " : " -> ") + to_text(map.to[i]);
  return text;
}

bool equal(IndexMap const& a, IndexMap const& b) {
  return a.from == b.from &&
         std::ranges::equal(a.to, b.to, [](Expr const& x, Expr const& y) { return equal(x, y); });
}

std::vector<Expr> mapped_indices(IndexMap const& map, std::vector<Expr> const& indices) {
  Substitution by;
  for (size_t d = 0; d < indices.size(); ++d) by[map.from[d]] = indices[d];
  std::vector<Expr> mapped;
  for (Expr const& index : map.to) mapped.push_back(substitute(index, by));
  return mapped;
}

std::optional<std::vector<int64_t>> mapped_shape(IndexMap const& map,
                                                 std::vector<int64_t> const& shape) {
  if (map.from.size() != shape.size()) return std::nullopt;
  std::vector<int64_t> mapped;
  for (Expr const& index : map.to) {
    auto range = range_of(index, map, shape);
    if (!range || range->low < 0) return std::nullopt;
    mapped.push_back(int64_t(range->high) + 1);
  }
  return mapped;
}

}  // namespace tw::ir
