// Any two states of a kernel beside each other; schedules taken to other kernels; kernels that the
// user writes.
#include <QtTest>

#include <fstream>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/session/use_cases.h"
#include "engine/session/views/schedule_views.h"
#include "tests/support/paths.h"
#include "tests/support/sessions.h"
#include "tests/tuner/troubled_device.h"

using namespace tw;
using namespace tw::session;

namespace {

CodeText text(std::vector<std::string> const& lines) {
  CodeText text;
  for (std::string const& line : lines) {
    text.lines.emplace_back();
    text.lines.back().text = line;
  }
  return text;
}
std::string marks(CodeText const& text) {
  std::string all;
  for (CodeLine const& line : text.lines) all += " +-^v~"[size_t(line.change)];
  return all;
}

}  // namespace

class CompareTest : public QObject {
  Q_OBJECT
private slots:
  void lines_that_came_went_and_moved_are_told_apart() {
    CodeText a = text({"head", "x", "one", "two", "y", "tail"}),
             b = text({"head", "  y", "one", "new", "two", "tail"});
    QCOMPARE(marks(with_changes(b, a)), std::string(" ^- +  "));
    CodePair pair = side_by_side(a, b);
    QCOMPARE(pair.before.lines.size(), pair.after.lines.size());
    QCOMPARE(marks(pair.before), std::string(" - ~ ^ "));
    QCOMPARE(marks(pair.after), std::string(" ^ + ~ "));
    QCOMPARE(marks(with_changes(a, a)), std::string("      "));
  }

  /// Both schedules of a comparison, and the one of a check.
  void kernels_are_timed_with_the_threads_that_were_asked_for() {
    Environment environment = make_environment().value();
    Backend const& backend = *environment.backend;
    LocalDevice local(LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    Model model = load_model("example:matmul", {}, backend).value();
    MachineView machine = machine_view(backend, local, {}, false, false).value();
    NamedScript plain{"plain", ""};
    std::string const empty = to_script(kernel_name(*model, 0), {});
    int const all = backend.target().hardware.unit().count;
    for (int threads : {1, 3, 0}) {
      testing::TroubledDevice device(local);
      QVERIFY(check_script(*model, 0, empty, "f", backend, device,
                           {.measure = true, .threads = threads}));
      QCOMPARE(device.timed_with, (std::set<int>{threads > 0 ? threads : all}));
      device.timed_with.clear();
      auto diff = diff_scripts(*model, 0, plain, plain, {.measure = true, .threads = threads},
                               machine, backend, device);
      QVERIFY2(diff, diff ? "" : to_sentence(diff.error()).c_str());
      QVERIFY(diff->states.summary.contains("by measurement"));
      QCOMPARE(device.timed_with, (std::set<int>{threads > 0 ? threads : all}));
    }
  }

  void very_long_texts_are_compared_as_a_whole_and_quickly() {
    std::vector<std::string> a, b;
    for (int i = 0; i < 30000; ++i) {
      a.push_back("a" + std::to_string(i));
      b.push_back("b" + std::to_string(i));
    }
    a.front() = b.front() = "same";
    QElapsedTimer timer;
    timer.start();
    CodePair pair = side_by_side(text(a), text(b));
    QVERIFY(timer.elapsed() < 2000);
    QCOMPARE(pair.before.lines.size(), size_t(30000));
    QVERIFY(pair.after.lines[0].change == LineChange::kSame);
    QVERIFY(pair.after.lines[1].change == LineChange::kAdded);
  }

  void two_states_are_compared_in_cost_code_and_script() {
    auto session = make(true);
    open(*session);
    for (char const* line :
         {"j.0, j.1 = split(C.j, factor=16)", "reorder(C.j.0, C.k, C.j.1)", "vectorize(C.j.1)"})
      QVERIFY(session->execute(ApplyStep{line}));
    QVERIFY(session->wait_idle(60));
    int leaf = session->snapshot().history->current;
    QVERIFY(!session->compare(0, leaf));
    QVERIFY(session->wait_idle(60));
    auto both = session->compare(0, leaf);
    QVERIFY(both);
    QCOMPARE(both->before.name, std::string("plain"));
    QCOMPARE(both->after.name, std::string("vectorize #4"));
    QCOMPARE(both->roofline.trail.size(), size_t(2));
    QVERIFY(both->roofline.trail[1].measured && both->roofline.trail[1].levels.size() > 1);
    QVERIFY2(both->summary.find("times faster by measurement") != std::string::npos,
             both->summary.c_str());
    auto value = [&](char const* name) {
      for (ComparedValue const& row : both->values)
        if (row.name == name) return row;
      return ComparedValue{};
    };
    QCOMPARE(*value("arithmetic instructions").before, 96.0 * 80 * 64);
    int lanes =
        int(*value("arithmetic instructions").before / *value("arithmetic instructions").after);
    QVERIFY2(lanes == 4 || lanes == 8 || lanes == 16, std::to_string(lanes).c_str());
    QCOMPARE(*value("distinct bytes").before, 4.0 * (96 * 64 + 64 * 80 + 96 * 80));
    QCOMPARE(*value("operations run").after, 2.0 * 96 * 80 * 64);
    QVERIFY(*value("modelled time").after < *value("modelled time").before);
    QVERIFY(*value("instructions in the code").after > 10);
    QVERIFY(marks(both->script_changes).ends_with("+++"));
    // The nests that colour the code are those of the two states.
    QCOMPARE(both->before.nest->bars.size(), size_t(3));
    QCOMPARE(both->after.nest->bars.size(), size_t(4));
    for (char const* stage : {"program", "vectorize_loops", "assembly"}) {
      QVERIFY(!session->code_pair(0, leaf, stage));
      QVERIFY(session->wait_idle(60));
      auto pair = session->code_pair(0, leaf, stage);
      QVERIFY2(pair && !pair->after.lines.empty(), stage);
      QCOMPARE(pair->before.lines.size(), pair->after.lines.size());
      QCOMPARE(session->code_pair(0, leaf, stage), pair);  // made once
      session->code_of(leaf, stage, 0);
      QVERIFY(session->wait_idle(60));
      QVERIFY(marks(*session->code_of(leaf, stage, 0)).find('+') != std::string::npos);
    }
    QVERIFY(!session->compare(0, 99));
    QVERIFY(!session->code_of(99, "program", -1));
  }

  void every_state_gets_a_modelled_time() {
    auto session = make(true);
    open(*session);
    QVERIFY(
        session->execute(ApplyScript{"split(C.j, factor=16)\nvectorize(C.j.1)\nparallel(C.i)"}));
    session->execute(JumpTo{0});
    QVERIFY(session->execute(ApplyStep{"unroll(C.k)"}));
    QVERIFY(session->wait_idle(60));
    for (HistoryNodeView const& node : session->snapshot().history->nodes) {
      QVERIFY2(node.model_ms && *node.model_ms > 0 && node.model_gflops, node.label.c_str());
      QVERIFY(!node.bound.empty());
    }
  }

  void a_schedule_is_replayed_as_a_branch_of_another_kernel() {
    auto session = make(false);
    open(*session);
    QVERIFY(session->execute(AddKernel{testing::kSmall}));
    QVERIFY(session->wait_idle(60));
    QCOMPARE(session->snapshot().kernel, 1);
    QCOMPARE(session->snapshot().kernels->rows[1].own_text, std::string(testing::kSmall));
    session->execute(SelectKernel{0});
    QVERIFY(!session->execute(ReplayOn{"small"}));  // nothing to replay yet
    QVERIFY(!session->execute(ReplayOn{"matmul"}) && !session->execute(ReplayOn{"7"}));
    QVERIFY(session->execute(ApplyScript{
        "split(C.j, factor=16)\nreorder(C.j.0, C.k, C.j.1)\nvectorize(C.j.1)\nparallel(C.i)"}));
    QVERIFY(session->execute(ReplayOn{"small"}));
    QVERIFY(session->wait_idle(60));
    Snapshot now = session->snapshot();
    QCOMPARE(now.kernel, 1);
    QVERIFY(now.replay);
    QCOMPARE(now.replay->summary, std::string("3 of 4 steps applied as they are, 1 changed"));
    QCOMPARE(now.replay->steps[0].to, std::string("split(R.b, factor=16)"));
    QVERIFY(now.replay->steps[0].reason.find("remainder") != std::string::npos);
    HistoryNodeView const& leaf = now.history->nodes[size_t(now.history->current)];
    QCOMPARE(leaf.label, std::string("parallel"));
    QVERIFY(leaf.note.find("replayed from matmul") != std::string::npos);
    QVERIFY2(now.nest->bars.size() == 4, "four loops");
  }

  void a_kernel_of_one_s_own_is_kept_rewritten_and_restored() {
    auto session = make(false);
    QVERIFY(session->execute(AddKernel{testing::kMatmul}));  // without a model it is one
    QVERIFY(session->wait_idle(60));
    QCOMPARE(session->snapshot().model->name, std::string("matmul"));
    QVERIFY(session->execute(AddKernel{testing::kSmall}));
    QVERIFY(session->wait_idle(60));
    QVERIFY(session->execute(ApplyScript{"split(R.b, factor=4)\nvectorize(R.b.1)"}));
    // Another text: the branch follows.
    std::string wider(testing::kSmall);
    wider.replace(wider.find("20]) ->"), 2, "48");
    wider.replace(wider.find("b in 20"), 7, "b in 48");
    QVERIFY(session->execute(RewriteKernel{"small", wider}));
    QVERIFY(session->wait_idle(60));
    Snapshot now = session->snapshot();
    QCOMPARE(now.history->nodes[size_t(now.history->current)].label, std::string("vectorize"));
    QVERIFY(now.replay && now.replay->summary == "2 of 2 steps applied as they are");
    std::string saved = session->save();
    auto again = make(false);
    QVERIFY(again->restore(saved));
    QVERIFY(again->wait_idle(60));
    now = again->snapshot();
    QVERIFY(!now.error);
    QCOMPARE(now.kernels->rows.size(), size_t(2));
    QCOMPARE(now.kernels->rows[1].own_text, wider);
    QCOMPARE(now.history->nodes[size_t(now.history->current)].label, std::string("vectorize"));
  }

  void mistakes_with_own_kernels_are_sentences_and_change_nothing() {
    auto session = make(false);
    open(*session);
    Status broken =
        session->execute(AddKernel{"tilewright te 1\nkernel x(A: f32[4]) -> B\n B[i in"});
    QVERIFY(!broken && broken.error().place.line == 3);
    QVERIFY(session->execute(AddKernel{testing::kMatmul}));  // the name is taken
    QVERIFY(session->wait_idle(60));
    QVERIFY(session->snapshot().error &&
            session->snapshot().error->sentence.find("another name") != std::string::npos);
    QCOMPARE(session->snapshot().kernels->rows.size(), size_t(1));
    QVERIFY(!session->execute(RewriteKernel{"5", testing::kSmall}));
  }

  void own_kernels_stand_beside_those_of_a_model_and_are_right() {
    auto session = make(true);
    QVERIFY(session->execute(OpenSample{"resnet18"}));
    QVERIFY(session->wait_idle(120));
    size_t rows = session->snapshot().kernels->rows.size();
    QVERIFY(session->execute(AddKernel{testing::kSmall}));
    QVERIFY(session->wait_idle(120));
    Snapshot now = session->snapshot();
    QCOMPARE(now.kernels->rows.size(), rows + 1);
    QCOMPARE(now.kernel, int(rows));
    QVERIFY(now.history->nodes[0].verdict == Verdict::kCorrect);
    QVERIFY(session->execute(MeasureModel{}));
    QVERIFY(session->wait_idle(120));
    QVERIFY2(!session->snapshot().error, session->snapshot().error ? "error" : "");
    QVERIFY(session->snapshot().kernels->total_ms);
  }

  void every_example_is_a_kernel_that_computes_the_right_thing() {
    for (ExpressionExample const& example : expression_examples()) {
      QVERIFY2(problems_in(example.text).empty(), example.name.c_str());
      auto session = make(true);
      QVERIFY(session->execute(OpenModel{"example:" + example.name}));
      QVERIFY(session->wait_idle(120));
      Snapshot now = session->snapshot();
      QVERIFY2(now.model && !now.error, example.name.c_str());
      for (HistoryNodeView const& node : now.history->nodes)
        QVERIFY2(node.verdict == Verdict::kCorrect, (example.name + " " + node.label).c_str());
    }
  }

  void problems_of_a_text_have_places() {
    auto problems = problems_in(
        "tilewright te 1\n"
        "kernel k(A: f32[4, 4]) -> C\n"
        "  B[i in 4, j in 4] = A[i, j] +\n"
        "  C[i in 4, j in 4] = B[i, j] * 2\n"
        "  D[i in 0] = A[i, 0]\n");
    QCOMPARE(problems.size(), size_t(2));
    QCOMPARE(problems[0].line, 3);
    QVERIFY(problems[0].column > 20);
    QCOMPARE(problems[1].line, 5);
    QCOMPARE(problems_in("").size(), size_t(1));
    QCOMPARE(problems_in("nonsense").front().line, 1);
    QCOMPARE(problems_in(std::string(300 << 10, 'x')).size(), size_t(1));
    // Nothing about its length or its bytes makes it slow or ends it.
    QElapsedTimer timer;
    timer.start();
    std::string many = "tilewright te 1\nkernel k(A: f32[4]) -> C\n";
    for (int i = 0; i < 3000; ++i) many += "  T" + std::to_string(i) + "[i in 4] = A[i] +\n";
    QVERIFY(problems_in(many).size() <= 10);
    QVERIFY(problems_in(std::string("\0\xff\xfe kernel", 10)).size() == 1);
    QVERIFY2(timer.elapsed() < 3000, "bounded");
  }

private:
  std::unique_ptr<Session> make(bool measure) { return testing::make_session(measure); }
  void open(Session& session) { file_.open(session); }

  testing::MatmulFile file_;
};

QTEST_GUILESS_MAIN(CompareTest)
#include "compare_test.moc"
