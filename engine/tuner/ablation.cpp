#include "engine/tuner/ablation.h"

#include <algorithm>

namespace tw {
namespace {

/// Of the whole one's time: what takes so much longer after a few rounds is timed no more.
constexpr double kClearlySlower = 2;
constexpr size_t kClearRounds = 3;

struct Contender {
  std::optional<double>* loss = nullptr;  ///< null: the whole one, or the schedule by rule
  KernelCode code;
  Samples rounds;
};

/// Schedules that are timed together, the whole one first.
class Rounds {
public:
  Rounds(Backend const& backend, KernelBench& bench, te::Expected const& expected,
         AblationOptions const& options)
      : backend_(backend), bench_(bench), expected_(expected), options_(options) {}

  /// Errors: not_right, those of compiling and of the device.
  Status add(ir::Program const& program, std::optional<double>* loss);
  /// Errors: cancelled, those of the device.
  Status run();
  /// Median of all rounds; 0: there is no such one.
  double seconds(size_t which) const {
    return which < all_.size() ? all_[which].rounds.median() : 0;
  }
  void say(std::string what, size_t done, size_t total) const {
    if (options_.progress) options_.progress({std::move(what), int64_t(done), int64_t(total)});
  }

private:
  BenchOptions bench_options() const;
  Status run_round(Rng& rng);
  double ratio(Contender const& one) const;

  Backend const& backend_;
  KernelBench& bench_;
  te::Expected const& expected_;
  AblationOptions const& options_;
  std::vector<Contender> all_;
};

BenchOptions Rounds::bench_options() const {
  BenchOptions bench{.threads = options_.threads, .timing = {}, .call = {}};
  bench.timing = {.warm_up = 1, .repeats = 1, .min_sample_seconds = 100e-6, .most_seconds = 1};
  bench.call.stop = options_.stop;
  bench.call.timeout = std::chrono::seconds(20);
  return bench;
}

Status Rounds::add(ir::Program const& program, std::optional<double>* loss) {
  TRY_ASSIGN(KernelCode code, compile_kernel(program, backend_, CodeTier::kFull, options_.stop));
  TRY_ASSIGN(std::vector<NDArray> outputs, bench_.run(code, bench_options()));
  if (!te::judge(outputs, expected_).equal) return refused("not_right", "its result is wrong");
  all_.push_back({loss, std::move(code), {}});
  return {};
}

double Rounds::ratio(Contender const& one) const {
  Samples ratios;
  for (size_t i = 0; i < one.rounds.seconds.size(); ++i)
    ratios.seconds.push_back(one.rounds.seconds[i] / all_[0].rounds.seconds[i]);
  return ratios.median();
}

/// One sample of each, in random order: what disturbs a round disturbs all.
Status Rounds::run_round(Rng& rng) {
  std::vector<Contender*> order;
  for (Contender& one : all_) {
    bool clear = one.rounds.seconds.size() >= kClearRounds && ratio(one) > kClearlySlower;
    if (!clear) order.push_back(&one);
  }
  for (size_t i = 1; i < order.size(); ++i)
    std::swap(order[i], order[size_t(rng.below(int64_t(i) + 1))]);
  std::vector<double> samples;
  for (Contender* one : order) {
    TRY_ASSIGN(BenchResult measured, bench_.measure(one->code, bench_options()));
    samples.push_back(measured.samples.least());
  }
  for (size_t i = 0; i < order.size(); ++i) order[i]->rounds.seconds.push_back(samples[i]);
  return {};
}

Status Rounds::run() {
  Rng rng(options_.seed);
  for (int round = 0; round < options_.rounds; ++round) {
    say("timing", size_t(round), size_t(options_.rounds));
    if (options_.stop.stop_requested()) return refused("cancelled", "cancelled");
    TRY(run_round(rng));
  }
  for (Contender const& one : all_)
    if (one.loss) *one.loss = ratio(one) - 1;
  return {};
}

template <typename Part>
void sort_by_loss(std::vector<Part>& parts) {
  std::ranges::stable_sort(parts, std::ranges::greater(),
                           [](Part const& one) { return one.loss.value_or(-2); });
}

/// Fills `rule`, `candidate` and what is known of it without running it.
void describe(SetBack& one, Result<Candidate> made, Candidate const& tuned) {
  if (!made) {
    one.sentence = made.error().message;
    return;
  }
  for (Knob const& knob : made->knobs)
    if (knob.name == one.knob) one.rule = knob.value();
  if (made->rejection) {
    one.sentence = "the template does not produce this configuration";
    return;
  }
  one.changes_nothing = made->schedule.script() == tuned.schedule.script();
  one.candidate = std::move(*made);
}

}  // namespace

Result<std::vector<SetBack>> set_backs(Space const& space, Point const& tuned) {
  TRY_ASSIGN(Candidate whole, space.at(tuned));
  if (whole.rejection)
    return refused("not_right", "the template does not produce the tuned configuration");
  std::vector<SetBack> all;
  for (auto const& [name, value] : whole.point) {
    if (space.pinned().contains(name)) continue;
    Point point = whole.point;
    point.erase(name);
    SetBack& one = all.emplace_back(SetBack{.knob = name, .tuned = value});
    describe(one, space.at(std::move(point)), whole);
  }
  return all;
}

/// A step that is refused without those before is left out with them.
Result<std::vector<LeftOut>> left_out(Schedule const& whole, std::shared_ptr<Target const> target,
                                      StopToken stop) {
  std::vector<LeftOut> all;
  std::vector<TakenStep> const& trace = whole.trace();
  for (size_t out = 0; out < trace.size(); ++out) {
    if (stop.stop_requested()) return refused("cancelled", "cancelled");
    LeftOut& one = all.emplace_back(LeftOut{.step = to_text(trace[out].step)});
    Schedule schedule(whole.origin(), target);
    for (size_t i = 0; i < trace.size(); ++i) {
      if (i == out) continue;
      auto next = std::as_const(schedule).apply(trace[i].step);
      if (next)
        schedule = std::move(*next);
      else
        ++one.others;
    }
    one.schedule = std::move(schedule);
  }
  return all;
}

Result<Ablation> ablate(Space const& space, KernelBench& bench, te::Expected const& expected,
                        Point const& tuned, AblationOptions const& options) {
  Ablation result;
  TRY_ASSIGN(result.knobs, set_backs(space, tuned));
  TRY_ASSIGN(Candidate whole, space.at(tuned));
  Rounds rounds(space.backend(), bench, expected, options);
  auto add = [&](Candidate const& who, std::optional<double>* loss) -> Status {
    TRY_ASSIGN(Candidate proven, space.proven(who));
    return rounds.add(proven.schedule.program(), loss);
  };
  rounds.say("compiling", 0, result.knobs.size());
  TRY(add(whole, nullptr));
  bool has_rule = false;
  if (auto rule = space.baseline()) has_rule = bool(rounds.add(rule->schedule.program(), nullptr));
  for (size_t i = 0; i < result.knobs.size(); ++i) {
    SetBack& one = result.knobs[i];
    if (options.stop.stop_requested()) return refused("cancelled", "cancelled");
    rounds.say("compiling", i, result.knobs.size());
    if (one.changes_nothing) one.loss = 0;
    if (!one.candidate || one.changes_nothing) continue;
    if (Status added = add(*one.candidate, &one.loss); !added) one.sentence = added.error().message;
  }
  TRY(rounds.run());
  result.tuned_seconds = rounds.seconds(0);
  if (has_rule) result.rule_seconds = rounds.seconds(1);
  sort_by_loss(result.knobs);
  return result;
}

Result<StepAblation> ablate(Schedule const& whole, std::vector<LeftOut> steps,
                            Backend const& backend, KernelBench& bench,
                            te::Expected const& expected, AblationOptions const& options) {
  StepAblation result{std::move(steps), 0, 0};
  Rounds rounds(backend, bench, expected, options);
  rounds.say("compiling", 0, result.steps.size());
  TRY(rounds.add(whole.program(), nullptr));
  bool has_rule = false;
  if (auto rule = backend.default_schedule(whole.origin()))
    has_rule = bool(rounds.add(rule->program(), nullptr));
  for (size_t i = 0; i < result.steps.size(); ++i) {
    LeftOut& one = result.steps[i];
    if (options.stop.stop_requested()) return refused("cancelled", "cancelled");
    rounds.say("compiling", i, result.steps.size());
    if (!one.schedule) continue;
    if (Status added = rounds.add(one.schedule->program(), &one.loss); !added)
      one.sentence = added.error().message;
  }
  TRY(rounds.run());
  result.seconds = rounds.seconds(0);
  if (has_rule) result.rule_seconds = rounds.seconds(1);
  sort_by_loss(result.steps);
  return result;
}

}  // namespace tw
