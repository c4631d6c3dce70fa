/// A schedule judged on further inputs than the first ones, and how its roundings differ.
#pragma once

#include <memory>

#include "engine/history/history.h"
#include "engine/measure/kernel_bench.h"
#include "engine/session/model/loaded_model.h"
#include "engine/te/expected.h"
#include "engine/te/inputs.h"

namespace tw::session {

/// Whose kernel, and where it runs.
struct JudgedKernel {
  LoadedModel const& model;
  int kernel = 0;
  Backend const& backend;
  Device& device;
  BenchOptions const& options;
  Progress const& progress;
};

struct FurtherVerdict {
  std::vector<JudgedInputs> judged;
  /// From the plain nest, in units of the last place of the largest element; empty: not compared.
  std::optional<double> rounding_units;
  /// The first that is wrong; null: none.
  JudgedInputs const* wrong() const;
};

/// What a wrong schedule may hide on the first inputs: signs, widths, NaN. Made once for a kernel.
class FurtherInputs {
public:
  /// Runs the plain nest for each set of inputs. Errors: those of `kernel_reference`, of compiling
  /// and running.
  static Result<FurtherInputs> create(JudgedKernel const& of, ir::Program const& plain);
  Result<FurtherVerdict> judge(KernelCode const& code, BenchOptions const& options);

private:
  struct Set {
    te::InputSet kind;
    std::unique_ptr<KernelBench> bench;
    te::Expected expected;
    std::vector<NDArray> as_written;  ///< by the plain nest; empty: not asked
  };
  std::vector<Set> sets_;
};

/// Error kernel_too_long: its plain nest would run for long, once more for each set of inputs.
Status verify_further(te::Kernel const& kernel);

/// On inputs that a person gave, by name; the others prove something. Errors: unknown_input,
/// wrong_input, and those of `FurtherInputs`.
Result<JudgedInputs> judge_given(JudgedKernel const& of,
                                 std::map<std::string, NDArray> const& given,
                                 ir::Program const& plain, KernelCode const& code);

/// The node's verdict there after it: wrong on which inputs, or right with what was seen.
History with_further_inputs(History const& history, int node, TriedOn const& where,
                            Result<FurtherVerdict> const& verdict);

/// "rounded otherwise than the plain nest: up to 2 units in the last place of the largest element".
std::string rounding_words(double units);

}  // namespace tw::session
