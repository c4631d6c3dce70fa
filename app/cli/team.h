/// `tw tune` on a server that a team shares: who starts a job, and who takes part in one.
#pragma once

#include "app/cli/output.h"
#include "engine/session/cases/team_cases.h"

namespace tw::cli {

struct TeamArguments {
  std::string join;  ///< a job's name, or "any"; empty: nothing is joined
  int priority = 0;
  double lease_seconds = 60;
};
void add_team_options(Command command, TeamArguments& arguments);

/// Whether the store is on a server.
bool is_shared(Context const& context);

/// Starts the request's job with this model, or goes on with it.
Result<session::TunedModel> tune_with_team(Context const& context, TeamArguments const& arguments,
                                           session::LoadedModel const& model,
                                           std::string const& path,
                                           session::ModelTuneRequest request, Device& device);

/// The exit code. Returns when the job has ended, or when it is told to leave.
int join_team(Context const& context, TeamArguments const& arguments,
              session::TuneRequest const& request, Device& device);

}  // namespace tw::cli
