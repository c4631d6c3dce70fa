#include <algorithm>
#include <cmath>

#include "engine/graph/shared/recurrent.h"

namespace tw::ops {
namespace {

using ir::Expr;

Expr number_like(double value, Expr const& x) { return immediate(value, x.type()); }
Expr exp_of(Expr x) { return ir::unary(ir::UnaryOp::kExp, std::move(x)); }
Expr positive(Expr const& x) { return number_like(0, x) < x; }

Expr sigmoid(Expr x, double, double) {
  Expr one = number_like(1, x);
  return one / (one + exp_of(ir::unary(ir::UnaryOp::kNeg, x)));
}

Expr softplus(Expr x, double, double) {
  Expr small = exp_of(ir::unary(ir::UnaryOp::kNeg, ir::unary(ir::UnaryOp::kAbs, x)));
  return ir::max(x, number_like(0, x)) + ir::unary(ir::UnaryOp::kLog, number_like(1, x) + small);
}

Activation const kActivations[] = {
    {.name = "sigmoid",
     .value = [](double x, double, double) { return 1 / (1 + std::exp(-x)); },
     .expr = sigmoid},
    {.name = "tanh",
     .value = [](double x, double, double) { return std::tanh(x); },
     .expr = [](Expr x, double, double) { return ir::unary(ir::UnaryOp::kTanh, x); }},
    {.name = "relu",
     .value = [](double x, double, double) { return std::max(x, 0.0); },
     .expr = [](Expr x, double, double) { return ir::max(x, number_like(0, x)); }},
    {.name = "softsign",
     .value = [](double x, double, double) { return x / (1 + std::abs(x)); },
     .expr = [](Expr x, double,
                double) { return x / (number_like(1, x) + ir::unary(ir::UnaryOp::kAbs, x)); }},
    {.name = "softplus",
     .value = [](double x, double,
                 double) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); },
     .expr = softplus},
    {.name = "leaky_relu",
     .parameters = 1,
     .alpha = 0.01,
     .value = [](double x, double alpha, double) { return x < 0 ? alpha * x : x; },
     .expr =
         [](Expr x, double alpha, double) {
           return ir::select(x < number_like(0, x), x * number_like(alpha, x), x);
         }},
    {.name = "thresholded_relu",
     .parameters = 1,
     .alpha = 1,
     .value = [](double x, double alpha, double) { return x > alpha ? x : 0; },
     .expr = [](Expr x, double alpha,
                double) { return ir::select(number_like(alpha, x) < x, x, number_like(0, x)); }},
    {.name = "elu",
     .parameters = 1,
     .alpha = 1,
     .value = [](double x, double alpha, double) { return x > 0 ? x : alpha * std::expm1(x); },
     .expr =
         [](Expr x, double alpha, double) {
           return ir::select(positive(x), x,
                             number_like(alpha, x) * (exp_of(x) - number_like(1, x)));
         }},
    {.name = "affine",
     .parameters = 2,
     .alpha = 1,
     .value = [](double x, double alpha, double beta) { return alpha * x + beta; },
     .expr = [](Expr x, double alpha,
                double beta) { return number_like(alpha, x) * x + number_like(beta, x); }},
    {.name = "scaled_tanh",
     .parameters = 2,
     .alpha = NAN,
     .beta = NAN,
     .value = [](double x, double alpha, double beta) { return alpha * std::tanh(beta * x); },
     .expr =
         [](Expr x, double alpha, double beta) {
           return number_like(alpha, x) * ir::unary(ir::UnaryOp::kTanh, number_like(beta, x) * x);
         }},
    {.name = "hard_sigmoid",
     .parameters = 2,
     .alpha = 0.2,
     .beta = 0.5,
     .value = [](double x, double alpha,
                 double beta) { return std::clamp(alpha * x + beta, 0.0, 1.0); },
     .expr =
         [](Expr x, double alpha, double beta) {
           Expr line = number_like(alpha, x) * x + number_like(beta, x);
           return ir::min(ir::max(line, number_like(0, x)), number_like(1, x));
         }},
};

}  // namespace

std::span<Activation const> activations() { return kActivations; }

Activation const* find_activation(std::string_view name) {
  for (Activation const& one : kActivations)
    if (one.name == name) return &one;
  return nullptr;
}

double Gate::operator()(double x) const {
  return function->value(clip > 0 ? std::clamp(x, -clip, clip) : x, alpha, beta);
}

ir::Expr Gate::operator()(ir::Expr x) const {
  if (clip > 0) x = ir::min(ir::max(x, number_like(-clip, x)), number_like(clip, x));
  return function->expr(x, alpha, beta);
}

std::vector<Gate> gates_of(Attributes const& attributes, int64_t d, CellKind const& kind) {
  std::vector<std::string> names;
  std::string list = text(attributes, "activations");
  for (size_t start = 0; start < list.size();) {
    size_t end = std::min(list.find(' ', start), list.size());
    names.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  std::vector<double> alphas = numbers(attributes, "alphas"), betas = numbers(attributes, "betas");
  std::vector<Gate> gates;
  size_t count = kind.activations.size();
  for (size_t i = 0; i < count; ++i) {
    size_t at = size_t(d) * count + i;
    Activation const* function =
        find_activation(at < names.size() ? names[at] : kind.activations[i]);
    TW_ASSERT(function, "conversion keeps known activations only");
    gates.push_back({function, at < alphas.size() ? alphas[at] : function->alpha,
                     at < betas.size() ? betas[at] : function->beta, number(attributes, "clip")});
  }
  return gates;
}

}  // namespace tw::ops
