// Charts as SVG: well-formed, and values stand where their axes say.
#include <QtTest>

#include <QXmlStreamReader>
#include <limits>

#include "engine/support/chart.h"

using namespace tw;

namespace {

LineChart chart() {
  ChartSeries rising{"rising <&>", {0.5, 0.75, 1.0}, {0.4, 0.7, 1.0}, {0.6, 0.8, 1.0}, false};
  ChartSeries gap{"gap", {std::numeric_limits<double>::quiet_NaN(), 0.5, 0.5}, {}, {}, true};
  return {"A title",
          "a sentence",
          "trials",
          "share",
          false,
          {},
          {{"one", {rising, gap}, 0.9, "reference"}, {"two", {rising}, {}, {}}}};
}

/// The attribute `name` of every element of this class.
QStringList values(std::string const& svg, QString const& of_class, QString const& name) {
  QXmlStreamReader reader(QByteArray::fromStdString(svg));
  QStringList found;
  while (!reader.atEnd())
    if (reader.readNext() == QXmlStreamReader::StartElement &&
        reader.attributes().value("class") == of_class)
      found << reader.attributes().value(name).toString();
  return found;
}

void check_well_formed(std::string const& svg) {
  QXmlStreamReader reader(QByteArray::fromStdString(svg));
  while (!reader.atEnd()) reader.readNext();
  QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
  QVERIFY(!QString::fromStdString(svg).contains("nan"));
}

}  // namespace

class ChartTest : public QObject {
  Q_OBJECT
private slots:
  void pictures_are_well_formed_with_every_word() {
    std::string svg = to_svg(chart());
    check_well_formed(svg);
    for (char const* word : {">A title<", ">a sentence<", ">trials<", ">share<", ">one<", ">two<",
                             "rising &lt;&amp;&gt;", ">gap<", ">reference<", ">0.4<", ">1.0<"})
      QVERIFY2(QString::fromStdString(svg).contains(word), word);
    QCOMPARE(values(svg, "line", "d").size(), 3);
    QCOMPARE(values(svg, "band", "d").size(), 2);
  }

  void a_line_goes_from_trial_to_trial_and_higher_values_are_higher() {
    QStringList points = values(to_svg(chart()), "line", "d").front().trimmed().split(' ');
    QCOMPARE(points.size(), 3);
    double x = 0, y = 1e9;
    for (QString const& point : points) {
      QStringList both = point.mid(1).split(',');
      QVERIFY(both[0].toDouble() > x && both[1].toDouble() < y);
      x = both[0].toDouble(), y = both[1].toDouble();
    }
    // A value that is none is left out.
    QCOMPARE(values(to_svg(chart()), "line", "d")[1].trimmed().split(' ').size(), 2);
  }

  void steps_that_double_are_as_far_apart_and_what_is_below_is_cut_off() {
    LineChart doubling = chart();
    doubling.doubling = true;
    doubling.y_least = 0.7;
    doubling.panels = {{"p", {{"a", {0.1, 0.8, 0.9, 1.0}, {}, {}, false}}, {}, {}}};
    std::string svg = to_svg(doubling);
    check_well_formed(svg);
    QStringList points = values(svg, "line", "d").front().trimmed().split(' ');
    auto x = [&](int i) { return points[i].mid(1).split(',')[0].toDouble(); };
    QVERIFY(std::abs((x(1) - x(0)) - (x(3) - x(1))) < 0.2);
    QVERIFY(!QString::fromStdString(svg).contains(">0.6<"));
    QVERIFY(QString::fromStdString(svg).contains(">0.7<"));
  }

  void equal_values_and_no_values_are_drawn_too() {
    check_well_formed(to_svg(LineChart{"t", "s", "x", "y", false, {}, {}}));
    check_well_formed(
        to_svg(LineChart{"t", "s", "x", "y", false, {}, {{"p", {{"a", {1, 1}, {}, {}, false}}}}}));
  }

  void points_lie_on_scales_that_double_and_the_front_is_joined() {
    ScatterChart scatter{"t",
                         "s",
                         "KB",
                         "cycles",
                         {{100, 4000, "slow & small", true},
                          {200, 2000, "middle", false},
                          {400, 1000, "fast", true}}};
    std::string svg = to_svg(scatter);
    check_well_formed(svg);
    QString text = QString::fromStdString(svg);
    QVERIFY(text.contains("<title>slow &amp; small</title>"));
    QCOMPARE(values(svg, "line", "d").size(), 1);
    QCOMPARE(values(svg, "line", "d").front().count('H'), 1);
    static QRegularExpression const kPoint("cx=\"([\\d.]+)\" cy=\"([\\d.]+)\"");
    std::vector<std::pair<double, double>> at;
    for (auto found = kPoint.globalMatch(text); found.hasNext();) {
      QRegularExpressionMatch match = found.next();
      at.emplace_back(match.captured(1).toDouble(), match.captured(2).toDouble());
    }
    QCOMPARE(at.size(), size_t(3));
    QVERIFY(std::abs((at[1].first - at[0].first) - (at[2].first - at[1].first)) < 0.3);
    QVERIFY(at[0].second < at[1].second && at[1].second < at[2].second);  // down is fewer
    QVERIFY(text.contains(">64<") && text.contains(">512<"));
    check_well_formed(to_svg(ScatterChart{"t", "s", "x", "y", {{8, 8, "alone", true}}}));
  }

  void bars_are_logarithms() {
    std::string svg =
        to_svg(BarChart{"t", "s", "time", "s", {{"a", 1e-6, "1 us"}, {"b", 1e-3, "1 ms"}}});
    check_well_formed(svg);
    QVERIFY(QString::fromStdString(svg).contains(">1 us<"));
  }
};

QTEST_GUILESS_MAIN(ChartTest)
#include "chart_test.moc"
