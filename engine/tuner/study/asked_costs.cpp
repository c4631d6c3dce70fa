#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "engine/compile/kernel_code.h"
#include "engine/compile/load_time.h"
#include "engine/support/base/quantities.h"
#include "engine/tuner/study/arms.h"
#include "engine/tuner/study/asked.h"

namespace tw {
namespace {

constexpr size_t kTrials = 128;  // that the model has learned from
constexpr size_t kPredictions = 100'000;
constexpr size_t kCompiled = 4;
constexpr double kRuns = 4;  // of a kernel in a trial, at least: one to warm up
constexpr double kCheaper = 1000;

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

template <typename Work>
Result<double> seconds_of(Work work) {
  double start = processor_seconds();
  TRY(work());
  return processor_seconds() - start;
}

/// A model of one table, and what it is asked.
struct Learned {
  KnobFeatures features;
  std::vector<MeasuredPoint> measured;
  PointModel model;
};

Result<Learned> learned_of(StudiedTable const& table) {
  Learned made{.features = {}, .measured = {}, .model = PointModel({.with_prior = false})};
  for (Candidate const& row : table.space->rows()) made.features.see(row.knobs);
  for (size_t row = 0; row < table.seconds.size() && made.measured.size() < kTrials; ++row)
    if (table.seconds[row] > 0)
      made.measured.push_back(
          {{made.features.coordinates(table.space->rows()[row].knobs), std::nullopt},
           table.seconds[row]});
  TRY(made.model.learn(made.features, made.measured, 1));
  return made;
}

/// Of one prediction by knobs, features included.
Result<double> prediction_seconds(StudiedTable const& table) {
  TRY_ASSIGN(Learned made, learned_of(table));
  std::vector<Coordinates> points;
  for (size_t i = 0; i < kPredictions; ++i)
    points.push_back(
        made.features.coordinates(table.space->rows()[i % table.space->rows().size()].knobs));
  TRY_ASSIGN(double seconds, seconds_of([&]() -> Status {
               made.model.by_knobs(made.features, points);
               return {};
             }));
  return seconds / double(kPredictions);
}

Result<double> learning_seconds(StudiedTable const& table) {
  return seconds_of([&]() -> Status {
    TRY_ASSIGN(Learned made, learned_of(table));
    return {};
  });
}

/// Of what the loops of a point say, once its template has run.
double feature_seconds(StudiedTable const& table) {
  double start = processor_seconds();
  size_t count = std::min(kTrials, table.space->rows().size());
  for (size_t row = 0; row < count; ++row)
    relation_features(
        loop_nest(split_load_time(table.space->rows()[row].schedule.program()).at_run));
  return (processor_seconds() - start) / double(count);
}

Result<double> template_seconds(StudiedTable const& table) {
  size_t count = std::min(kTrials, table.space->rows().size());
  TRY_ASSIGN(double seconds, seconds_of([&]() -> Status {
               for (size_t row = 0; row < count; ++row)
                 TRY(table.space->Space::at(table.space->rows()[row].point));
               return {};
             }));
  return seconds / double(count);
}

Result<double> compile_seconds(StudiedTable const& table) {
  size_t count = std::min(kCompiled, table.space->rows().size());
  TRY_ASSIGN(double seconds, seconds_of([&]() -> Status {
               for (size_t row = 0; row < count; ++row)
                 TRY(emit_kernel(table.space->rows()[row].schedule.program(),
                                 table.space->backend(), CodeTier::kFast));
               return {};
             }));
  return seconds / double(count);
}

double run_seconds(StudiedTable const& table) {
  std::vector<double> right;
  for (double seconds : table.seconds)
    if (seconds > 0) right.push_back(seconds);
  std::ranges::sort(right);
  return kRuns * right[right.size() / 2];
}

}  // namespace

/// On the first table: others differ little.
Result<ClaimResult> ask_costs(ClaimStudy& study) {
  StudiedTable const& table = study.tables().front();
  TRY_ASSIGN(double prediction, prediction_seconds(table));
  TRY_ASSIGN(double learning, learning_seconds(table));
  TRY_ASSIGN(double by_template, template_seconds(table));
  TRY_ASSIGN(double compiling, compile_seconds(table));
  double features = feature_seconds(table), running = run_seconds(table);
  double trial = by_template + compiling + running, times = trial / prediction;
  ClaimResult result{.verdict = times >= kCheaper ? Verdict::kHolds
                                : times > 10      ? Verdict::kPartly
                                                  : Verdict::kFails};
  result.sentence = fmt::format(
      "On {} a prediction takes {} with its features ({:.0f} a second), a trial at least {}: "
      "{:.0f} "
      "times as long. Learning from {} trials takes {}; features of a scheduled program take {}.",
      table.name, duration_text(prediction), 1 / prediction, duration_text(trial), times, kTrials,
      duration_text(learning), duration_text(features));
  result.times = {{"a prediction by knobs", prediction},
                  {"features of a program", features},
                  {"a template", by_template},
                  {"compiling", compiling},
                  {"four runs, median point", running},
                  {fmt::format("learning from {} trials", kTrials), learning}};
  return result;
}

}  // namespace tw
