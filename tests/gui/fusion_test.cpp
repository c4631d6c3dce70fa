// Why two operators are one kernel or two, with what the other way would cost and the way there.
#include "widgets/fusion/fusion_card.h"

#include <QtTest>

#include <QPushButton>

#include "app/window/panes/graph/journal.h"
#include "tests/gui/painted_texts.h"
#include "tests/gui/workplace.h"
#include "widgets/graph/graph_view.h"

using namespace tw;
using namespace tw::session;

class GuiFusionTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    place_ = std::make_unique<Workplace>(true);
    place_->window->resize(1600, 1000);
    place_->window->execute(OpenSample{"resnet18"});
    place_->settle();
    QVERIFY(place_->window->perform(journal::ShowView{"graph"}));
    place_->settle();
    auto* view = place_->window->findChild<tw::GraphView*>("graph");
    QTRY_VERIFY(view && view->layout().is_laid_out());
    QVERIFY(place_->window->perform(journal::UnfoldGraph{}));
    place_->settle();
    QTRY_VERIFY(!view->layout().busy());
  }
  void cleanupTestCase() { place_.reset(); }

  /// The first convolution and the pool behind it: as drawn.
  void an_edge_is_fused_anyway_and_given_back() {
    auto [from, to] = edge_by_rule("reads_again");
    QVERIFY(!from.empty());
    size_t groups = now().graph->groups.size();
    ask(from, to);
    QVERIFY(!card().shown()->fused);
    QCOMPARE(deed().text(), QString("Fuse anyway"));
    QCOMPARE(fact("view.why.deed"), std::string("Fuse anyway"));
    std::vector<FusionRow> rows = rows_of(*card().shown()->costs);
    QCOMPARE(rows.size(), size_t(4));
    QCOMPARE(rows[2].now, std::string("2"));
    QCOMPARE(rows[2].then, std::string("1"));
    deed().click();
    place_->settle();
    QVERIFY(!now().error);
    QCOMPARE(now().graph->groups.size(), groups - 1);
    QTRY_COMPARE(deed().text(), QString("Restore default fusion"));
    QVERIFY(card().shown()->fused && card().shown()->chosen);
    // The journal has it, and it can be undone by a key.
    QVERIFY(place_->recorded().find(".fusion=fused") != std::string::npos);
    place_->window->run_action("Toggle fusion of the selected edge");
    place_->settle();
    QCOMPARE(now().graph->groups.size(), groups);
    QTRY_COMPARE(deed().text(), QString("Fuse anyway"));
  }

  void a_chip_says_why_it_joined_and_what_it_is() {
    auto [from, to] = edge_by_rule("epilogue");
    ask(to, "");
    QVERIFY(card().shown()->fused);
    QCOMPARE(card().shown()->to.name, to);
    QCOMPARE(deed().text(), QString("Keep separate"));
    QCOMPARE(fact("inspected"), to);
    QCOMPARE(fact("inspected.kind"), std::string("operator"));
  }

  void words_are_whole_and_apart_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("scale");
    for (QString const& theme : Theme::names())
      for (QSize size : {QSize(960, 620), QSize(1280, 800), QSize(2560, 1440)})
        for (int scale : {100, 150})
          QTest::addRow("%s %d text %d", qPrintable(theme), size.width(), scale)
              << theme << size << scale;
  }
  void words_are_whole_and_apart() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    QFETCH(int, scale);
    place_->window->set_text_scale(scale);
    place_->window->set_theme(theme);
    place_->window->resize(size);
    for (char const* rule : {"reads_again", "epilogue"}) {
      auto [from, to] = edge_by_rule(rule);
      bool inside = std::string(rule) == "epilogue";
      inside ? ask(to, "") : ask(from, to);
      for (int i = 0; i < 4; ++i) QApplication::processEvents();
      QStringList wrong;
      for (QWidget* part : card().findChildren<QWidget*>())
        if (part->isVisible()) {
          testing::look_at_view(*part, 1, wrong);
          testing::look_at_label(*part, wrong);
        }
      if (QString folder = qEnvironmentVariable("TW_PICTURES"); !folder.isEmpty())
        place_->window->grab().save(
            folder +
            QString("/fusion_%1_%2_%3_%4.png").arg(theme).arg(size.width()).arg(scale).arg(rule));
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    }
  }

private:
  Snapshot now() { return place_->session->snapshot(); }
  FusionCard& card() { return *place_->window->findChild<FusionCard*>("fusionCard"); }
  QPushButton& deed() { return *place_->window->findChild<QPushButton*>("fusionDeed"); }
  std::string fact(std::string const& name) {
    auto value = place_->window->fact(name);
    return value && std::holds_alternative<std::string>(*value) ? std::get<std::string>(*value)
                                                                : "no words";
  }

  std::pair<std::string, std::string> edge_by_rule(std::string const& rule) {
    auto graph = now().graph;
    auto name = [&](int id) {
      for (GraphNodeView const& node : graph->nodes)
        if (node.id == id) return node.name;
      return std::string();
    };
    for (GraphEdgeView const& edge : graph->edges)
      if (edge.rule == rule) return {name(edge.from), name(edge.to)};
    return {};
  }

  void ask(std::string const& from, std::string const& to) {
    Status asked = place_->window->perform(journal::ExplainFusion{from, to});
    QVERIFY2(asked, asked ? "" : asked.error().message.c_str());
    QTRY_VERIFY_WITH_TIMEOUT(card().isVisible() && card().shown() && card().shown()->costs, 20000);
  }

  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(GuiFusionTest)
#include "fusion_test.moc"
