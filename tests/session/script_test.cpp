// A script while it is being written: its mistakes, what may stand in it, and what it becomes.
#include "engine/session/script.h"

#include <QtTest>

#include <chrono>
#include <thread>

#include "engine/session/line_effects.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

class ScriptTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    session_ = testing::make_session(false);
    file_.open(*session_);
  }
  void cleanup() { session_.reset(); }

  void lines_that_are_legal_have_no_problem() {
    auto review = reviewed("i0, i1 = split(C.i, factor=8)\n\n# a comment\nreorder(C.j, C.i1)\n");
    QVERIFY(review);
    QCOMPARE(review->applied, 2);
    QVERIFY(review->problems.empty() && !review->is_current);
    review = reviewed("i0, i1 = split(C.i, factor=8)\nparallel(C.i0)\nvectorize(C.j)\n");
    QCOMPARE(review->applied, 2);
    QCOMPARE(review->problems.front().line, 3);
    QVERIFY(review->problems.front().refused);
  }

  void every_line_that_cannot_be_read_is_said() {
    auto review = reviewed("split(C.i, factor=8)\nsplitt(C.j)\nparallel(\nunroll(C.k)\n");
    QCOMPARE(review->problems.size(), size_t(2));
    QCOMPARE(review->problems[0].line, 2);
    QCOMPARE(review->problems[1].line, 3);
    QVERIFY(!review->problems[0].refused);
    QCOMPARE(review->applied, 1);
  }

  void a_refused_line_has_repairs_that_are_legal() {
    auto review = reviewed("parallel(C.k)\n");
    QCOMPARE(review->problems.size(), size_t(1));
    QVERIFY(!review->problems.front().repairs.empty());
    std::string repair = review->problems.front().repairs.front().step;
    QVERIFY(reviewed(repair + "\n")->problems.empty());
  }

  void what_is_applied_is_the_current_branch_and_the_beginning_stays() {
    size_t before = session_->snapshot().history->nodes.size();
    apply("i0, i1 = split(C.i, factor=8)\nparallel(C.i0)\n");
    QCOMPARE(session_->snapshot().history->nodes.size(), before + 2);
    int first = session_->snapshot().history->nodes[before].id;
    apply("i0, i1 = split(C.i, factor=8)\nunroll(C.i1)\n");
    HistoryView const& history = *(kept_ = session_->snapshot()).history;
    QCOMPARE(history.nodes.size(), before + 3);
    QCOMPARE(history.nodes[size_t(history.current)].parent, first);
    // The same again is no further step, and what was there before is gone back to.
    apply("i0, i1 = split(C.i, factor=8)\nparallel(C.i0)\n");
    QCOMPARE(session_->snapshot().history->nodes.size(), before + 3);
    QVERIFY(commands_for(*session_, session_->script()).empty());
    QVERIFY(reviewed(session_->script())->is_current);
    apply("");
    QCOMPARE(session_->snapshot().history->current, 0);
  }

  void a_line_tells_what_it_does_to_the_program() {
    std::string text = "i0, i1 = split(C.i, factor=8)\n# reordered:\nreorder(C.j, C.i1)\n";
    auto split = effect(text, 1);
    QCOMPARE(split->step, std::string("split i 8"));
    QCOMPARE(split->made, (std::vector<std::string>{"C.i0", "C.i1"}));
    QCOMPARE(split->gone, std::vector<std::string>{"C.i"});
    QVERIFY(split->added >= 2 && split->removed >= 1 && split->node_before == 0);
    QCOMPARE(split->node_after, -1);  // nobody did it yet
    QVERIFY(effect(text, 2)->step.empty() && effect(text, 9)->step.empty());
    auto reorder = effect(text, 3);
    QVERIFY(reorder->made.empty() && reorder->gone.empty());
    QVERIFY(reorder->moved > 0 && reorder->added + reorder->removed == 0);
    QCOMPARE(words_of(*reorder, nullptr),
             "reorder j i1: program ↕" + std::to_string(reorder->moved) + " lines");
    apply(text);
    QVERIFY(effect(text, 3)->node_after > effect(text, 3)->node_before);
    auto illegal = effect("parallel(C.k)\nunroll(C.j)\n", 1);
    QVERIFY2(illegal->failure.find("cannot run in parallel") != std::string::npos,
             illegal->failure.c_str());
    QCOMPARE(effect("parallel(C.k)\nunroll(C.j)\n", 2)->failure,
             std::string("line 1 before it is not legal"));
    QVERIFY(!effect("splitt(C.j)\n", 1)->failure.empty());
  }

  void a_line_tells_the_entries_of_the_branch_that_one_stands_on() {
    // The schedule by rule is one entry with many steps; by hand each step is an entry.
    auto const nodes = session_->snapshot().history->nodes;
    auto rule = std::ranges::find(nodes, std::string("default"), &HistoryNodeView::label);
    QVERIFY(rule != nodes.end());
    QVERIFY(session_->execute(JumpTo{rule->id}));
    std::string const text = session_->script();
    int const last = int(std::ranges::count(text, '\n')) + (text.ends_with('\n') ? 0 : 1);
    QCOMPARE(effect(text, last)->node_after, rule->id);
    QVERIFY(session_->execute(JumpTo{0}));
    QVERIFY(session_->execute(ApplyScript{text}));
    int const by_hand = session_->snapshot().history->current;
    QVERIFY(by_hand != rule->id);
    QCOMPARE(effect(text, last)->node_after, by_hand);
  }

  void times_of_a_line_are_measured_ones_else_modelled() {
    LineEffect effect{
        .step = "parallel i", .added = 1, .removed = 1, .node_before = 0, .node_after = 1};
    HistoryView history;
    history.nodes.resize(2);
    QCOMPARE(words_of(effect, &history), std::string("parallel i: program +1 −1 lines"));
    history.nodes[0].model_ms = 4;
    history.nodes[1].model_ms = 1;
    QVERIFY(words_of(effect, &history).ends_with("; ○ modelled 4.00 ms → 1.00 ms, 4.00× as fast"));
    history.nodes[0].min_ms = 2;
    history.nodes[1].min_ms = 4;
    QVERIFY(words_of(effect, &history).ends_with("; measured 2.00 ms → 4.00 ms, 2.00× as slow"));
  }

  void words_are_completed_by_what_the_line_may_name() {
    auto review = reviewed("i0, i1 = split(C.i, factor=8)\n\n");
    QCOMPARE(review->names.size(), size_t(3));
    QVERIFY(std::ranges::count(review->names[0], "C.i") == 1);
    QVERIFY(std::ranges::count(review->names[1], "C.i0") == 1);
    QVERIFY(std::ranges::count(review->names[1], "C.i") == 0);
    std::vector<PrimitiveView> primitives = session_->primitives();
    auto offered = [&](std::string const& line) {
      return completions(line, primitives, review->names[1]);
    };
    QCOMPARE(offered("vec"), std::vector<std::string>{"vectorize"});
    QCOMPARE(offered("a, b = vec"), std::vector<std::string>{"vectorize"});
    QCOMPARE(offered("split(C.i1"), std::vector<std::string>());
    QCOMPARE(offered("split(C.i"), (std::vector<std::string>{"C.i0", "C.i1"}));
    QCOMPARE(offered("split(C.j, fac"), std::vector<std::string>{"factor="});
    QVERIFY(std::ranges::count(offered("compute_at(C, C.j, tail="), "round_up") == 1);
    QVERIFY(offered("nothing_begins_so").empty());
  }

private:
  std::shared_ptr<ScriptReview const> reviewed(std::string const& text) {
    for (int i = 0; i < 20'000; ++i) {
      if (auto review = review_script(*session_, text)) return review;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return nullptr;
  }
  std::shared_ptr<LineEffect const> effect(std::string const& text, int line) {
    for (int i = 0; i < 20'000; ++i) {
      if (auto found = line_effect(*session_, text, line)) return found;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return std::make_shared<LineEffect const>(LineEffect{.failure = "it did not come"});
  }
  void apply(std::string const& text) {
    for (Command const& command : commands_for(*session_, text))
      QVERIFY(session_->execute(command));
    QVERIFY(!session_->snapshot().refusal);
    QVERIFY(session_->wait_idle(60));
  }

  testing::MatmulFile file_;
  std::unique_ptr<Session> session_;
  Snapshot kept_;
};

QTEST_GUILESS_MAIN(ScriptTest)
#include "script_test.moc"
