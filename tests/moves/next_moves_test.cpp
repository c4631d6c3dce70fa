// Moves that are offered are legal, compute what the plain program computes, and come best first.
#include "engine/moves/next_moves.h"

#include <QtTest>
#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "engine/analysis/locality.h"
#include "engine/ir/interpreter.h"
#include "engine/moves/idea.h"
#include "engine/schedule/trace.h"
#include "targets/cpu/compiler/time_model.h"
#include "tests/support/hard_kernels.h"
#include "tests/support/pipelines.h"
#include "tests/support/random_schedules.h"

using namespace tw;
using moves::MovesWanted;
using moves::NextMove;
using moves::NextMoves;

namespace {

/// For small kernels few lanes and small caches, so that they have whole vectors and do not fit.
Hardware machine(int lanes) {
  Hardware hardware;
  hardware.units = {{.count = 4, .vector_bytes = 4 * lanes}};
  int64_t bytes = lanes < 8 ? 512 : 32 << 10;
  hardware.memories = {{"L1", bytes}, {"L2", 16 * bytes}};
  return hardware;
}
Roofs roofs(int lanes) {
  double vector = 8.0 * lanes;
  Roofs roofs;
  roofs.compute = {{"FMA f32", "vector", "f32", {vector, 4 * vector}},
                   {"scalar f32", "scalar", "f32", {16, 64}}};
  roofs.memory = {{"L1", 0, {256, 1024}, {}}, {"L2", 0, {64, 256}, {}}, {"DRAM", 0, {16, 32}, {}}};
  return roofs;
}

NextMoves moves_of(Schedule const& schedule, int lanes, MovesWanted wanted = {}) {
  Hardware hardware = machine(lanes);
  Roofs rates = roofs(lanes);
  wanted.budget = ProofBudget::kWork;
  auto model = [&](ir::Program const& program) {
    return cpu_model_time(program, analysis::Locality(program), hardware, rates);
  };
  return moves::next_moves(schedule, hardware, model, wanted).value();
}

Schedule plain(std::string const& text) {
  return Schedule(te::to_program(te::parse_kernel("tilewright te 1\n" + text).value()).value());
}

Schedule taken(Schedule schedule, NextMove const& move) {
  for (Step const& step : move.steps) schedule = schedule.apply(step).value();
  return schedule;
}

std::string const kMatmul =
    "kernel m(A: f32[96, 64], B: f32[64, 80]) -> C\n"
    "  C[i in 96, j in 80] = sum[k in 64] A[i, k] * B[k, j]\n";

Schedule stepped(Schedule schedule, std::vector<std::string> const& steps) {
  for (std::string const& step : steps) schedule = schedule.apply(parse_step(step).value()).value();
  return schedule;
}

std::vector<std::string> const kTile = {
    "i.0, i.1 = split(C.i, factor=6)", "j.0, j.1 = split(C.j, factor=8)",
    "reorder(C.i.0, C.j.0, C.k, C.i.1, C.j.1)", "vectorize(C.j.1)", "unroll(C.i.1)"};

/// What each kind of move was taken for, and what the walks met.
struct Walks {
  std::map<std::string, int> taken;
  std::vector<std::string> wrong;
  int moves = 0;
};

/// Rare kinds as often as those of which there are many.
NextMove const& drawn(NextMoves const& found, Rng& rng) {
  std::map<std::string, std::vector<NextMove const*>> by_idea;
  for (NextMove const& move : found.moves) by_idea[move.idea].push_back(&move);
  auto idea = std::next(by_idea.begin(), std::ptrdiff_t(rng.below(int64_t(by_idea.size()))));
  return *idea->second[size_t(rng.below(int64_t(idea->second.size())))];
}

/// A few moves, each drawn from all that are offered, against the plain program.
void walk_through(std::string const& text, Rng& rng, Walks& walks) {
  auto kernel = testing::parsed_kernel(text);
  if (!kernel) return walks.wrong.push_back(text + to_sentence(kernel.error()));
  Schedule schedule(te::to_program(*kernel).value());
  for (int step = 0; step < 4; ++step) {
    NextMoves found = moves_of(schedule, rng.below(2) ? 2 : 4, {.most = 1000, .variants = 1000});
    if (found.moves.empty()) break;
    NextMove const& move = drawn(found, rng);
    schedule = taken(std::move(schedule), move);
    ++walks.taken[move.idea];
    ++walks.moves;
  }
  auto inputs = testing::random_inputs(*kernel, rng);
  auto expected = testing::expected_of(*kernel, inputs);
  auto outputs = ir::interpret(schedule.program(), inputs, {.shuffle_seed = rng.next() | 1});
  if (!outputs || !te::judge(*outputs, expected).equal)
    walks.wrong.push_back(text + schedule.script() +
                          (outputs ? "another result" : to_sentence(outputs.error())));
}

}  // namespace

class NextMovesTest : public QObject {
  Q_OBJECT
private slots:
  void offered_moves_are_legal_and_keep_the_result() {
    int count = std::max(1, qEnvironmentVariableIntValue("TW_WALKS"));
    if (!qEnvironmentVariableIsSet("TW_WALKS")) count = 150;
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261126;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Rng rng(seed);
    testing::KernelSet set = testing::kernel_set();
    Walks walks;
    for (int i = 0; i < count; ++i) walk_through(testing::test_kernel(i, set, rng), rng, walks);
    for (auto const& [idea, times] : walks.taken) qInfo("%-14s %5d", idea.c_str(), times);
    qInfo("%d walks, %d moves", count, walks.moves);
    for (std::string const& text : walks.wrong) qInfo("%s", text.c_str());
    QCOMPARE(walks.wrong.size(), size_t(0));
    if (count < 150) return;
    for (moves::Idea const* idea : moves::idea_table())  // what is never taken proves nothing
      if (idea->machines != moves::Machines::kBlocks)
        QVERIFY2(walks.taken[idea->name] > 0, idea->name.c_str());
  }

  void the_best_comes_first_and_says_what_it_brings() {
    NextMoves found = moves_of(plain(kMatmul), 8);
    QVERIFY(found.moves.size() > 5);
    for (size_t i = 1; i < found.moves.size(); ++i)
      QVERIFY(found.moves[i].model.seconds >= found.moves[i - 1].model.seconds / 1.021);
    NextMove const& best = found.moves.front();
    QCOMPARE(best.idea, std::string("register_tile"));
    QVERIFY(best.gain > 10);
    QCOMPARE(best.gain, found.now.seconds / best.model.seconds);
    std::map<std::string, int> kinds;
    for (NextMove const& move : found.moves) QVERIFY(++kinds[move.idea + " " + move.about] <= 2);
    QVERIFY(kinds.size() >= 4);
    std::string sentence = moves::binding_sentence(found);
    QVERIFY2(sentence.starts_with("Bottleneck: arithmetic"), sentence.c_str());
    QVERIFY(sentence.find(best.effect) != std::string::npos);
  }

  void a_move_is_found_for_a_loop_a_block_or_a_tensor() {
    std::string text =
        "kernel two(A: f32[64, 64], B: f32[64, 64]) -> D\n"
        "  C[i in 64, j in 64] = sum[k in 64] A[i, k] * B[k, j]\n"
        "  D[i in 64, j in 64] = max(C[i, j], 0)\n";
    Schedule schedule = plain(text);
    for (std::string const of : {"C.k", "D", "C.j", "A", "C"}) {
      NextMoves found = moves_of(schedule, 8, {.of = of, .most = 100, .variants = 100});
      QVERIFY2(!found.moves.empty(), of.c_str());
      for (NextMove const& move : found.moves) {
        bool named = move.about == of;
        for (Step const& step : move.steps)
          named = named || move.tensor == of || to_text(step).find(of) != std::string::npos;
        QVERIFY2(named, move.effect.c_str());
      }
    }
    size_t all = moves_of(schedule, 8, {.most = 1000, .variants = 1000}).moves.size();
    QVERIFY(moves_of(schedule, 8, {.of = "D", .most = 1000, .variants = 1000}).moves.size() < all);
  }

  void vectors_are_as_wide_as_what_is_computed() {
    for (auto [type, lanes] : {std::pair{"f32", 8}, {"f64", 4}, {"i8", 32}, {"f16", 8}}) {
      Schedule schedule =
          plain("kernel v(A: " + std::string(type) +
                "[64, 256]) -> C\n  C[i in 64, j in 256] = max(A[i, j], A[i, j])\n");
      std::set<std::string> lines;
      for (NextMove const& move : moves_of(schedule, 8, {.most = 100, .variants = 100}).moves)
        if (move.idea == "vectors") lines.insert(to_text(move.steps.front()));
      QVERIFY2(lines.contains("j.0, j.1 = split(C.j, factor=" + std::to_string(lanes) + ")"), type);
    }
  }

  void a_tensor_is_packed_copied_and_summed_apart() {
    Schedule schedule = plain(
        "kernel t(A: f32[96, 64], B: f32[80, 64]) -> C\n"
        "  C[i in 96, j in 80] = sum[k in 64] A[i, k] * B[j, k]\n");
    NextMoves tiles = moves_of(schedule, 8, {.of = "C", .most = 1});
    schedule = taken(std::move(schedule), tiles.moves.front());
    std::map<std::string, std::string> seen;  // primitive: tensors
    for (std::string const of : {"A", "B", "C"})
      for (NextMove const& move : moves_of(schedule, 8, {.of = of, .most = 100}).moves) {
        if (move.tensor != of) continue;
        QCOMPARE(move.about, of);
        seen[move.steps.front().primitive] += of;
      }
    QVERIFY(seen["pack"].find('B') != std::string::npos);
    QVERIFY(seen["cache_read"].find('A') != std::string::npos);
    QVERIFY(seen["cache_write"].find('C') != std::string::npos);
  }

  /// Lanes that are read one by one from as many rows, against one load.
  void what_vectors_gather_is_worth_packing() {
    Schedule schedule = plain(
        "kernel t(A: f32[96, 64], B: f32[80, 64] @param) -> C\n"
        "  C[i in 96, j in 80] = sum[k in 64] A[i, k] * B[j, k]\n");
    schedule = stepped(std::move(schedule), kTile);
    NextMoves found = moves_of(schedule, 8, {.of = "B"});
    QVERIFY(!found.moves.empty());
    NextMove const& best = found.moves.front();
    QCOMPARE(to_text(best.steps.front()), std::string("pack(C, layout=AB8a, tensor=B)"));
    QVERIFY2(best.gain > 1.05, std::to_string(best.gain).c_str());
  }

  /// Not copied once more, but stored so from the beginning.
  void who_writes_a_tensor_can_store_it_as_it_is_used() {
    Schedule schedule = stepped(plain("kernel t(A: f32[96, 64], B: f32[80, 64]) -> C\n"
                                      "  E[j in 80, k in 64] = B[j, k] * 2\n"
                                      "  C[i in 96, j in 80] = sum[k in 64] A[i, k] * E[j, k]\n"),
                                kTile);
    std::set<std::string> lines;
    for (NextMove const& move : moves_of(schedule, 8, {.of = "E", .most = 100}).moves)
      lines.insert(to_text(move.steps.front()));
    QVERIFY(lines.contains("transform_layout(E, layout=AB8a)"));
    QVERIFY(lines.contains("pack(C, layout=AB8a, tensor=E)"));
  }

  /// Three orders of a tensor for one nest, each only where it helps.
  void a_layout_is_offered_where_the_tile_begins_at_its_blocks() {
    auto layouts = [](std::string const& text, std::vector<std::string> const& steps,
                      std::string const& of) {
      Schedule schedule = stepped(plain(text), steps);
      std::set<std::string> found;
      for (NextMove const& move : moves_of(schedule, 8, {.of = of, .most = 100}).moves)
        for (Step const& step : move.steps)
          if (step.primitive == "pack")
            found.insert(std::get<std::string>(step.arguments.at("layout")));
      return found;
    };
    QCOMPARE(layouts(kMatmul, kTile, "B"), std::set<std::string>{"BA8b"});
    QCOMPARE(layouts(kMatmul, kTile, "A"), std::set<std::string>{"AB6a"});
    // Where a dimension of one element stands makes no difference.
    QCOMPARE(layouts("kernel one(X: f32[1, 24, 32]) -> C\n  C[i in 24, j in 32] = X[0, i, j]\n", {},
                     "X"),
             std::set<std::string>{});
    QCOMPARE(layouts("kernel one(X: f32[1, 32, 24]) -> C\n  C[i in 24, j in 32] = X[0, j, i]\n", {},
                     "X"),
             std::set<std::string>{"ACB"});
    // A window's columns begin everywhere: no block holds all of a vector.
    std::string conv =
        "kernel c(X: f32[8, 34, 34], W: f32[8, 8, 3, 3]) -> Y\n"
        "  Y[o in 8, y in 32, x in 32] = sum[c in 8, r in 3, s in 3] X[c, y+r, x+s] * W[o, c, r, "
        "s]\n";
    std::vector<std::string> lanes = {"x.0, x.1 = split(Y.x, factor=8)",
                                      "reorder(Y.c, Y.r, Y.s, Y.x.1)", "vectorize(Y.x.1)"};
    QCOMPARE(layouts(conv, lanes, "X"), std::set<std::string>{});
    QCOMPARE(layouts(conv, lanes, "W"), std::set<std::string>{});
  }

  void the_first_move_again_and_again_makes_a_product_fast() {
    Schedule schedule = plain(kMatmul);
    double before = moves_of(schedule, 8).now.seconds, after = before;
    for (int i = 0; i < 8; ++i) {
      NextMoves found = moves_of(schedule, 8, {.most = 1});
      if (found.moves.empty() || found.moves.front().gain < 1.01) break;
      schedule = taken(std::move(schedule), found.moves.front());
      after = found.moves.front().model.seconds;
    }
    qInfo("%.3g ms -> %.3g ms\n%s", before * 1e3, after * 1e3, schedule.script().c_str());
    QVERIFY(before > 30 * after);
    QVERIFY(schedule.script().find("parallel") != std::string::npos);
  }

  /// The wait for a list is the work for it: one model of each draft, few drafts, few proofs.
  void a_list_for_ten_blocks_takes_few_drafts() {
    Schedule schedule(te::to_program(te::parse_kernel(testing::kAttention).value()).value());
    std::atomic<int> modelled = 0, shown = 0;
    Hardware hardware = machine(8);
    Roofs rates = roofs(8);
    auto model = [&](ir::Program const& program) {
      ++modelled;
      return cpu_model_time(program, analysis::Locality(program), hardware, rates);
    };
    MovesWanted wanted{.budget = ProofBudget::kWork, .on_move = [&](NextMove const&) { ++shown; }};
    NextMoves found = moves::next_moves(schedule, hardware, model, wanted).value();
    int refused = 0;
    for (auto const& [code, count] : found.refused) refused += count;
    qInfo("%d drafts, %d models, %d moves, %d proofs in vain", found.tried, modelled.load(),
          shown.load(), refused);
    QCOMPARE(modelled.load(), found.tried + 1);
    QCOMPARE(shown.load(), 12);
    QVERIFY(found.tried <= 45 * 10);
    QVERIFY(refused <= 12);
  }

  /// Every draft of three lists: modelled with what is kept of nests that no draft changes, and
  /// anew.
  void what_is_kept_of_nests_changes_no_time() {
    Hardware hardware = machine(8);
    Roofs rates = roofs(8);
    for (char const* text : {testing::kAttention, testing::kWinograd}) {
      Schedule schedule(te::to_program(te::parse_kernel(text).value()).value());
      for (int taken_moves = 0; taken_moves < 3; ++taken_moves) {
        analysis::LocalityMemo memo(schedule.program());
        std::atomic<int> modelled = 0, other = 0;
        auto model = [&](ir::Program const& program) {
          auto anew = cpu_model_time(program, analysis::Locality(program), hardware, rates);
          auto kept =
              cpu_model_time(program, analysis::Locality(program, 64, &memo), hardware, rates);
          ++modelled;
          bool same =
              kept.seconds == anew.seconds && kept.bound == anew.bound &&
              kept.arithmetic_seconds == anew.arithmetic_seconds && kept.flops == anew.flops &&
              std::ranges::equal(kept.levels, anew.levels, {}, &analysis::LevelTraffic::bytes,
                                 &analysis::LevelTraffic::bytes);
          if (!same) ++other;
          return anew;
        };
        NextMoves found =
            moves::next_moves(schedule, hardware, model, {.budget = ProofBudget::kWork}).value();
        QVERIFY(modelled > 50);
        QCOMPARE(other.load(), 0);
        schedule = taken(std::move(schedule), found.moves.front());
      }
    }
  }

  void moves_come_one_by_one_and_stop_when_asked() {
    std::stop_source source;
    std::vector<std::string> heard;
    MovesWanted wanted{.most = 10, .variants = 10, .stop = source.get_token()};
    wanted.on_move = [&](NextMove const& move) {
      heard.push_back(move.effect);
      if (heard.size() == 2) source.request_stop();
    };
    NextMoves found = moves_of(plain(kMatmul), 8, wanted);
    QCOMPARE(heard.size(), size_t(2));
    QCOMPARE(found.moves.size(), size_t(2));
  }

  void without_a_model_there_is_no_rank() {
    auto found = moves::next_moves(plain(kMatmul), machine(8),
                                   [](ir::Program const&) { return analysis::TimeModel{}; });
    QVERIFY(!found);
    QCOMPARE(found.error().code, std::string("no_time_model"));
  }

  /// A reduction whose order matters to nobody but a scan's must stay: what looks better and is not
  /// legal is left out, and counted.
  void what_is_not_legal_is_counted_and_not_offered() {
    int refused = 0;
    for (std::string const& text : testing::hard_kernels()) {
      auto kernel = testing::parsed_kernel(text);
      if (!kernel) continue;
      Schedule schedule(te::to_program(*kernel).value());
      for (auto const& [code, count] :
           moves_of(schedule, 2, {.most = 1000, .variants = 1000}).refused)
        refused += count;
    }
    qInfo("%d refused", refused);
    QVERIFY(refused > 0);
  }
};

QTEST_GUILESS_MAIN(NextMovesTest)
#include "next_moves_test.moc"
