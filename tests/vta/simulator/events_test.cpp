// Queues of commands and tokens: what waits, what blocks, what is left over.
#include <QtTest>

#include "targets/vta/hardware/assembly.h"
#include "targets/vta/simulator/events.h"
#include "targets/vta/simulator/timing.h"

using namespace tw;
using namespace tw::vta;

namespace {

Assembly read(std::string const& text) {
  auto assembly = parse_assembly("tilewright vta 1\n" + text);
  if (!assembly) qFatal("%s", to_sentence(assembly.error()).c_str());
  return std::move(*assembly);
}

/// What events and the timing model say, which must be the same but for the cycle.
std::string why(std::string const& text, uint64_t seed = 1) {
  Assembly assembly = read(text);
  std::vector<std::byte> dram(4096);
  auto run = run_events(assembly.configuration, assembly.stream, dram, {.seed = seed});
  auto timed = run_timed(assembly.configuration, assembly.stream, dram);
  if (run.has_value() != timed.has_value()) return "events and timing do not agree";
  if (run) return "";
  auto without_cycle = [](Error const& error) {
    std::string sentence = error.code + ": " + error.message;
    size_t cycle = sentence.find(" in cycle ");
    if (cycle == std::string::npos) return sentence;
    return sentence.substr(0, cycle) + sentence.substr(sentence.find(':', cycle));
  };
  if (without_cycle(run.error()) != without_cycle(timed.error()))
    return "not the same: " + run.error().message + " / " + timed.error().message;
  return without_cycle(run.error());
}

}  // namespace

class EventsTest : public QObject {
  Q_OBJECT
private slots:
  void two_modules_that_wait_for_each_other_are_named() {
    for (uint64_t seed = 0; seed < 20; ++seed)
      QCOMPARE(why("load inp pop_next push_next\ngemm pop_prev push_prev\nfinish\n", seed),
               std::string("deadlock: deadlock: compute waits with instruction 1 (gemm pop_prev "
                           "push_prev) for a token of load -> compute; load waits with instruction "
                           "0 (load inp pop_next push_next) for a token of compute -> load, and so "
                           "on: compute is waited for again"));
  }

  void a_deadlock_has_its_cycle() {
    Assembly assembly = read("load inp pop_next\nfinish");
    TimingOptions options;
    options.constants.dma_bytes_per_cycle = 4;
    options.constants.dma_row_cycles = 10;
    auto timed = run_timed(assembly.configuration, assembly.stream, {}, options);
    // 10 cycles of a row and 32 bytes at 4 a cycle for the two instructions, one until the second
    // is handed out, one for finish.
    QCOMPARE(timed.error().message,
             std::string("deadlock in cycle 20: load waits with instruction 0 (load inp pop_next) "
                         "for a token of compute -> load; compute has no instruction left"));
  }

  void a_token_that_nobody_pushes_is_waited_for_in_vain() {
    QCOMPARE(why("store out pop_prev\nload inp push_next\nfinish"),
             std::string("deadlock: deadlock: store waits with instruction 0 (store out pop_prev) "
                         "for a token of compute -> store; compute has no instruction left"));
  }

  void a_full_queue_keeps_others_from_their_instructions() {
    QCOMPARE(why("configuration command_queue=1\ngemm pop_prev\ngemm\ngemm\nload inp "
                 "push_next\nfinish"),
             std::string("deadlock: deadlock: compute waits with instruction 0 (gemm pop_prev) for "
                         "a token of load -> compute; load has no instruction, because fetch waits "
                         "with instruction 2 (gemm) for room in the full queue of compute, and so "
                         "on: compute is waited for again"));
    QCOMPARE(why("configuration command_queue=2\ngemm pop_prev\ngemm\ngemm\nload inp "
                 "push_next\nfinish"),
             std::string());
  }

  void a_token_may_be_pushed_by_a_later_instruction_of_another_module() {
    std::string text = "gemm pop_prev\nload inp push_next\nfinish";
    QCOMPARE(why(text), std::string());
    Assembly assembly = read(text);
    QCOMPARE(run_behavioural(assembly.configuration, assembly.stream, {}).error().code,
             std::string("token_underflow"));
  }

  void who_pushes_into_a_full_queue_waits_or_loses_the_token() {
    std::string pushes = "load inp push_next\nload wgt push_next\nload inp push_next\n";
    std::string pops = "gemm pop_prev\ngemm pop_prev\ngemm pop_prev\nfinish";
    for (char const* queue : {"1", "2", "3"})
      QCOMPARE(why("configuration token_queue=" + std::string(queue) + "\n" + pushes + pops),
               std::string());
    QCOMPARE(why("configuration token_queue=2\n" + pushes + "gemm\nfinish"),
             std::string("deadlock: deadlock: load waits with instruction 2 (load inp push_next) "
                         "for room in load -> compute, which holds 2 tokens; compute has no "
                         "instruction left"));
    QCOMPARE(why("configuration token_queue=2 full_tokens=lose\n" + pushes + "gemm\nfinish"),
             std::string());
    // The third push finds two tokens where compute is slow, and is waited for in vain.
    std::string slow = "configuration token_queue=2 full_tokens=lose\n" + pushes +
                       "gemm pop_prev\ngemm pop_prev\ngemm pop_prev\nfinish";
    Assembly assembly = read(slow);
    int lost = 0;
    for (uint64_t seed = 0; seed < 100; ++seed)
      lost += !run_events(assembly.configuration, assembly.stream, {}, {.seed = seed});
    QVERIFY(lost > 0 && lost < 100);
  }

  /// Two tokens of one instruction, of which the second has no room.
  void a_queue_has_what_was_pushed_before_its_pusher_waits() {
    std::string text =
        "configuration token_queue=1\n"
        "gemm push_next\ngemm push_prev push_next\nload inp pop_next push_next\n"
        "store out\nload uop pop_prev\nstore out pop_prev\nstore out pop_prev\n"
        "finish";
    QCOMPARE(why(text), std::string());
    Assembly assembly = read(text);
    QVERIFY(run_timed(assembly.configuration, assembly.stream, {}, {.timeline = true}));
  }

  void tokens_that_are_left_over_are_counted() {
    Assembly assembly = read("load inp push_next\nload inp push_next\nload uop push_next\nfinish");
    auto run = run_events(assembly.configuration, assembly.stream, {});
    QVERIFY((run->tokens_left == std::array<int64_t, 4>{2, 0, 1, 0}));
    auto timed = run_timed(assembly.configuration, assembly.stream, {});
    QVERIFY(timed->tokens_left == run->tokens_left);
  }

  void modules_keep_their_own_order() {
    Assembly assembly = read("load inp\ngemm\nload wgt\nstore out\nalu min\nload inp\nfinish");
    std::vector<std::byte> dram;
    for (uint64_t seed = 0; seed < 50; ++seed) {
      auto run = run_events(assembly.configuration, assembly.stream, dram, {.seed = seed});
      for (Module module : {Module::kLoad, Module::kCompute, Module::kStore}) {
        std::vector<int32_t> of;
        for (int32_t i : run->order)
          if (module_of(assembly.stream[size_t(i)]) == module) of.push_back(i);
        QVERIFY(std::ranges::is_sorted(of));
      }
    }
  }

  void what_is_wrong_with_an_instruction_is_said_with_its_index() {
    QVERIFY(why("load inp y=1 x=1 dram=256\nfinish")
                .starts_with("dram_overflow: instruction 0 (load inp dram=256 y=1 x=1; 0x"));
    QVERIFY(why("load wgt\nload inp push_prev\nfinish")
                .starts_with("impossible_instruction: instruction 1 (load inp push_prev; 0x"));
    QVERIFY(why("load wgt").starts_with("no_finish: "));
  }

  void an_illegal_configuration_is_refused() {
    Configuration c;
    c.log_block = 9;
    Stream stream(1);
    QCOMPARE(run_events(c, stream, {}).error().code, std::string("illegal_configuration"));
    QCOMPARE(run_timed(c, stream, {}).error().code, std::string("illegal_configuration"));
    QCOMPARE(run_behavioural(c, stream, {}).error().code, std::string("illegal_configuration"));
  }
};

QTEST_GUILESS_MAIN(EventsTest)
#include "events_test.moc"
