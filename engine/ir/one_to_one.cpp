#include "engine/ir/one_to_one.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

#include "engine/ir/expr.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/index_map.h"

namespace tw::ir {
namespace {

constexpr int kMostBits = 62;
constexpr int64_t kMostTried = 1 << 16;
/// In a mask: the bit is turned round.
constexpr uint64_t kOne = uint64_t(1) << 63;

/// A number whose bits are sums, modulo 2, of bits of the indices: by place a mask of those.
using Bits = std::vector<uint64_t>;

uint64_t at(Bits const& bits, size_t place) { return place < bits.size() ? bits[place] : 0; }

Bits joined(Bits const& a, Bits const& b) {
  Bits both(std::max(a.size(), b.size()));
  for (size_t i = 0; i < both.size(); ++i) both[i] = at(a, i) ^ at(b, i);
  return both;
}

/// Where no two bits stand at one place a sum carries nothing.
std::optional<Bits> sum_of(Bits const& a, Bits const& b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0 && at(b, i) != 0) return std::nullopt;
  return joined(a, b);
}

/// All indices' bits, those of the first one lowest.
class BitMatrix {
public:
  BitMatrix(IndexMap const& map, std::vector<int64_t> const& shape) : map_(map) {
    for (int64_t extent : shape) {
      first_.push_back(bits_);
      bits_ += std::bit_width(uint64_t(std::max<int64_t>(extent, 1) - 1));
    }
    first_.push_back(bits_);
  }

  /// Of each bit in memory; nothing: the map does something else with them.
  std::optional<Bits> rows() const {
    if (bits_ > kMostBits) return std::nullopt;
    Bits all;
    for (Expr const& index : map_.to) {
      auto bits = of(index);
      if (!bits) return std::nullopt;
      all.insert(all.end(), bits->begin(), bits->end());
    }
    for (uint64_t& row : all) row &= ~kOne;
    return all;
  }

  int bits() const { return bits_; }

  std::vector<int64_t> element(uint64_t bits) const {
    std::vector<int64_t> indices;
    for (size_t d = 0; d + 1 < first_.size(); ++d)
      indices.push_back(int64_t(bits >> first_[d]) &
                        ((int64_t(1) << (first_[d + 1] - first_[d])) - 1));
    return indices;
  }

private:
  std::optional<Bits> of(Expr const& e) const {
    Bits bits;
    if (auto const* variable = e.as<Variable>()) {
      auto d = size_t(std::ranges::find(map_.from, variable->name) - map_.from.begin());
      for (int i = first_[d]; i < first_[d + 1]; ++i) bits.push_back(uint64_t(1) << i);
      return bits;
    }
    if (auto value = as_int(e)) {
      if (*value < 0) return std::nullopt;
      for (uint64_t rest = uint64_t(*value); rest != 0; rest >>= 1)
        bits.push_back(rest & 1 ? kOne : 0);
      return bits;
    }
    auto const* node = e.as<Binary>();
    if (!node) return std::nullopt;
    if (node->op == BinaryOp::kAdd || node->op == BinaryOp::kBitXor) {
      auto a = of(node->a), b = of(node->b);
      if (!a || !b) return std::nullopt;
      return node->op == BinaryOp::kAdd ? sum_of(*a, *b) : joined(*a, *b);
    }
    bool swapped = node->op == BinaryOp::kMul && as_int(node->a);
    auto by = as_int(swapped ? node->a : node->b);
    auto bits_of_one = of(swapped ? node->b : node->a);
    if (!by || *by < 1 || !std::has_single_bit(uint64_t(*by)) || !bits_of_one) return std::nullopt;
    return moved(node->op, std::move(*bits_of_one), size_t(std::countr_zero(uint64_t(*by))));
  }

  static std::optional<Bits> moved(BinaryOp op, Bits bits, size_t places) {
    if (op == BinaryOp::kMul)
      bits.insert(bits.begin(), places, 0);
    else if (op == BinaryOp::kFloorDiv)
      bits.erase(bits.begin(), bits.begin() + int64_t(std::min(places, bits.size())));
    else if (op == BinaryOp::kFloorMod)
      bits.resize(std::min(places, bits.size()));
    else
      return std::nullopt;
    return bits;
  }

  IndexMap const& map_;
  std::vector<int> first_;  // bit of each index
  int bits_ = 0;
};

/// Bits of an element other than the first one that changes nothing in memory; 0: there is none.
uint64_t lost_bits(Bits rows, int bits) {
  std::vector<std::pair<int, uint64_t>> reduced;  // the column that a row alone has, the row
  for (uint64_t row : rows) {
    for (auto const& [column, by] : reduced)
      if (row >> column & 1) row ^= by;
    if (row == 0) continue;
    int column = std::countr_zero(row);
    for (auto& [other, by] : reduced)
      if (by >> column & 1) by ^= row;
    reduced.emplace_back(column, row);
  }
  if (int(reduced.size()) == bits) return 0;
  uint64_t taken = 0;
  for (auto const& [column, row] : reduced) taken |= uint64_t(1) << column;
  int free = std::countr_one(taken);
  uint64_t lost = uint64_t(1) << free;
  for (auto const& [column, row] : reduced)
    if (row >> free & 1) lost |= uint64_t(1) << column;
  return lost;
}

std::unexpected<Error> share_a_place(std::vector<int64_t> const& a, std::vector<int64_t> const& b) {
  return bad_input("not_one_to_one", fmt::format("elements [{}] and [{}] would lie in one place",
                                                 fmt::join(a, ", "), fmt::join(b, ", ")));
}

int64_t product_of(std::vector<int64_t> const& shape) {
  double all = 1;
  for (int64_t extent : shape) all *= double(extent);
  return int64_t(std::min(all, 0x1p62));
}

Status try_all(IndexMap const& map, std::vector<int64_t> const& shape,
               std::vector<int64_t> const& in_memory) {
  ExprEvaluator evaluator;
  std::vector<int> slots;
  for (std::string const& name : map.from) slots.push_back(evaluator.slot(name));
  std::vector<Compiled> indices;
  for (Expr const& index : map.to) indices.push_back(evaluator.compile(index));
  std::unordered_map<int64_t, int64_t> taken;
  auto element = [&](int64_t number) {
    std::vector<int64_t> values(shape.size());
    for (size_t d = shape.size(); d-- > 0; number /= shape[d]) values[d] = number % shape[d];
    return values;
  };
  for (int64_t number = 0; number < product_of(shape); ++number) {
    std::vector<int64_t> values = element(number);
    for (size_t d = 0; d < values.size(); ++d) evaluator.set(slots[d], values[d]);
    int64_t place = 0;
    for (size_t d = 0; d < indices.size(); ++d)
      place = place * in_memory[d] + evaluator.integer(indices[d], 0);
    auto [before, is_new] = taken.emplace(place, number);
    if (!is_new) return share_a_place(element(before->second), values);
  }
  return {};
}

}  // namespace

Status check_one_to_one(IndexMap const& map, std::vector<int64_t> const& shape) {
  auto in_memory = mapped_shape(map, shape);
  if (!in_memory)
    return bad_input("bad_map", map.from.size() != shape.size()
                                    ? fmt::format("it has {} indices, and the tensor {} dimensions",
                                                  map.from.size(), shape.size())
                                    : "one of its indices may be negative or too large, or divides "
                                      "by what may not be above zero");
  BitMatrix matrix(map, shape);
  bool full = std::ranges::all_of(
      shape, [](int64_t extent) { return extent > 0 && std::has_single_bit(uint64_t(extent)); });
  if (auto rows = matrix.rows()) {
    // What holds for all numbers of as many bits holds for the indices among them.
    uint64_t lost = lost_bits(*rows, matrix.bits());
    if (lost == 0) return {};
    if (full) return share_a_place(matrix.element(0), matrix.element(lost));
  }
  if (product_of(shape) <= kMostTried && product_of(*in_memory) < int64_t(1) << 50)
    return try_all(map, shape, *in_memory);
  return bad_input(
      "map_undecided",
      fmt::format("the tensor has more than {} elements, which is too many to try, and "
                  "the map does not only move bits (by powers of two) and join them "
                  "by ^",
                  kMostTried));
}

}  // namespace tw::ir
