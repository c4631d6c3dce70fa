// Points of VTA's templates as a search looks at them: taken on trust, sharing steps, their calls
// moved from tile to tile. All of it is as with proofs and by itself.
#include <QtTest>

#include <future>

#include "engine/compile/load_time.h"
#include "engine/tuner/space.h"
#include "targets/vta/compiler/simulated.h"
#include "tests/support/vta_kernels.h"

using namespace tw;
using namespace tw::vta;
using namespace tw::vta::testing;

namespace {

struct Sample {
  Configuration configuration;
  std::string text;
};

std::vector<Sample> samples() {
  Configuration one = *find_board("pynq"), four = *find_board("pynq-4x8");
  std::vector<Sample> samples;
  for (Configuration const& c : {one, four})
    for (ConvShape const& shape :
         {ConvShape{.images = c.batch()}, ConvShape{.images = c.batch(), .in = 32, .kernel = 1},
          ConvShape{.images = c.batch(), .height = 15, .width = 15, .stride = 2, .bias = true},
          ConvShape{.images = c.batch(), .in = 32, .residual = true}})
      samples.push_back({c, text_of(shape, c)});
  samples.push_back({one, text_of(PoolShape{}, one)});
  return samples;
}

Space space_of(Sample const& sample) {
  return Space(program_of(sample.text), backend_of(sample.configuration), {},
               std::make_shared<Roofs const>());
}

Result<CallProgram> calls_at_run(Schedule const& schedule, Backend const& backend,
                                 Configuration const& configuration, NestCalls nests) {
  ir::Program runs = split_load_time(schedule.program()).at_run;
  TRY_ASSIGN(auto stages, lower(runs, backend.target(), backend.passes(), {}));
  return kernel_calls(stages.back().kernel, configuration, nullptr, {.nests = nests});
}

bool same_time(analysis::TimeModel const& a, analysis::TimeModel const& b) {
  auto same = [](auto const& x, auto const& y) {
    return x.bytes == y.bytes && x.seconds == y.seconds;
  };
  return a.seconds == b.seconds && a.arithmetic_seconds == b.arithmetic_seconds &&
         a.bound == b.bound && std::ranges::equal(a.levels, b.levels, same);
}

}  // namespace

class ModelledPointsTest : public QObject {
  Q_OBJECT

private slots:
  void points_are_modelled_exactly_as_their_proven_schedules_run() {
    int points = 0, with_calls = 0;
    for (Sample const& sample : samples()) {
      Space space = space_of(sample);
      Rng rng(23);
      for (int i = 0; i < 30; ++i) {
        Candidate looked_at = space.random(rng).value();
        if (looked_at.rejection) continue;
        ++points;
        auto apart = backend_of(sample.configuration);  // which shares no steps
        Decisions proving(looked_at.point);
        Schedule proven = apart->templated(space.program(), proving).value();
        QCOMPARE(looked_at.schedule.script(), proven.script());
        auto moved = calls_at_run(looked_at.schedule, space.backend(), sample.configuration,
                                  NestCalls::kMoved),
             anew = calls_at_run(proven, *apart, sample.configuration, NestCalls::kAnew);
        auto modelled = space.modelled(looked_at);
        QCOMPARE(moved.has_value(), anew.has_value());
        if (!anew) continue;
        ++with_calls;
        QVERIFY2(*moved == *anew, proven.script().c_str());
        auto simulated = simulated_time(*anew);
        QCOMPARE(modelled.has_value(), simulated.has_value());
        QVERIFY(!simulated || same_time(*modelled, *simulated));
      }
    }
    QVERIFY(points > 100 && with_calls > 100);
  }

  void what_is_used_of_a_point_has_a_proof_for_each_step() {
    for (Sample const& sample : samples()) {
      Space space = space_of(sample);
      Rng rng(5);
      for (int i = 0; i < 6; ++i) {
        Candidate looked_at = space.random(rng).value();
        if (looked_at.rejection) continue;
        Candidate proven = space.proven(looked_at).value();
        for (TakenStep const& taken : proven.schedule.trace())
          QVERIFY(!taken.proof.empty() && taken.proof != "assumed legal");
      }
    }
  }

  void workers_that_share_steps_make_the_same_schedules() {
    Space space = space_of(samples().front());
    auto scripts = [&] {
      std::vector<std::string> made;
      for (uint64_t seed = 0; seed < 40; ++seed) {
        Rng rng(seed);
        made.push_back(space.random(rng).value().schedule.script());
      }
      return made;
    };
    auto other = std::async(std::launch::async, scripts);
    std::vector<std::string> own = scripts();
    QVERIFY(own == other.get());
    QVERIFY(own == scripts());
  }
};

QTEST_GUILESS_MAIN(ModelledPointsTest)
#include "modelled_points_test.moc"
