// Searches on a made-up time: how far a point is from a hidden one.
#include <QtTest>

#include <set>

#include "engine/tuner/search/search.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

/// 1 at the hidden point, more for each step of a knob away from it.
class MadeUp {
public:
  MadeUp(Space const& space, uint64_t seed) {
    Rng rng(seed);
    Candidate hidden = space.random(rng).value();
    while (hidden.rejection) hidden = space.random(rng).value();
    for (Knob const& knob : hidden.knobs) best_[knob.name] = knob.taken;
  }
  std::optional<double> seconds(Candidate const& candidate) const {
    if (candidate.rejection) return {};
    double away = 0;
    for (Knob const& knob : candidate.knobs)
      if (auto best = best_.find(knob.name); best != best_.end())
        away += std::min(4.0, std::abs(double(knob.taken - best->second)));
    return 1 + 0.1 * away;
  }

private:
  std::map<std::string, int> best_;
};

/// The best time after each of `trials` candidates that count.
double best_after(char const* search, Space const& space, MadeUp const& time, uint64_t seed,
                  int trials) {
  std::unique_ptr<Search> one = find_search(search).value().make(space, seed);
  double best = 1e9;
  for (int trial = 0, asked = 0; trial < trials && asked < 20 * trials; ++asked) {
    auto candidate = one->next().value();
    if (!candidate) break;
    if (candidate->rejection) continue;
    auto seconds = time.seconds(*candidate);
    one->tell(*candidate, seconds);
    best = std::min(best, seconds.value_or(best));
    ++trial;
  }
  return best;
}

/// A space whose target models exactly what is made up.
class ModelledSpace final : public Space {
public:
  ModelledSpace(Space space, uint64_t seed) : Space(std::move(space)), time_(*this, seed) {}
  std::optional<analysis::TimeModel> modelled(Candidate const& candidate) const override {
    analysis::TimeModel model;
    model.seconds = time_.seconds(candidate).value();
    return model;
  }
  MadeUp const& time() const { return time_; }

private:
  MadeUp time_;
};

}  // namespace

class SearchTest : public QObject {
  Q_OBJECT
private slots:
  /// Their partial sums are a stage that the rule makes on the way, of a program that its next
  /// steps replace.
  void sums_along_memory_over_several_rows_have_points_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("sums")
        << "kernel s(A: f32[64, 512]) -> C\n  C[i in 64] = sum[k in 512] A[i, k]\n";
    QTest::newRow("maxima") << "kernel m(A: f32[257, 513]) -> C\n"
                               "  C[i in 257] = max[k in 513] A[i, k]\n";
    QTest::newRow("softmax") << "kernel x(A: f32[48, 640]) -> Y\n"
                                "  M[i in 48] = max[k in 640] A[i, k]\n"
                                "  E[i in 48, k in 640] = exp(A[i, k] - M[i])\n"
                                "  S[i in 48] = sum[k in 640] E[i, k]\n"
                                "  Y[i in 48, k in 640] = E[i, k] / S[i]\n";
  }
  void sums_along_memory_over_several_rows_have_points() {
    QFETCH(QString, text);
    Space space = space_of(("tilewright te 1\n" + text.toStdString()).c_str());
    for (SearchRow const& row : searches()) {
      std::unique_ptr<Search> search = row.make(space, 7);
      int points = 0;
      for (int i = 0; i < 40; ++i) {
        auto next = search->next();
        if (!next && next.error().code == "no_time_model")
          break;  // it asks roofs, which none measured
        QVERIFY2(next, next ? "" : to_sentence(next.error()).c_str());
        auto const& candidate = *next;
        if (!candidate) break;
        search->tell(*candidate, candidate->rejection ? std::optional<double>() : 1e-3 + 1e-6 * i);
        points += !candidate->rejection;
        // A proof may refuse a step that was taken on trust, and say so.
        if (i % 8 == 0 && !candidate->rejection) (void)space.proven(*candidate);
      }
      QVERIFY2(points > 0 || row.name == "modelled", std::string(row.name).c_str());
    }
  }

  void learning_from_what_was_told_beats_chance() {
    Space space = space_of(kWindow);
    std::map<std::string, double> sums;
    constexpr int kSeeds = 5;
    double by_rule = 0;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      MadeUp time(space, 100 + seed);
      by_rule += *time.seconds(space.by_rule().value()) / kSeeds;
      for (char const* search : {"genetic", "learned", "descent", "random"})
        sums[search] += best_after(search, space, time, seed, 150) / kSeeds;
    }
    qInfo("after 150 trials: genetic %.2f, learned %.2f, descent %.2f, random %.2f",
          sums["genetic"], sums["learned"], sums["descent"], sums["random"]);
    QVERIFY(sums["learned"] < sums["random"]);
    QVERIFY(sums["genetic"] < sums["random"]);
    QVERIFY(sums["genetic"] < by_rule && sums["descent"] < by_rule);
  }

  void what_is_modelled_exactly_is_found_by_few_trials() {
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      ModelledSpace space(space_of(kWindow), 100 + seed);
      auto search = find_search("modelled").value().make(space, seed);
      double best = 1e9, before = 0;
      std::set<std::string> proposed;
      int trials = 0, ordered = 0;
      for (; trials < 30; ++trials) {
        long long points = search->modelled().points;
        auto candidate = search->next().value();
        if (!candidate) break;
        // Between two descents the fastest comes first; how many those are is the target's space.
        bool descended = search->modelled().points > points;
        ordered += !descended;
        double seconds = *space.time().seconds(*candidate);
        if (trials > 0) QCOMPARE(*candidate->predicted_seconds, seconds);
        QVERIFY(proposed.insert(candidate->schedule.script()).second);
        if (trials > 1 && !descended) QVERIFY(seconds >= before);
        before = seconds;
        best = std::min(best, seconds);
        search->tell(*candidate, seconds);
      }
      Modelled modelled = search->modelled();
      qInfo("best %.2f after %d trials, %lld points modelled", best, trials,
            static_cast<long long>(modelled.points));
      QVERIFY(modelled.points > trials && modelled.seconds > 0);
      QVERIFY(ordered > trials / 3);
      // The hidden point itself is 1; how near descents come depends on the processor's space.
      double by_chance = best_after("random", space, space.time(), seed, 150);
      qInfo("by chance %.2f after 150 trials", by_chance);
      QVERIFY(best < 1.15 || best < by_chance);
    }
  }

  void without_a_model_of_time_it_says_so() {
    Space space = space_of(kProduct);
    auto first = find_search("modelled").value().make(space, 1)->next();
    QVERIFY(!first);
    QCOMPARE(first.error().code, std::string("no_time_model"));
  }

  void the_first_of_the_guided_ones_is_the_schedule_by_rule() {
    Space space = space_of(kProduct);
    for (char const* search : {"genetic", "learned", "descent"})
      QVERIFY(find_search(search).value().make(space, 1)->next().value()->point.empty());
  }

  void descent_ends_where_no_neighbour_is_better() {
    Space space = space_of(kMap);
    std::unique_ptr<Search> search = find_search("descent").value().make(space, 1);
    int asked = 0;
    while (auto candidate = search->next().value()) {
      search->tell(*candidate, candidate->point.empty() ? 1.0 : 2.0);
      QVERIFY(++asked < 100);
    }
    QCOMPARE(asked, 1 + int(space.neighbours(space.by_rule().value()).size()));
  }

  void the_learned_search_ends_a_small_space() {
    Space space = space_of(kMap);
    std::unique_ptr<Search> search = find_search("learned").value().make(space, 1);
    int asked = 0;
    MadeUp time(space, 7);
    while (auto candidate = search->next().value()) {
      search->tell(*candidate, time.seconds(*candidate));
      QVERIFY(++asked < 100);
    }
    QVERIFY(double(asked) <= space.size().value());
  }

  void a_search_is_known_by_its_name() {
    QCOMPARE(find_search("").value().name, std::string_view("learned"));
    Error error = find_search("luck").error();
    QCOMPARE(error.code, std::string("unknown_search"));
    QVERIFY(error.message.find("learned, genetic, descent, modelled, random") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(SearchTest)
#include "search_test.moc"
