// Stages, memories, iterations and accesses: by mouse, by keys, and as they are drawn.
#include <QtTest>

#include <QComboBox>
#include <QDropEvent>
#include <QMimeData>
#include <QPushButton>
#include <QSlider>
#include <map>

#include "engine/session/facts/facts.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/film/film_view.h"
#include "widgets/loop_nest/loop_nest_view.h"
#include "widgets/plane/iteration_plane.h"
#include "widgets/stages/lane_row.h"
#include "widgets/stages/stage_row.h"

using namespace tw;
using namespace tw::session;

class MemoryViewTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    place_ = std::make_unique<Workplace>(false);
    lines("size 1600 1000\nsample resnet18\nkernel conv2d_64x56x56_3x3\n");
  }
  void cleanupTestCase() { place_.reset(); }

  void stages_stand_above_the_loops_and_memories_below() {
    auto* stages = find<StageRow>("stageRow");
    auto* lanes = find<LaneRow>("memoryLanes");
    QVERIFY(stages->isVisible() && lanes->isVisible());
    QCOMPARE(stages->stages(), int(nest().stages.size()));
    QTRY_VERIFY(lanes->shown() && !lanes->pills().empty());
    // A small window keeps its room for loops.
    lines("size 1280 720\n");
    QVERIFY(!lanes->isVisible());
    lines("size 1600 1000\n");
    QVERIFY(lanes->isVisible());
  }

  void a_stage_is_chosen_by_click_and_by_keys() {
    auto* stages = find<StageRow>("stageRow");
    QTest::mouseClick(stages, Qt::LeftButton, {}, stages->pixels(stages->card_rect(0)).center());
    QCOMPARE(selected_stage(), 0);
    QTest::keyClick(stages, Qt::Key_Right);
    QCOMPARE(selected_stage(), 1);
    QTest::keyClick(stages, Qt::Key_Left);
    QCOMPARE(selected_stage(), 0);
  }

  void a_card_that_is_dropped_on_a_loop_is_computed_there() {
    auto* loop_nest = find<LoopNestView>("loopNest");
    NestItem const* bar = nullptr;
    for (NestItem const& item : loop_nest->scene().layout.items)
      if (item.bar && item.bar->stage == 1 && item.bar->name == "y") bar = &item;
    QVERIFY(bar);
    size_t steps = history().nodes.size();
    drop(*loop_nest, kStageType, nest().stages.front().name, loop_nest->pixels(bar->rect).center());
    place_->settle();
    QCOMPARE(history().nodes.size(), steps + 1);
    QVERIFY2(history().nodes[size_t(history().current)].step.starts_with("compute_at("),
             history().nodes[size_t(history().current)].step.c_str());
    lines("undo\n");
  }

  void a_part_of_a_tensor_that_is_dropped_on_a_memory_is_copied_there() {
    auto* lanes = find<LaneRow>("memoryLanes");
    LanesView const& view = *lanes->shown();
    size_t steps = history().nodes.size();
    std::string line;
    for (LaneRow::Pill const& pill : lanes->pills()) {
      MemoryLane const& from = view.lanes[size_t(pill.lane)];
      std::string tensor = from.parts[size_t(pill.part)].tensor;
      for (size_t to = 0; to < view.lanes.size() && line.empty(); ++to) {
        std::string asked = line_for_drop(view, tensor, view.lanes[to]);
        if (int(to) == pill.lane || asked.empty() || live().preview(asked).refusal) continue;
        line = asked;
        QPoint start = lanes->pixels(pill.rect).center(),
               end = lanes->pixels(lanes->lane_rect(int(to))).center();
        QTest::mousePress(lanes, Qt::LeftButton, {}, start);
        move(*lanes, (start + end) / 2);
        move(*lanes, end);
        keep_picture(*place_->window, "memory_drop");
        QTest::mouseRelease(lanes, Qt::LeftButton, {}, end);
        break;
      }
      if (!line.empty()) break;
    }
    QVERIFY2(!line.empty(), "no part can be copied anywhere");
    place_->settle();
    QVERIFY(history().nodes.size() > steps);
    QVERIFY(live().script().find(line.substr(0, line.find('('))) != std::string::npos);
    lines("jump 0\n");
  }

  void accesses_are_played_forwards_and_backwards() {
    lines("show memory\nexpect trace.frames > 1000\nexpect trace.frame = 0\n");
    auto* film = find<FilmView>("accessFilm");
    film->setFocus();
    QTest::keyClick(film, Qt::Key_Right);
    QTest::keyClick(film, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(film->frame(), 101);
    QTest::keyClick(film, Qt::Key_Left);
    QCOMPARE(film->frame(), 100);
    find<QPushButton>("filmPlay")->click();
    QVERIFY(film->plays());
    QTRY_VERIFY(film->frame() > 103);
    find<QPushButton>("filmBackwards")->click();
    int there = film->frame();
    QTRY_VERIFY(film->frame() < there);
    QTest::keyClick(film, Qt::Key_Space);
    QVERIFY(!film->plays());
    find<QSlider>("filmPlace")->setValue(5);
    QCOMPARE(film->frame(), 5);
    QTest::keyClick(film, Qt::Key_End);
    QCOMPARE(film->frame(), film->shown()->frames() - 1);
    QVERIFY(film->totals_words().contains("compulsory"));
    QVERIFY(film->frame_words().contains("reads") || film->frame_words().contains("writes"));
    lines("trace at 700\nexpect trace.frame = 700\nexpect trace.cold > 0\n");
    lines("trace from 0\nexpect trace.frame = 0\n");
    QVERIFY(film->shown()->from == 0);
  }

  void frames_of_the_film_are_drawn_in_time() {
    lines("show memory\ntrace from 0.5\nexpect trace.frames > 2500\n");
    auto* film = find<FilmView>("accessFilm");
    QPixmap canvas(film->size());
    QElapsedTimer timer;
    std::vector<double> times;
    for (int frame = 0; frame < 60; ++frame) {
      film->go_to(frame * 37);
      timer.start();
      film->render(&canvas);
      times.push_back(double(timer.nsecsElapsed()) / 1e6);
    }
    std::ranges::sort(times);
    qInfo("a frame of the film: median %.1f ms, 95th percentile %.1f ms", times[30], times[57]);
    QVERIFY(times[30] < 33);  // it plays 30 each second
  }

  void cells_count_the_misses_of_their_lines_up_to_the_frame() {
    lines(
        "show memory\ntrace from 0\nexpect trace.frames > 1000\nexpect trace.shows = places\n"
        "trace shows misses L1\nexpect trace.shows = \"misses of L1\"\ntrace at 0\n");
    auto* film = find<FilmView>("accessFilm");
    int last = film->shown()->frames() - 1;
    std::vector<int64_t> there;
    // Back and forth: what a frame says does not depend on the way to it.
    for (int frame : {0, 700, last, 700, 0}) {
      film->go_to(frame);
      QVERIFY(same_counts(*film, frame));
      there.push_back(film->most_misses());
    }
    QVERIFY(there[0] <= there[1] && there[1] <= there[2] && there[2] >= 1);
    QCOMPARE(there[3], there[1]);
    QCOMPARE(there[4], there[0]);
    lines("trace shows misses L9\nexpect error contains has no cache 'L9'\n");
    lines("expect trace.shows = \"misses of L1\"\n");
  }

  void what_cells_show_is_chosen_by_keys_and_said_in_words() {
    lines("show memory\ntrace from 0\ntrace shows places\ntrace at 300\n");
    auto* film = find<FilmView>("accessFilm");
    auto* chosen = find<QComboBox>("filmCells");
    QCOMPARE(chosen->currentText(), QString("Where lines are"));
    QVERIFY(chosen->focusPolicy() & Qt::TabFocus);
    chosen->setFocus();
    QTest::keyClick(chosen, Qt::Key_Down);
    QCOMPARE(place_->window->fact("trace.shows"), FactValue("misses of L1"));
    QTest::keyClick(chosen, Qt::Key_End);
    QCOMPARE(place_->window->fact("trace.shows"), FactValue("misses"));
    place_->window->run_action("Cells of Memory: where lines are");
    QCOMPARE(chosen->currentIndex(), 0);
    place_->window->run_action("Cells of Memory: misses so far");
    QCOMPARE(chosen->currentText(), QString("Misses: all caches"));
    lines("trace shows misses L1\ntrace at 3000\n");
    paint::TextLog log;
    film->grab();
    QVERIFY(std::ranges::any_of(
        log.texts, [&](auto const& text) { return text.words == film->heat_words(); }));
    QVERIFY2(film->heat_words().startsWith("Misses of L1, so far: at most "),
             qPrintable(film->heat_words()));
    std::vector<Part> parts = film->parts();
    QVERIFY(std::ranges::any_of(parts, [](Part const& part) {
      return part.name.contains("misses so far, of the line of ");
    }));
    // The number itself, where one points at a cell.
    QString words = film->cell_words(parts.front().rect.topLeft() + QPointF(3, 23));
    QVERIFY2(words.contains("Misses of L1, so far: "), qPrintable(words));
    std::string text = place_->recorded();
    for (char const* wanted :
         {"trace shows misses L1\n", "trace shows misses\n", "trace shows places\n"})
      QVERIFY2(text.find(wanted) != std::string::npos, text.c_str());
  }

  void rows_that_share_few_sets_miss_again_and_again() {
    Workplace place(false);
    place.window->resize(1600, 1000);
    std::string file = place.folder.filePath("rows.te").toStdString();
    std::ofstream(file) << "tilewright te 1\n"
                           "kernel rows(A: f32[128, 128], B: f32[128, 128]) -> C\n"
                           "  C[i in 128, j in 128] = sum[k in 128] A[i, k] * B[k, j]\n";
    place.window->execute(OpenModel{file});
    place.settle();
    for (char const* theme : {"dark", "light", "high-contrast"}) {
      QCOMPARE(place.lines(std::string("theme ") + theme +
                           "\nshow memory\ntrace from 0\ntrace shows misses L1\ntrace at 15000\n"
                           "expect trace.most > 3\n"),
               std::string());
      auto* film = place.window->findChild<FilmView*>("accessFilm");
      QVERIFY(same_counts(*film, 15000));
      QString wrong = wrong_words(*film);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
      keep_picture(*place.window, QString("misses_rows_") + theme);
    }
    // A project keeps what cells show.
    std::string kept = place.folder.filePath("rows.twp").toStdString();
    QCOMPARE(place.lines("project save " + kept + "\ntrace shows places\nproject open " + kept +
                         "\nshow memory\nexpect trace.shows = \"misses of L1\"\n"),
             std::string());
    auto* film = place.window->findChild<FilmView*>("accessFilm");
    film->show_cells({});
    QElapsedTimer timer;
    timer.start();
    film->show_cells({.misses = true, .level = {}});
    double counted = double(timer.nsecsElapsed()) / 1e6;
    film->go_to(film->shown()->frames() - 1);
    QPixmap canvas(film->size());
    timer.start();
    film->render(&canvas);
    double drawn = double(timer.nsecsElapsed()) / 1e6;
    qInfo("misses of %d frames: counted in %.1f ms, drawn in %.1f ms", film->shown()->frames(),
          counted, drawn);
    QVERIFY(counted < 100 && drawn < 33);
  }

  void a_rubber_band_on_the_plane_is_a_tile() {
    lines("show iterations\niterations of conv2d x y\nexpect iterations = \"conv2d x y\"\n");
    auto* plane = find<IterationPlane>("iterationPlane");
    auto at = [&](int right, int down) { return plane->pixels(plane->centre_of({right, down})); };
    QTest::mousePress(plane, Qt::LeftButton, {}, at(0, 0));
    move(*plane, at(3, 2));
    move(*plane, at(6, 3));
    QVERIFY2(plane->band_line().startsWith("tile("), qPrintable(plane->band_line()));
    keep_picture(*place_->window, "iterations_band");
    QTest::mouseRelease(plane, Qt::LeftButton, {}, at(6, 3));
    place_->settle();
    lines("expect iterations = \"conv2d x y\"\n");
    QCOMPARE(plane->shown()->right.strides.size(), size_t(2));
    QCOMPARE(plane->shown()->right.strides[0].stride, int64_t(7));
    QCOMPARE(plane->shown()->down.strides[0].stride, int64_t(4));
    lines("jump 0\n");
  }

  void the_keys_draw_a_tile_and_take_it_back() {
    lines("iterations of conv2d x y\n");
    auto* plane = find<IterationPlane>("iterationPlane");
    plane->setFocus();
    size_t steps = history().nodes.size();
    QTest::keyClick(plane, Qt::Key_Right, Qt::ShiftModifier);
    QTest::keyClick(plane, Qt::Key_Escape);
    QVERIFY(plane->band_line().isEmpty());
    QTest::keyClick(plane, Qt::Key_Home);
    for (int i = 0; i < 3; ++i) QTest::keyClick(plane, Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY2(plane->band_line().startsWith("split("), qPrintable(plane->band_line()));
    QTest::keyClick(plane, Qt::Key_Return);
    place_->settle();
    QCOMPARE(history().nodes.size(), steps + 1);
    lines("jump 0\n");
  }

  void a_first_look_says_what_it_waits_for() {
    FilmView film;
    film.set_theme(Theme::load("dark"));
    film.resize(600, 300);
    film.show_film(nullptr);
    paint::TextLog log;
    film.grab();
    QVERIFY(!log.texts.empty() && log.texts[0].words.contains("through the caches"));
  }

  void nothing_is_cut_or_covered_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QString>("size");
    QTest::addColumn<int>("scale");
    for (char const* theme : {"dark", "light", "high-contrast"})
      for (char const* size : {"960 620", "1280 800", "1600 1000", "2560 1440"})
        for (int scale : {100, 150}) {
          // No window is so small at that scale.
          if (scale == 150 && std::string(size) == "960 620") continue;
          QTest::addRow("%s %s %d", theme, size, scale) << theme << size << scale;
        }
  }
  void nothing_is_cut_or_covered() {
    QFETCH(QString, theme);
    QFETCH(QString, size);
    QFETCH(int, scale);
    lines(QString("theme %1\nscale text %2\nsize %3\n")
              .arg(theme)
              .arg(scale)
              .arg(size)
              .toStdString());
    for (char const* view : {"loops", "memory", "iterations"}) {
      lines(std::string("show ") + view + "\n");
      for (char const* name :
           {"stageRow", "memoryLanes", "memoryPaneLanes", "accessFilm", "iterationPlane"}) {
        auto* one = place_->window->findChild<QWidget*>(name);
        if (!one->isVisible()) continue;
        QStringList wrong;
        check_words(*one, wrong);
        QVERIFY2(wrong.isEmpty(), qPrintable(QString(view) + ": " + wrong.join("\n")));
      }
      if (theme == "light" && scale == 100)
        keep_picture(*place_->window, QString("b5_%1_%2").arg(view, size).replace(' ', '_'));
    }
    lines("show memory\ntrace shows misses L1\ntrace at 2000\n");
    auto* film = find<FilmView>("accessFilm");
    QStringList wrong;
    check_words(*film, wrong);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    keep_picture(*place_->window,
                 QString("misses_%1_%2_%3").arg(theme, size).arg(scale).replace(' ', '_'));
    lines("trace shows places\n");
  }

private:
  template <typename T>
  T* find(char const* name) {
    auto* found = place_->window->findChild<T*>(name);
    if (!found) qFatal("there is no %s", name);
    return found;
  }
  void lines(std::string const& text) {
    std::string wrong = place_->lines(text);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
  Session& live() { return *place_->session; }
  NestView const& nest() { return *(nest_ = live().snapshot().nest); }
  HistoryView const& history() { return *(history_ = live().snapshot().history); }
  int selected_stage() {
    for (LoopBar const& bar : nest().bars)
      if (bar.reference ==
          place_->window->fact("loop")
              .transform([](FactValue const& value) { return std::get<std::string>(value); })
              .value_or(""))
        return bar.stage;
    return -1;
  }
  /// Of every line, against the film's accesses in their turn.
  static bool same_counts(FilmView const& film, int frame) {
    AccessFilm const& shown = *film.shown();
    std::map<std::pair<int32_t, int64_t>, int64_t> by_hand;
    int64_t most = 0;
    for (int64_t i = 0; i < shown.first_access[size_t(frame) + 1]; ++i) {
      FilmAccess const& access = shown.accesses[size_t(i)];
      int64_t bytes = shown.tensors[size_t(access.tensor)].element_bytes;
      int64_t& count = by_hand[{access.tensor, access.element * bytes / shown.line_bytes}];
      most = std::max(most, count += access.level > 0);
    }
    bool same = film.most_misses() == most;
    for (auto const& [line, count] : by_hand) {
      int64_t bytes = shown.tensors[size_t(line.first)].element_bytes;
      same = same && film.misses_of(line.first, line.second * shown.line_bytes / bytes) == count;
    }
    return same;
  }
  static void move(QWidget& view, QPoint at) {
    QMouseEvent event(QEvent::MouseMove, at, view.mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                      {});
    QApplication::sendEvent(&view, &event);
  }
  static void drop(QWidget& view, char const* type, std::string const& what, QPoint at) {
    QMimeData data;
    data.setData(type, QByteArray::fromStdString(what));
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&view, &enter);
    QDragMoveEvent over(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&view, &over);
    QDropEvent end(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&view, &end);
  }

  std::unique_ptr<Workplace> place_;
  std::shared_ptr<NestView const> nest_;
  std::shared_ptr<HistoryView const> history_;
};

QTEST_MAIN(MemoryViewTest)
#include "memory_view_test.moc"
