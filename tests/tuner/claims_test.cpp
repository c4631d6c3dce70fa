// Curves and what is made of them: who is ahead, and the verdicts on claims.
#include <QtTest>

#include <cmath>

#include "engine/ir/text.h"
#include "engine/tuner/study/arms.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

Curve curve_of(std::vector<std::vector<double>> const& best) {
  Curve curve{"arm", {}, 1.0};
  for (std::vector<double> const& run : best) curve.runs.push_back({.best = run});
  return curve;
}

/// Wide vectors and unrolled loops are good, whatever knobs made them.
double made_up_seconds(Candidate const& candidate) {
  double seconds = 1e-3;
  for (LoopContext const& loop : loop_nest(candidate.schedule.program()).loops)
    if (loop.kind == ir::LoopKind::kVector || loop.kind == ir::LoopKind::kUnroll)
      seconds /= 1 + std::log2(loop.length);
  return seconds;
}

StudiedTable table_of(char const* kernel, char const* name, size_t most) {
  Space space = space_of(kernel);
  StudyTable table{.kernel = name,
                   .program = ir::to_text(space.program()),
                   .hardware = space.backend().target().hardware};
  SpacePoints points = points_of(space, most, 1).value();
  for (Point const& point : points.points)
    table.rows.push_back({point, made_up_seconds(space.at(point).value())});
  table.whole = points.whole;
  return studied(table, this_cpu()).value();
}

ClaimStudy study() {
  std::vector<StudiedTable> tables;
  tables.push_back(table_of(kProduct, "product", 150));
  tables.push_back(
      table_of("tilewright te 1\n"
               "kernel near(A: f32[96, 128], B: f32[128, 80]) -> C\n"
               "  C[i in 96, j in 80] = sum[k in 128] A[i, k] * B[k, j]\n",
               "near", 150));
  tables.push_back(table_of(kWindow, "window", 150));
  return ClaimStudy(std::move(tables), {.trials = 32, .seeds = 3});
}

}  // namespace

class ClaimsTest : public QObject {
  Q_OBJECT
private slots:
  void speeds_are_shares_of_the_best_and_a_converged_run_stays() {
    Replayed run{.best = {0, 4, 2}};
    QCOMPARE(speeds_of(run, 1, 4), (std::vector<double>{0, 0.25, 0.5, 0.5}));
    QCOMPARE(speeds_of(run, 1, 2, 2), (std::vector<double>{0.25, 0.5}));
    Band band = band_of(curve_of({{2, 1}, {4, 1}}), 2);
    QCOMPARE(band.mean, (std::vector<double>{0.375, 1}));
    QVERIFY(band.low[0] < 0.375 && band.high[0] > 0.375);
    QCOMPARE(band.high[1], 1.0);
    QCOMPARE(trials_to_speed(curve_of({{4, 2, 1}}), 0.5, 3), std::optional(2));
    QVERIFY(!trials_to_speed(curve_of({{4, 2}}), 0.9, 2));
  }

  void who_is_ahead_by_more_than_chance_is_ahead() {
    Curve good = curve_of({{1, 1}, {1.01, 1}, {1, 1}}), bad = curve_of({{2, 2}, {2.1, 2}, {2, 2}});
    Curve wild = curve_of({{1, 1}, {8, 8}, {1.5, 1.5}});
    QVERIFY(versus({good}, {bad}, 2).is_ahead());
    QVERIFY(versus({bad}, {good}, 2).is_behind());
    Versus level = versus({good}, {good}, 2);
    QVERIFY(!level.is_ahead() && !level.is_behind());
    QCOMPARE(level.level, 1);
    QVERIFY(!versus({wild}, {bad}, 2).is_ahead());
    QVERIFY(words_of(versus({good}, {bad}, 2)).starts_with("ahead ("));
  }

  void claims_are_found_by_their_keys() {
    QCOMPARE(claims().size(), size_t(10));
    QCOMPARE(find_claim("R4").value().key, std::string_view("R4"));
    QCOMPARE(find_claim("R11").error().code, std::string("unknown_claim"));
  }

  void what_tables_cannot_tell_is_said() {
    std::vector<StudiedTable> one;
    one.push_back(table_of(kMap, "map", 40));
    ClaimStudy alone(std::move(one), {.trials = 8, .seeds = 2});
    for (char const* key : {"R6", "R7"}) {
      ClaimResult result = find_claim(key).value().ask(alone).value();
      QVERIFY(result.verdict == Verdict::kCannotAsk && !result.sentence.empty());
    }
  }

  /// Times that loops explain: what is learned of one kernel orders another one's points, and that
  /// of another operator by relations alone.
  void what_loops_explain_is_carried_over() {
    ClaimStudy asked = study();
    QCOMPARE(asked.tables()[0].kind, std::string("ssr"));
    QCOMPARE(asked.tables()[2].kind, std::string("sssrrr"));
    auto order = [&](std::vector<size_t> from, size_t to, Representation representation) {
      std::vector<StudiedTable const*> tables;
      for (size_t i : from) tables.push_back(&asked.tables()[i]);
      TransferHistoryOptions how{.representation = representation, .with_prior = false};
      return order_of(*experience_of(tables, how, 150).value(), asked.tables()[to]);
    };
    double knobs = order({0, 1}, 2, Representation::kKnobs);
    double relations = order({0, 1}, 2, Representation::kRelation);
    double same = order({0}, 1, Representation::kRelation);
    qInfo("tau of one kind %.2f; of another by knobs %.2f, by relations %.2f", same, knobs,
          relations);
    QVERIFY(same > 0.5);
    QVERIFY(relations > 0.3 && relations > knobs);
    ClaimResult transfer = find_claim("R6").value().ask(asked).value();
    QVERIFY(transfer.verdict != Verdict::kCannotAsk);
    QCOMPARE(transfer.curves.size(), size_t(2));  // the window has no other of its kind
    ClaimResult costs = find_claim("R9").value().ask(asked).value();
    QVERIFY(costs.verdict == Verdict::kHolds);
    std::string svg = claim_svg(find_claim("R6").value(), transfer, 32, 3);
    for (char const* word : {">product<", ">near<", "tw tune, with experience"})
      QVERIFY2(QString::fromStdString(svg).contains(word), word);
  }

  /// The network sees loops, and times are made of them: it finds what is good sooner than chance,
  /// and orders a kernel that it has never seen.
  void a_network_is_compared_with_trees() {
    ClaimStudy asked = study();
    ClaimResult result = find_claim("R10").value().ask(asked).value();
    qInfo("%s", result.sentence.c_str());
    QVERIFY(result.verdict != Verdict::kCannotAsk);
    QCOMPARE(result.curves.size(), size_t(3));
    for (char const* words : {"TreeGRU", "from 32 and 128", "its kind", "other kinds"})
      QVERIFY2(result.sentence.find(words) != std::string::npos, words);
    for (TimedThing const& one : result.times) QVERIFY(one.seconds > 0);
    double same = order_of(network_of({&asked.tables()[0]}, 150).value(), asked.tables()[1]);
    double other = order_of(network_of({&asked.tables()[0]}, 150).value(), asked.tables()[2]);
    qInfo("tau of one kind %.2f, of another one %.2f", same, other);
    QVERIFY(same > 0.5 && other > 0.2);
  }
};

QTEST_GUILESS_MAIN(ClaimsTest)
#include "claims_test.moc"
