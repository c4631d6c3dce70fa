/// What several commands do to the state, each in its own way.
#pragma once

#include <functional>
#include <string>

#include "engine/compile/offload.h"
#include "engine/session/state/session_state.h"

namespace tw::session {

struct Parts;

/// The current kernel stands elsewhere in its history, and is measured there. Errors: no_kernel,
/// those of `to`.
Status move_in_history(Parts& parts, std::function<Result<History>(History const&)> const& to);
/// Of a node of the current kernel's history. Errors: unknown_node.
Status change_node(Parts& parts, int node, std::function<History(History const&)> const& to);
/// `change` answers with the new cut. Errors: no_model, nothing_to_cut, those of `change` and
/// `change_cut`.
Status change_cut(Parts& parts,
                  std::function<Result<Cut>(LoadedModel const&, Cut const&)> const& change);
/// Each step becomes a node of the current kernel's history, a macro with all of its steps one; up
/// to the first that is refused, which the state's refusal is of then. False: one was. `line` is
/// what was written, where that is one step; empty: each as it is printed. Errors: no_kernel.
Result<bool> take_steps(Parts& parts, std::vector<Step> const& steps, std::string const& line);
/// Errors: no_tuning. What was begun may have ended meanwhile: that is none.
Status check_tuned(State const& state);
/// Another text for a kernel of the model, or one more (`row` = -1): a job.
void write_kernel(Parts& parts, std::string const& text, int row);
/// Job: `kernel` is its name; empty: the model. Errors: no_runtime, no_model, unknown_kernel,
/// wrong_result.
Status start_export(Parts& parts, std::string const& target, std::string const& folder,
                    std::string const& kernel);

}  // namespace tw::session
