#include "engine/session/parts/ablating.h"

#include "engine/session/parts/parts.h"

namespace tw::session {
namespace {

void end(AblationView& view, std::string error) {
  view.goes_on = false;
  view.error = std::move(error);
}

}  // namespace

void Ablating::start(Ablated what) {
  what.number = ++last_number_;
  parts_.cell.commit([&](State& now) {
    AblationView view;
    view.number = what.number;
    view.row = what.row;
    view.kernel = what.model->kernel(what.row).name;
    view.title = what.title;
    view.of_choices = !what.point.empty();
    now.ablation = std::make_shared<AblationView const>(std::move(view));
  });
  parts_.queues.main.start("ablate", "measuring contributions",
                           [this, what](StopToken stop, Progress const& progress) {
                             Status done = run(what, stop, progress);
                             std::string error = done ? "" : to_sentence(done.error());
                             if (stop.stop_requested()) error = "stopped";
                             change(what.number, [&](AblationView& view) { end(view, error); });
                           });
}

void Ablating::stop() {
  parts_.queues.main.cancel("ablate");
  parts_.cell.commit([](State& now) {
    if (!now.ablation || !now.ablation->goes_on) return false;
    auto next = std::make_shared<AblationView>(*now.ablation);
    end(*next, "stopped");
    now.ablation = std::move(next);
    return true;
  });
}

void Ablating::change(int number, std::function<void(AblationView&)> const& change) {
  bool shown = parts_.cell.commit([&](State& now) {
    if (!now.ablation || now.ablation->number != number) return false;
    auto next = std::make_shared<AblationView>(*now.ablation);
    change(*next);
    now.ablation = std::move(next);
    return true;
  });
  if (shown) parts_.showing.publish_tuning();
}

void Ablating::show(int number, std::vector<AblatedPart> parts, double seconds,
                    double rule_seconds) {
  fill_shares(parts);
  change(number, [&](AblationView& view) {
    view.parts = std::move(parts);
    if (seconds > 0) view.ms = seconds * 1e3;
    if (rule_seconds > 0) view.default_ms = rule_seconds * 1e3;
  });
}

Status Ablating::run(Ablated const& what, StopToken stop, Progress const& progress) {
  MeasureRunner& runner = parts_.measuring.runner();
  AblationOptions options{.threads = runner.threads(), .stop = stop, .progress = progress};
  auto work = [&](KernelBench& bench, te::Expected const& expected) {
    return what.point.empty() ? of_steps(what, options, bench, expected)
                              : of_choices(what, options, bench, expected);
  };
  return runner.on_bench(what.model, what.row, work, stop, progress);
}

Status Ablating::of_choices(Ablated const& what, AblationOptions const& options, KernelBench& bench,
                            te::Expected const& expected) {
  TRY_ASSIGN(ir::Program plain, plain_program(*what.model, what.row));
  Space space(plain, parts_.cell.read()->backend, {}, {}, options.threads);
  TRY_ASSIGN(std::vector<SetBack> knobs, set_backs(space, what.point));
  show(what.number, parts_of(knobs));
  TRY_ASSIGN(Ablation found, ablate(space, bench, expected, what.point, options));
  show(what.number, parts_of(found.knobs), found.tuned_seconds, found.rule_seconds);
  return {};
}

Status Ablating::of_steps(Ablated const& what, AblationOptions const& options, KernelBench& bench,
                          te::Expected const& expected) {
  auto backend = parts_.cell.read()->backend;
  TRY_ASSIGN(ir::Program plain, plain_program(*what.model, what.row));
  TRY_ASSIGN(Schedule whole, schedule_of(plain, &what.script, *backend));
  TRY_ASSIGN(std::vector<LeftOut> steps, left_out(whole, backend->shared_target(), options.stop));
  show(what.number, parts_of(steps));
  TRY_ASSIGN(StepAblation found, ablate(whole, steps, *backend, bench, expected, options));
  show(what.number, parts_of(found.steps), found.seconds, found.rule_seconds);
  return {};
}

}  // namespace tw::session
