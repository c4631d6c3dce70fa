// What a schedule uses of a machine is drawn: axes, memories with their tensors, barriers and
// instructions; and a macro of blocks and threads is a step like others. With TW_PICTURES set, a
// picture of each state in each theme goes to that folder.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QScrollBar>
#include <QtTest>
#include <fstream>

#include <fmt/format.h>

#include "app/window/main_window.h"
#include "app/window/panes/code/journal.h"
#include "app/window/panes/timeline/journal.h"
#include "app/window/replay.h"
#include "app/window/report.h"
#include "engine/backend/target_table.h"
#include "engine/schedule/macros/macro_set.h"
#include "tests/gui/painted_texts.h"
#include "tests/support/paths.h"
#include "widgets/code/code_view.h"
#include "widgets/loop_nest/loop_nest_view.h"
#include "widgets/step_dialog/step_dialog.h"
#include "widgets/timeline/timeline_view.h"

using namespace tw;
using namespace tw::session;

namespace {

std::string product(int i, int j, int k) {
  return fmt::format(
      "tilewright te 1\nkernel product(A: f32[{0}, {2}], B: f32[{2}, {1}]) -> C\n"
      "  C[i in {0}, j in {1}] = sum[k in {2}] A[i, k] * B[k, j]\n",
      i, j, k);
}
constexpr char kBound[] =
    "gemm_blocks_threads(C, C.i, C.j, C.k, a=A, b=B, rows=16, columns=16, row_sums=4, "
    "column_sums=4, depth=8)";

/// A window whose kernels run on one of the tests' machines.
struct MachineWindow {
  MachineWindow(std::string const& target, bool measure,
                std::string const& kernel = product(64, 64, 32)) {
    session = Session::create({.backend = create_backend(target_hardware(target).value()).value(),
                               .device_program = testing::built("/tests/test-device"),
                               .cache_folder = folder.path().toStdString(),
                               .threads = 1,
                               .measure = measure,
                               .macros = std::make_shared<MacroSet const>(load_macros({}))})
                  .value();
    window =
        std::make_unique<MainWindow>(*session, std::vector<SampleCard>{}, folder.filePath("state"));
    window->resize(1280, 800);
    window->show();
    std::string file = folder.filePath("product.te").toStdString();
    std::ofstream(file) << kernel;
    window->execute(OpenModel{file});
    settle();
  }
  void settle() { tw::settle(*window, *session); }
  void apply(std::string const& line) {
    window->apply_line(QString::fromStdString(line));
    settle();
    auto refusal = session->snapshot().refusal;
    QVERIFY2(!refusal, refusal ? refusal->message.c_str() : "");
  }
  /// The steps of a script of tests/targets/scripts, one by one, up to the first that begins so.
  void apply_script(std::string const& name, std::string const& before = "none") {
    std::ifstream file(testing::source("/tests/targets/scripts/") + name);
    QVERIFY(file.good());
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with(before)) return;
      if (line.find('(') != std::string::npos && !line.starts_with("#")) apply(line);
    }
  }
  void jump_to(std::string const& label) {
    for (HistoryNodeView const& node : session->snapshot().history->nodes)
      if (node.label == label) window->execute(JumpTo{node.id});
    settle();
  }
  QStringList names() const {
    QStringList names;
    for (Part const& part : window->findChild<LoopNestView*>("loopNest")->parts())
      names << part.name;
    return names;
  }
  /// The lines of the last pass.
  std::vector<CodeLine> lowered() {
    std::string key;
    for (CodeStage const& stage : *session->snapshot().code_stages)
      if (stage.kind == CodeKind::kPass) key = stage.key;
    (void)session->code(key, false);
    settle();
    return session->code(key, false)->lines;
  }

  QTemporaryDir folder;
  std::unique_ptr<Session> session;
  std::unique_ptr<MainWindow> window;
};

/// In every theme and size: what is painted is whole and apart.
void look_at(MachineWindow& place, QString const& name, std::string const& view) {
  for (char const* theme : {"light", "dark", "high_contrast"})
    for (QSize size : {QSize(1280, 800), QSize(2560, 1440)}) {
      place.window->set_theme(theme);
      place.window->resize(size);
      for (int i = 0; i < 4; ++i) QApplication::processEvents();
      QVERIFY(place.window->perform(journal::ShowView{view}));
      place.settle();
      for (int i = 0; i < 4; ++i) QApplication::processEvents();
      // What is called stands behind the declarations.
      auto* code = place.window->findChild<CodeView*>();
      for (int i = 0; i < 3 && view == "code"; ++i) {
        code->verticalScrollBar()->setValue(code->verticalScrollBar()->maximum());
        QApplication::processEvents();
      }
      QStringList wrong;
      QVERIFY(testing::painted_texts(*place.window, 1, wrong) > 30);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.mid(0, 12).join("\n")));
      QString folder = qEnvironmentVariable("TW_PICTURES");
      if (!folder.isEmpty())
        QVERIFY(save_picture(
            picture_of(*place.window),
            QString("%1/%2_%3_%4.png").arg(folder, name, theme).arg(size.width()).toStdString()));
    }
}

/// The loops, and the code after a pass.
void look(MachineWindow& place, QString const& name, char const* pass) {
  look_at(place, name + "_loops", "loops");
  QVERIFY(place.window->perform(journal::ShowPass{pass}));
  place.settle();
  QVERIFY(place.window->findChild<CodeView*>()->all_text().contains("call "));
  look_at(place, name + "_code", "code");
}

}  // namespace

class MachinesTest : public QObject {
  Q_OBJECT
private slots:
  void a_product_over_blocks_and_threads_is_one_step_and_right() {
    MachineWindow place("threads", true);
    place.apply(kBound);
    Snapshot const now = place.session->snapshot();
    HistoryNodeView const& node = now.history->nodes.back();
    QCOMPARE(node.label, std::string("gemm_blocks_threads"));
    QVERIFY2(node.verdict == Verdict::kCorrect, (node.verdict_text + node.failure).c_str());
    // The script has the one line that was taken.
    QVERIFY(QString::fromStdString(place.session->script()).contains("gemm_blocks_threads("));
  }

  void axes_memories_and_barriers_stand_in_the_loop_nest() {
    MachineWindow place("threads", false);
    place.apply(kBound);
    QStringList names = place.names();
    for (char const* part :
         {"A_cache.i.0, 4 iterations, blockIdx.y", "A_cache.j.0, 4 iterations, blockIdx.x",
          "A_cache.i.1.0, 4 iterations, threadIdx.y", "A_cache.j.1.0, 4 iterations, threadIdx.x",
          "A_cache, in shared", "B_cache, in shared", "C, in local", "C_write",
          "sync_threads · all threads of the block meet",
          "shared · 1.0 KB of 48 KB: B_cache 512 B, A_cache 512 B", "local · 64 B: C_cache 64 B"})
      QVERIFY2(names.contains(part), qPrintable(QString(part) + "\n" + names.join("\n")));
    auto nest = place.session->snapshot().nest;
    auto const& bars = nest->bars;
    QCOMPARE(int(bars[0].bound), int(BoundTo::kBlocks));
    QCOMPARE(int(bars[2].bound), int(BoundTo::kThreads));
    QCOMPARE(place.session->snapshot().nest->barriers.size(), size_t(2));
    look(place, "threads", "insert_barriers");
  }

  void pointing_at_a_barrier_lights_the_loop_around_it() {
    MachineWindow place("threads", false);
    place.apply(kBound);
    auto* loop_nest = place.window->findChild<LoopNestView*>("loopNest");
    auto found = std::ranges::find_if(loop_nest->scene().layout.notes,
                                      [](auto const& one) { return one.barrier; });
    QVERIFY(found != loop_nest->scene().layout.notes.end() && found->barrier->loop >= 0);
    NestNote const note = *found;
    std::vector<CodeLine> lines = place.lowered();
    auto barrier = std::ranges::find(lines, true, &CodeLine::barrier);
    QVERIFY(barrier != lines.end());
    QCOMPARE(barrier->call, std::string("sync_threads"));
    QVERIFY(std::ranges::find(barrier->loops, note.barrier->loop) != barrier->loops.end());
    QPointF at = loop_nest->pixels(note.rect).center();  // it may be scrolled out of the window
    QMouseEvent pointed(QEvent::MouseMove, at, loop_nest->mapToGlobal(at), Qt::NoButton,
                        Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(loop_nest, &pointed);
    auto const nest = place.session->snapshot().nest;
    auto lit = std::ranges::find(nest->bars, note.barrier->loop, &LoopBar::id);
    QVERIFY(lit != nest->bars.end());
    QCOMPARE(lit->reference, std::string("A_cache.k.0"));
    QCOMPARE(std::get<std::string>(place.window->fact("hover").value()), lit->reference);
  }

  void instructions_and_the_pad_are_shown_of_the_scratchpad_machine() {
    MachineWindow place("scratchpad", false, product(32, 40, 24));
    place.jump_to("default");
    QStringList names = place.names();
    for (char const* part :
         {"A_cache, a call of copy_f32, in pad", "C, a call of mma, in pad", "C_init, in pad"})
      QVERIFY2(names.contains(part), qPrintable(names.join("\n")));
    QVERIFY2(names.contains("pad · 12 KB of 16 KB: B_cache 3.8 KB, A_cache 3.0 KB, C_cache 5.0 KB"),
             qPrintable(names.join("\n")));
    QSet<QString> called;
    for (CodeLine const& line : place.lowered())
      if (!line.call.empty()) {
        called << QString::fromStdString(line.call);
        // The unit is told its tiles once, before all loops.
        QVERIFY(line.loops.empty() == (line.call == "set_tile") && !line.barrier);
      }
    QCOMPARE(called, (QSet<QString>{"mma", "copy_f32", "set_tile"}));
    look(place, "scratchpad", "check_target");
  }

  void a_script_of_threads_with_asynchronous_copies_is_drawn() {
    MachineWindow place("threads", false, product(32, 48, 20));
    place.apply_script("product_threads.tws");
    QStringList names = place.names();
    for (char const* part :
         {"sync_threads · all threads of the block meet",
          "A_cache_first, a call of copy_async, in shared",
          "A_cache, a call of copy_async, in shared", "B_cache, a call of copy_async, in shared",
          "C, in local", "C_last, in local",
          "shared · 1.0 KB of 48 KB: B_cache 512 B, A_cache 512 B", "local · 64 B: C_cache 64 B"})
      QVERIFY2(names.contains(part), qPrintable(QString(part) + "\n" + names.join("\n")));
    look(place, "copies", "insert_barriers");
  }

  void a_script_of_a_scratchpad_machine_is_drawn() {
    MachineWindow place("scratchpad", false, product(32, 48, 64));
    place.apply_script("product_scratchpad.tws");
    QStringList names = place.names();
    for (char const* part :
         {"C_init, a call of clear, in pad", "A_cache_first, a call of load, in inputs",
          "A_cache, a call of load, in inputs", "B_cache, a call of load, in weights",
          "C, a call of gemm, in pad", "C_last, a call of gemm, in pad", "C_write, a call of store",
          "inputs · 2.0 KB of 4.0 KB: A_cache 2.0 KB"})
      QVERIFY2(names.contains(part), qPrintable(QString(part) + "\n" + names.join("\n")));
    look(place, "dma", "insert_async_waits");
  }

  void a_simulated_kernel_has_a_timeline_beside_that_of_the_step_before() {
    MachineWindow place("scratchpad", false, product(32, 48, 64));
    place.apply_script("product_scratchpad.tws", "software_pipeline");
    QVERIFY(!place.window->findChild<TimelineView*>()->focus().current());  // nobody looks
    QVERIFY(place.window->perform(journal::ShowView{"timeline"}));
    place.settle();
    place.apply("software_pipeline(k0, stages=\"0,0,1\")");
    auto& view = *place.window->findChild<TimelineView*>();
    TimelineFocus& focus = view.focus();
    QCOMPARE(focus.runs().size(), size_t(2));
    // Loads go on while the unit multiplies.
    QVERIFY2(focus.runs()[1].timeline().cycles < focus.runs()[0].timeline().cycles,
             qPrintable(QString("%1 and %2 cycles")
                            .arg(focus.runs()[1].timeline().cycles)
                            .arg(focus.runs()[0].timeline().cycles)));
    Timeline const& timeline = focus.runs()[1].timeline();
    QCOMPARE(std::get<double>(*place.window->fact("timeline.cycles")), double(timeline.cycles));
    int gemms = 0;
    for (auto const& one : timeline.instructions) gemms += one.text == "gemm";
    QCOMPARE(gemms, 2 * 3 * 4);
    // An instruction, the line it comes from, and the loop of that line are one.
    int gemm = int(std::ranges::find(timeline.instructions, "gemm", &Timeline::Instruction::text) -
                   timeline.instructions.begin());
    QVERIFY(place.window->perform(journal::ChooseInstruction{gemm, ""}));
    int32_t line = timeline.instructions[size_t(gemm)].line;
    QVERIFY2(QString::fromStdString(focus.runs()[1].state->lines[size_t(line) - 1].text)
                 .contains("call gemm("),
             "the instruction's line is not its call");
    QVERIFY(view.loop_of_chosen() >= 0);
    QCOMPARE(place.window->selection().loop(), view.loop_of_chosen());
    QVERIFY(place.window->perform(journal::BreakOnQueue{"pop", "port -> unit"}));
    QVERIFY(place.window->perform(journal::RunToBreak{}));
    QVERIFY(!place.window->perform(journal::BreakOnQueue{"pop", "nothing"}));
    QVERIFY(place.window->perform(journal::ShowMemoryOf{"inputs"}));
    QCOMPARE(std::get<std::string>(*place.window->fact("timeline.memory")), std::string("inputs"));
    look_at(place, "timeline", "timeline");
    // The plain nest computes where this machine cannot: it stands alone then.
    QVERIFY(place.window->perform(journal::TimelineAgainst{"0"}));
    place.settle();
    QCOMPARE(focus.runs().size(), size_t(1));
    int two_before = place.session->snapshot().history->current - 2;
    QVERIFY(place.window->perform(journal::TimelineAgainst{std::to_string(two_before)}));
    place.settle();
    QCOMPARE(focus.runs().size(), size_t(2));
    QVERIFY(place.window->perform(journal::TimelineAgainst{"none"}));
    place.settle();
    QCOMPARE(focus.runs().size(), size_t(1));
  }

  void a_recorded_timeline_is_opened_in_place_of_the_kernel_s() {
    MachineWindow place("scratchpad", false);
    std::string file = testing::source("/tests/fuzz/corpus/timeline/small.timeline");
    QVERIFY(place.window->perform(journal::OpenTimeline{file}));
    QTRY_COMPARE(place.window->fact("timeline"), session::FactValue("small.timeline"));
    QCOMPARE(std::get<double>(*place.window->fact("timeline.cycles")), 120.0);
    QVERIFY(place.window->perform(journal::CloseTimeline{}));
    place.settle();
    // The plain nest computes where this machine cannot.
    QCOMPARE(place.window->fact("timeline"), session::FactValue("none"));
    auto* failure = place.window->findChild<QLabel*>("timelineFailure");
    QVERIFY2(failure->isVisible() && failure->text().contains("can only be copied"),
             qPrintable(failure->text()));
    QVERIFY(place.window->perform(journal::OpenTimeline{testing::source("/README.md")}));
    QTRY_VERIFY2(place.window->said().contains("the first line is not"),
                 qPrintable(place.window->said()));
  }

  void a_target_without_a_simulator_has_no_timeline() {
    MachineWindow place("threads", false);
    QVERIFY(!place.window->perform(journal::ShowView{"timeline"}) ||
            std::get<std::string>(*place.window->fact("timeline")) == "none");
    QVERIFY(!place.session->snapshot().has_timeline);
    QVERIFY(!place.session->timeline(0));
  }

  void nest_and_instruction_stand_side_by_side_where_they_differ() {
    MachineWindow place("scratchpad", false, product(14, 16, 16));
    place.apply_script("product_padded.tws", "pad(C.i");
    place.apply("decompose_reduction(C.i)");
    place.window->apply_line("tensorize(C.i, intrinsic=gemm)");
    place.settle();
    auto refusal = place.session->snapshot().refusal;
    QVERIFY(refusal);
    QCOMPARE(refusal->code, std::string("extent_differs"));
    look_at(place, "mismatch", "loops");
  }

  void a_memory_that_is_too_full_is_shown_with_what_it_should_hold() {
    MachineWindow place("scratchpad", false);
    place.jump_to("default");
    QVERIFY2(place.names().filter("pad · 32 KB of 16 KB").size() == 1,
             qPrintable(place.names().join("\n")));
  }

  void a_card_that_is_dragged_over_a_loop_says_what_the_memory_would_hold() {
    MachineWindow place("threads", false, product(64, 64, 256));
    place.apply("cache_read(C, tensor=A, scope=shared)");
    auto* loop_nest = place.window->findChild<LoopNestView*>("loopNest");
    drag(*loop_nest, "A_cache", "C.i");
    std::vector<NestHint> const hint = loop_nest->scene().hint();
    QCOMPARE(hint.size(), size_t(2));
    QCOMPARE(hint[0].words, QString("compute_at(A_cache, C.i)"));
    QCOMPARE(hint[1].words, QString("shared 1.0 of 48 KB"));
    QVERIFY(!hint[0].wrong && !hint[1].wrong);
    look_at_drag(place, "drag");
    drop(*loop_nest);
    place.settle();
    QVERIFY(loop_nest->scene().hint().empty());
    QVERIFY(QString::fromStdString(place.session->script()).endsWith("compute_at(A_cache, C.i)\n"));
    QVERIFY(place.names().contains("shared · 1.0 KB of 48 KB: A_cache 1.0 KB"));
  }

  void a_drag_that_would_overflow_a_memory_shows_the_sum_and_its_parts() {
    MachineWindow place("threads", false, product(64, 64, 256));
    place.apply("cache_read(C, tensor=A, scope=shared); compute_at(A_cache, C.i)");
    place.apply("cache_read(C, tensor=B, scope=shared)");
    auto* loop_nest = place.window->findChild<LoopNestView*>("loopNest");
    drag(*loop_nest, "B_cache", "C.i");
    std::vector<NestHint> const hint = loop_nest->scene().hint();
    QCOMPARE(hint.size(), size_t(3));
    QVERIFY(hint[0].words.contains("B_cache"));
    QCOMPARE(hint[1].words, QString("shared 65 of 48 KB"));
    QCOMPARE(hint[2].words, QString("B_cache 64 KB, A_cache 1.0 KB"));
    for (NestHint const& line : hint) QVERIFY(line.wrong);
    look_at_drag(place, "drag_full");
    QTest::keyClick(loop_nest, Qt::Key_Escape);
    QVERIFY(loop_nest->scene().hint().empty());
    drop(*loop_nest);
    QVERIFY(!QString::fromStdString(place.session->script()).contains("compute_at(B_cache"));
  }

  void a_dialog_says_what_memories_would_hold() {
    MachineWindow place("scratchpad", false, product(64, 64, 32));
    QVERIFY(place.window->perform(journal::ShowDialog{"step", "cache_read"}));
    auto* dialog = place.window->findChild<StepDialog*>("stepDialog");
    QVERIFY(dialog);
    dialog->findChild<QLineEdit*>("targets")->setText("C");
    dialog->findChild<QComboBox*>("value_tensor")->setEditText("A");
    auto* memories = dialog->findChild<QLabel*>("memories");
    QVERIFY(memories->text().isEmpty());  // in main memory
    dialog->findChild<QComboBox*>("value_scope")->setCurrentText("pad");
    QCOMPARE(memories->text(), QString("pad 8.0 of 16 KB"));
    QVERIFY(dialog->findChild<QPushButton*>("apply")->isEnabled());
    QString folder = qEnvironmentVariable("TW_PICTURES");
    if (!folder.isEmpty()) dialog->grab().save(folder + "/dialog_memory.png");
    dialog->reject();
  }

  void a_macro_has_a_dialog_from_its_head() {
    MachineWindow place("threads", false);
    QVERIFY(place.window->perform(journal::ShowDialog{"step", "gemm_blocks_threads"}));
    auto* dialog = place.window->findChild<StepDialog*>("stepDialog");
    QVERIFY(dialog);
    QCOMPARE(dialog->windowTitle(), QString("A matrix product over blocks and threads"));
    auto field = [&](char const* name) { return dialog->findChild<QLineEdit*>(name); };
    QCOMPARE(field("targets")->text(), QString("C, C.i, C.j, C.k"));
    QCOMPARE(field("value_rows")->text(), QString("32"));
    QVERIFY(!dialog->findChild<QPushButton*>("apply")->isEnabled());  // which tensors is not known
    field("value_a")->setText("A");
    field("value_b")->setText("B");
    QLabel* verdict = dialog->findChild<QLabel*>("verdict");
    QVERIFY2(dialog->findChild<QPushButton*>("apply")->isEnabled(), qPrintable(verdict->text()));
    QVERIFY(dialog->height() <= 780);
    dialog->accept();
    place.settle();
    QCOMPARE(place.session->snapshot().history->nodes.back().label,
             std::string("gemm_blocks_threads"));
  }

  /// A dialog has the colours of the theme that it was opened in.
  void a_dialog_is_drawn_in_every_theme() {
    MachineWindow place("threads", false);
    QString folder = qEnvironmentVariable("TW_PICTURES");
    for (char const* theme : {"light", "dark", "high_contrast"}) {
      place.window->set_theme(theme);
      QVERIFY(place.window->perform(journal::ShowDialog{"step", "gemm_blocks_threads"}));
      auto* dialog = place.window->findChild<StepDialog*>("stepDialog");
      QVERIFY(dialog);
      dialog->findChild<QLineEdit*>("value_a")->setText("A");
      dialog->findChild<QLineEdit*>("value_b")->setText("B");
      QVERIFY(dialog->findChild<QLabel*>("memories")->text().startsWith("shared 2.0 of 48 KB"));
      if (!folder.isEmpty()) dialog->grab().save(folder + "/dialog_" + theme + ".png");
      dialog->reject();
      delete dialog;
    }
  }

  void macros_are_in_the_palette_where_the_machine_has_what_they_need() {
    auto titles = [](MachineWindow const& place) { return place.window->action_names(); };
    MachineWindow threads("threads", false), pad("scratchpad", false);
    for (MachineWindow* place : {&threads, &pad})
      QVERIFY(titles(*place).contains("Tile two loops on two levels"));
    QVERIFY(titles(threads).contains("A matrix product over blocks and threads"));
    QVERIFY(!titles(pad).contains("A matrix product over blocks and threads"));
  }

private:
  static QPointF middle_of(LoopNestView const& loop_nest, std::string const& name) {
    for (NestItem const& item : loop_nest.scene().layout.items)
      if ((item.stage ? item.stage->name : item.bar->reference) == name)
        return loop_nest.pixels(item.rect).center();
    return {};
  }
  static void point(LoopNestView& loop_nest, QEvent::Type what, QPointF at) {
    bool moves = what == QEvent::MouseMove;
    QMouseEvent event(what, at, loop_nest.mapToGlobal(at), moves ? Qt::NoButton : Qt::LeftButton,
                      what == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton,
                      Qt::NoModifier);
    QApplication::sendEvent(&loop_nest, &event);
    last_ = at;
  }
  /// Both may be scrolled out of the window.
  static void drag(LoopNestView& loop_nest, std::string const& stage, std::string const& loop) {
    QPointF from = middle_of(loop_nest, stage), to = middle_of(loop_nest, loop);
    QVERIFY(!from.isNull() && !to.isNull());
    point(loop_nest, QEvent::MouseButtonPress, from);
    point(loop_nest, QEvent::MouseMove, from + QPointF(0, 12));
    point(loop_nest, QEvent::MouseMove, to);
  }
  static void drop(LoopNestView& loop_nest) { point(loop_nest, QEvent::MouseButtonRelease, last_); }

  static void look_at_drag(MachineWindow& place, QString const& name) {
    auto* loop_nest = place.window->findChild<LoopNestView*>("loopNest");
    for (char const* theme : {"light", "dark", "high_contrast"}) {
      place.window->set_theme(theme);
      for (int i = 0; i < 4; ++i) QApplication::processEvents();
      QStringList wrong;
      (void)testing::painted_texts(*loop_nest, 1, wrong);
      wrong = wrong.filter("cut");
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
      QString folder = qEnvironmentVariable("TW_PICTURES");
      if (!folder.isEmpty())
        QVERIFY(save_picture(picture_of(*place.window),
                             QString("%1/%2_%3.png").arg(folder, name, theme).toStdString()));
    }
  }

  static inline QPointF last_;
};

QTEST_MAIN(MachinesTest)
#include "machines_test.moc"
