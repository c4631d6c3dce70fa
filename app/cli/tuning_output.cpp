#include "app/cli/tuning_output.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "engine/support/base/quantities.h"

namespace tw::cli {
namespace {

Json to_json(Attempt const& attempt) {
  Json json = {{"trial", attempt.number},
               {"class", records::name_of(attempt.outcome)},
               {"point", attempt.point},
               {"seconds", attempt.seconds},
               {"best_seconds", attempt.best_seconds}};
  if (attempt.predicted_seconds) json["predicted_seconds"] = *attempt.predicted_seconds;
  if (!attempt.sentence.empty()) json["why"] = attempt.sentence;
  return json;
}

/// "[board] ", before what one of several searches says.
std::string kind_text(Context const& context) {
  return context.kind.empty() ? "" : fmt::format("[{}] ", context.kind);
}

}  // namespace

Json to_json(DeviceShare const& share) {
  return {{"device", share.name},
          {"trials", share.trials},
          {"lost", share.lost},
          {"slowed", share.slowed},
          {"reason", share.reason}};
}

/// Who took part, where it was more than one.
std::string shares_text(std::vector<DeviceShare> const& devices) {
  std::string text;
  for (DeviceShare const& share : devices) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", share.name,
                        count_text(share.trials, "trial"));
    if (share.lost > 0) text += fmt::format(", lost {}", count_text(share.lost, "time"));
    if (share.slowed > 0) text += fmt::format(", slow {}", count_text(share.slowed, "time"));
    if (!share.reason.empty()) text += fmt::format(", out: {}", share.reason);
  }
  return text;
}

Json to_json(TuneResult const& result) {
  Json devices = Json::array();
  for (DeviceShare const& share : result.devices) devices.push_back(to_json(share));
  Json classes = Json::object();
  for (Attempt const& attempt : result.attempts) {
    auto key = std::string(records::name_of(attempt.outcome));
    classes[key] = classes.value(key, 0) + 1;
  }
  return {{"best_ms", result.seconds * 1e3},
          {"default_ms", result.rule_seconds * 1e3},
          {"point", result.point},
          {"script", result.script},
          {"trials", result.attempts.size()},
          {"classes", classes},
          {"rejected", result.rejected},
          {"repeated", result.repeated},
          {"space", result.space_size},
          {"modelled", {{"points", result.modelled.points}, {"seconds", result.modelled.seconds}}},
          {"search_s", result.wall_seconds},
          {"costs_s",
           {{"proposing", result.costs.proposing},
            {"compiling", result.costs.compiling},
            {"waiting", result.costs.waiting},
            {"running", result.costs.running},
            {"comparing", result.costs.comparing}}},
          {"devices", devices},
          {"end", name_of(result.end)}};
}

void print_attempt(Context const& context, Attempt const& attempt, double& best) {
  auto turn = turn_to_print(context);
  if (context.json) return print_line(context, to_json(attempt));
  std::string kind = kind_text(context);
  if (attempt.outcome != records::Outcome::kOk)
    fmt::print("{}{:5}  {}: {}  ({})\n", kind, attempt.number, records::name_of(attempt.outcome),
               attempt.sentence, point_text(attempt.point));
  else if (best == 0 || attempt.best_seconds < best)
    fmt::print("{}{:5}  {:>9}  {}\n", kind, attempt.number, duration_text(attempt.best_seconds),
               point_text(attempt.point));
  best = attempt.best_seconds;
  std::fflush(stdout);
}

void print_attempt_of(Context const& context, std::string const& kernel, Attempt const& attempt,
                      int count) {
  auto turn = turn_to_print(context);
  if (context.json) {
    Json json = to_json(attempt);
    json["kernel"] = kernel;
    return print_line(context, json);
  }
  if (attempt.outcome != records::Outcome::kOk) {
    end_progress(context);
    fmt::print("{}{}, trial {}, {}: {}  ({})\n", kind_text(context), kernel, attempt.number,
               records::name_of(attempt.outcome), attempt.sentence, point_text(attempt.point));
    std::fflush(stdout);
  }
  if (Progress progress = progress_of(context))
    progress({fmt::format("{}: {}, best {}", count_text(count, "trial"), kernel,
                          duration_text(attempt.best_seconds)),
              0, 0});
}

void print_tried(Context const& context, session::TriedArrangement const& tried) {
  auto turn = turn_to_print(context);
  if (context.json) {
    Json json = {{"arrangement", {{tried.knob, tried.value}}}, {"kept", tried.kept}};
    if (tried.ratio > 0) json["ratio"] = tried.ratio;
    if (!tried.why.empty()) json["why"] = tried.why;
    return print_line(context, json);
  }
  end_progress(context);
  std::string words = !tried.why.empty() ? tried.why
                                         : fmt::format("{:.2f} of the model's time before{}",
                                                       tried.ratio, tried.kept ? ", kept" : "");
  fmt::print("{}{}={}: {}\n", kind_text(context), tried.knob, tried.value, words);
  std::fflush(stdout);
}

namespace {

/// Why there are no more trials.
std::string_view words_of(TuneEnd end) {
  switch (end) {
    case TuneEnd::kTrials:
      return "all trials are done";
    case TuneEnd::kSeconds:
      return "the time limit is reached";
    case TuneEnd::kConverged:
      return "the search converged";
    case TuneEnd::kStopped:
      return "stopped";
  }
  return "";
}

/// Of one trial, on average.
std::string costs_text(TuneResult const& result) {
  double trials = std::max(1.0, double(result.attempts.size()));
  auto each = [&](double seconds) { return duration_text(seconds / trials); };
  TrialCosts const& costs = result.costs;
  return fmt::format(
      "a trial: {} choosing and scheduling, {} compiling; beside that {} waiting for code, {} on "
      "the device, {} comparing",
      each(costs.proposing), each(costs.compiling), each(costs.waiting), each(costs.running),
      each(costs.comparing));
}

}  // namespace

void tell_result(Context const& context, TuneResult const& result) {
  if (context.json) return print_line(context, to_json(result));
  std::string rejected;
  for (auto const& [reason, count] : result.rejected)
    rejected += fmt::format("{}{} for {}", rejected.empty() ? "" : ", ", count, reason);
  fmt::print(
      "{} in {} ({:.1f} a second): {}; {} points in the space; left out: {}{} known\n",
      count_text(int64_t(result.attempts.size()), "trial"), duration_text(result.wall_seconds),
      double(result.attempts.size()) / std::max(result.wall_seconds, 1e-9), words_of(result.end),
      many_text(result.space_size), rejected.empty() ? "" : rejected + ", ", result.repeated);
  if (Modelled const& modelled = result.modelled; modelled.points > 0)
    fmt::print("{} modelled in {} ({:.0f} a second)\n", count_text(modelled.points, "point"),
               duration_text(modelled.seconds),
               double(modelled.points) / std::max(modelled.seconds, 1e-9));
  fmt::print("{}\n", costs_text(result));
  if (result.devices.size() > 1) fmt::print("{}\n", shares_text(result.devices));
  fmt::print("best {}, default {}: {}\n", duration_text(result.seconds),
             duration_text(result.rule_seconds),
             result.point.empty() ? "the default stays"
                                  : speedup_text(result.rule_seconds / result.seconds));
  fmt::print("{}\n", point_text(result.point));
}

void warn_of_store(std::string const& not_stored) {
  if (!not_stored.empty())
    fmt::print(stderr, "tw: some trials are not in the store: {}\n", not_stored);
}

std::string new_job_name(std::string const& path) {
  std::string stem = std::filesystem::path(path.substr(path.rfind(':') + 1)).stem().string();
  return fmt::format("{}-{:%Y%m%d-%H%M%S}", stem, fmt::gmtime(std::time(nullptr)));
}

namespace {

std::string note_of(session::TunedModel const& tuned, session::TunedKernel const& kernel) {
  if (!kernel.left_out.empty()) return "not searched: " + kernel.left_out;
  if (kernel.trials == 0) return "not searched";
  if (tuned.scripts.contains(kernel.kernel)) return point_text(kernel.result->point);
  return kernel.result && !kernel.result->point.empty()
             ? "default: what was found is not faster here"
             : "default";
}

Json to_json(session::LoadedModel const& model, session::TunedModel const& tuned) {
  Json kernels = Json::array();
  for (session::TunedKernel const& kernel : tuned.kernels) {
    Json one = {{"kernel", session::kernel_name(model, kernel.kernel)},
                {"calls", kernel.calls},
                {"default_ms", kernel.rule_ms},
                {"tuned_ms", kernel.tuned_ms},
                {"trials", kernel.trials}};
    if (auto script = tuned.scripts.find(kernel.kernel); script != tuned.scripts.end()) {
      one["point"] = kernel.result->point;
      one["script"] = script->second;
    }
    if (!kernel.left_out.empty()) one["why"] = kernel.left_out;
    kernels.push_back(std::move(one));
  }
  return {{"default_ms", tuned.rule_ms},
          {"tuned_ms", tuned.tuned_ms},
          {"search_s", tuned.seconds},
          {"end", name_of(tuned.end)},
          {"kernels", kernels}};
}

}  // namespace

void print_tuned(Context const& context, session::LoadedModel const& model,
                 session::TunedModel const& tuned, std::string const& file) {
  if (context.json) {
    print_line(context, to_json(model, tuned));
    return;
  }
  size_t width = 6;
  for (session::TunedKernel const& kernel : tuned.kernels)
    width = std::max(width, session::kernel_name(model, kernel.kernel).size());
  fmt::print("{:{}}  {:>3}  {:>9}  {:>9}  {:>6}  schedule\n", "kernel", width, "x", "default",
             "tuned", "trials");
  int trials = 0;
  for (session::TunedKernel const& kernel : tuned.kernels) {
    trials += kernel.trials;
    fmt::print("{:{}}  {:3}  {:>9}  {:>9}  {:6}  {}\n", session::kernel_name(model, kernel.kernel),
               width, kernel.calls, milliseconds_text(kernel.rule_ms),
               milliseconds_text(kernel.tuned_ms), kernel.trials, note_of(tuned, kernel));
  }
  fmt::print("{} in {}: {}\n", count_text(trials, "trial"), duration_text(tuned.seconds),
             words_of(tuned.end));
  fmt::print(
      "the model: {}, default {}: {}\n", milliseconds_text(tuned.tuned_ms),
      milliseconds_text(tuned.rule_ms),
      tuned.scripts.empty() ? "the defaults stay" : speedup_text(tuned.rule_ms / tuned.tuned_ms));
  if (!file.empty())
    fmt::print("{} has {}: tw run, tw export and the window open it\n", file,
               count_text(int64_t(tuned.scripts.size()), "schedule"));
}

}  // namespace tw::cli
