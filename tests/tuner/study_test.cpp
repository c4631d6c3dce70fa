// Tables of measured points: what they are made of, and searches on them.
#include <QtTest>

#include <cmath>

#include "engine/ir/text.h"
#include "engine/tuner/study/replay.h"
#include "engine/tuner/study/table_space.h"
#include "targets/cpu/compiler/cpu_targets.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

/// The same on every machine, whatever it is: so are the tables then.
std::shared_ptr<Backend const> wide_cpu() {
  static std::shared_ptr<Backend const> const backend =
      create_cpu_backend(cpu_target("cpu:x86-64-v4").value()).value();
  return backend;
}

StudyTable table_of(Space const& space, char const* name) {
  return {.kernel = name,
          .program = ir::to_text(space.program()),
          .hardware = space.backend().target().hardware,
          .pinned = space.pinned()};
}

/// A time that depends on every knob, unevenly.
double made_up_seconds(Candidate const& candidate) {
  double seconds = 1e-3;
  for (size_t i = 0; i < candidate.knobs.size(); ++i)
    seconds *= 1 + 0.05 * std::abs(candidate.knobs[i].taken - int(i % 3 + 1));
  return seconds;
}

/// The window's space with few knobs left, each point at its made-up time; every tenth fails.
StudyTable const& made_up_table() {
  static StudyTable made;
  if (!made.rows.empty()) return made;
  Space space(te::to_program(kernel_of(kWindow)).value(), wide_cpu(),
              {{"Y.sum_order", "c,r,s"}, {"Y.unrolled", "0"}, {"Y.parallel", "y"}});
  StudyTable table = table_of(space, "window");
  SpacePoints points = points_of(space, 100'000, 1).value();
  table.whole = points.whole;
  for (size_t i = 0; i < points.points.size(); ++i) {
    Candidate candidate = space.at(points.points[i]).value();
    std::optional<double> seconds;
    if (i % 10 != 5) seconds = made_up_seconds(candidate);
    table.rows.push_back({candidate.point, seconds});
  }
  return made = table;
}

}  // namespace

class StudyTest : public QObject {
  Q_OBJECT
private slots:
  void all_points_of_a_space_are_found_once() {
    Space space = space_of(kMap);
    SpacePoints points = points_of(space, 1000, 1).value();
    QVERIFY(points.whole);
    QVERIFY(points.points.front().empty());  // the rule
    std::set<std::string> scripts;
    for (Point const& point : points.points)
      QVERIFY(scripts.insert(space.at(point).value().schedule.script()).second);
    // Nothing by chance is missing.
    Rng rng(1);
    for (int i = 0; i < 200; ++i) {
      Candidate candidate = space.random(rng).value();
      QVERIFY(candidate.rejection || scripts.contains(candidate.schedule.script()));
    }
  }

  void of_too_many_some_are_chosen_by_the_seed() {
    Space space = space_of(kWindow);
    SpacePoints some = points_of(space, 30, 1, 100).value();
    QVERIFY(!some.whole);
    QCOMPARE(some.points.size(), size_t(30));
    QVERIFY(some.points == points_of(space, 30, 1, 100).value().points);
    QVERIFY(some.points != points_of(space, 30, 2, 100).value().points);
  }

  void a_table_is_what_its_text_says() {
    Space space = space_of(kMap);
    StudyTable table = table_of(space, "map");
    table.threads = 3;
    table.rows = {{{}, 1.25e-6}, {{{"Y.lanes", "32"}}, std::nullopt}};
    std::string text = to_text(table);
    QVERIFY(parse_table(text).value() == table);
    QCOMPARE(parse_table("").error().code, std::string("bad_table"));
    QCOMPARE(parse_table("{}\n").error().code, std::string("bad_table"));
    QCOMPARE(parse_table(text + "[-1,{}]\n").error().message,
             std::string("line 4 of the table has no time"));
    QCOMPARE(parse_table(text + "[1,{\"a\":2}]\n").error().code, std::string("bad_table"));
    QCOMPARE(parse_table("{\"tilewright_table\":2}\n").error().code,
             std::string("unknown_version"));
  }

  void on_a_table_the_learned_search_is_sooner_at_the_best_than_chance() {
    StudyTable table = made_up_table();
    QVERIFY(table.whole);
    Space space = tw::space_of(table, wide_cpu()).value();
    TableTimes times = TableTimes::create(space, table).value();
    constexpr int kTrials = 64, kSeeds = 5;
    SearchSummary learned =
        summarize(find_search("learned").value(), space, times, kTrials, kSeeds).value();
    SearchSummary random =
        summarize(find_search("random").value(), space, times, kTrials, kSeeds).value();
    qInfo("%zu points; %.2f ms a trial", table.rows.size(), learned.seconds_per_trial * 1e3);
    for (size_t trials : {8, 16, 24, 32, 40, 48, 64})
      qInfo("after %zu trials: learned %.3f, random %.3f", trials, learned.regret[trials - 1],
            random.regret[trials - 1]);
    QCOMPARE(learned.runs.size(), size_t(kSeeds));
    QVERIFY(learned.regret.back() < random.regret.back());
    QVERIFY(learned.regret.back() < random.regret.back() * 2 / 3);
    // Three quarters of the trials are enough to be better.
    QVERIFY(learned.regret[47] < random.regret.back());
    for (Replayed const& run : learned.runs)
      for (size_t i = 1; i < run.best.size(); ++i) QVERIFY(run.best[i] <= run.best[i - 1]);
  }

  void a_whole_tables_space_gives_what_the_template_gives() {
    StudyTable table = made_up_table();
    auto made = TableSpace::create(table, wide_cpu()).value();
    Space space = tw::space_of(table, wide_cpu()).value();
    QCOMPARE(made->rows().size(), table.rows.size());
    Rng rng(2);
    for (int i = 0; i < 100; ++i) {
      Candidate candidate = space.random(rng).value(), other = made->at(candidate.point).value();
      QCOMPARE(bool(other.rejection), bool(candidate.rejection));
      if (!other.rejection) QCOMPARE(other.schedule.script(), candidate.schedule.script());
      QVERIFY(!made->random(rng).value().rejection);
    }
  }

  /// What a search proposes beside the rows of such a table would be in vain.
  void of_a_table_of_some_points_every_point_is_a_row() {
    StudyTable table = made_up_table();
    table.whole = false;
    table.rows.resize(40);
    auto made = TableSpace::create(table, wide_cpu()).value();
    std::set<Point> rows;
    for (Candidate const& row : made->rows()) rows.insert(row.point);
    QCOMPARE(rows.size(), size_t(40));
    Rng rng(3);
    Space all(te::to_program(kernel_of(kWindow)).value(), wide_cpu());
    for (int i = 0; i < 50; ++i) {
      Candidate row = made->random(rng).value();
      QCOMPARE(made->at(row.point).value().point, row.point);  // its own nearest
      QVERIFY(rows.contains(made->at(all.random(rng).value().point).value().point));
      Candidate other = made->mutated(row, rng).value();
      QVERIFY(rows.contains(other.point) && other.point != row.point);
      for (Point const& near : made->neighbours(row)) QVERIFY(rows.contains(near));
    }
    TableTimes times = TableTimes::create(*made, table).value();
    for (SearchRow const& row : searches()) {
      auto replayed = replay(*row.make(*made, 1), times, 30);
      if (row.name == "modelled") {  // the table has no model's times
        QCOMPARE(replayed.error().code, std::string("no_time_model"));
        continue;
      }
      Replayed run = replayed.value();
      QVERIFY2(run.best.size() == 30 || run.converged, row.name.data());
    }
  }

  void the_same_seed_gives_the_same_run() {
    StudyTable table = made_up_table();
    Space space = tw::space_of(table, wide_cpu()).value();
    TableTimes times = TableTimes::create(space, table).value();
    SearchRow row = find_search("learned").value();
    auto one = replay(*row.make(space, 3), times, 30).value();
    auto other = replay(*row.make(space, 3), times, 30).value();
    QVERIFY(one.best == other.best);
  }
};

QTEST_GUILESS_MAIN(StudyTest)
#include "study_test.moc"
