// Roofs with points below them: the steps of a kernel, or every kernel of a model without and with
// latency hidden. With TW_PICTURES set, pictures go to that folder.
#include <QSignalSpy>
#include <QTabWidget>
#include <QToolTip>
#include <QtTest>
#include <cmath>

#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/compare/compare_view.h"
#include "widgets/roofline/roofline_view.h"

using namespace tw;

namespace {

session::RooflinePoint point(double intensity, double speed, double operations) {
  session::RooflinePoint made;
  made.intensity = intensity;
  made.gflops = speed;
  made.measured = false;
  made.model_ms = operations / speed * 1e-6;
  return made;
}

session::LayerPoint layer(int kernel, double intensity, double with, double without) {
  double operations = 2e8;
  session::LayerPoint made{.kernel = kernel,
                           .name = "conv_" + std::to_string(kernel),
                           .count = 1,
                           .operations = operations,
                           .by_rule = point(intensity, with, operations),
                           .serial = point(intensity, without, operations),
                           .of_peak = with / 51.2,
                           .missing = {}};
  return made;
}

/// An accelerator's roofs, and layers as ResNet-18 has them.
std::shared_ptr<session::ModelRoofline> layers() {
  auto view = std::make_shared<session::ModelRoofline>();
  view->below.roofs = {{"GEMM i8", true, 51.2, 1},   {"ALU i32", true, 0.7, 1},
                       {"weights", false, 0.371, 1}, {"load", false, 0.717, 1},
                       {"store", false, 0.717, 1},   {"DRAM", false, 0.8, 1}};
  view->layers = {layer(0, 390, 40.9, 33),   layer(1, 260, 39.7, 27.6), layer(2, 29, 12.6, 10.7),
                  layer(3, 300, 44.8, 33.8), layer(4, 90, 28.8, 18.8),  layer(5, 120, 32, 20)};
  session::LayerPoint at_home;
  at_home.kernel = 6;
  at_home.name = "max_pool";
  at_home.missing = "X is f32, which the target vta does not have";
  view->layers.push_back(at_home);
  view->below.explanation =
      "6 kernels with default schedules, modelled: 40 ms a run; 1 without a point.";
  return view;
}

/// Steps of one kernel: speeds, measured where they are above 0, else modelled as fast as that.
std::shared_ptr<session::RooflineView> steps(std::vector<double> const& speeds) {
  auto view = std::make_shared<session::RooflineView>();
  view->roofs = {{"FMA", true, 235, 2}, {"L2", false, 180, 2}, {"DRAM", false, 66, 2}};
  for (double speed : speeds) {
    auto step = int(view->trail.size());
    session::RooflinePoint made = point(std::pow(3, step + 1), std::abs(speed), 33.6e6);
    made.label = "step " + std::to_string(step) + " " + std::to_string(int(std::abs(speed)));
    made.measured = speed > 0;
    made.history_node = step;
    view->trail.push_back(made);
  }
  view->trail.back().current = true;
  view->explanation = "Bottleneck of this step, modelled: arithmetic, 1.4 ms.";
  return view;
}

/// The texts that were painted and are a gain.
QStringList gains(RooflineView& view) {
  paint::TextLog log;
  view.grab();
  QStringList found;
  for (paint::PaintedText const& text : log.texts)
    if (text.words.contains("×") || text.words == "the same") found << text.words;
  return found;
}

}  // namespace

class RooflineTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    view_ = std::make_unique<RooflineView>();
    view_->set_theme(Theme::load("dark"));
    view_->resize(700, 320);
    view_->show_layers(layers());
    view_->show();
    QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
  }
  void cleanup() { view_.reset(); }

  /// A step that is modelled slower than the current one is, whatever that one was measured at.
  void an_arrow_goes_from_modelled_to_modelled() {
    double operations = 33.6e6;
    auto of_kernel = [&](double measured, double modelled) {
      auto view = std::make_shared<session::RooflineView>();
      view->roofs = {{"FMA", true, 235, 2}, {"DRAM", false, 66, 2}};
      session::RooflinePoint now = point(42, modelled, operations);
      now.levels = {{"DRAM", 42, operations / 42, 1}};
      now.gflops = measured;
      now.measured = now.current = true;
      view->trail = {now};
      return view;
    };
    auto outlook = std::make_shared<session::Outlook>();
    outlook->point = point(42, 1.2, operations);
    view_->show_layers(nullptr);
    view_->show_roofline(of_kernel(0.55, 1.85));
    QVERIFY(!view_->scene().arrow());
    view_->show_outlook(outlook);
    QVERIFY2(view_->scene().arrow()->dy() > 0, "1.5 times as slow goes down");
    outlook = std::make_shared<session::Outlook>(*outlook);
    outlook->point = point(42, 3.7, operations);
    view_->show_roofline(of_kernel(8, 1.85));
    view_->show_outlook(outlook);
    QVERIFY2(view_->scene().arrow()->dy() < 0, "twice as fast goes up");
    double up = view_->scene().position(42, 1.85).y() - view_->scene().position(42, 3.7).y();
    QVERIFY(std::abs(view_->scene().arrow()->dy() + up) < 0.5);
    view_->show_outlook(nullptr);
  }

  void an_arrow_between_steps_says_what_the_newer_one_gains() {
    view_->show_layers(nullptr);
    view_->resize(1280, 800);
    view_->show_roofline(steps({2, 8, 4, 60}));
    std::vector<RooflineArrow> arrows = view_->scene().arrows();
    QCOMPARE(arrows.size(), size_t(3));
    QCOMPARE(arrows[0].line.p1(), view_->scene().position(3, 2));
    QCOMPARE(arrows[0].line.p2(), view_->scene().position(9, 8));  // the newer one has the head
    QCOMPARE(arrows[0].times, 4.0);
    QCOMPARE(gains(*view_), (QStringList{"4.00×", "2.00× slower", "15.0×"}));
    QVERIFY2(view_->parts()[1].name.endsWith("4.00× faster than the step before"),
             qPrintable(view_->parts()[1].name));
    QVERIFY(!view_->parts()[0].name.contains("the step before"));
    // Within what a time repeats to nothing was gained.
    view_->show_roofline(steps({2, 2.001}));
    QCOMPARE(view_->scene().arrows().size(), size_t(1));
    QVERIFY(gains(*view_).isEmpty());
    QVERIFY(view_->parts()[1].name.endsWith("as fast as the step before"));
  }

  void no_arrow_goes_from_measured_to_modelled() {
    view_->show_layers(nullptr);
    view_->resize(1280, 800);
    view_->show_roofline(steps({2, -8, -16, 30, 60}));
    std::vector<RooflineArrow> arrows = view_->scene().arrows();
    QCOMPARE(arrows.size(), size_t(2));
    QCOMPARE(arrows[0].line.p1(), view_->scene().position(9, 8));     // both modelled
    QCOMPARE(arrows[1].line.p2(), view_->scene().position(243, 60));  // both measured
    QCOMPARE(gains(*view_), (QStringList{"2.00×", "2.00×"}));
    QVERIFY(!view_->parts()[1].name.contains("the step before"));
  }

  /// In the window, with times that it really measures.
  void states_that_are_compared_are_joined_by_an_arrow() {
    Workplace place(true);
    place.open_matmul();
    QCOMPARE(place.lines("compare 0 1\n"), std::string());
    place.settle();
    place.window->resize(1280, 800);
    auto* compare = place.window->findChild<CompareView*>();
    auto* roofs = compare->findChild<RooflineView*>();
    compare->findChild<QTabWidget*>()->setCurrentWidget(roofs);
    QTRY_COMPARE(roofs->scene().arrows().size(), size_t(1));
    std::vector<RooflineArrow> arrows = roofs->scene().arrows();
    QVERIFY(arrows[0].times > 1.2 && arrows[0].line.dy() < 0);
    for (char const* theme : {"dark", "light", "high-contrast"}) {
      QCOMPARE(place.lines(std::string("theme ") + theme + "\n"), std::string());
      place.settle();
      QVERIFY2(wrong_words(*roofs).isEmpty(), qPrintable(wrong_words(*roofs)));
      keep_picture(*place.window, QString("roofline_compared_%1").arg(theme));
    }
  }

  void gains_have_room_or_are_left_out_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    for (char const* theme : {"dark", "light", "high_contrast"})
      for (QSize size : {QSize(360, 220), QSize(700, 320), QSize(1280, 800)})
        QTest::addRow("%s %d", theme, size.width()) << theme << size;
  }
  void gains_have_room_or_are_left_out() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    view_->set_theme(Theme::load(theme));
    view_->show_layers(nullptr);
    view_->resize(size);
    QApplication::processEvents();
    auto many = steps({1.2, 1.5, 4, 3.2, 12, 13, 31, 30, 64});
    for (size_t i = 0; i < many->trail.size(); ++i)
      many->trail[i].intensity = 3 + 2 * double(i * i % 7);
    auto same = steps({2.2, 40, 4.5, 44, 85, 300});  // as many bytes in each
    for (auto& one : same->trail) one.intensity = 33;
    for (auto const& view : {many, same, steps({2, 60}), steps({2, 8, -16, -40, 44})}) {
      view_->show_roofline(view);
      QVERIFY2(wrong_words(*view_).isEmpty(), qPrintable(wrong_words(*view_)));
      keep_picture(
          *view_,
          QString("roofline_arrows_%1_%2_%3").arg(theme).arg(size.width()).arg(view->trail.size()));
    }
  }

  void a_kernel_of_the_model_has_an_arrow_from_its_baseline_data() {
    gains_have_room_or_are_left_out_data();
  }
  void a_kernel_of_the_model_has_an_arrow_from_its_baseline() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    view_->set_theme(Theme::load(theme));
    view_->resize(size);
    auto table = std::make_shared<session::KernelTable>();
    table->rows.resize(7);
    table->rows[2].time_ms = 25;
    table->rows[4].time_ms = 9;
    auto baseline = [](int kernel, std::optional<double> ms) {
      session::KernelDifference one;
      one.kernel = kernel;
      one.before = "by rule";
      one.before_ms = ms;
      return one;
    };
    // Of 0 nothing was measured since, of 4 nothing at its baseline.
    view_->show_baselines({baseline(0, 30), baseline(2, 100), baseline(4, {})});
    QVERIFY(view_->scene().arrows().empty());
    view_->show_times(table);
    std::vector<RooflineArrow> arrows = view_->scene().arrows();
    QCOMPARE(arrows.size(), size_t(1));
    QCOMPARE(arrows[0].line.p1(), view_->scene().position(29, 2));
    QCOMPARE(arrows[0].line.p2(), view_->scene().position(29, 8));
    QCOMPARE(arrows[0].times, 4.0);
    QVERIFY2(view_->parts()[2].name.endsWith("; 4.00× faster than its baseline, by rule"),
             qPrintable(view_->parts()[2].name));
    QVERIFY2(wrong_words(*view_).isEmpty(), qPrintable(wrong_words(*view_)));
    if (size.width() > 600) QCOMPARE(gains(*view_), QStringList{"4.00×"});
    keep_picture(*view_, QString("roofline_gains_%1_%2").arg(theme).arg(size.width()));
    view_->show_times(nullptr);  // on a machine that is not there nothing was measured
    QVERIFY(view_->scene().arrows().empty());
  }

  void what_is_painted_is_whole_and_apart_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    for (char const* theme : {"dark", "light", "high_contrast"})
      for (QSize size : {QSize(360, 220), QSize(700, 320), QSize(1400, 800)})
        QTest::addRow("%s %d", theme, size.width()) << theme << size;
  }
  void what_is_painted_is_whole_and_apart() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    view_->set_theme(Theme::load(theme));
    view_->resize(size);
    view_->mark_layer(3);
    QApplication::processEvents();
    {
      paint::TextLog log;
      view_->grab();
      QVERIFY(log.texts.size() > 10);
    }
    QVERIFY2(wrong_words(*view_).isEmpty(), qPrintable(wrong_words(*view_)));
    keep_picture(*view_, QString("roofline_layers_%1_%2").arg(theme).arg(size.width()));
  }

  void every_kernel_with_a_point_is_a_part_that_says_what_hiding_gains() {
    std::vector<Part> parts = view_->parts();
    QCOMPARE(parts.size(), size_t(6));  // the one without a point has none
    QVERIFY2(parts[0].name.contains("conv_0: 40.9 GOP/s at 390 operations per byte, 80 % of peak"),
             qPrintable(parts[0].name));
    QVERIFY2(parts[0].name.contains("without hiding latency 64 % of peak"),
             qPrintable(parts[0].name));
    view_->mark_layer(2);
    QVERIFY(view_->parts()[2].selected && !view_->parts()[0].selected);
  }

  void points_stand_below_their_roofs() {
    auto all = layers();
    for (auto const& one : all->layers) {
      if (!one.missing.empty()) continue;
      QPointF with = view_->scene().position(one.by_rule.intensity, one.by_rule.gflops);
      QPointF without = view_->scene().position(one.serial->intensity, one.serial->gflops);
      QPointF peak = view_->scene().position(one.by_rule.intensity, 51.2);
      QVERIFY(peak.y() < with.y() && with.y() < without.y());
    }
    // The axis reaches as far as the layers do.
    QVERIFY(view_->scene().position(390, 10).x() < view_->scene().position(1000, 10).x());
  }

  void a_click_chooses_the_kernel() {
    QSignalSpy chosen(view_.get(), &RooflineView::layer_chosen);
    auto third = layers()->layers[2].by_rule;
    QTest::mouseClick(view_.get(), Qt::LeftButton, {},
                      view_->scene().position(third.intensity, third.gflops).toPoint());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toInt(), 2);
    QTest::mouseClick(view_.get(), Qt::LeftButton, {}, QPoint(60, 40));
    QCOMPARE(chosen.size(), 1);
  }

  void measured_kernels_are_solid_and_as_large_as_their_share() {
    auto table = std::make_shared<session::KernelTable>();
    table->rows.resize(7);
    table->rows[2].time_ms = 100;  // slower than modelled: it takes most of the time
    view_->show_times(table);
    std::vector<Part> parts = view_->parts();
    QVERIFY2(parts[2].name.contains(", measured, "), qPrintable(parts[2].name));
    QVERIFY2(parts[2].name.contains("conv_2: 2.00 GOP/s"), qPrintable(parts[2].name));
    QVERIFY2(parts[0].name.contains(", modelled, "), qPrintable(parts[0].name));
    for (size_t i : {0, 1, 3, 4, 5}) QVERIFY(parts[2].rect.width() > 2 * parts[i].rect.width());
    QVERIFY(parts[2].rect.center().y() >
            view_->scene().position(29, 12.6).y());  // further below its roof
    QVERIFY2(wrong_words(*view_).isEmpty(), qPrintable(wrong_words(*view_)));
    keep_picture(*view_, "roofline_measured");
  }

  void arrows_go_from_kernel_to_kernel_and_return_opens_one() {
    QSignalSpy chosen(view_.get(), &RooflineView::layer_chosen);
    view_->mark_layer(2);  // the one with the least operations per byte
    view_->setFocus();
    QTest::keyClick(view_.get(), Qt::Key_Right);
    QVERIFY(view_->parts()[4].selected);  // 90 per byte come next
    QTest::keyClick(view_.get(), Qt::Key_Return);
    QCOMPARE(chosen.takeFirst()[0].toInt(), 4);
    QTest::keyClick(view_.get(), Qt::Key_Left);
    QTest::keyClick(view_.get(), Qt::Key_Left);
    QTest::keyClick(view_.get(), Qt::Key_Return);
    QCOMPARE(chosen.takeFirst()[0].toInt(), 2);
  }

  void the_baseline_has_a_ring_among_the_steps_of_a_kernel() {
    auto steps = std::make_shared<session::RooflineView>();
    steps->roofs = layers()->below.roofs;
    session::RooflinePoint now = point(100, 20, 2e8);
    now.label = "unroll 20";
    now.history_node = 3;
    now.current = true;
    steps->trail = {now};
    view_->show_roofline(steps);
    size_t before = view_->parts().size();
    session::RooflinePoint other = point(10, 4, 2e8);
    other.label = "plain 4";
    other.history_node = 0;
    view_->show_baseline(other);
    QCOMPARE(view_->parts().size(), before + 1);
    QCOMPARE(view_->parts().back().name, QString("baseline: plain 4"));
    QCOMPARE(view_->parts().back().rect.center(), view_->scene().position(10, 4));
    QVERIFY2(wrong_words(*view_).isEmpty(), qPrintable(wrong_words(*view_)));
    keep_picture(*view_, "roofline_baseline");
    view_->show_baseline({});
    QCOMPARE(view_->parts().size(), before);
  }

  void what_is_pointed_at_is_said() {
    auto first = layers()->layers[0].by_rule;
    QPoint at = view_->scene().position(first.intensity, first.gflops).toPoint();
    QHelpEvent asks(QEvent::ToolTip, at, view_->mapToGlobal(at));
    QApplication::sendEvent(view_.get(), &asks);
    QTRY_VERIFY(QToolTip::isVisible());
    QVERIFY2(QToolTip::text().contains("conv_0"), qPrintable(QToolTip::text()));
    QToolTip::hideText();
  }

private:
  std::unique_ptr<RooflineView> view_;
};

QTEST_MAIN(RooflineTest)
#include "roofline_test.moc"
