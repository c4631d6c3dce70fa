// What a launch asks of a GPU that nobody has, as somebody looks at it: accesses of a warp, layouts
// of a shared tensor, waves and occupancy. With TW_PICTURES set, pictures in three themes and two
// sizes go to that folder.
#include <QLabel>
#include <QtTest>

#include "engine/backend/target_table.h"
#include "engine/support/base/random.h"
#include "tests/gui/painted_texts.h"
#include "tests/gui/workplace.h"
#include "widgets/access/access_view.h"
#include "widgets/history/history_view.h"
#include "widgets/timeline/timeline_lanes.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/waves/waves_view.h"

using namespace tw;

namespace {

/// Its sums are too short for parts: one launch.
constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(A: f32[1024, 120], B: f32[120, 1024]) -> C\n"
    "  C[i in 1024, j in 1024] = sum[k in 120] A[i, k] * B[k, j]\n";

/// A warp reads four rows of A that begin in one bank.
constexpr char kTiled[] =
    "jump 0\nstep cache_write(C, scope=local); "
    "by, bx, i1, j1 = tile(C.i, C.j, outer_factor=64, inner_factor=64); "
    "ty, tx, i2, j2 = tile(i1, j1, outer_factor=8, inner_factor=8); k0, k1 = split(C.k, factor=8); "
    "reorder(k0, k1, i2, j2); reverse_compute_at(C_write, tx); bind(by, axis=blockIdx.y); "
    "bind(bx, axis=blockIdx.x); bind(ty, axis=threadIdx.y); bind(tx, axis=threadIdx.x); "
    "cache_read(C, tensor=A, scope=shared); cache_read(C, tensor=B, scope=shared); "
    "compute_at(A_cache, k0); compute_at(B_cache, k0); p = fuse(A_cache.d0, A_cache.d1); "
    "pr, px = split(p, factor=8); pn, py = split(pr, factor=8); bind(py, axis=threadIdx.y); "
    "bind(px, axis=threadIdx.x); q = fuse(B_cache.d0_2, B_cache.d1_2); "
    "qr, qx = split(q, factor=8); qn, qy = split(qr, factor=8); bind(qy, axis=threadIdx.y); "
    "bind(qx, axis=threadIdx.x)\n";

/// Those that are seen: what is painted has no meta-object of its own.
int pictures_of(WavesView const& view) {
  int seen = 0;
  for (QWidget* one : view.findChildren<QWidget*>())
    seen +=
        one->isVisible() && (dynamic_cast<WavesPicture*>(one) || dynamic_cast<OccupancyMap*>(one) ||
                             dynamic_cast<LimitsTable*>(one));
  return seen;
}

}  // namespace

class GpuViewsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (!target_hardware("cuda")) QSKIP("this build has no target cuda");
    std::string devices = folder_.filePath("devices.json").toStdString();
    place_ = std::make_unique<Workplace>(devices, true);
    file_ = folder_.filePath("product.te").toStdString();
    std::ofstream(file_) << kProduct;
    place_->window->resize(1280, 800);
  }

  /// As many rows as passes, as many cells as sectors: the picture is the count.
  void cells_are_the_count() {
    Rng rng(7);
    for (int i = 0; i < 2000; ++i) {
      int bytes = std::array{1, 2, 4, 8}[size_t(rng.below(4))];
      bool shared = rng.below(2) == 0;
      int64_t stride = rng.between(0, 40), base = rng.below(64), part = rng.between(1, 33);
      WarpRequest request;
      std::vector<int64_t> taken;
      for (int64_t lane = 0; lane < 32; ++lane) {
        int64_t at = (base + stride * (lane % part)) * bytes;
        request.address.push_back(rng.below(9) == 0 ? -1 : at);
      }
      request.together = bytes > 4 ? 128 / bytes : 0;
      AccessCells cells = cells_of(request, shared, bytes);
      std::set<int64_t> sectors;
      for (int64_t at : request.address)
        if (at != -1) sectors.insert(at / 32);
      if (!shared) QCOMPARE(cells.cells.size(), sectors.size());
      int rows = 0;
      for (AccessCell const& cell : cells.cells) rows = std::max(rows, cell.row + 1);
      if (shared) QCOMPARE(cells.rows, rows);
      for (size_t lane = 0; lane < request.address.size(); ++lane)
        QCOMPARE(cells.of_lane[lane] == -1, request.address[lane] == -1);
    }
  }

  void a_described_device_is_chosen_like_any_other() {
    QCOMPARE(place_->lines("device cuda:h100\nopen " + file_ +
                           "\n"
                           "expect device = cuda:h100\n"),
             std::string());
    // The plain nest has no code for a GPU, and one click leads to what has.
    auto* button = place_->window->findChild<QPushButton*>("takeScheduleByRule");
    QVERIFY(button && button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    place_->settle();
    look("loops");
  }

  void each_access_shows_what_it_costs() {
    QCOMPARE(place_->lines(kTiled + std::string("show access\naccess of A_cache load\n")),
             std::string());
    QCOMPARE(place_->lines("expect access = A_cache load\nexpect access.cost = 4\n"
                           "expect access.ideal = 1\nexpect access.here = 4\n"
                           "access lane 17\nexpect access.lane = 17\n"
                           "access at k1 3\nexpect access.here = 4\n"),
             std::string());
    auto* view = place_->window->findChild<AccessView*>("accessView");
    QVERIFY(view->findChild<QLabel*>("accessLane")->text().startsWith("Lane 17 reads element"));
    QVERIFY(view->paddings()->isVisible());
    look("access");
    // A step that is taken from the table heals it.
    auto const& rows = view->paddings()->shown()->rows;
    QVERIFY(rows.size() > 1);
    QTest::mouseClick(view->paddings(), Qt::LeftButton, {},
                      view->paddings()->pixels(view->paddings()->parts()[1].rect.center()));
    place_->settle();
    QCOMPARE(place_->lines("expect access = A_cache load\nexpect access.cost = 1\n"),
             std::string());
    auto* before = view->findChild<AccessPicture*>("accessBefore");
    QVERIFY(before->isVisible() && before->shown()->request.cost == 4);
    look("access-healed");
    QVERIFY(!place_->lines("access of Z load\n").empty());
    QVERIFY(!place_->lines("access of A load two\n").empty());
    QVERIFY(!place_->lines("access of A load 0\n").empty());
    QVERIFY(!place_->lines("access lane 32\n").empty());
    QVERIFY(!place_->lines("access at k1 8\n").empty());
  }

  void keys_walk_over_accesses() {
    auto* list = place_->window->findChild<AccessView*>("accessView")->list();
    list->setFocus();
    QCOMPARE(place_->lines("access of A load\n"), std::string());
    QTest::keyClick(list, Qt::Key_Down);
    QCOMPARE(place_->lines("expect access = B load\n"), std::string());
    QVERIFY(list->parts().size() > 7);
  }

  void pictures_have_a_row_for_each_pass() {
    auto* view = place_->window->findChild<AccessView*>("accessView");
    int banks = 0;
    for (size_t i = 0; i < view->list()->parts().size(); ++i) {
      if (view->access() && view->access()->shared && view->request()->known) {
        AccessCells cells = cells_of(*view->request(), true, view->access()->bytes);
        QCOMPARE(cells.rows, view->request()->cost);
        ++banks;
      }
      QTest::keyClick(view->list(), Qt::Key_Down);
      place_->settle();
    }
    QVERIFY(banks >= 4);
  }

  /// What nobody documents has no map: a sentence says so.
  void waves_of_a_gpu_that_nobody_documents() {
    auto state = std::make_shared<session::LaunchesView>();
    state->kernel.units = 20;
    state->kernel.unit.shared_per_unit = 64 << 10;
    state->kernel.no_occupancy = "nobody says how many registers there are";
    state->kernel.launches = {{.function = "f", .grid = {16, 1, 1}, .block = {256, 1, 1}}};
    WavesView view;
    view.resize(900, 500);
    view.show();
    view.show_state(state);
    QVERIFY(view.launch() && !view.knows_occupancy());
    QCOMPARE(view.occupancy().blocks, 0);
    QCOMPARE(pictures_of(view), 0);
    QCOMPARE(view.findChild<QLabel*>("wavesSentence")->text(),
             QString("16 blocks of 256 threads for 20 units. How many run at once is not known: "
                     "nobody says how many registers there are."));
    // What is known again is shown again.
    auto known = std::make_shared<session::LaunchesView>(*state);
    known->kernel.no_occupancy.clear();
    view.show_state(known);
    QVERIFY(view.knows_occupancy() && view.occupancy().blocks > 0);
    QCOMPARE(pictures_of(view), 3);
  }

  void waves_and_occupancy() {
    QCOMPARE(place_->lines("show waves\nexpect waves = 1\nexpect waves.blocks = 256\n"),
             std::string());
    auto* view = place_->window->findChild<WavesView*>("wavesView");
    QVERIFY(view->launch());
    look("waves");
    QVERIFY(!place_->lines("waves of 2\n").empty());
    if (!view->launch()->registers) QSKIP("there is no ptxas: registers are not counted");
    QVERIFY(view->occupancy().blocks > 0);
    QCOMPARE(int64_t(view->occupancy().blocks) * 132, view->waves().at_once);
  }

  /// The bars are what each iteration costs; keys and the clock go through them in order.
  void an_access_is_played() {
    QCOMPARE(place_->lines("show access\naccess of A load\nexpect access.plays = no\n"),
             std::string());
    auto* view = place_->window->findChild<AccessView*>("accessView");
    int64_t all = view->iterations();
    QVERIFY(all > 8 && view->player()->isVisible());
    for (int64_t at : {int64_t(0), int64_t(3), all - 1}) {
      QVERIFY(view->go_to(at));
      QCOMPARE(view->iteration(), at);
      QCOMPARE(view->request()->cost, 4);  // 32 neighbours of 4 bytes: the padded tile is loaded so
    }
    QVERIFY(!view->go_to(all) && !view->go_to(-1));
    QCOMPARE(place_->lines("access iteration 2\nexpect access.iteration = 2\n"), std::string());
    view->list()->setFocus();
    QTest::keyClick(view->list(), Qt::Key_Period);
    QCOMPARE(view->iteration(), int64_t(3));
    QTest::keyClick(view->list(), Qt::Key_Comma);
    QCOMPARE(view->iteration(), int64_t(2));
    QTest::keyClick(view->list(), Qt::Key_Space);
    QVERIFY(view->player()->plays());
    QTRY_VERIFY(view->iteration() >= 4);
    QTest::keyClick(view->list(), Qt::Key_Space);
    QVERIFY(!view->player()->plays());
    QTest::keyClick(view->list(), Qt::Key_Home);
    QCOMPARE(view->iteration(), int64_t(0));
    RequestStrip* strip = view->player()->strip();
    QCOMPARE(int64_t(strip->parts().size()), std::min<int64_t>(all, RequestStrip::kMostBars));
    QPointF last = strip->parts().back().rect.center();
    QTest::mouseClick(strip, Qt::LeftButton, {}, strip->pixels(last));
    QVERIFY(view->iteration() > all / 2);
    look("access-played");
    QVERIFY(!place_->lines("access iteration " + std::to_string(all) + "\n").empty());
    QVERIFY(!place_->lines("access iteration 1.5\n").empty());
    QVERIFY(!place_->lines("access player stop\n").empty());
    QCOMPARE(place_->lines("access player play\nexpect access.plays = yes\nshow waves\n"
                           "expect access.plays = no\n"),
             std::string());
  }

  /// What is dragged over is shown at once, and is what the calculation says.
  void a_point_is_dragged() {
    QCOMPARE(place_->lines("show waves\nexpect waves.if = none\n"), std::string());
    auto* view = place_->window->findChild<WavesView*>("wavesView");
    OccupancyMap* map = view->map();
    int64_t threads = view->launch()->blocks() * view->launch()->threads();
    QRectF plot = map->parts()[0].rect;
    auto at = [&](double x, double y) {
      return map->pixels(plot.topLeft() + QPointF(plot.width() * x, plot.height() * y));
    };
    QTest::mousePress(map, Qt::LeftButton, {}, at(0.3, 0.3));
    QTest::mouseMove(map, at(0.49, 0.24));
    QVERIFY(view->what_if());
    QCOMPARE(view->what_if()->threads, 512);
    QCOMPARE(view->what_if()->registers, 64);
    QTest::mouseRelease(map, Qt::LeftButton, {}, at(0.49, 0.24));
    QCOMPARE(view->pictured().blocks(), (threads + 511) / 512);
    QVERIFY(view->findChild<QLabel*>("wavesSentence")->text().startsWith("What if 512 threads"));
    QCOMPARE(view->occupancy().warps, 32);  // 65,536 registers for 64 of each thread
    look("waves-dragged");
    QTest::keyClick(map, Qt::Key_Right);
    QTest::keyClick(map, Qt::Key_Up);
    QCOMPARE(view->what_if()->threads, 544);
    QCOMPARE(view->what_if()->registers, 56);
    QTest::keyClick(map, Qt::Key_Escape);
    QVERIFY(!view->what_if());
    QCOMPARE(place_->lines("waves if 256 32 100000\nexpect waves.at_once = 264\n"
                           "expect waves.if = 256 32 100000\nwaves as is\n"
                           "expect waves.if = none\n"),
             std::string());
    QVERIFY(!place_->lines("waves if 2048 32 0\n").empty());
    QVERIFY(!place_->lines("waves if 256 32 300000\n").empty());
  }

  /// The same view as that of a simulated accelerator, of a model.
  void the_pipeline_of_a_block() {
    QCOMPARE(place_->lines("show timeline\ntimeline against none\nexpect timeline.cuts = 1\n"),
             std::string());
    auto* view = place_->window->findChild<TimelineView*>();
    QVERIFY(view->focus().current() && view->focus().current()->timeline().modelled);
    auto* sentence = view->findChild<QLabel*>("timelineSentence");
    QVERIFY(sentence->isVisible());
    QVERIFY2(sentence->text().contains("Arithmetic"), qPrintable(sentence->text()));
    QStringList parts;
    for (Part const& one : view->findChild<TimelineLanes*>()->parts()) parts << one.name;
    QVERIFY(!parts.filter("left out: ").isEmpty());
    QVERIFY(!parts.filter("copy of A").isEmpty());
    QVERIFY2(!parts.filter(QRegularExpression("after \\d+: copy of")).isEmpty(),
             qPrintable(parts.join("\n")));
    look("pipeline");
    QCOMPARE(place_->lines("timeline against previous\n"), std::string());
    look("pipeline-pair");
  }

  /// Nothing runs on a described device: the model's numbers stand, hollow.
  void the_history_shows_what_the_model_says() {
    QCOMPARE(place_->lines("show history\n"), std::string());
    auto* history = place_->window->findChild<HistoryView*>();
    QStringList names;
    for (Part const& one : history->parts()) names << one.name;
    QVERIFY2(!names.filter("the fastest by the model").isEmpty(), qPrintable(names.join("\n")));
    QStringList painted;
    {
      paint::TextLog log;
      QPixmap canvas(history->size());
      history->render(&canvas);
      for (paint::PaintedText const& text : log.texts) painted << text.words;
    }
    // Three states have no code: threads do not share their copies yet.
    QVERIFY2(painted.filter("not measured").size() == 3 && painted.count("?") == 3,
             qPrintable(painted.join("\n")));
    QVERIFY(!painted.filter(QStringLiteral("○ ")).isEmpty());
    look("history");
  }

  void another_device_takes_the_views_away() {
    std::string said = place_->lines(
        "device local\nexpect error contains has the default schedule\nexpect device = local\n");
    QVERIFY2(said.empty(), said.c_str());
    QVERIFY(!place_->window->findChild<QWidget*>("accessView")->isVisible());
  }

private:
  /// Whole and clear of each other, in all themes.
  void look(char const* name) {
    QByteArray folder = qgetenv("TW_PICTURES");
    for (QString const& theme : Theme::names())
      for (QSize size : {QSize(1280, 800), QSize(2560, 1440)}) {
        if (size.width() > 1280 && theme != "dark") continue;
        place_->window->resize(size);
        QCOMPARE(place_->lines("theme " + theme.toStdString() + "\n"), std::string());
        place_->settle();
        QStringList wrong;
        QVERIFY(testing::painted_texts(*place_->window, 1, wrong) > 10);
        QVERIFY2(wrong.isEmpty(), qPrintable(QString(name) + ": " + wrong.join("; ")));
        if (folder.isEmpty()) continue;
        QString path = QString("%1/%2-%3-%4.png")
                           .arg(QString::fromUtf8(folder), name, theme)
                           .arg(size.width());
        QVERIFY(place_->window->grab().save(path));
      }
    place_->window->resize(1280, 800);
  }

  QTemporaryDir folder_;
  std::unique_ptr<Workplace> place_;
  std::string file_;
};

QTEST_MAIN(GpuViewsTest)
#include "gpu_views_test.moc"
