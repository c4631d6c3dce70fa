#include <QtTest>
#include <nlohmann/json.hpp>

#include "engine/history/history.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "tests/support/mutate.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

TriedOn const kHere{"local", "a processor, 2 threads"}, kBoard{"board", "another one, 4 threads"};

Schedule plain() { return Schedule(testing::small_program(0).value()); }
History step(History const& history, std::string const& line) {
  return history.add(history.schedule().apply(parse_step(line).value()).value()).value();
}

}  // namespace

class HistoryTest : public QObject {
  Q_OBJECT
private slots:
  void undo_and_redo_walk_the_branch_last_visited() {
    History history = step(step(History(plain()), "split(i, factor=2)"), "parallel(i.0)");
    History back = history.undone().undone();
    QCOMPARE(back.current(), 0);
    QVERIFY(!back.can_undo() && back.can_redo());
    QCOMPARE(back.redone().redone().current(), history.current());
    History branched = step(back, "vectorize(j)");
    QCOMPARE(branched.size(), size_t(4));
    QCOMPARE(branched.children(0), (std::vector{1, 3}));
    QCOMPARE(branched.undone().redone().current(), 3);
    QCOMPARE(branched.jumped(2).value().undone().undone().redone().current(), 1);
    QCOMPARE(history.size(), size_t(3));
    QVERIFY(!branched.jumped(9).has_value());
  }

  void the_same_step_again_is_the_same_entry() {
    History history = step(History(plain()), "parallel(i)").undone();
    QCOMPARE(step(history, "parallel(i)").size(), size_t(2));
    QVERIFY(!history.add(1, plain()).has_value());
  }

  void a_saved_history_comes_back() {
    History history = step(step(History(plain()), "a, b = split(i, factor=2)"), "parallel(a)");
    history = step(history.undone().undone(), "vectorize(j)");
    history = history.with_measured(1, kHere, {1.25, 0.125, 7.5, false, 9})
                  .with_correctness(1, kHere, Correctness::kCorrect, "0 of 35 differ")
                  .with_measured(1, kBoard, {12.5, 0.25, 0.75});
    history =
        history.with_failure(2, kHere, "the kernel did not end").with_note(3, "lanes").undone();
    auto json = nlohmann::ordered_json::parse(history.to_json().dump());
    auto restored = History::from_json(json, plain());
    QVERIFY2(restored.has_value(), restored ? "" : restored.error().message.c_str());
    QCOMPARE(restored->to_json().dump(), history.to_json().dump());
    for (int id = 0; id < int(history.size()); ++id)
      QVERIFY(
          ir::equal(restored->node(id).schedule.program(), history.node(id).schedule.program()));
  }

  void a_time_is_of_the_device_that_it_was_measured_on() {
    History history = step(History(plain()), "parallel(i)").with_measured(1, kHere, {2, 0, 4});
    history = history.with_measured(1, kBoard, {30, 0, 1}).with_failure(1, kBoard, "lost");
    QCOMPARE(history.node(1).on(kHere).measured->min_ms, 2.0);
    QCOMPARE(history.node(1).on(kBoard).measured->min_ms, 30.0);
    QVERIFY(history.node(1).on(kHere).failure.empty());
    QVERIFY(history.node(0).on(kHere) == Trial());
    QVERIFY(history.node(1).on({"local", "another processor"}) == Trial());
    QVERIFY(history.with_measured(1, kBoard, {25, 0, 1}).node(1).on(kBoard).failure.empty());
  }

  void a_history_of_version_1_has_the_times_of_the_device_that_is_named() {
    auto json = step(History(plain()), "parallel(i)").to_json();
    json["version"] = 1;
    json["nodes"][1]["measured"] = {{"min_ms", 5}, {"spread", 0.5}, {"gflops", 1}};
    json["nodes"][1]["verdict"] = "correct";
    History restored = History::from_json(json, plain(), kBoard).value();
    QVERIFY(restored.node(1).on(kHere) == Trial());
    QCOMPARE(restored.node(1).on(kBoard).measured->min_ms, 5.0);
    QVERIFY(restored.node(1).on(kBoard).correctness == Correctness::kCorrect);
  }

  void entries_that_another_target_refuses_stay() {
    History history = step(step(History(plain()), "parallel(i)"), "vectorize(j)");
    auto json = history.with_note(1, "mine").to_json();
    json["nodes"][1]["steps"] = {"parallel(k)"};  // a sum, refused for every target
    QVERIFY(!History::from_json(json, plain()));
    History here = History::from_json(json, plain(), {}, RefusedEntries::kStay).value();
    QCOMPARE(here.size(), size_t(3));
    QVERIFY(here.node(1).refusal.starts_with("parallel(k) was refused: "));
    QCOMPARE(here.node(2).refusal, here.node(1).refusal);  // nothing stands on it
    QCOMPARE(here.node(1).note, std::string("mine"));
    QCOMPARE(here.current(), 0);
    QCOMPARE(here.left(), 2);
    QVERIFY(!here.can_redo() && here.redone().current() == 0);
    QCOMPARE(here.jumped(2).error().code, std::string("refused_here"));
    QVERIFY(here.script(2).ends_with("parallel(k)\nvectorize(j)\n"));
    // Saved there, it says where it stood, and is read again without asking.
    History again = History::from_json(here.to_json(), plain()).value();
    QCOMPARE(again.to_json().dump(), here.to_json().dump());
    QCOMPARE(step(here, "vectorize(j)").left(), -1);
    QCOMPARE(here.jumped(0).value().to_json()["current"].get<int>(), 0);
    // Where the steps apply again, all is as before.
    auto back = here.to_json();
    back["nodes"][1]["steps"] = {"parallel(i)"};
    History there = History::from_json(back, plain()).value();
    QCOMPARE(there.current(), 2);
    QCOMPARE(there.left(), -1);
    QVERIFY(there.node(2).refusal.empty());
  }

  void refused_entries_that_are_damaged_are_no_history() {
    auto json = step(History(plain()), "parallel(i)").to_json();
    auto read = [&](nlohmann::ordered_json const& steps) {
      json["nodes"][1]["steps"] = steps;
      return History::from_json(json, plain(), {}, RefusedEntries::kStay);
    };
    QVERIFY(read({"parallel(k)"}).has_value());
    for (nlohmann::ordered_json const& bad :
         {nlohmann::ordered_json::array(), nlohmann::ordered_json{"parallel(k)", 3},
          nlohmann::ordered_json{"parallel("}, nlohmann::ordered_json(3)})
      QVERIFY(!read(bad).has_value());
    json["nodes"][1]["steps"] = {"parallel(k)"};
    json["nodes"].push_back(json["nodes"][1]);  // twice
    QVERIFY(!History::from_json(json, plain(), {}, RefusedEntries::kStay).has_value());
  }

  void what_cannot_be_restored_is_refused_with_a_sentence() {
    auto json = step(History(plain()), "parallel(i)").to_json();
    auto code = [&](auto change) {
      auto damaged = json;
      change(damaged);
      auto restored = History::from_json(damaged, plain());
      return restored ? std::string("restored") : restored.error().code;
    };
    QCOMPARE(code([](auto& j) { j["version"] = 3; }), std::string("unknown_version"));
    QCOMPARE(code([](auto& j) { j["kind"] = "x"; }), std::string("not_a_history"));
    QCOMPARE(code([](auto& j) { j["kernel"] = "conv"; }), std::string("other_kernel"));
    QCOMPARE(code([](auto& j) { j["nodes"][1]["parent"] = 1; }), std::string("not_a_history"));
    QCOMPARE(code([](auto& j) { j["nodes"][1]["steps"] = {"parallel(k)"}; }),
             std::string("step_refused"));
    QCOMPARE(code([](auto& j) { j["current"] = 12; }), std::string("not_a_history"));
    QCOMPARE(code([](auto& j) { j["nodes"][1]["measured"] = 3; }), std::string("not_a_history"));
    QCOMPARE(code([](auto& j) { j["nodes"][1]["trials"] = 3; }), std::string("not_a_history"));
    QCOMPARE(code([](auto& j) { j["nodes"][1]["trials"] = {3}; }), std::string("not_a_history"));
    Rng rng(3);
    json["nodes"][1]["trials"] = {{{"device", "board"},
                                   {"machine", "M"},
                                   {"measured", {{"min_ms", 5}, {"spread", 0}, {"gflops", 1}}}}};
    std::string text = json.dump();
    for (int round = 0; round < 3000; ++round) {
      auto damaged = nlohmann::ordered_json::parse(testing::mutate(text, rng), nullptr, false);
      if (!damaged.is_discarded()) (void)History::from_json(damaged, plain());
    }
  }
};

QTEST_GUILESS_MAIN(HistoryTest)
#include "history_test.moc"
