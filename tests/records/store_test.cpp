// What goes into a store comes out of it, sorted, filtered and in pages, however much there is; the
// same of a file and of a server.
#include <QElapsedTimer>
#include <QtTest>
#include <set>

#include "tests/records/some_trials.h"
#include "tests/support/figures.h"
#include "tests/support/postgres_server.h"

using namespace tw;
using namespace tw::records;
using tw::testing::some_trial;
using tw::testing::some_trials;

namespace {

using Store = std::unique_ptr<TrialStore>;

Store opened(std::string const& place, StoreOptions const& options = {}) {
  auto store = open_store(place, options);
  if (!store) qFatal("%s", to_sentence(store.error()).c_str());
  return std::move(*store);
}

std::vector<int64_t> ids_of(Result<std::vector<StoredTrial>> const& found) {
  if (!found) qFatal("%s", to_sentence(found.error()).c_str());
  std::vector<int64_t> ids;
  for (StoredTrial const& stored : *found) ids.push_back(stored.id);
  return ids;
}

}  // namespace

class StoreTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase_data() {
    QTest::addColumn<bool>("on_server");
    QTest::newRow("a file") << false;
    QTest::newRow("a server") << true;
  }

  void init() {
    QFETCH_GLOBAL(bool, on_server);
    folder_ = std::make_unique<QTemporaryDir>();
    place_ = folder_->filePath("store.db").toStdString();
    if (!on_server) return;
    if (!server_) server_ = std::make_unique<testing::PostgresServer>();
    if (!server_->missing().empty()) QSKIP(server_->missing().c_str());
    place_ = server_->fresh();
  }

  void a_trial_comes_back_as_it_was() {
    std::vector<Trial> trials = some_trials(0, 50);
    trials[0].trace = std::string("a\0b", 3);
    trials[0].samples = {0.1, 5e-324, 1.7976931348623157e308};
    trials[0].seed = ~0ull;
    trials[0].origin = Origin::kImported;
    {
      Store store = opened(place_);
      auto ids = store->append(trials);
      QVERIFY(ids);
      QCOMPARE(ids->front(), 1);
      QCOMPARE(ids->back(), 50);
    }
    Store store = opened(place_);
    auto found = store->find({.order = Order::kOldest});
    QVERIFY(found);
    QCOMPARE(found->size(), trials.size());
    for (size_t i = 0; i < trials.size(); ++i) {
      QCOMPARE((*found)[i].id, int64_t(i + 1));
      QVERIFY((*found)[i].trial == trials[i]);
    }
    QVERIFY(store->check_all());
  }

  void a_program_is_kept_once() {
    Trial trial = some_trial(0);
    trial.program = std::string(100'000, 'x');
    Store store = opened(place_);
    QVERIFY(store->append(std::vector<Trial>(200, trial)));
    QVERIFY(store->vacuum());
    QVERIFY(bytes() < 1'000'000);
  }

  void a_query_filters_and_orders() {
    std::vector<Trial> trials = some_trials(0, 140);
    Store store = opened(place_);
    QVERIFY(store->append(trials));
    for (int asked = 0; asked < 16; ++asked)
      for (Order order : {Order::kNewest, Order::kOldest, Order::kFastest, Order::kSlowest}) {
        Query query{.order = order, .limit = 1000};
        if (asked & 1) query.task = trials[0].task;
        if (asked & 2) query.device = "local";
        if (asked & 4) query.outcome = Outcome::kOk;
        if (asked & 8) query.after_id = 30, query.up_to_id = 120;
        std::vector<int64_t> wanted = matching(trials, query);
        QVERIFY(!wanted.empty());
        QCOMPARE(ids_of(store->find(query)), wanted);
        QCOMPARE(store->count(query).value(), int64_t(wanted.size()));
      }
    QCOMPARE(store->count({.job = "job"}).value(), 70);
    QCOMPARE(store->count({.job = "job'; DROP TABLE trials; --"}).value(), 0);
  }

  void words_are_found_wherever_they_stand() {
    std::vector<Trial> trials = some_trials(0, 140);
    trials[3].trace = "Unroll(Ow)";
    trials[4].failure = "it needs 100% of _all_ registers";
    trials[5].knobs = {{"conv2d.tile", "28x16"}};
    trials[6].machine = "Neoverse-V2";
    Store store = opened(place_);
    QVERIFY(store->append(trials));
    auto with = [&](char const* text) { return ids_of(store->find({.text = text})); };
    QCOMPARE(with("unroll(oW)"), std::vector<int64_t>{4});
    QCOMPARE(with("100%"), std::vector<int64_t>{5});
    QCOMPARE(with("_all_"), std::vector<int64_t>{5});
    QCOMPARE(with("TILE"), std::vector<int64_t>{6});
    QCOMPARE(with("conv2d.tile=28x16"), std::vector<int64_t>{6});  // as it is printed
    QVERIFY(with("conv2d.tile=29").empty());
    QCOMPARE(with("neoverse"), std::vector<int64_t>{7});
    QCOMPARE(with("conv5").size(), size_t(20));
    QCOMPARE(store->count({.text = "conv5"}).value(), int64_t(20));
    QVERIFY(with("conv5 ").empty() && with("localEPYC").empty());
    QVERIFY(with("'; DROP TABLE trials; --").empty());
    QCOMPARE(ids_of(store->find({.task_name = "conv5", .limit = 1000})), with("conv5"));
    QCOMPARE(ids_of(store->find({.machine = "Neoverse-V2"})), std::vector<int64_t>{7});
    std::vector<StoredTrial> boards = store->best({.task_name = "conv0", .text = "board"}).value();
    QVERIFY(!boards.empty());
    for (StoredTrial const& one : boards)
      QVERIFY(one.trial.task_name == "conv0" && one.trial.device == "board");
  }

  void names_are_told_once_and_in_order() {
    Store store = opened(place_);
    QVERIFY(store->names().value() == StoredNames());
    QVERIFY(store->append(some_trials(0, 50)));
    StoredNames names = store->names().value();
    QCOMPARE(names.tasks, (std::vector<std::string>{"conv0", "conv1", "conv2", "conv3", "conv4",
                                                    "conv5", "conv6"}));
    QCOMPARE(names.devices, (std::vector<std::string>{"board", "local"}));
    QCOMPARE(names.jobs, (std::vector<std::string>{"job"}));
  }

  void pages_follow_each_other_while_others_append() {
    Store store = opened(place_), other = opened(place_);
    QVERIFY(store->append(some_trials(0, 95)));
    std::vector<int64_t> seen;
    for (int page = 0; page < 10; ++page) {
      QVERIFY(other->append(some_trials(95 + uint64_t(page), 1)));
      auto ids = ids_of(store->find({.up_to_id = 95, .offset = page * 10, .limit = 10}));
      seen.insert(seen.end(), ids.begin(), ids.end());
    }
    QCOMPARE(seen.size(), size_t(95));
    for (size_t i = 0; i < seen.size(); ++i) QCOMPARE(seen[i], int64_t(95 - i));
    QVERIFY(ids_of(store->find({.offset = 1000})).empty());
    QVERIFY(ids_of(store->find({.limit = -1})).empty());
  }

  void the_best_is_told_for_each_task_and_device() {
    std::vector<Trial> trials = some_trials(0, 300);
    for (size_t i = 0; i < trials.size(); ++i)
      if (i % 5 == 0) trials[i].machine = "another";
    Store store = opened(place_);
    QVERIFY(store->append(trials));
    // Times with other numbers of threads do not compare.
    std::map<std::tuple<uint64_t, std::string, std::string, int>, double> wanted;
    for (Trial const& trial : trials)
      if (auto seconds = seconds_of(trial)) {
        auto [at, is_new] =
            wanted.try_emplace({trial.task, trial.device, trial.machine, trial.threads}, *seconds);
        at->second = std::min(at->second, *seconds);
      }
    auto best = store->best({});
    QVERIFY(best);
    QVERIFY(wanted.size() > 3);
    QCOMPARE(best->size(), wanted.size());
    for (auto const& [id, trial] : *best) {
      QCOMPARE(seconds_of(trial).value(),
               wanted.at({trial.task, trial.device, trial.machine, trial.threads}));
      QVERIFY(trial == trials[size_t(id - 1)]);
    }
    auto boards = store->best({.device = "board"}).value();
    QVERIFY(!boards.empty() && boards.size() < best->size());
    for (auto const& [id, trial] : boards) QCOMPARE(trial.device, std::string("board"));
    QVERIFY(store->best({.task = 1}).value().empty());
    auto of_two = store->best({.threads = 2}).value();
    QVERIFY(!of_two.empty() && of_two.size() < best->size());
    for (auto const& [id, trial] : of_two) QCOMPARE(trial.threads, 2);
  }

  void a_search_finds_its_note_again() {
    Job job{"a", "tune conv1", "{\"round\": 1}", 5};
    {
      Store store = opened(place_);
      QVERIFY(!store->job("a").value());
      QVERIFY(store->note(job));
      QVERIFY(store->note({"b", "tune conv2", "", 6}));
      job.state = "{\"round\": 2}";
      QVERIFY(store->append(some_trials(0, 3), &job));
    }
    Store store = opened(place_);
    QVERIFY(store->job("a").value() == job);
    QCOMPARE(store->jobs().value().size(), size_t(2));
    QCOMPARE(store->jobs().value()[0].id, std::string("b"));
  }

  void a_trial_that_is_none_is_refused_with_all_beside_it() {
    Store store = opened(place_);
    Job job{"a", "", "", 0};
    for (auto spoil :
         std::vector<void (*)(Trial&)>{[](Trial& trial) { trial.samples[1] = 0; },
                                       [](Trial& trial) { trial.samples[1] = -1; },
                                       [](Trial& trial) { trial.samples[1] = std::nan(""); },
                                       [](Trial& trial) { trial.samples.clear(); },
                                       [](Trial& trial) { trial.probe_rate = -1; },
                                       [](Trial& trial) { trial.unix_time = HUGE_VAL; }}) {
      std::vector<Trial> trials = some_trials(0, 8);
      spoil(trials[7]);  // a right one
      auto ids = store->append(trials, &job);
      QVERIFY(!ids);
      QCOMPARE(ids.error().code, std::string("bad_trial"));
    }
    QCOMPARE(store->count({}).value(), 0);
    QVERIFY(store->jobs().value().empty());
  }

  void a_hundred_thousand_open_and_show_a_page_within_a_second() {
    {
      Store store = opened(place_, {.durability = Durability::kFast});
      for (uint64_t first = 0; first < 100'000; first += 10'000)
        QVERIFY(store->append(some_trials(first, 10'000)));
    }
    QElapsedTimer timer;
    auto in_time = [&](char const* what, int times = 1) {
      bool in = testing::is_bearable(what, double(timer.elapsed()), 1000.0 * times);
      timer.restart();
      return in;
    };
    timer.start();
    Store store = opened(place_);
    QCOMPARE(store->find({}).value().size(), size_t(100));
    QVERIFY(in_time("open, first page"));
    QCOMPARE(store->count({}).value(), 100'000);
    QVERIFY(in_time("count"));
    QCOMPARE(store->find({.order = Order::kFastest}).value().size(), size_t(100));
    QVERIFY(in_time("fastest"));
    QCOMPARE(store->find({.offset = 99'900}).value().back().id, 1);
    QVERIFY(in_time("last page"));
    QCOMPARE(store->find({.order = Order::kFastest, .offset = 50'000}).value().size(), size_t(100));
    QVERIFY(in_time("middle page by time"));
    QVERIFY(store->find({.task = some_trial(0).task, .order = Order::kFastest}).value()[0].id > 0);
    QVERIFY(in_time("fastest of a task"));
    QVERIFY(!store->best({}).value().empty());
    QVERIFY(in_time("best"));
    QVERIFY(store->find({.device = "nowhere"}).value().empty());
    QVERIFY(in_time("no such device"));
    QCOMPARE(store->names().value().tasks.size(), size_t(7));
    QVERIFY(in_time("names"));
    QCOMPARE(store->count({.text = "CONV5"}).value(), 14'285);
    // No index helps with words: every row is read.
    QVERIFY(in_time("count of a word", 3));
    QVERIFY(store->find({.text = "nowhere at all", .order = Order::kFastest}).value().empty());
    QVERIFY(in_time("a word that is nowhere, by time", 3));
    QVERIFY(!store->best({.task_name = "conv0", .text = "board"}).value().empty());
    QVERIFY(in_time("best with a word", 3));
  }

  void each_trial_comes_in_its_turn_until_the_visitor_stops() {
    Store store = opened(place_);
    QVERIFY(store->append(some_trials(0, 2500)));
    int64_t last = 0;
    QVERIFY(each_trial(*store, {}, [&](StoredTrial const& stored) -> Status {
      if (stored.id != ++last) return bad_input("order", "out of order");
      return {};
    }));
    QCOMPARE(last, 2500);
    Status stopped = each_trial(*store, {}, [](StoredTrial const& stored) -> Status {
      if (stored.id == 7) return bad_input("seven", "it is seven");
      return {};
    });
    QCOMPARE(stopped.error().code, std::string("seven"));
  }

private:
  /// That the trials and their programs take.
  int64_t bytes() {
    if (place_.starts_with("/")) return int64_t(std::filesystem::file_size(place_));
    return server_
        ->sql(
            "SELECT pg_total_relation_size('tilewright_trials') + "
            "pg_total_relation_size('tilewright_programs')",
            place_.substr(place_.rfind('/') + 1))
        .toLongLong();
  }

  /// What `find` is to give, by plain loops.
  static std::vector<int64_t> matching(std::vector<Trial> const& trials, Query const& query) {
    std::vector<std::pair<double, int64_t>> found;
    for (size_t i = 0; i < trials.size(); ++i) {
      Trial const& trial = trials[i];
      int64_t id = int64_t(i) + 1;
      if (query.task && trial.task != *query.task) continue;
      if (query.device && trial.device != *query.device) continue;
      if (query.outcome && trial.outcome != *query.outcome) continue;
      if (id <= query.after_id || id > query.up_to_id) continue;
      bool timed = query.order == Order::kFastest || query.order == Order::kSlowest;
      found.emplace_back(timed ? seconds_of(trial).value_or(HUGE_VAL) : 0, id);
    }
    std::ranges::sort(found);
    if (query.order == Order::kNewest || query.order == Order::kSlowest)
      std::ranges::reverse(found);
    std::vector<int64_t> ids;
    for (auto const& [seconds, id] : found) ids.push_back(id);
    return ids;
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<testing::PostgresServer> server_;
  std::string place_;
};

QTEST_GUILESS_MAIN(StoreTest)
#include "store_test.moc"
