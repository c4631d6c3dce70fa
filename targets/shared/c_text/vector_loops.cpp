#include "targets/shared/c_text/vector_loops.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <vector>

#include "engine/arith/places.h"
#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw::c_text {

using namespace ir;

namespace {

constexpr std::string_view kLanes = "xyzw";
constexpr std::array<int, 2> kWidths{4, 2};

/// Loads that the expression does in any case, not only where a condition holds.
void add_certain_loads(Expr const& e, std::vector<Expr>& loads) {
  walk(e, [&](Expr const& part) {
    if (part.as<Load>()) loads.push_back(part);
    auto const* choice = part.as<Select>();
    auto const* node = part.as<Binary>();
    bool lazy = node && (node->op == BinaryOp::kAnd || node->op == BinaryOp::kOr);
    if (choice) add_certain_loads(choice->condition, loads);
    if (lazy) add_certain_loads(node->a, loads);
    return !choice && !lazy;
  });
}

/// Where a vector of a tensor begins, at the loop's first iteration.
struct Wide {
  Buffer tensor;
  Expr index;
};

class VectorLoop {
public:
  VectorLoop(Statements& statements, Expressions& expressions, For const& loop, Store const& store,
             int width)
      : statements_(statements),
        expressions_(expressions),
        loop_(loop),
        store_(store),
        width_(width) {
    stored_ = wide(store.buffer, store.indices[0]);
    std::vector<Expr> loads;
    add_certain_loads(store.value, loads);
    for (Expr const& one : loads) {
      auto const& load = one.to<Load>();
      if (auto found = wide(load.buffer, load.indices[0])) loads_.push_back(*found);
    }
  }

  bool has_vectors() const { return stored_ || !loads_.empty(); }

  void print(int64_t extent) {
    statements_.open("");
    for (int64_t first = 0; first < extent; first += width_) {
      bool several = extent > width_;
      if (several) statements_.open("");
      group(first);
      if (several) statements_.close();
    }
    statements_.close();
  }

private:
  /// Nothing: its elements are not side by side, or no vector may stand there.
  std::optional<Wide> wide(Buffer const& tensor, Expr const& index) const {
    Vectors const& vectors = expressions_.dialect().vectors;
    if (tensor->scope == kStackScope || vectors.type(tensor->type, width_).empty()) return {};
    int64_t of_first =
        tensor->scope == kSharedScope ? vectors.shared_alignment : vectors.tensor_alignment;
    auto begin = arith::vector_begin(index, loop_.name(), size_of(tensor->type), width_,
                                     vectors.are_aligned ? of_first : 0);
    if (!begin) return {};
    return Wide{tensor, *begin};
  }

  Expr at(Expr const& e, int64_t iteration) const {
    return arith::simplify(substitute(e, {{loop_.name(), int_imm(iteration)}}),
                           expressions_.ranges());
  }
  std::string place(Wide const& one, int64_t first) const {
    Expr index = arith::simplify(one.index + int_imm(first), expressions_.ranges());
    return expressions_.element(one.tensor, index);
  }

  bool is_copy() const { return stored_ && !loads_.empty() && store_.value.as<Load>(); }

  void group(int64_t first) {
    Vectors const& vectors = expressions_.dialect().vectors;
    if (is_copy())
      return statements_.line(
          vectors.store(*store_.buffer, width_, place(*stored_, first),
                        vectors.load(*loads_[0].tensor, width_, place(loads_[0], first))) +
          ";");
    std::map<std::string, std::string> known;
    for (Wide const& one : loads_) {
      if (known.contains(place(one, first))) continue;
      std::string name =
          expressions_.variable_name(fmt::format("wide:{}", known.size() / size_t(width_)));
      statements_.line(fmt::format("{} const {} = {};", vectors.type(one.tensor->type, width_),
                                   name, vectors.load(*one.tensor, width_, place(one, first))));
      for (int lane = 0; lane < width_; ++lane)
        known[place(one, first + lane)] = fmt::format("{}.{}", name, kLanes[size_t(lane)]);
    }
    expressions_.replace_elements(known);
    stores(first);
    expressions_.replace_elements({});
  }

  void stores(int64_t first) {
    Vectors const& vectors = expressions_.dialect().vectors;
    std::string result = expressions_.variable_name("wide:result");
    if (stored_)
      statements_.line(fmt::format("{} {};", vectors.type(store_.buffer->type, width_), result));
    for (int lane = 0; lane < width_; ++lane) {
      std::string value = expressions_.stored(at(store_.value, first + lane));
      std::string target =
          stored_ ? fmt::format("{}.{}", result, kLanes[size_t(lane)])
                  : expressions_.element(store_.buffer, at(store_.indices[0], first + lane));
      statements_.line(fmt::format("{} = {};", target, value));
    }
    if (stored_)
      statements_.line(
          vectors.store(*store_.buffer, width_, place_without_vectors(*stored_, first), result) +
          ";");
  }

  /// What is stored is no element that was read.
  std::string place_without_vectors(Wide const& one, int64_t first) {
    expressions_.replace_elements({});
    return place(one, first);
  }

  Statements& statements_;
  Expressions& expressions_;
  For const& loop_;
  Store const& store_;
  int width_;
  std::optional<Wide> stored_;
  std::vector<Wide> loads_;
};

}  // namespace

bool print_vector_loop(Statements& statements, Expressions& expressions, For const& loop) {
  auto extent = as_int(loop.extent);
  auto const* store = loop.body.as<Store>();
  if (loop.loop_kind != LoopKind::kVector || !expressions.dialect().vectors.type || !extent ||
      !store || store->value.lanes() > 1)
    return false;
  for (int width : kWidths) {
    if (*extent % width != 0) continue;
    VectorLoop made(statements, expressions, loop, *store, width);
    if (!made.has_vectors()) continue;
    made.print(*extent);
    return true;
  }
  return false;
}

}  // namespace tw::c_text
