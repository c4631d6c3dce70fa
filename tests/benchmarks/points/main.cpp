// bench-points: what a point of a space costs until it can run, as JSON on stdout.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/compile/load_time.h"
#include "engine/compile/optimize.h"
#include "engine/compile/plan.h"
#include "engine/importers/from_foreign.h"
#include "engine/tuner/space.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/benchmarks/kernels/workloads.h"

namespace tw::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

struct Options {
  std::string workload = "C2";
  int points = 500;
  uint64_t seed = 1;
  bool compile = false;
};

/// The kernel with the most work of a user's model of this operator.
Result<ir::Program> program_of(Workload const& workload, Backend const& backend) {
  ImportedModel model = model_of(workload, random_operands(workload, 1).weights);
  TRY_ASSIGN(Graph imported, build_graph(model));
  TRY_ASSIGN(Graph graph, optimize(imported, backend));
  TRY_ASSIGN(Plan plan, make_plan(graph));
  return te::to_program(std::ranges::max_element(plan.kernels, {}, &KernelTask::flops)->kernel);
}

/// Seconds that pass in one of the parts that a point goes through.
class Stopwatch {
public:
  void start() { from_ = Clock::now(); }
  void stop() { seconds_ += std::chrono::duration<double>(Clock::now() - from_).count(); }
  double milliseconds_of(int count) const { return count ? 1e3 * seconds_ / count : 0; }

private:
  Clock::time_point from_;
  double seconds_ = 0;
};

struct Parts {
  int points = 0, rejected = 0, compiled = 0, refused = 0;
  Stopwatch pointing, lowering, generating, linking;
};

/// What a trial of the candidate takes of the compiler.
Status compile(Candidate const& candidate, Backend const& backend, Parts& parts) {
  parts.lowering.start();
  auto stages = lower(split_load_time(candidate.schedule.program()).at_run, backend.target(),
                      backend.passes());
  parts.lowering.stop();
  if (!stages) return ++parts.refused, Status();  // too much code
  ++parts.compiled;
  parts.generating.start();
  TRY_ASSIGN(Artifact artifact,
             backend.generate(stages->back().kernel, CodeTier::kFast, CodeTexts::kNone, {}));
  parts.generating.stop();
  parts.linking.start();
  TRY_ASSIGN(artifact.library, backend.link({&artifact.parts, 1}));
  parts.linking.stop();
  return {};
}

Result<Json> measure(Options const& options, Workload const& workload) {
  TRY_ASSIGN(auto backend, create_cpu_backend(detect_host()));
  TRY_ASSIGN(ir::Program program, program_of(workload, *backend));
  Space space(std::move(program), backend, {}, {}, 1);
  TRY_ASSIGN(double size, space.size());
  Rng rng(options.seed);
  Parts parts;
  while (parts.points < options.points) {
    parts.pointing.start();
    TRY_ASSIGN(Candidate candidate, space.random(rng));
    parts.pointing.stop();
    ++parts.points;
    if (candidate.rejection) {
      ++parts.rejected;
      continue;
    }
    if (options.compile) TRY(compile(candidate, *backend, parts));
  }
  return Json{{"workload", workload.name},
              {"size", size},
              {"points", parts.points},
              {"rejected", parts.rejected},
              {"milliseconds_a_point", parts.pointing.milliseconds_of(parts.points)},
              {"compiled", parts.compiled},
              {"too_much_code", parts.refused},
              {"milliseconds_lowering", parts.lowering.milliseconds_of(parts.compiled)},
              {"milliseconds_generating", parts.generating.milliseconds_of(parts.compiled)},
              {"milliseconds_linking", parts.linking.milliseconds_of(parts.compiled)}};
}

int run(Options const& options) {
  Workload const* workload = find_workload(options.workload);
  if (!workload) {
    fmt::print(stderr, "bench-points: there is no workload '{}'\n", options.workload);
    return 2;
  }
  Result<Json> report = measure(options, *workload);
  if (!report) {
    fmt::print(stderr, "bench-points: {}\n", to_sentence(report.error()));
    return 1;
  }
  fmt::print("{}\n", report->dump());
  return 0;
}

}  // namespace
}  // namespace tw::bench

int main(int count, char** arguments) {
  tw::bench::Options options;
  CLI::App app("Measures how long points of a workload's space take to make");
  app.add_option("workload", options.workload, "C1..C12, D1..D9, S64..S2048");
  app.add_option("--points", options.points, "how many, by chance")->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "of the points");
  app.add_flag("--compile", options.compile, "compile those that are worth it, too");
  CLI11_PARSE(app, count, arguments);
  return tw::bench::run(options);
}
