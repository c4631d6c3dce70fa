/// What `tw tune` says: trials as they come, results at the end.
#pragma once

#include "app/cli/output.h"
#include "engine/session/arranging.h"

namespace tw::cli {

/// One line a better one, and one for each that went wrong. `best`: in seconds, of those before.
void print_attempt(Context const& context, Attempt const& attempt, double& best);
/// Of one kernel of many: only what went wrong, and how far the search is.
void print_attempt_of(Context const& context, std::string const& kernel, Attempt const& attempt,
                      int count);

/// Another layout or algorithm for the model.
void print_tried(Context const& context, session::TriedArrangement const& tried);

Json to_json(TuneResult const& result);
void tell_result(Context const& context, TuneResult const& result);
/// `file`: where the schedules are; may be empty.
void print_tuned(Context const& context, session::LoadedModel const& model,
                 session::TunedModel const& tuned, std::string const& file);

void warn_of_store(std::string const& not_stored);
/// "resnet18-20261122-231502"
std::string new_job_name(std::string const& path);

}  // namespace tw::cli
