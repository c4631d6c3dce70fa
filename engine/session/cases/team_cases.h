/// A model that a team tunes: one process starts the job, works and compares at the end; any number
/// of others, on any machine with a device of the same kind, take part while they like.
#pragma once

#include <functional>
#include <string>

#include "engine/session/use_cases.h"

namespace tw::session {

struct TeamRequest {
  std::string url;            ///< of the server with the store, the jobs and the leases
  std::string job;            ///< its name; to join: empty for any
  int priority = 0;           ///< of a new job: higher ones go first
  std::string worker;         ///< what people call this process and its device
  double lease_seconds = 60;  ///< after which the slice of a dead worker is others'
  double wait_seconds = 600;  ///< for a server that is away, or a job that is not there yet
  std::function<void(std::string const& kernel, Attempt const&)> on_attempt = {};
};
/// Where the model came from, as it was opened.
struct TeamModel {
  std::string source, shapes;
};

/// `tune_model` with everybody who joins the job. One of that name that was left goes on. Errors:
/// those of `tune_model`, of the queue, and of reading the model's files.
Result<TunedModel> tune_with_team(LoadedModel const& model, TeamModel const& from,
                                  ModelTuneRequest const& request, TeamRequest const& team,
                                  std::shared_ptr<Backend const> backend, Device& device,
                                  Progress const& progress = {});

struct Joined {
  int slices = 0, trials = 0;
};
/// Works until the job has ended (any: until it is stopped). Its model is unpacked below the
/// request's cache. Errors: unknown_job, other_machine, other_version, those of the queue and of
/// the device, where it fails again and again.
Result<Joined> join_team(ModelTuneRequest const& request, TeamRequest const& team,
                         std::shared_ptr<Backend const> backend, Device& device,
                         Progress const& progress = {});

}  // namespace tw::session
