#include "engine/session/model/further_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/session/model/kernel_reference.h"
#include "engine/tensor/nearest.h"

namespace tw::session {
namespace {

/// Of the largest finite element: what is near zero by cancellation would count for more than it
/// is.
double units_apart(std::vector<NDArray> const& a, std::vector<NDArray> const& b) {
  double most = 0;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (!is_float(a[i].type())) continue;
    Comparison apart = compare(a[i], b[i]);
    if (!std::isfinite(apart.max_abs_diff) || apart.max_abs_ref == 0) continue;
    double largest = nearest(a[i].type(), apart.max_abs_ref);
    int digits = a[i].type() == DType::kF64   ? 52
                 : a[i].type() == DType::kF32 ? 23
                 : a[i].type() == DType::kF16 ? 10
                                              : 7;
    most = std::max(most, apart.max_abs_diff / std::ldexp(1.0, std::ilogb(largest) - digits));
  }
  return most;
}

/// What proves something, with what is given in its place.
Result<std::vector<NDArray>> with_given(te::Kernel const& defined,
                                        std::map<std::string, NDArray> const& given) {
  TRY_ASSIGN(std::vector<NDArray> inputs, te::proving_inputs(defined, 1, te::InputSet::kProving));
  for (auto const& [name, array] : given) {
    auto buffer = std::ranges::find_if(defined.inputs,
                                       [&](ir::Buffer const& one) { return one->name == name; });
    if (buffer == defined.inputs.end())
      return bad_input("unknown_input",
                       fmt::format("the kernel {} has no input '{}'", defined.name, name));
    NDArray& input = inputs[size_t(buffer - defined.inputs.begin())];
    if (array.type() != input.type() || array.shape() != input.shape())
      return bad_input("wrong_input",
                       fmt::format("{} is {} {}, and not {} {}", name, tw::to_text(input.type()),
                                   tw::to_text(input.shape()), tw::to_text(array.type()),
                                   tw::to_text(array.shape())));
    input = array;
  }
  return inputs;
}

}  // namespace

JudgedInputs const* FurtherVerdict::wrong() const {
  auto found =
      std::ranges::find_if(judged, [](JudgedInputs const& one) { return !one.comparison.equal; });
  return found == judged.end() ? nullptr : &*found;
}

Result<FurtherInputs> FurtherInputs::create(JudgedKernel const& of, ir::Program const& plain) {
  FurtherInputs inputs;
  te::Kernel const& defined = of.model.kernel(of.kernel).kernel;
  StopToken stop = of.options.call.stop;
  for (te::InputSet kind : {te::InputSet::kExtreme, te::InputSet::kOrdinary}) {
    if (!te::says_more(defined, kind)) continue;
    TRY_ASSIGN(KernelReference reference, kernel_reference(of.model, of.kernel, of.backend,
                                                           of.device, stop, of.progress, kind));
    Set set{kind,
            std::make_unique<KernelBench>(of.device, plain, std::move(reference.inputs)),
            std::move(reference.expected),
            {}};
    // A target may refuse the plain nest.
    auto as_written = kind == te::InputSet::kOrdinary
                          ? compile_kernel(plain, of.backend, CodeTier::kFull, stop)
                          : refused("not_asked", "");
    if (as_written) {
      TRY_ASSIGN(set.as_written, set.bench->run(*as_written, of.options));
    }
    inputs.sets_.push_back(std::move(set));
  }
  return inputs;
}

Result<FurtherVerdict> FurtherInputs::judge(KernelCode const& code, BenchOptions const& options) {
  FurtherVerdict verdict;
  for (Set& set : sets_) {
    TRY_ASSIGN(std::vector<NDArray> outputs, set.bench->run(code, options));
    verdict.judged.push_back(
        {std::string(te::words_of(set.kind)), te::judge(outputs, set.expected)});
    if (!set.as_written.empty()) verdict.rounding_units = units_apart(outputs, set.as_written);
  }
  return verdict;
}

Status verify_further(te::Kernel const& kernel) {
  constexpr double kMostIterations = 5e8;
  if (double(size_of(kernel).iterations) <= kMostIterations) return {};
  return refused("kernel_too_long",
                 fmt::format("{} runs for too long to be judged on further inputs", kernel.name));
}

Result<JudgedInputs> judge_given(JudgedKernel const& of,
                                 std::map<std::string, NDArray> const& given,
                                 ir::Program const& plain, KernelCode const& code) {
  TRY_ASSIGN(std::vector<NDArray> inputs, with_given(of.model.kernel(of.kernel).kernel, given));
  TRY_ASSIGN(KernelReference reference,
             reference_on(std::move(inputs), of.model, of.kernel, of.backend, of.device,
                          of.options.call.stop, of.progress));
  KernelBench bench(of.device, plain, std::move(reference.inputs));
  TRY_ASSIGN(std::vector<NDArray> outputs, bench.run(code, of.options));
  std::string names;
  for (auto const& [name, array] : given) names += (names.empty() ? "" : ", ") + name;
  return JudgedInputs{"the given " + names, te::judge(outputs, reference.expected)};
}

History with_further_inputs(History const& history, int node, TriedOn const& where,
                            Result<FurtherVerdict> const& verdict) {
  Trial const& known = history.node(node).on(where);
  std::string words = known.correctness_text;
  auto say = [&](std::string const& more) { words += (words.empty() ? "" : "; ") + more; };
  JudgedInputs const* wrong = verdict ? verdict->wrong() : nullptr;
  if (wrong)
    return history.with_correctness(
        node, where, Correctness::kWrong,
        fmt::format("on {} the largest difference is {:.2g}, and the largest value {:.3g}",
                    wrong->of, wrong->comparison.max_abs_diff, wrong->comparison.max_abs_ref));
  if (!verdict) say(to_sentence(verdict.error()));
  if (verdict)
    for (JudgedInputs const& one : verdict->judged) say("correct on " + one.of);
  if (verdict && verdict->rounding_units) say(rounding_words(*verdict->rounding_units));
  return history.with_correctness(node, where, known.correctness, words);
}

std::string rounding_words(double units) {
  if (units == 0) return "rounded as the unscheduled nest rounds";
  return fmt::format(
      "rounded differently from the unscheduled nest: up to {:.2g} units in the last place of the "
      "largest element",
      units);
}

}  // namespace tw::session
