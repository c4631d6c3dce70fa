// Legal streams, at random: the same bytes out of the golden model, of any order of events, and of
// the timing model. TW_STREAMS says how many.
#include <QtTest>
#include <set>

#include "engine/hardware/timeline_text.h"
#include "targets/vta/hardware/assembly.h"
#include "targets/vta/simulator/events.h"
#include "targets/vta/simulator/timing.h"
#include "tests/support/vta_streams.h"

using namespace tw;
using namespace tw::vta;
using vta::testing::random_stream;
using vta::testing::RandomStream;

namespace {

int64_t stream_count() {
  int asked = qEnvironmentVariableIntValue("TW_STREAMS");
  return asked > 0 ? asked : 3000;
}

struct Outcome {
  Machine machine;
  std::vector<std::byte> dram;
  bool operator==(Outcome const&) const = default;
};

Outcome golden(RandomStream const& made) {
  std::vector<std::byte> dram = made.dram;
  auto machine = run_behavioural(made.configuration, made.stream, dram);
  if (!machine) qFatal("%s", to_sentence(machine.error()).c_str());
  return {std::move(*machine), std::move(dram)};
}

Outcome by_events(RandomStream const& made, uint64_t seed) {
  std::vector<std::byte> dram = made.dram;
  auto run = run_events(made.configuration, made.stream, dram, {.seed = seed});
  if (!run) qFatal("%s", to_sentence(run.error()).c_str());
  if (run->tokens_left != decltype(run->tokens_left){}) qFatal("tokens are left over");
  if (run->order.size() != made.stream.size()) qFatal("not every instruction ran");
  return {std::move(run->machine), std::move(dram)};
}

std::string said(uint64_t seed, RandomStream const& made) {
  return "seed " + std::to_string(seed) + "\n" +
         to_text(Assembly{made.configuration, made.stream, {}});
}

}  // namespace

class StreamsTest : public QObject {
  Q_OBJECT
private slots:
  void the_three_simulators_agree_on_every_legal_stream() {
    int64_t instructions = 0;
    for (int64_t i = 0; i < stream_count(); ++i) {
      auto seed = uint64_t(i);
      Rng rng(seed);
      RandomStream made = random_stream(rng);
      instructions += int64_t(made.stream.size());
      Outcome expected = golden(made);
      for (uint64_t order = 0; order < 3; ++order)
        QVERIFY2(by_events(made, order) == expected, said(seed, made).c_str());
      std::vector<std::byte> dram = made.dram;
      TimingOptions options;
      options.timeline = i % 16 == 0;
      auto timed = run_timed(made.configuration, made.stream, dram, options);
      QVERIFY2(timed, timed ? "" : timed.error().message.c_str());
      QVERIFY2((Outcome{timed->machine, dram} == expected), said(seed, made).c_str());
      auto sound = check(timed->timeline);
      QVERIFY2(sound, sound ? "" : (sound.error().message + said(seed, made)).c_str());
      options = {.execute = false};
      QCOMPARE(run_timed(made.configuration, made.stream, {}, options)->cycles, timed->cycles);
    }
    qInfo("%ld streams, %ld instructions, 0 differences", long(stream_count()), long(instructions));
  }

  /// What makes the test above worth something: modules do overtake each other, and without tokens
  /// results differ.
  void without_tokens_order_matters() {
    int64_t other_order = 0, other_result = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      Rng rng(seed);
      RandomStream made = random_stream(rng);
      Outcome expected = golden(made);
      for (Instruction& instruction : made.stream) instruction.tokens = {};
      std::vector<std::byte> dram = made.dram;
      auto run = run_events(made.configuration, made.stream, dram, {.seed = 7}).value();
      other_order += !std::ranges::is_sorted(run.order);
      other_result += dram != expected.dram || !(run.machine == expected.machine);
    }
    QVERIFY2(other_order > 150, std::to_string(other_order).c_str());
    QVERIFY2(other_result > 50, std::to_string(other_result).c_str());
  }

  void the_same_seed_gives_the_same_order() {
    Rng rng(3);
    RandomStream made = random_stream(rng);
    auto order = [&](uint64_t seed) {
      std::vector<std::byte> dram = made.dram;
      return run_events(made.configuration, made.stream, dram, {.seed = seed})->order;
    };
    QVERIFY(order(11) == order(11));
    std::set<std::vector<int32_t>> orders;
    for (uint64_t seed = 0; seed < 50; ++seed) orders.insert(order(seed));
    QVERIFY(orders.size() > 1);
  }
};

QTEST_GUILESS_MAIN(StreamsTest)
#include "streams_test.moc"
