// Cycles, by hand: the sums that the model's constants give, and what is waited for.
#include <fmt/format.h>

#include <QtTest>
#include <fstream>

#include "engine/hardware/timeline_text.h"
#include "targets/vta/hardware/assembly.h"
#include "targets/vta/simulator/timed_machine.h"
#include "targets/vta/simulator/timing.h"
#include "tests/support/vta_streams.h"

using namespace tw;
using namespace tw::vta;

namespace {

Assembly read(std::string const& text) {
  auto assembly = parse_assembly("tilewright vta 1\n" + text);
  if (!assembly) qFatal("%s", to_sentence(assembly.error()).c_str());
  return std::move(*assembly);
}

/// Without launch, and with numbers that sums by hand can be made of: 4 bytes and a row of 10
/// cycles.
TimingOptions plain() {
  return {.constants = {.launch_cycles = 0,
                        .gemm_drain_cycles = 4,
                        .alu_cycles_per_uop = 2,
                        .dma_bytes_per_cycle = 4,
                        .memory_bytes_per_cycle = 4,
                        .dma_row_cycles = 10},
          .timeline = true};
}

TimedRun timed(std::string const& text, TimingOptions const& options = plain()) {
  Assembly assembly = read(text);
  std::vector<std::byte> dram(65536);
  auto run = run_timed(assembly.configuration, assembly.stream, dram, options);
  if (!run) qFatal("%s", to_sentence(run.error()).c_str());
  if (auto sound = check(run->timeline); !sound) qFatal("%s", sound.error().message.c_str());
  return std::move(*run);
}

std::string spans(Timeline const& timeline, std::string const& lane) {
  std::string text;
  for (Timeline::Span const& span : timeline.spans)
    if (timeline.lanes[size_t(span.lane)].name == lane)
      text += fmt::format("{} {}..{} of {}\n", timeline.kinds[size_t(span.kind)].name, span.begin,
                          span.end, span.instruction);
  return text;
}

std::string steps(Timeline const& timeline, std::string const& name) {
  std::string text;
  for (Timeline::Counter const& counter : timeline.counters)
    if (counter.name == name)
      for (auto const& [cycle, value] : counter.steps) text += fmt::format("{}:{} ", cycle, value);
  return text;
}

/// One after another: each waits for the one before.
char const* const kChain =
    "load inp y=2 x=4 stride=4 push_next\n"
    "gemm uops=0..4 outer=2 inner=3 pop_prev push_next\n"
    "store out y=1 x=4 pop_prev push_prev\n"
    "alu max uops=0..3 outer=2 imm=0 pop_next\n"
    "finish\n";

}  // namespace

class TimingTest : public QObject {
  Q_OBJECT
private slots:
  void a_chain_takes_the_sum_of_its_parts() {
    // Fetch reads 80 bytes: 30. Load: 2 * 10 + 128 / 4 = 52. GEMM: 2 * 3 * (4 + 4) = 48. Store:
    // 10 + 64 / 4 = 26. ALU: 6 * 2 = 12. Finish: 1.
    TimedRun run = timed(kChain);
    QCOMPARE(run.cycles, int64_t(30 + 52 + 48 + 26 + 12 + 1));
    QCOMPARE(run.load_busy, int64_t(52));
    QCOMPARE(run.gemm_busy, int64_t(48));
    QCOMPARE(run.store_busy, int64_t(26));
    QCOMPARE(run.alu_busy, int64_t(12));
    QCOMPARE(run.dram_busy, int64_t(30 + 52 + 26));
    QCOMPARE(run.milliseconds, double(run.cycles) / 100e3);
  }

  void launch_is_added_to_the_cycles_but_not_to_the_timeline() {
    TimingOptions options = plain();
    options.constants.launch_cycles = 1000;
    TimedRun run = timed(kChain, options);
    QCOMPARE(run.cycles, int64_t(1169));
    QCOMPARE(run.timeline.cycles, int64_t(169));
  }

  void a_chain_is_seen_with_what_each_waits_for() {
    Timeline timeline = timed(kChain).timeline;
    QCOMPARE(spans(timeline, "Load"), std::string("load input 30..82 of 0\n"));
    QCOMPARE(spans(timeline, "Compute"),
             std::string("stall R 31..82 of 1\nGEMM 82..130 of 1\nstall W 130..156 of 3\n"
                         "ALU 156..168 of 3\ntokens only 168..169 of 4\n"));
    QCOMPARE(spans(timeline, "Store"), std::string("stall R 32..130 of 2\nstore 130..156 of 2\n"));
    QCOMPARE(spans(timeline, "DRAM"),
             std::string("DRAM read 0..82 of 0\nDRAM write 130..156 of 2\n"));
    QCOMPARE(timeline.tokens.size(), size_t(3));
    Timeline::Token const& token = timeline.tokens[1];
    QVERIFY(token.queue == 2 && token.pushed == 130 && token.popped == 130 && token.from == 1 &&
            token.to == 2);
    QCOMPARE(timeline.instructions[1].text, std::string("gemm uops=0..4 outer=2 inner=3 pop_prev "
                                                        "push_next"));
    QCOMPARE(timeline.instructions[2].lane, 3);
  }

  void two_at_the_port_get_half_of_it_each() {
    // Fetch reads until 22. Each load alone takes 10 + 256 / 4 = 74; the second begins a cycle
    // later, so both end at 22 + 1 + 2 * 73 and one cycle after that.
    TimedRun run = timed("load inp y=1 x=16\nload acc y=1 x=4\nfinish\n");
    QCOMPARE(spans(run.timeline, "Load"),
             std::string("load input 22..96 of 0\nstall D 96..169 of 0\n"));
    QCOMPARE(spans(run.timeline, "Compute"),
             std::string("load accumulators 23..97 of 1\nstall D 97..170 of 1\ntokens only "
                         "170..171 of 2\n"));
    QCOMPARE(run.dram_busy, int64_t(22 + 148));
    QCOMPARE(run.busy.stall_dram, 73.0);
    QCOMPARE(run.busy.compute_load, 74.0);
  }

  void fetch_waits_where_a_queue_is_full() {
    TimedRun run = timed(
        "configuration command_queue=1\n"
        "gemm uops=0..8\ngemm uops=0..8\ngemm uops=0..8\nload inp y=1 x=1\nfinish\n");
    // 80 bytes: until 30; each GEMM takes 12. The first one runs, the second waits in the queue.
    QCOMPARE(spans(run.timeline, "Compute"),
             std::string("GEMM 30..42 of 0\nGEMM 42..54 of 1\nGEMM 54..66 of 2\ntokens only 66..67 "
                         "of 4\n"));
    QCOMPARE(
        spans(run.timeline, "Fetch"),
        std::string("fetch 0..30 of 0\nfetch 30..31 of 1\nfetch 31..32 of 2\nstall Q 32..42 of "
                    "2\nfetch 42..43 of 3\nfetch 43..44 of 4\nstall Q 44..54 of 4\n"));
    QCOMPARE(spans(run.timeline, "Load"), std::string("load input 43..57 of 3\n"));
  }

  void a_wider_port_moves_more_bytes_in_a_cycle() {
    TimedRun run = timed(std::string("configuration memory_bits=128\n") + kChain);
    QCOMPARE(run.cycles, int64_t(20 + (20 + 16) + 48 + (10 + 8) + 12 + 1));
  }

  void memories_are_in_use_from_their_load_to_their_last_reader() {
    // Two loads of weights, of which one GEMM each reads one element; the second is never read.
    Timeline timeline = timed(
                            "load wgt y=1 x=1 push_next\n"
                            "gemm uops=0..1 pop_prev push_prev\n"
                            "load wgt y=1 x=2 stride=2 pop_next\n"
                            "finish\n")
                            .timeline;
    // 64 bytes: until 26. 10 + 64 = 74: until 100. GEMM 5: until 105. 10 + 128: until 243.
    QCOMPARE(steps(timeline, "weights"), std::string("0:0 26:256 105:512 243:0 "));
    QCOMPARE(steps(timeline, "load -> compute"), std::string("0:0 "));
    QCOMPARE(timeline.counters.size(), size_t(8));
    int64_t reads = 0;
    for (Timeline::Touch const& touch : timeline.touches)
      if (timeline.counters[size_t(touch.counter)].name == "weights") {
        QVERIFY(touch.begin == 0 && touch.end == (touch.instruction == 2 ? 2 : 1));
        reads += !touch.write;
      }
    QCOMPARE(reads, int64_t(1));
  }

  void times_alone_need_no_dram() {
    Assembly assembly = read(kChain);
    TimingOptions options = plain();
    options.execute = false;
    auto run = run_timed(assembly.configuration, assembly.stream, {}, options);
    QCOMPARE(run->cycles, int64_t(169));
    QCOMPARE(run->machine.counters().gemm_uops, int64_t(0));
    QVERIFY(check(run->timeline));
    for (Timeline::Touch const& touch : run->timeline.touches)
      QVERIFY(touch.instruction == 0 || touch.instruction == 2);
  }

  void a_copy_in_the_middle_is_a_place_to_step_back_to() {
    for (uint64_t seed = 0; seed < 100; ++seed) {
      Rng rng(seed);
      auto [configuration, stream, dram] = vta::testing::random_stream(rng);
      TimedMachine machine = TimedMachine::create(configuration, stream, plain()).value();
      int64_t half = rng.below(40);
      for (int64_t i = 0; i < half; ++i) QVERIFY(machine.step(dram));
      TimedMachine checkpoint = machine;
      std::vector<std::byte> dram_then = dram;
      double cycle = checkpoint.cycle();
      while (!machine.done()) QVERIFY(machine.step(dram));
      QCOMPARE(checkpoint.cycle(), cycle);
      while (!checkpoint.done()) QVERIFY(checkpoint.step(dram_then));
      QVERIFY2(dram == dram_then, std::to_string(seed).c_str());
      TimedRun first = machine.take(), second = checkpoint.take();
      QCOMPARE(first.cycles, second.cycles);
      QVERIFY(first.machine == second.machine);
      QCOMPARE(to_text(first.timeline), to_text(second.timeline));
    }
  }

  /// Ends are where a module, or the port, has been busy all the time that it says.
  void lanes_are_busy_for_what_they_count() {
    for (uint64_t seed = 0; seed < 100; ++seed) {
      Rng rng(seed);
      auto [configuration, stream, dram] = vta::testing::random_stream(rng);
      TimedRun run = run_timed(configuration, stream, dram, plain()).value();
      std::map<std::string, int64_t> busy;
      std::map<int32_t, int64_t> end;
      for (Timeline::Span const& span : run.timeline.spans) {
        QVERIFY2(span.begin >= end[span.lane],
                 fmt::format("seed {}: lane {}, cycle {}", seed, span.lane, span.begin).c_str());
        end[span.lane] = span.end;
        busy[run.timeline.kinds[size_t(span.kind)].name] += span.end - span.begin;
      }
      // Each span is rounded.
      auto close = [&](int64_t a, double b) { return std::abs(double(a) - b) <= 100; };
      QVERIFY(close(busy["GEMM"], run.busy.gemm) && close(busy["ALU"], run.busy.alu));
      QVERIFY(close(busy["DRAM read"] + busy["DRAM write"], run.busy.dram));
    }
  }
};

QTEST_GUILESS_MAIN(TimingTest)
#include "timing_test.moc"
