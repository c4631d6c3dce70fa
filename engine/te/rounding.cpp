#include "engine/te/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/te/approximate.h"

namespace tw::te {
namespace {

/// The largest power of two that divides the value.
double lowest_bit(double value) {
  int exponent = 0;
  double fraction = std::frexp(std::fabs(value), &exponent);
  auto bits = uint64_t(std::ldexp(fraction, 53));
  return std::ldexp(1.0, exponent - 53 + __builtin_ctzll(bits));
}

/// Makes the stages of the analysis one after the other.
class Analyzer {
public:
  Analyzer(Kernel const& kernel, std::span<NDArray const> inputs) : kernel_(kernel) {
    result_.kernel.name = kernel.name + "_rounding";
    result_.kernel.inputs = kernel.inputs;
    for (size_t i = 0; i < kernel.inputs.size(); ++i) {
      known_[kernel.inputs[i]->name] = {kernel.inputs[i], nullptr, grid_of(inputs[i])};
      names_.insert(kernel.inputs[i]->name);
    }
    for (Stage const& stage : kernel.stages) names_.insert(stage.output->name);
  }

  RoundingAnalysis run() {
    for (size_t i = 0; i < kernel_.stages.size();) {
      size_t end = end_of_scan(kernel_, i);
      if (kernel_.stages[i].ordered()) declare_recurrence(i, end);
      for (; i < end; ++i) stage(kernel_.stages[i]);
    }
    for (Buffer const& output : kernel_.outputs) {
      KnownTensor const& known = known_.at(output->name);
      result_.kernel.outputs.push_back(known.value);
      result_.bounded.push_back(known.error != nullptr);
      if (known.error) result_.kernel.outputs.push_back(known.error);
    }
    return std::move(result_);
  }

private:
  static DType value_type(DType type) { return is_float(type) ? DType::kF64 : type; }

  static Buffer buffer_of(std::string name, DType type, Stage const& stage) {
    std::vector<int64_t> shape;
    for (Axis const& axis : stage.axes) shape.push_back(axis.extent);
    return ir::make_buffer(std::move(name), type, shape);
  }

  Buffer error_buffer(Stage const& stage) {
    std::string name = stage.output->name + "_error";
    while (!names_.insert(name).second) name += "_";
    return buffer_of(name, DType::kF64, stage);
  }

  /// The stages of a recurrence read one another: all are known before the first is made. Floats
  /// of a recurrence are never exact: their values need more places at each step. Its integers are
  /// what their type holds.
  void declare_recurrence(size_t first, size_t end) {
    bool inexact = false, large = false;
    for (size_t i = first; i < end; ++i) {
      Stage const& stage = kernel_.stages[i];
      large = large || reads_large(stage);
      inexact = inexact || is_float(stage.output->type);
      ir::walk(stage.body, [&](Expr const& e) {
        auto const* read = e.as<ir::Load>();
        auto found = read ? known_.find(read->buffer->name) : known_.end();
        inexact =
            inexact || (found != known_.end() && (found->second.error || found->second.overflows));
        return true;
      });
    }
    for (size_t i = first; i < end; ++i) {
      Stage const& stage = kernel_.stages[i];
      DType type = stage.output->type;
      known_[stage.output->name] = {
          buffer_of(stage.output->name, value_type(stage.output->type), stage),
          inexact ? error_buffer(stage) : nullptr,
          wrapped(type, {large ? kVeryLarge : std::numeric_limits<double>::infinity(), 0}),
          type == DType::kF16 || (large && is_float(type) && type != DType::kF64)};
    }
  }

  /// Whether it computes with what may be large already, as integers over their whole range are:
  /// then its floats may become infinite. Of others nothing is known, nor said.
  bool reads_large(Stage const& stage) const {
    bool large = false;
    ir::walk(stage.body, [&](Expr const& e) {
      auto const* read = e.as<ir::Load>();
      auto found = read ? known_.find(read->buffer->name) : known_.end();
      large = large || (found != known_.end() && is_large(found->second.grid.most));
      return !read;  // how large an index is does not matter
    });
    return large;
  }

  void stage(Stage const& stage) {
    Approximator approximator(known_, stage);
    Approximation body = approximator.of(stage.body);
    Stage value = stage;
    value.body = body.value;
    bool declared = stage.ordered();
    KnownTensor made =
        declared ? known_.at(stage.output->name)
                 : KnownTensor{buffer_of(stage.output->name, value_type(stage.output->type), stage),
                               nullptr, body.grid};
    value.output = made.value;
    result_.kernel.stages.push_back(value);
    std::vector<Stage> errors = errors_of(stage, body, made);
    if (made.error && errors.empty()) {  // declared, and needed by the others of the recurrence
      Stage none = stage;
      none.combiner = Combiner::kNone;
      none.reduce.clear();
      none.body = ir::float_imm(0, DType::kF64);
      errors.push_back(none);
    }
    if (!errors.empty() && !made.error) made.error = error_buffer(stage);
    std::vector<Expr> before;  // elements of the stages of the error so far
    for (Stage& error : errors) {
      bool last = &error == &errors.back();
      error.output = last ? made.error : error_buffer(stage);
      if (error.scan == Scan::kBegins) error.scan = Scan::kJoins;
      if (last && errors.size() > 1) error.body = combined(stage, before, made);
      before.push_back(ir::load(error.output, vars(error.axes)));
      result_.kernel.stages.push_back(error);
    }
    if (made.error) made.grid.step = 0;
    made.overflows = made.overflows || may_overflow(stage.output->type, made.grid);
    known_[stage.output->name] = made;
  }

  /// Stages of the error; empty: exact. `made.grid` becomes that of the result. Where there are
  /// several, the last one's body is still to be made, of the ones before it.
  std::vector<Stage> errors_of(Stage const& stage, Approximation const& body, KnownTensor& made) {
    Stage error = stage;
    Expr before = sum(body.error, overflow(body.peak));
    error.body = before;
    if (stage.combiner == Combiner::kNone || stage.combiner == Combiner::kMax ||
        stage.combiner == Combiner::kMin) {
      error.combiner = stage.combiner == Combiner::kNone ? Combiner::kNone : Combiner::kMax;
      return before ? std::vector{error} : std::vector<Stage>{};
    }
    double terms = 1;
    for (Axis const& axis : stage.reduce) terms *= double(axis.extent);
    DType type = stage.output->type;
    bool sums = stage.combiner == Combiner::kSum;
    made.grid.most = sums ? body.grid.most * terms : std::pow(body.grid.most, terms);
    made.grid.step = sums ? body.grid.step : std::pow(body.grid.step, terms);
    made.grid = wrapped(type, made.grid);
    bool rounds = is_float(type) && !fits(type, made.grid);
    if (!rounds && !before) return {};
    if (rounds) made.grid.most *= 1 + 4 * terms * unit(type);
    if (!before) before = double_imm(0);
    Expr magnitude = ir::unary(ir::UnaryOp::kAbs, as_double(body.value));
    std::vector<Stage> stages{error};
    stages[0].body =
        sums ? error_of_sum(type, rounds ? magnitude : nullptr, before, terms)
             // |product of (x + e)| - |product of x|, each factor with its rounding.
             : magnitude * double_imm(1 + 2 * unit(type)) + before + double_imm(least(type));
    if (may_overflow(type, made.grid)) {
      error.body = magnitude + before * double_imm(2);
      if (!sums) error.body = ir::max(error.body, double_imm(1));
      stages.push_back(error);
    } else if (sums) {
      return stages;
    }
    error.combiner = Combiner::kNone;
    error.reduce.clear();
    stages.push_back(error);
    return stages;
  }

  static Expr error_of_sum(DType type, Expr const& magnitude, Expr const& before, double terms) {
    if (!magnitude) return before;
    double roundings = std::min(terms, 4 * std::sqrt(terms));
    return before + magnitude * double_imm(roundings * unit(type)) + double_imm(least(type));
  }

  /// The error of a sum or a product of the stages before: the errors added or the product of the
  /// larger factors, then, where the type may be too narrow, the largest that a part of it can be.
  /// A part that overflows leaves nothing known of the whole, except where all terms that could
  /// have one sign: then the whole overflows, too.
  static Expr combined(Stage const& stage, std::vector<Expr> const& before,
                       KnownTensor const& made) {
    Expr whole = ir::unary(ir::UnaryOp::kAbs, as_double(ir::load(made.value, vars(stage.axes))));
    bool sums = stage.combiner == Combiner::kSum;
    Expr error = sums ? before[0] : before[0] - whole;
    if (before.size() < 2) return error;
    Expr unknown = overflow(share_of(stage.output->type, before[1]));
    if (sums) {
      Expr one_sign = before[1] <= whole * double_imm(1 + 1e-9) + before[0] * double_imm(2);
      // What is small beside the whole may still be infinite, and make it no number.
      Expr against = overflow(share_of(stage.output->type, before[1] - whole)) <= double_imm(0);
      unknown = ir::select(one_sign && against, double_imm(0), unknown);
    }
    return error + unknown;
  }

  Kernel const& kernel_;
  KnownTensors known_;
  std::set<std::string> names_;
  RoundingAnalysis result_;
};

}  // namespace

Grid grid_of(NDArray const& values) {
  Grid grid{0, std::numeric_limits<double>::infinity()};
  for (int64_t i = 0; i < values.size(); ++i) {
    double value = values.value_at(i);
    if (!std::isfinite(value)) return {std::numeric_limits<double>::infinity(), 0};
    if (value == 0) continue;
    grid.most = std::max(grid.most, std::fabs(value));
    grid.step = std::min(grid.step, lowest_bit(value));
  }
  if (std::isinf(grid.step)) grid.step = 1;  // zeros alone
  return grid;
}

bool RoundingAnalysis::all_exact() const {
  return std::find(bounded.begin(), bounded.end(), true) == bounded.end();
}

RoundingAnalysis analyze_rounding(Kernel const& kernel, std::span<NDArray const> inputs) {
  return Analyzer(kernel, inputs).run();
}

}  // namespace tw::te
