// Trials on their way into a store that is busy, full or away for a while: none is lost, and none
// is stored twice.
#include <QtTest>

#include "engine/session/cases/trial_keeper.h"
#include "tests/records/some_trials.h"

using namespace tw;
using namespace tw::session;

namespace {

/// Takes trials unless it is told to fail.
class MoodyStore final : public records::TrialStore {
public:
  std::function<std::optional<Error>(std::span<records::Trial const> trials)> fails;
  std::vector<records::Trial> kept;
  int asked = 0;

  Result<std::vector<int64_t>> append(std::span<records::Trial const> trials,
                                      records::Job const*) override {
    ++asked;
    for (records::Trial const& trial : trials) TRY(records::check(trial));
    if (auto failure = fails ? fails(trials) : std::nullopt) return std::unexpected(*failure);
    kept.insert(kept.end(), trials.begin(), trials.end());
    return std::vector<int64_t>(trials.size(), 1);
  }
  Result<std::vector<records::StoredTrial>> find(records::Query const&) override { return {{}}; }
  Result<int64_t> count(records::Query const&) override { return int64_t(kept.size()); }
  Result<std::vector<records::StoredTrial>> best(records::Query const&) override { return {{}}; }
  Result<records::StoredNames> names() override { return records::StoredNames(); }
  Status note(records::Job const&) override { return {}; }
  Result<std::optional<records::Job>> job(std::string const&) override {
    return std::optional<records::Job>();
  }
  Result<std::vector<records::Job>> jobs() override { return std::vector<records::Job>(); }
  Status check_all() override { return {}; }
  Status vacuum() override { return {}; }
};

Error busy() { return {"store_busy", "another process writes", {}, Fault::kEnvironment}; }

}  // namespace

class TrialKeeperTest : public QObject {
  Q_OBJECT
private slots:
  void what_a_store_did_not_take_it_takes_later_in_order_data() {
    QTest::addColumn<QString>("code");
    for (char const* code : {"store_busy", "store_full", "store_unwritable", "store_failed",
                             "store_away", "store_lost"})
      QTest::newRow(code) << code;
  }
  void what_a_store_did_not_take_it_takes_later_in_order() {
    QFETCH(QString, code);
    MoodyStore store;
    store.fails = [&](auto) -> std::optional<Error> {
      bool away = store.asked % 7 != 0;
      if (!away) return {};
      return Error{code.toStdString(), "not now", {}, Fault::kEnvironment};
    };
    TrialKeeper keeper(&store, {}, {}, {4, 60});
    std::vector<records::Trial> trials = testing::some_trials(0, 60);
    for (records::Trial const& one : trials) keeper.keep(one);
    keeper.finish();
    QVERIFY2(keeper.not_stored().empty(), keeper.not_stored().c_str());
    QVERIFY(!keeper.enough().stop_requested());
    QVERIFY(store.kept == trials);
  }

  void a_trial_that_no_store_takes_keeps_no_other_out() {
    MoodyStore store;
    TrialKeeper keeper(&store);
    std::vector<records::Trial> trials = testing::some_trials(0, 10);
    trials[4].samples = {0.0};
    for (records::Trial const& one : trials) keeper.keep(one);
    keeper.finish();
    QVERIFY2(keeper.not_stored().find("1 trial: ") == 0, keeper.not_stored().c_str());
    trials.erase(trials.begin() + 4);
    QVERIFY(store.kept == trials);
  }

  /// How many wait is bounded, and the search ends with the reason.
  void a_store_that_stays_away_ends_the_search() {
    MoodyStore store;
    store.fails = [](auto) { return std::optional<Error>(busy()); };
    TrialKeeper keeper(&store, {}, {}, {3, 0.4, 0.1});
    QElapsedTimer clock;
    clock.start();
    for (records::Trial const& one : testing::some_trials(0, 4)) keeper.keep(one);
    QVERIFY(keeper.enough().stop_requested());
    QVERIFY(clock.elapsed() >= 300);
    keeper.finish();
    QCOMPARE(keeper.not_stored(), std::string("4 trials: another process writes"));
    store.fails = {};  // it is back: what waits is taken after all
    keeper.finish();
    QVERIFY(keeper.not_stored().empty());
    QCOMPARE(store.kept.size(), size_t(4));
  }

  void who_stops_waits_for_no_store() {
    MoodyStore store;
    store.fails = [](auto) { return std::optional<Error>(busy()); };
    std::stop_source stop, enough;
    TrialKeeper keeper(&store, stop.get_token(), enough.get_token(), {0, 600});
    stop.request_stop();
    QElapsedTimer clock;
    clock.start();
    keeper.keep(testing::some_trial(0));
    keeper.finish();
    QVERIFY(clock.elapsed() < 5000);
    QVERIFY(!keeper.enough().stop_requested());
    enough.request_stop();
    QVERIFY(keeper.enough().stop_requested());
  }
};

QTEST_GUILESS_MAIN(TrialKeeperTest)
#include "trial_keeper_test.moc"
