#include "engine/session/model/checked_run.h"

#include <fmt/format.h>

#include "engine/ir/terms.h"
#include "engine/schedule/rewriting/expand_calls.h"

namespace tw::session {

Result<CheckedRun> run_checked(ir::Program const& program, int64_t operations, int64_t most,
                               Backend const& backend, KernelBench& bench,
                               BenchOptions const& options) {
  if (operations > most)
    return CheckedRun{false, fmt::format("not run with checks: {:.1f} GFLOP would take too long",
                                         double(operations) * 1e-9)};
  TRY_ASSIGN(KernelCode code,
             compile_kernel(program, backend, CodeTier::kChecked, options.call.stop));
  TRY_ASSIGN(std::string wrong, bench.run_checked(code, options));
  // Accesses are right where a sum takes a term twice. Code has no terms any more: the program has.
  if (wrong.empty() && ir::block_runs(program) <= kMostCountedRuns) {
    Status terms =
        ir::verify_terms(with_calls_expanded(program), bench.inputs(), options.call.stop);
    if (!terms && terms.error().code == "cancelled") return std::unexpected(terms.error());
    if (!terms) wrong = terms.error().message;
  }
  return CheckedRun{true, std::move(wrong)};
}

History with_checked_run(History const& history, int node, TriedOn const& where,
                         Result<CheckedRun> const& run) {
  if (run && run->is_wrong())
    return history.with_correctness(node, where, Correctness::kWrong, run->text);
  std::string words = !run       ? "the run with checks failed: " + to_sentence(run.error())
                      : run->ran ? "every access is in bounds and reads what was written"
                                 : run->text;
  Trial const& known = history.node(node).on(where);
  return history.with_correctness(
      node, where, known.correctness,
      known.correctness_text.empty() ? words : known.correctness_text + "; " + words);
}

}  // namespace tw::session
