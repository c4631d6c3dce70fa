#include <QtTest>

#include <atomic>
#include <semaphore>
#include <set>

#include "engine/session/state/memo.h"

using namespace tw;
using namespace tw::session;

namespace {

/// A query of numbers: its view is twice the number, made when the gate opens.
struct Counted {
  std::counting_semaphore<> gate{0};
  std::atomic<int> begun = 0, made = 0, stopped = 0;
  bool begins = false;

  QueryRow row(bool latest, size_t kept) {
    QueryRow row{.name = "twice",
                 .title = "doubling",
                 .lane = QueryLane::kMemory,
                 .kept = kept,
                 .latest = latest};
    if (begins)
      row.begin = [](QueryKey const& key) {
        int number = static_cast<KeyOf<int> const&>(key).value();
        return QueryPart{std::make_shared<int const>(-number), number == 0};
      };
    row.make = [this](QueryKey const& key, Making const& with) -> QueryValue {
      ++begun;
      gate.acquire();
      ++(with.stop.stop_requested() ? stopped : made);
      return std::make_shared<int const>(2 * static_cast<KeyOf<int> const&>(key).value());
    };
    return row;
  }
};

QueryKeyPtr key_of(int number) { return std::make_shared<KeyOf<int> const>(number); }

int number(QueryValue const& value) {
  return value ? *static_cast<int const*>(value.get()) : -1000;
}

}  // namespace

class MemoTest : public QObject {
  Q_OBJECT
private slots:
  void a_view_is_made_once_and_the_listener_hears_of_it() {
    Counted counted;
    std::atomic<int> heard = 0;
    Memo memo([&] { ++heard; });
    QueryRow row = counted.row(true, 4);
    QVERIFY(!memo.ask(row, key_of(21)));
    QVERIFY(!memo.ask(row, key_of(21)));  // it is being made
    counted.gate.release();
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(number(memo.ask(row, key_of(21))), 42);
    QCOMPARE(counted.made.load(), 1);
    QCOMPARE(heard.load(), 1);
  }

  void only_the_last_one_that_was_asked_for_is_still_made() {
    Counted counted;
    Memo memo([] {});
    QueryRow row = counted.row(true, 4);
    for (int i = 1; i <= 5; ++i) QVERIFY(!memo.ask(row, key_of(i)));
    counted.gate.release(5);
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(number(memo.ask(row, key_of(5))), 10);
    QCOMPARE(counted.made.load(), 1);  // the first may have begun, and was stopped
    QVERIFY(counted.stopped.load() <= 1);
    QVERIFY(!memo.ask(row, key_of(1)));  // it is not known, and is made now
    counted.gate.release();
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(number(memo.ask(row, key_of(1))), 2);
    QCOMPARE(number(memo.ask(row, key_of(5))), 10);  // what is made stays
  }

  void all_are_made_where_each_counts() {
    Counted counted;
    Memo memo([] {});
    QueryRow row = counted.row(false, 4);
    for (int i = 1; i <= 3; ++i) QVERIFY(!memo.ask(row, key_of(i)));
    counted.gate.release(3);
    QVERIFY(memo.wait_idle(10));
    for (int i = 1; i <= 3; ++i) QCOMPARE(number(memo.ask(row, key_of(i))), 2 * i);
    QCOMPARE(counted.made.load(), 3);
  }

  void the_oldest_is_forgotten() {
    Counted counted;
    Memo memo([] {});
    QueryRow row = counted.row(true, 2);
    counted.gate.release(4);
    for (int i : {1, 2, 3}) {
      QVERIFY(!memo.ask(row, key_of(i)));
      QVERIFY(memo.wait_idle(10));
    }
    QCOMPARE(number(memo.ask(row, key_of(3))), 6);
    QCOMPARE(number(memo.ask(row, key_of(2))), 4);
    QVERIFY(!memo.ask(row, key_of(1)));
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(counted.made.load(), 4);
  }

  void what_is_known_at_once_is_shown_until_the_whole_is_there() {
    Counted counted;
    counted.begins = true;
    Memo memo([] {});
    QueryRow row = counted.row(true, 4);
    QCOMPARE(number(memo.ask(row, key_of(7))), -7);
    counted.gate.release();
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(number(memo.ask(row, key_of(7))), 14);
    QCOMPARE(number(memo.ask(row, key_of(0))), 0);  // whole: nothing is made further
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(counted.made.load(), 1);
  }

  void a_view_is_made_by_who_asks_where_the_row_says_so() {
    Counted counted;
    std::atomic<int> heard = 0;
    Memo memo([&] { ++heard; });
    QueryRow row = counted.row(true, 1);
    row.lane = QueryLane::kCaller;
    counted.gate.release();
    QCOMPARE(number(memo.ask(row, key_of(3))), 6);
    QCOMPARE(number(memo.ask(row, key_of(3))), 6);
    QCOMPARE(counted.made.load(), 1);
    QCOMPARE(heard.load(), 0);
  }

  void of_those_of_one_word_only_the_last_one_is_still_made() {
    Counted counted;
    Memo memo([] {});
    QueryRow row = counted.row(true, 8);
    // Odd and even numbers do not supersede each other.
    row.turn = [](QueryKey const& key) {
      int number = static_cast<KeyOf<int> const&>(key).value();
      return QueryTurn{QueryLane::kMemory, number % 2 == 0 ? "even" : "odd"};
    };
    for (int i = 1; i <= 6; ++i) QVERIFY(!memo.ask(row, key_of(i)));
    counted.gate.release(6);
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(number(memo.ask(row, key_of(5))), 10);
    QCOMPARE(number(memo.ask(row, key_of(6))), 12);
    QCOMPARE(counted.made.load(), 2);
  }

  void what_is_whole_in_the_end_is_kept_though_another_one_is_wanted() {
    Counted counted;
    Memo memo([] {});
    QueryRow row = counted.row(true, 4);
    row.stops = false;
    QVERIFY(!memo.ask(row, key_of(1)));
    QTRY_VERIFY(counted.begun.load() == 1);
    QVERIFY(!memo.ask(row, key_of(2)));
    counted.gate.release(2);
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(number(memo.ask(row, key_of(1))), 2);
    QCOMPARE(number(memo.ask(row, key_of(2))), 4);
    QCOMPARE(counted.begun.load(), 2);
  }

  void what_is_asked_for_again_is_not_the_oldest() {
    Counted counted;
    Memo memo([] {});
    QueryRow row = counted.row(true, 2);
    counted.gate.release(4);
    for (int i : {1, 2}) {
      QVERIFY(!memo.ask(row, key_of(i)));
      QVERIFY(memo.wait_idle(10));
    }
    QCOMPARE(number(memo.ask(row, key_of(1))), 2);
    QVERIFY(!memo.ask(row, key_of(3)));
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(number(memo.ask(row, key_of(1))), 2);
    QVERIFY(!memo.ask(row, key_of(2)));
    QVERIFY(memo.wait_idle(10));
  }

  void a_part_is_shown_until_the_whole_is_there() {
    std::counting_semaphore<> gate{0};
    std::atomic<int> heard = 0;
    Memo memo([&] { ++heard; });
    QueryRow row{.name = "halves", .title = "halving"};
    row.make = [&](QueryKey const&, Making const& with) -> QueryValue {
      with.part(std::make_shared<int const>(1));
      gate.acquire();
      return std::make_shared<int const>(2);
    };
    QVERIFY(!memo.ask(row, key_of(0)));
    QTRY_COMPARE(heard.load(), 1);
    QCOMPARE(number(memo.ask(row, key_of(0))), 1);
    gate.release();
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(number(memo.ask(row, key_of(0))), 2);
    QCOMPARE(heard.load(), 2);
  }

  void a_view_that_another_one_needs_is_made_once_and_kept() {
    Counted counted;
    std::atomic<int> heard = 0;
    Memo memo([&] { ++heard; });
    QueryRow twice = counted.row(true, 4), sum{.name = "sum", .title = "adding"};
    sum.make = [&](QueryKey const&, Making const& with) -> QueryValue {
      int first = number(with.need(twice, key_of(5))), again = number(with.need(twice, key_of(5)));
      return std::make_shared<int const>(first + again);
    };
    QVERIFY(!memo.ask(sum, key_of(0)));
    counted.gate.release(1);
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(number(memo.ask(sum, key_of(0))), 20);
    QCOMPARE(number(memo.ask(twice, key_of(5))), 10);
    QCOMPARE(counted.made.load(), 1);
    QCOMPARE(heard.load(), 1);
  }

  void what_is_said_of_code_rests_while_a_kernel_is_timed() {
    Counted counted;
    Memo memo([] {});
    QueryRow row = counted.row(true, 4), other = counted.row(true, 4);
    row.lane = QueryLane::kReports;
    counted.gate.release(2);
    memo.hold();
    QVERIFY(!memo.ask(row, key_of(1)));
    QVERIFY(!memo.ask(other, key_of(2)));
    QTRY_COMPARE(number(memo.ask(other, key_of(2))), 4);  // a hand waits for that one
    QTest::qWait(50);
    QVERIFY(!memo.ask(row, key_of(1)));
    memo.release();
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(number(memo.ask(row, key_of(1))), 2);
  }

  void the_same_key_of_another_query_is_another_one() {
    Counted first, second;
    Memo memo([] {});
    QueryRow one = first.row(true, 4), other = second.row(true, 4);
    first.gate.release();
    second.gate.release();
    QVERIFY(!memo.ask(one, key_of(1)));
    QVERIFY(memo.wait_idle(10));
    QVERIFY(!memo.ask(other, key_of(1)));
    QVERIFY(memo.wait_idle(10));
    QCOMPARE(first.made.load() + second.made.load(), 2);
  }

  void every_query_has_a_name_and_a_bound() {
    std::set<std::string> names;
    for (QueryRow const* row : query_table()) {
      QVERIFY2(names.insert(row->name).second, row->name.c_str());
      QVERIFY2(!row->title.empty() && row->kept >= 1 && row->key && row->make, row->name.c_str());
    }
    QVERIFY(names.size() >= 26);
  }
};

QTEST_GUILESS_MAIN(MemoTest)
#include "memo_test.moc"
