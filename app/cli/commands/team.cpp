#include <fmt/format.h>

#include "app/cli/output.h"
#include "app/cli/plain_text.h"
#include "engine/records/work_queue.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_team {
namespace {

using records::WorkQueue;

std::string state_of(records::JobProgress const& job) {
  std::string left =
      job.left_out > 0 ? fmt::format(", {} left out: converged", job.left_out) : std::string();
  if (!job.is_open) return "ended" + left;
  return job.leased > 0 ? fmt::format("on {}", count_text(job.leased, "device")) + left
                        : "waits" + left;
}

int print_jobs(Context const& context, WorkQueue& queue) {
  auto jobs = queue.jobs();
  if (!jobs) return report(context, jobs.error());
  Json json = Json::array();
  for (records::JobProgress const& job : *jobs)
    if (context.json)
      json.push_back({{"job", job.name},
                      {"priority", job.priority},
                      {"open", job.is_open},
                      {"slices", job.slices},
                      {"done", job.done},
                      {"leased", job.leased},
                      {"left_out", job.left_out},
                      {"trials", job.trials},
                      {"made", job.made}});
    else
      fmt::print("{:<40} {:>4} of {:>4} slices  priority {:>3}  {}\n", plain(job.name), job.done,
                 job.slices, job.priority, state_of(job));
  if (context.json) print(json);
  return 0;
}

int print_devices(Context const& context, WorkQueue& queue) {
  auto devices = queue.devices();
  if (!devices) return report(context, devices.error());
  Json json = Json::array();
  for (records::TeamDevice const& device : *devices)
    if (context.json)
      json.push_back({{"device", device.name},
                      {"machine", device.machine},
                      {"target", device.target},
                      {"job", device.doing},
                      {"seconds_ago", device.seconds_ago}});
    else
      fmt::print("{:<32} {:<32} {:<24} heard of {} ago\n", plain(device.name),
                 plain(device.machine), device.doing.empty() ? "waits" : plain(device.doing),
                 duration_text(device.seconds_ago));
  if (context.json) print(json);
  return 0;
}

int end_job(Context const& context, WorkQueue& queue, std::string const& name) {
  auto job = queue.progress(name);
  if (job && !*job)
    return report(context,
                  bad_input("unknown_job", fmt::format("there is no job '{}'", name)).error());
  Status done = job ? queue.end(name) : Status(std::unexpected(job.error()));
  if (!done) return report(context, done.error());
  if (context.json)
    print({{"ended", name}});
  else
    fmt::print("{} has ended; its trials stay\n", name);
  return 0;
}

template <typename Use>
Command add_use(Command team, Context& context, char const* name, char const* doc, Use use) {
  auto command = team.add_subcommand(name, doc);
  add_store_option(command, context);
  command.callback([&context, use] {
    context.needs_target = false;
    context.run = [&context, use] {
      auto queue = records::open_work_queue(context.store);
      return queue ? use(context, **queue) : report(context, queue.error());
    };
  });
  return command;
}

void add_team(Command app, Context& context) {
  auto team = app.add_subcommand("team", "list a team's jobs and devices");
  team.require_subcommand(1);
  add_use(team, context, "jobs", "list the tuning jobs", print_jobs);
  add_use(team, context, "devices", "list the participating devices", print_devices);
  auto name = std::make_shared<std::string>();
  add_use(team, context, "end", "end a job: its workers stop",
          [name](Context const& with, WorkQueue& queue) { return end_job(with, queue, *name); })
      .add_option("JOB", *name, "as `tw team jobs` names it")
      .required();
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 87, .add = add_team};
  return row;
}

}  // namespace tw::cli::command_team
