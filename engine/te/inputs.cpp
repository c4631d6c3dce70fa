#include "engine/te/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/support/base/random.h"
#include "engine/tensor/integers.h"

namespace tw::te {
namespace {

constexpr int64_t kMostInteger = 9;

/// What a kernel does with its inputs.
struct Uses {
  std::map<std::string, double> scale;     ///< of inputs that a sum multiplies with
  std::set<std::string> positive;          ///< tensors and inputs under roots, logarithms, divisors
  std::map<std::string, int64_t> largest;  ///< integers that are indices: the last element
};

/// Calls `f` with each load below the expression, those in indices too.
template <typename F>
void for_loads(Expr const& e, F const& f) {
  ir::walk(e, [&](Expr const& child) {
    if (auto const* read = child.as<ir::Load>()) f(*read);
    return true;
  });
}

class Reader {
public:
  explicit Reader(Kernel const& kernel) : kernel_(kernel) {
    for (Buffer const& input : kernel.inputs) inputs_.insert(input->name);
  }

  Uses read() {
    for (Stage const& stage : kernel_.stages) {
      indices(stage.body);
      arguments(stage.body);
      if (stage.combiner == Combiner::kSum) products(stage);
    }
    // What a positive tensor is made of: later stages first, so that it reaches the inputs.
    for (size_t i = kernel_.stages.size(); i-- > 0;)
      if (uses_.positive.contains(kernel_.stages[i].output->name)) mark(kernel_.stages[i].body);
    return std::move(uses_);
  }

private:
  void mark(Expr const& e) {
    for_loads(e, [&](ir::Load const& read) {
      if (is_float(read.type)) uses_.positive.insert(read.buffer->name);
    });
  }

  void arguments(Expr const& body) {
    ir::walk(body, [&](Expr const& e) {
      if (auto const* node = e.as<ir::Unary>();
          node && (node->op == ir::UnaryOp::kSqrt || node->op == ir::UnaryOp::kLog))
        mark(node->a);
      if (auto const* node = e.as<ir::Binary>()) {
        if (node->op == ir::BinaryOp::kDiv || node->op == ir::BinaryOp::kFmod) mark(node->b);
        if (node->op == ir::BinaryOp::kPow) mark(node->a);
      }
      return true;
    });
  }

  /// An integer input that is an index, by itself or inside of a longer index.
  void indices(Expr const& body) {
    for_loads(body, [&](ir::Load const& read) {
      auto shape = ir::constant_shape(*read.buffer);
      for (size_t d = 0; shape && d < read.indices.size(); ++d)
        for_loads(read.indices[d], [&](ir::Load const& index) {
          if (!inputs_.contains(index.buffer->name)) return;
          auto [known, added] = uses_.largest.emplace(index.buffer->name, (*shape)[d] - 1);
          known->second = std::min(known->second, (*shape)[d] - 1);
        });
    });
  }

  /// One input of each product is made small: a parameter, else the one that is read last.
  void products(Stage const& stage) {
    std::string chosen;
    bool parameter = false;
    int floats = 0;
    for_loads(stage.body, [&](ir::Load const& read) {
      if (!is_float(read.type)) return;
      ++floats;
      if (!inputs_.contains(read.buffer->name)) return;
      bool is_parameter = read.buffer->scope == ir::kParameterScope;
      if (parameter && !is_parameter) return;
      chosen = read.buffer->name;
      parameter = is_parameter;
    });
    if (chosen.empty() || floats < 2) return;
    double terms = 1;
    for (Axis const& axis : stage.reduce) terms *= double(axis.extent);
    double places = std::log2(terms) * (has_recurrence() ? 1 : 0.5);
    double scale = std::ldexp(1.0, -int(std::ceil(places)));
    auto [known, added] = uses_.scale.emplace(chosen, scale);
    known->second = std::min(known->second, scale);
  }

  bool has_recurrence() const {
    return std::ranges::any_of(kernel_.stages, [](Stage const& stage) { return stage.ordered(); });
  }

  Kernel const& kernel_;
  std::set<std::string> inputs_;
  Uses uses_;
};

double value_of(ir::BufferNode const& buffer, Uses const& uses, Rng& rng) {
  if (is_float(buffer.type)) {
    double size = double(rng.between(1, 16)) / 16;
    bool negative = rng.below(2) == 1 && !uses.positive.contains(buffer.name);
    auto scale = uses.scale.find(buffer.name);
    return (negative ? -size : size) * (scale == uses.scale.end() ? 1 : scale->second);
  }
  if (buffer.type == DType::kBool) return double(rng.below(2));
  auto index = uses.largest.find(buffer.name);
  int64_t largest = index == uses.largest.end() ? kMostInteger : index->second;
  if (size_of(buffer.type) == 1) largest = std::min<int64_t>(largest, 127);
  return double(rng.below(1 + largest));
}

/// Ends of the type, small numbers, and any bits.
int64_t extreme_integer(DType type, Rng& rng) {
  if (rng.below(3) == 0) return rng.between(-4, 9);
  if (rng.below(2)) return rng.below(2) ? lowest_integer(type) : highest_integer(type);
  return int64_t(rng.next());
}

constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), -0.0, 0.0};

/// Compares floats and sums none up: what is special stays in its place.
bool may_be_special(Kernel const& kernel) {
  bool compares = false, sums = false;
  for (Stage const& stage : kernel.stages) {
    bool extreme = stage.combiner == Combiner::kMax || stage.combiner == Combiner::kMin;
    sums = sums || stage.ordered() || (stage.combiner != Combiner::kNone && !extreme);
    compares = compares || (extreme && is_float(stage.body.type()));
    ir::walk(stage.body, [&](Expr const& e) {
      auto const* node = e.as<ir::Binary>();
      bool orders = node && (ir::is_compare(node->op) || node->op == ir::BinaryOp::kMin ||
                             node->op == ir::BinaryOp::kMax);
      compares = compares || (orders && is_float(node->a.type()));
      return true;
    });
  }
  return compares && !sums;
}

void fill(NDArray& array, ir::BufferNode const& buffer, Uses const& uses, InputSet set,
          bool special, Rng& rng) {
  bool is_index = uses.largest.contains(buffer.name);
  bool positive = uses.positive.contains(buffer.name);
  for (int64_t i = 0; i < array.size(); ++i) {
    if (set == InputSet::kExtreme && is_integer(buffer.type) && !is_index) {
      set_integer(array, i, extreme_integer(buffer.type, rng));
      continue;
    }
    double value = value_of(buffer, uses, rng);
    if (set == InputSet::kOrdinary && is_float(buffer.type)) {
      value *= 0.5 + rng.uniform();  // all digits
      if (special && !positive && rng.below(8) == 0) value = kSpecial[rng.below(5)];
    }
    array.set_value(i, value);
  }
}

}  // namespace

std::string_view words_of(InputSet set) {
  return set == InputSet::kProving   ? "values whose every term shows"
         : set == InputSet::kExtreme ? "signed and extreme integers"
                                     : "floats with all their digits";
}

bool says_more(Kernel const& kernel, InputSet set) {
  if (set == InputSet::kProving) return true;
  Uses uses = Reader(kernel).read();
  return std::ranges::any_of(kernel.inputs, [&](Buffer const& input) {
    return set == InputSet::kExtreme
               ? is_integer(input->type) && !uses.largest.contains(input->name)
               : is_float(input->type);
  });
}

Result<std::vector<NDArray>> proving_inputs(Kernel const& kernel, uint64_t seed, InputSet set) {
  Uses uses = Reader(kernel).read();
  bool special = set == InputSet::kOrdinary && may_be_special(kernel);
  Rng rng(seed);
  std::vector<NDArray> arrays;
  for (Buffer const& buffer : kernel.inputs) {
    auto shape = ir::constant_shape(*buffer);
    if (!shape)
      return bad_input("unknown_size",
                       fmt::format("the tensor {} has no constant shape", buffer->name));
    TRY_ASSIGN(NDArray array, NDArray::create(buffer->type, *shape));
    fill(array, *buffer, uses, set, special, rng);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace tw::te
