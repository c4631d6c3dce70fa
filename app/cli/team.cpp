#include "app/cli/team.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/interruption.h"
#include "app/cli/tuning_output.h"
#include "engine/records/trial_store.h"
#include "engine/support/base/quantities.h"

namespace tw::cli {
namespace {

constexpr char kAny[] = "any";

/// "node7-4242", with its device where that is not this machine's own.
std::string worker_name(Context const& context) {
  char host[256] = "?";
  ::gethostname(host, sizeof host - 1);
  std::string name = fmt::format("{}-{}", host, ::getpid());
  return context.device.empty() ? name : name + " " + context.device;
}

session::TeamRequest team_request(Context const& context, TeamArguments const& arguments,
                                  std::string const& job) {
  session::TeamRequest team{.url = context.store,
                            .job = job,
                            .priority = arguments.priority,
                            .worker = worker_name(context),
                            .lease_seconds = arguments.lease_seconds};
  team.on_attempt = [&context, count = 0](std::string const& kernel,
                                          Attempt const& attempt) mutable {
    print_attempt_of(context, kernel, attempt, ++count);
  };
  return team;
}

}  // namespace

void add_team_options(Command command, TeamArguments& arguments) {
  command
      .add_option("--join", arguments.join,
                  "instead of a model: join this job of the server's until it has ended, or `any` "
                  "until told to stop")
      .type_name("JOB");
  command
      .add_option("--priority", arguments.priority,
                  "of a job on a server: higher ones go first, equal ones share (default: 0)")
      .type_name("N");
  command
      .add_option(
          "--lease", arguments.lease_seconds,
          "lease: reassign work of this process after this many silent seconds (default: 60)")
      .type_name("S")
      .range(1.0, 86'400.0);
}

bool is_shared(Context const& context) { return records::is_server(context.store); }

Result<session::TunedModel> tune_with_team(Context const& context, TeamArguments const& arguments,
                                           session::LoadedModel const& model,
                                           std::string const& path,
                                           session::ModelTuneRequest request, Device& device) {
  std::string job = request.kernels.job;
  if (job == kAny)
    return bad_input("bad_job_name",
                     "a job cannot be called `any`: --join takes that for all jobs");
  if (!context.json) fmt::print("others join with --join {}\n", job);
  std::fflush(stdout);
  Interruption interruption;
  request.kernels.options.stop = interruption.token();
  session::TeamModel from{path, fmt::format("{}", fmt::join(context.fixes, "; "))};
  return session::tune_with_team(model, from, request, team_request(context, arguments, job),
                                 context.backend, device, progress_of(context));
}

int join_team(Context const& context, TeamArguments const& arguments,
              session::TuneRequest const& request, Device& device) {
  Interruption interruption;
  session::ModelTuneRequest all{request, context.cache_folder, {}, {}};
  all.kernels.options.stop = interruption.token();
  std::string job = arguments.join == kAny ? "" : arguments.join;
  auto joined = session::join_team(all, team_request(context, arguments, job), context.backend,
                                   device, progress_of(context));
  end_progress(context);
  if (!joined) return report(context, joined.error());
  if (context.json)
    print({{"slices", joined->slices}, {"trials", joined->trials}});
  else
    fmt::print("{} made here, {} finished\n", count_text(joined->trials, "trial"),
               count_text(joined->slices, "slice"));
  return 0;
}

}  // namespace tw::cli
