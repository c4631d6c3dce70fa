// The prover on small streams, each with what it must find; on random legal ones; and how fast.
#include "targets/vta/prover/prover.h"

#include <QtTest>
#include <set>

#include "targets/vta/hardware/assembly.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/simulator/events.h"
#include "targets/vta/stream/jit.h"
#include "tests/support/vta_calls.h"
#include "tests/support/vta_streams.h"

using namespace tw;
using namespace tw::vta;
using namespace tw::vta::testing;

namespace {

constexpr uint64_t kUopArea = 4096;

/// Micro-ops 0 to 31: entry k adds to accumulator k from INP k with WGT 0.
Bytes memory(Configuration const& c) {
  Bytes dram(1 << 16);
  for (uint32_t k = 0; k < 32; ++k) {
    uint64_t bits = encode(c, MicroOp{k, k, 0}).value();
    std::memcpy(&dram[kUopArea + 4 * k], &bits, 4);
  }
  return dram;
}

Stream stream_of(std::string const& lines) {
  std::string text = lines + "finish\n";
  auto assembly = parse_assembly("tilewright vta 1\n" + text);
  if (!assembly) qFatal("%s", to_sentence(assembly.error()).c_str());
  return assembly->stream;
}

ProofResult proof(std::string const& lines, int latency = 3) {
  Configuration const& c = *find_board("pynq");
  auto made = prove(c, stream_of(lines), memory(c), {.accumulator_latency = latency});
  if (!made) qFatal("%s", to_sentence(made.error()).c_str());
  return *made;
}

std::string codes(ProofResult const& made) {
  std::string all;
  for (Hazard const& hazard : made.hazards)
    all += hazard.code + "@" + std::to_string(hazard.instruction) + " ";
  return all;
}

// Element 1024 of UOP in DRAM is address 4096.
#define LOAD_UOPS "load uop sram=0 dram=1024 y=1 x=32 stride=32\n"
#define GEMM "gemm uops=0..8 outer=1 inner=1"

}  // namespace

class ProverTest : public QObject {
  Q_OBJECT
private slots:
  void what_it_must_find_data() {
    QTest::addColumn<QString>("lines");
    QTest::addColumn<QString>("found");
    auto row = [](char const* name, QString const& lines, char const* found) {
      QTest::newRow(name) << lines << found;
    };
    QString load = "load inp sram=0 dram=64 y=1 x=8 stride=8",
            wgt = "load wgt sram=0 dram=32 y=1 x=1 stride=1";
    QString store = "store out sram=0 dram=2048 y=1 x=8 stride=8", uops = LOAD_UOPS, gemm = GEMM;
    QString good = uops + load + "\n" + wgt + " push_next\n" + gemm + " pop_prev push_next\n" +
                   store + " pop_prev push_prev\nload uop pop_next\n";
    row("nothing", good, "");
    row("data that is not waited for",
        QString(good)
            .replace(wgt + " push_next", wgt)
            .replace("pop_prev push_next\n" + store, "push_next\n" + store),
        "0-? inp");
    row("weights alone", uops + load + " push_next\n" + wgt + "\n" + gemm + " pop_prev\n",
        "2-3 wgt 0");
    row("a buffer that is still read",
        uops + load + "\n" + wgt + " push_next\n" + gemm + " pop_prev\n" +
            "load inp sram=7 dram=64 y=1 x=2 stride=2\n",
        "3-4 inp 7");
    row("the next buffer",
        uops + load + "\n" + wgt + " push_next\n" + gemm + " pop_prev\n" +
            "load inp sram=8 dram=64 y=1 x=2 stride=2\n",
        "");
    row("a result that is stored too soon",
        uops + "gemm reset uops=0..8\n" + store + " push_prev\nload uop pop_next\n", "1-2 out 0");
    row("a result that is written over",
        uops + "gemm reset uops=0..8 push_next\n" + store +
            " pop_prev push_prev\ngemm reset uops=7..9\nload uop pop_next\n",
        "2-3 out 7");
    row("beside it",
        uops + "gemm reset uops=0..8 push_next\n" + store +
            " pop_prev push_prev\ngemm reset uops=8..9\nload uop pop_next\n",
        "");
    row("results that the host reads too soon",
        uops + "gemm reset uops=0..8 push_next\n" + store + " pop_prev\n", "2-3 out dram 32768");
    row("inputs that a store changes",
        uops + "gemm reset uops=0..8 push_next\nload inp sram=0 dram=2052 y=1 x=1 stride=1\n" +
            store + " pop_prev push_prev\nload uop pop_next\n",
        "2-3 out dram 32832");
    row("strided stores between",
        uops +
            "gemm reset uops=0..8 push_next\nload inp sram=0 dram=2049 y=4 x=1 stride=2\nstore out "
            "sram=0 dram=2048 y=4 x=1 stride=2 pop_prev push_prev\nload uop pop_next\n",
        "");
    row("biases that a store changes",
        uops + "gemm reset uops=0..8 push_next\n" + store +
            " pop_prev push_prev\nload acc sram=64 dram=513 y=1 x=1 stride=1\nload uop pop_next\n",
        "2-3 out dram 32832");
  }
  void what_it_must_find() {
    QFETCH(QString, lines);
    QFETCH(QString, found);
    ProofResult made = proof(lines.toStdString());
    std::string all;
    for (Race const& race : made.races)
      all += std::to_string(race.first) + "-" + std::to_string(race.second) + " " +
             std::string(to_text(race.memory)) + (race.in_dram ? " dram" : "") + " " +
             std::to_string(race.element) + " ";
    if (found == "0-? inp") {
      QCOMPARE(made.race_count, int64_t(2));
      QCOMPARE(all, std::string("1-3 inp 0 2-3 wgt 0 "));
    } else {
      QCOMPARE(QString::fromStdString(all).trimmed(), found);
    }
    QCOMPARE(made.proven(), found.isEmpty());
    QVERIFY(made.deadlock.empty());
  }

  void a_race_is_a_sentence() {
    std::string lines = LOAD_UOPS "load inp sram=0 dram=64 y=1 x=8 stride=8\n" GEMM "\n";
    ProofResult made = proof(lines);
    QCOMPARE(to_sentence(made.races.at(0), stream_of(lines)),
             std::string("instructions 1 (load inp) and 2 (gemm) both touch inp element 0, and "
                         "nothing orders them: the first writes it, the second reads it"));
  }

  void deadlocks_say_who_waits_for_whom() {
    ProofResult made = proof("load inp pop_next push_next\ngemm pop_prev push_prev\n");
    QVERIFY(!made.proven());
    QVERIFY2(made.deadlock.find("compute") != std::string::npos &&
                 made.deadlock.find("load") != std::string::npos,
             made.deadlock.c_str());
    ProofResult missing = proof("store out pop_prev\n");
    QVERIFY2(missing.deadlock.find("store") != std::string::npos, missing.deadlock.c_str());
    qInfo("%s", made.deadlock.c_str());
  }

  void tokens_that_are_left_over_or_lost_are_hazards() {
    QCOMPARE(codes(proof("load inp push_next\nload inp push_next\nload uop pop_prev\n")),
             std::string("left_over_token@1 not_waited_for@1 "));
    std::string many;
    for (int i = 0; i < 1025; ++i) many += "load inp push_next\n";
    for (int i = 0; i < 1025; ++i) many += "load uop pop_prev\n";
    QCOMPARE(codes(proof(many)), std::string());  // who pushes waits for room
    Configuration loses = *find_board("pynq");
    loses.tokens_stall = false;
    QCOMPARE(codes(*prove(loses, stream_of(many), memory(loses))), std::string("lost_token@1024 "));
  }

  /// Modules that wait for room in full queues: all runs end, or none, and leave the same.
  void full_queues_are_waited_for_as_the_prover_says() {
    int stuck = 0, stalled = 0;
    for (uint64_t seed = 1; seed <= 400; ++seed) {
      Rng rng(seed);
      RandomStream made = random_stream(rng);
      Bytes whole = made.dram;
      QVERIFY(run_behavioural(made.configuration, made.stream, whole));
      made.configuration.token_queue = int(rng.between(1, 2));
      made.configuration.tokens_stall = true;
      auto proved = prove(made.configuration, made.stream, made.dram);
      QVERIFY(proved);
      for (uint64_t order = 1; order <= 4; ++order) {
        Bytes dram = made.dram;
        auto run = run_events(made.configuration, made.stream, dram, {.seed = order});
        QVERIFY2(run.has_value() == proved->deadlock.empty(), qPrintable(QString::number(seed)));
        if (run) QVERIFY(dram == whole);
        if (!run) QCOMPARE(run.error().code, std::string("deadlock"));
      }
      stuck += !proved->deadlock.empty();
      stalled += proved->deadlock.find("for room in") != std::string::npos;
    }
    qInfo("%d of 400 wait forever, %d of them for room in a full queue", stuck, stalled);
    QVERIFY(stalled > 10 && stuck < 390);
  }

  /// The loop over micro-ops is pipelined, and drains before the next inner iteration.
  void accumulators_are_followed_through_an_inner_iteration() {
    std::string begin = LOAD_UOPS;
    // One micro-op for each step: dense layers of one block of outputs.
    QCOMPARE(codes(proof(begin + "gemm uops=0..1 outer=8 src=1,0\n")), std::string());
    QCOMPARE(codes(proof(begin + "gemm uops=0..1 outer=4 inner=2 dst=2,0 src=0,1\n")),
             std::string());
    QCOMPARE(codes(proof(begin + "alu add uops=1..2 inner=4 dst=0,1\n")), std::string());
    // Micro-ops 30 and 31 are those of accumulators 0 and 1 again, after one of 2.
    std::string again = begin +
                        "load uop sram=29 dram=1026 y=1 x=1\nload uop sram=30 dram=1024 "
                        "y=1 x=2 stride=2\nload uop sram=28 dram=1025 y=1 x=1\n";
    QCOMPARE(codes(proof(again + "gemm uops=28..32\n", 3)), std::string());  // 1 2 0 1
    QCOMPARE(codes(proof(again + "gemm uops=28..32\n", 4)), std::string("accumulator_reuse@4 "));
    QCOMPARE(codes(proof(again + "gemm reset uops=28..32\n", 4)), std::string());
    // An ALU that reads what the micro-op before it made: 0 + 1 of the second iteration.
    QCOMPARE(codes(proof(begin + "alu add uops=0..2 inner=2 dst=0,1\n")),
             std::string("accumulator_reuse@1 "));
    QCOMPARE(codes(proof(begin + "alu add uops=0..2 inner=2 dst=0,1 src=0,1\n")), std::string());
    QCOMPARE(codes(proof(begin + "alu add imm=1 uops=0..2 inner=2 dst=0,1\n")), std::string());
  }

  /// What such a stream touches is known when it has run.
  void micro_ops_that_the_stream_stores_are_not_decided() {
    std::string made = LOAD_UOPS
        "alu shr uops=0..1 imm=0 push_next\n"
        "store out dram=512 y=1 x=1 stride=1 pop_prev push_prev\n";
    ProofResult stored = proof(made +
                               "load uop dram=2048 y=1 x=1 pop_next\n"
                               "alu add uops=0..1 imm=1\n");
    QVERIFY(!stored.proven() && stored.races.empty() && stored.deadlock.empty());
    QCOMPARE(stored.undecided,
             std::string("instruction 3 loads micro-ops that instruction 2 may have stored (the "
                         "byte at address 0x2000 of DRAM): which elements they touch is known when "
                         "it has run"));
    QVERIFY(proof(made + "load uop dram=2052 y=1 x=1 pop_next\n").proven());
    // Loaded before anything is stored there.
    QVERIFY(proof("load uop sram=40 dram=2048 y=1 x=1\n" + made + "load uop pop_next\n").proven());
  }

  void a_nest_is_searched_as_if_it_was_written_out() {
    for (uint64_t seed = 1; seed <= 300; ++seed) {
      Rng rng(seed);
      RandomStream made = random_stream(rng);
      auto result = prove(made.configuration, made.stream, made.dram);
      QVERIFY(result);
      std::set<int64_t> found, wanted;
      for (Hazard const& hazard : result->hazards)
        if (hazard.code == "accumulator_reuse") found.insert(hazard.instruction);
      Machine machine(made.configuration);
      Bytes dram = made.dram;
      for (size_t i = 0; i < made.stream.size(); ++i) {
        std::vector<MicroOp> uops = machine.uops();  // none before the first load: all are 0
        uops.resize(size_t(made.configuration.depth(Memory::kUop)));
        if (reuses(made.stream[i], uops, 3)) wanted.insert(int64_t(i));
        QVERIFY(machine.execute(made.stream[i], dram));
      }
      // Of nests that are the same, the first is told.
      for (int64_t i : found)
        QVERIFY2(wanted.contains(i), qPrintable(QString("seed %1").arg(seed)));
      QVERIFY2(found.empty() == wanted.empty(),
               qPrintable(QString("seed %1: %2")
                              .arg(seed)
                              .arg(wanted.empty()
                                       ? ""
                                       : to_line(made.stream[size_t(*wanted.begin())]).c_str())));
    }
  }

  void stores_of_what_was_only_loaded_are_stale() {
    std::string lines = LOAD_UOPS
        "alu shr imm=0 uops=0..8\nload acc sram=4 dram=64 y=1 x=2 stride=2 push_next\n"
        "store out sram=0 dram=2048 y=1 x=8 stride=8 pop_prev push_prev\nload uop pop_next\n";
    QCOMPARE(codes(proof(lines)), std::string("stale_out@3 "));
    std::string fresh = LOAD_UOPS
        "load acc sram=4 dram=64 y=1 x=2 stride=2\nalu shr imm=0 uops=0..8 push_next\n"
        "store out sram=0 dram=2048 y=1 x=8 stride=8 pop_prev push_prev\nload uop pop_next\n";
    QCOMPARE(codes(proof(fresh)), std::string(""));
  }

  void micro_ops_that_were_replaced_in_part_are_found() {
    QCOMPARE(codes(proof("gemm reset uops=0..1\n")), std::string("uop_wrap@0 "));
    QCOMPARE(codes(proof(LOAD_UOPS
                         "load uop sram=4 dram=1024 y=1 x=4 stride=4\ngemm reset uops=0..8\n")),
             std::string("uop_wrap@2 "));
    QCOMPARE(codes(proof(LOAD_UOPS
                         "load uop sram=4 dram=1024 y=1 x=4 stride=4\ngemm reset uops=4..8\n")),
             std::string(""));
    QCOMPARE(codes(proof("load uop sram=0 dram=1024 y=1 x=4 stride=4\nload uop sram=4 dram=1024 "
                         "y=1 x=4 stride=4\ngemm reset uops=0..8\n")),
             std::string(""));
  }

  void instructions_that_cannot_run_are_errors() {
    Configuration const& c = *find_board("pynq");
    auto outside = prove(c, stream_of("load inp sram=2047 dram=0 y=1 x=2 stride=2\n"), memory(c));
    QVERIFY(!outside && outside.error().code == "sram_overflow");
    auto dram = prove(c, stream_of("load inp dram=4095 y=1 x=2 stride=2\n"), memory(c));
    QVERIFY(!dram && dram.error().code == "dram_overflow");
    QVERIFY(dram.error().message.starts_with("instruction 0 "));
    QVERIFY(!prove(c, Stream{}, memory(c)));
  }

  void random_legal_streams_are_proven() {
    int streams = qEnvironmentVariableIntValue("TW_STREAMS");
    for (uint64_t seed = 1; seed <= uint64_t(streams > 0 ? streams : 3000); ++seed) {
      Rng rng(seed);
      RandomStream made = random_stream(rng);
      auto result = prove(made.configuration, made.stream, made.dram);
      QVERIFY2(result, qPrintable(QString("seed %1").arg(seed)));
      std::string why = result->deadlock;
      if (!result->races.empty()) why += to_sentence(result->races[0], made.stream);
      QVERIFY2(result->proven(),
               qPrintable(QString("seed %1: ").arg(seed) + QString::fromStdString(why)));
      for (Hazard const& hazard : result->hazards)
        QVERIFY2(hazard.code != "left_over_token" && hazard.code != "lost_token",
                 qPrintable(QString("seed %1").arg(seed)));
    }
  }

  /// Two threads of tiles, as a convolution's stream has them.
  void a_hundred_thousand_instructions_take_seconds() {
    CallProgram program{.symbol = "k",
                        .configuration = *find_board("pynq"),
                        .tensors = {{"a", 1 << 22, false}, {"o", 1 << 22, true}},
                        .calls = {}};
    for (int i = 0; i < 20000; ++i) {
      auto thread = uint32_t(i % 2);
      bool again = i >= 2;
      Transfer inp{.memory = Memory::kInp,
                   .sram = thread * 1024,
                   .dram = uint64_t(i) % 1000,
                   .y_size = 16,
                   .x_size = 16,
                   .x_stride = 58};
      Transfer out{.memory = Memory::kOut,
                   .sram = thread * 1024,
                   .dram = uint64_t(i % 200) * 784,
                   .y_size = 14,
                   .x_size = 56,
                   .x_stride = 56};
      Transfer wgt{.memory = Memory::kWgt,
                   .sram = thread * 512,
                   .dram = 0,
                   .y_size = 1,
                   .x_size = 36,
                   .x_stride = 36};
      program.calls.push_back({.kind = CallKind::kLoad,
                               .tokens = {.pop_next = again},
                               .tensor = 0,
                               .transfer = inp,
                               .loops = {}});
      program.calls.push_back({.kind = CallKind::kLoad,
                               .tokens = {.push_next = true},
                               .tensor = 0,
                               .transfer = wgt,
                               .loops = {}});
      Call gemm{.kind = CallKind::kGemm,
                .tokens = {.pop_prev = true, .pop_next = again, .push_prev = true},
                .dst = thread * 1024,
                .src = thread * 1024,
                .wgt = thread * 512,
                .loops = {}};
      gemm.loops = {{3, 0, 16, 3}, {3, 0, 1, 1}, {4, 196, 0, 9}, {14, 14, 16, 0}, {14, 1, 1, 0}};
      program.calls.push_back(gemm);
      program.calls.push_back({.kind = CallKind::kAlu,
                               .tokens = {.push_next = true},
                               .alu = AluOp::kShr,
                               .use_immediate = true,
                               .immediate = 4,
                               .dst = thread * 1024,
                               .loops = {{784, 1, 1, 0}}});
      program.calls.push_back({.kind = CallKind::kStore,
                               .tokens = {.pop_prev = true, .push_prev = true},
                               .tensor = 1,
                               .transfer = out,
                               .loops = {}});
    }
    QElapsedTimer clock;
    clock.start();
    auto batches = make_batches(program, {.tensors = {0, 1 << 22}, .uops = 1 << 23});
    QVERIFY2(batches, batches ? "" : to_sentence(batches.error()).c_str());
    qint64 made = clock.restart();
    Batch const& batch = batches->front();
    QCOMPARE(batches->size(), size_t(1));
    Bytes dram((1 << 23) + 4 * batch.uops.size());
    for (size_t k = 0; k < batch.uops.size(); ++k) {
      uint64_t bits = encode(program.configuration, batch.uops[k]).value();
      std::memcpy(&dram[(1 << 23) + 4 * k], &bits, 4);
    }
    auto result = prove(program.configuration, batch.stream, dram);
    QVERIFY2(result, result ? "" : to_sentence(result.error()).c_str());
    qint64 proved = clock.elapsed();
    QVERIFY2(result->proven(), result->races.empty()
                                   ? result->deadlock.c_str()
                                   : to_sentence(result->races[0], batch.stream).c_str());
    QCOMPARE(codes(*result), std::string(""));
    qInfo("%zu instructions made in %lld ms, proved in %lld ms", batch.stream.size(),
          static_cast<long long>(made), static_cast<long long>(proved));
    QVERIFY(proved < 120000);
  }

  /// Nothing orders anything: the count ends somewhere, and so does the search.
  void hopeless_streams_end_too() {
    Stream stream;
    Configuration const& c = *find_board("pynq");
    Stream one = stream_of("load inp y=1 x=2048 stride=2048\ngemm uops=0..8\n");
    stream.push_back(stream_of(LOAD_UOPS)[0]);
    for (int i = 0; i < 20000; ++i) stream.insert(stream.end(), one.begin(), one.begin() + 2);
    stream.push_back({});
    QElapsedTimer clock;
    clock.start();
    auto result = prove(c, stream, memory(c));
    QVERIFY(result && !result->proven());
    QCOMPARE(result->races.size(), size_t(100));
    QCOMPARE(result->race_count, int64_t(1'000'000));
    qInfo("%lld ms", static_cast<long long>(clock.elapsed()));
    QVERIFY(clock.elapsed() < 120000);
  }

private:
  static bool reuses(Instruction const& i, std::vector<MicroOp> const& uops, size_t latency) {
    if ((i.opcode != Opcode::kGemm && i.opcode != Opcode::kAlu) || i.nest.reset) return false;
    for (uint32_t o = 0; o < i.nest.outer; ++o)
      for (uint32_t n = 0; n < i.nest.inner; ++n) {
        std::vector<uint32_t> last;
        for (uint32_t k = i.nest.uop_begin; k < i.nest.uop_end; ++k) {
          uint32_t dst = uops[k].dst + o * i.nest.dst.outer + n * i.nest.dst.inner;
          uint32_t src = uops[k].src + o * i.nest.src.outer + n * i.nest.src.inner;
          bool alu = i.opcode == Opcode::kAlu && !i.use_immediate;
          for (size_t back = 1; back < latency && back <= last.size(); ++back) {
            uint32_t written = last[last.size() - back];
            if (written == dst || (alu && written == src)) return true;
          }
          last.push_back(dst);
        }
      }
    return false;
  }
};

QTEST_GUILESS_MAIN(ProverTest)
#include "prover_test.moc"
