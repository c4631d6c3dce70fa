// Timelines as text, both ways, and as a trace that other viewers open.
#include <QtTest>

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "engine/hardware/timeline_text.h"
#include "tests/support/timelines.h"

using namespace tw;

namespace {

QString sentence_of(std::string const& text) {
  auto read = parse_timeline(text, "run.timeline");
  return read ? "read" : QString::fromStdString(to_sentence(read.error()));
}

}  // namespace

class TimelineTextTest : public QObject {
  Q_OBJECT
private slots:
  void what_was_written_is_read() {
    for (uint64_t seed = 1; seed < 30; ++seed) {
      Timeline made = testing::made_timeline(int(seed), 1 + int(seed % 2), seed);
      made.findings = {{"race", "two write one element", {0, 1}}, {"left_over", "a token", {}}};
      std::string text = to_text(made);
      auto read = parse_timeline(text);
      QVERIFY2(read, read
                         ? ""
                         : qPrintable(QString("seed %1: %2")
                                          .arg(seed)
                                          .arg(QString::fromStdString(to_sentence(read.error())))));
      QCOMPARE(to_text(*read), text);
      QCOMPARE(read->spans.size(), made.spans.size());
      QCOMPARE(read->touches, made.touches);
      QCOMPARE(read->findings[0].sentence, made.findings[0].sentence);
      QCOMPARE(read->kinds.back().letter, std::string("W"));
      QVERIFY(read->kinds.back().stall && read->kinds.back().hatched && read->proven);
    }
  }

  void what_a_model_says_is_read() {
    Timeline made = testing::made_timeline(2, 1);
    made.modelled = true;
    made.sentence = "Three stages\nwould hide the copy.";
    made.cuts = {{3, 400, "12 more turns of k"}, {made.cycles, 0, ""}};
    made.lanes[1].share = 2.25;
    auto read = parse_timeline(to_text(made));
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QVERIFY(read->modelled);
    QCOMPARE(read->sentence, std::string("Three stages would hide the copy."));
    QCOMPARE(read->cuts.size(), size_t(2));
    QCOMPARE(read->cuts[0].cycles, int64_t(400));
    QCOMPARE(read->cuts[0].words, made.cuts[0].words);
    QCOMPARE(read->lanes[0].share, 0.0);
    QCOMPARE(read->lanes[1].share, 2.25);
    QCOMPARE(read->lanes[3].share, Timeline::Lane().share);
    QVERIFY(!parse_timeline(to_text(testing::made_timeline(2, 1)))->modelled);
    made.cuts[1].at = 2;  // before the first one
    QVERIFY(!check(made));
    made.cuts.clear();
    made.lanes[1].share = -1;
    QVERIFY(!check(made));
  }

  void texts_with_line_breaks_and_empty_words_stay_one_line() {
    Timeline made = testing::made_timeline(1, 1);
    made.instructions[0].text = "LOAD\ninp";
    made.counters[0].unit = "";
    auto read = parse_timeline(to_text(made));
    QVERIFY(read);
    QCOMPARE(read->instructions[0].text, std::string("LOAD inp"));
    QCOMPARE(read->counters[0].unit, std::string());
  }

  void every_truncation_is_a_sentence() {
    std::string text = to_text(testing::made_timeline(3, 2));
    for (size_t size = 0; size + 5 < text.size(); size += 7) {
      auto read = parse_timeline(text.substr(0, size), "run.timeline");
      QVERIFY(!read);
      QVERIFY2(read.error().code == "cut_off" || read.error().code == "not_a_timeline",
               read.error().code.c_str());
    }
    QVERIFY2(
        sentence_of(text.substr(0, text.size() - 4))
            .endsWith("the timeline is cut off: its last line, 'end', is missing after 28 spans"),
        qPrintable(sentence_of(text.substr(0, text.size() - 4))));
  }

  void what_is_wrong_is_said_with_its_place_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("header") << "tilewright timeline 1"
                            << "tilewright timeline 2"
                            << "run.timeline:1:1: the first line is not 'tilewright timeline 1'";
    QTest::newRow("word") << "cycles "
                          << "cicles "
                          << "run.timeline:3:1: this is no line of a timeline";
    QTest::newRow("number") << "span 0 0 0 6 0"
                            << "span 0 0 0 six 0"
                            << "run.timeline:44:1: this is no line of a timeline";
    QTest::newRow("huge") << "span 0 0 0 6 0"
                          << "span 0 0 0 99999999999999999999 0"
                          << "run.timeline:44:1: this is no line of a timeline";
    QTest::newRow("too much") << "span 0 0 0 6 0"
                              << "span 0 0 0 6 0 1"
                              << "run.timeline:44:1: this is no line of a timeline";
    QTest::newRow("lane") << "span 0 0 0 6 0"
                          << "span 9 0 0 6 0"
                          << "run.timeline:44:1: span 0 is in a lane that does not exist";
    QTest::newRow("kind") << "span 0 0 0 6 0"
                          << "span 0 -1 0 6 0"
                          << "run.timeline:44:1: span 0 is of a kind that does not exist";
    QTest::newRow("order") << "span 0 0 0 6 0"
                           << "span 0 0 900 906 0"
                           << "run.timeline:45:1: span 1 begins before its predecessor";
    QTest::newRow("late") << "span 0 0 0 6 0"
                          << "span 0 0 0 999999 0"
                          << "run.timeline:44:1: span 0 is not between cycle 0 and the last one";
    QTest::newRow("memory") << "touch 3 "
                            << "touch 0 "
                            << "run.timeline:100:1: touch 0 is of a memory that does not exist";
  }
  void what_is_wrong_is_said_with_its_place() {
    QFETCH(QString, before);
    QFETCH(QString, after);
    QFETCH(QString, sentence);
    QString text = QString::fromStdString(to_text(testing::made_timeline(3, 2)));
    qsizetype at = text.indexOf(before);
    QVERIFY2(at >= 0, qPrintable(text.left(2000)));
    text.replace(at, before.size(), after);
    QCOMPARE(sentence_of(text.toStdString()), sentence);
  }

  void the_trace_is_json_with_every_span_and_token() {
    Timeline made = testing::made_timeline(5, 2);
    made.instructions[1].text = "LOAD \"wgt\" \\ \t";
    QJsonParseError error;
    auto json =
        QJsonDocument::fromJson(QByteArray::fromStdString(to_chrome_trace(made)), &error).object();
    QVERIFY2(error.error == QJsonParseError::NoError, qPrintable(error.errorString()));
    std::map<QString, int> phases;
    double last = 0;
    QStringList lanes;
    for (auto const& value : json["traceEvents"].toArray()) {
      QJsonObject event = value.toObject();
      ++phases[event["ph"].toString()];
      if (event["ph"] == "X")
        last = std::max(last, event["ts"].toDouble() + event["dur"].toDouble());
      if (event["ph"] == "M") lanes << event["args"].toObject()["name"].toString();
    }
    QCOMPARE(phases["X"], int(made.spans.size()));
    QCOMPARE(phases["s"], int(made.tokens.size()));
    QCOMPARE(phases["f"], int(made.tokens.size()));
    QVERIFY(phases["C"] > 10);
    QCOMPARE(lanes, (QStringList{"Fetch", "Load", "Compute", "Store", "DRAM"}));
    QVERIFY(std::abs(last - double(made.cycles) / 100) < 1e-6);  // microseconds at 100 MHz
  }

  void a_million_spans_are_read_in_a_moment() {
    std::string text = to_text(testing::made_timeline(115000, 2));
    QElapsedTimer timer;
    timer.start();
    auto read = parse_timeline(text);
    qInfo("%zu spans, %.1f MB read in %lld ms", read->spans.size(), double(text.size()) / 1e6,
          timer.elapsed());
    QVERIFY(read->spans.size() > 1000000);
    QVERIFY(timer.elapsed() < 20000);
  }
};

QTEST_GUILESS_MAIN(TimelineTextTest)
#include "timeline_text_test.moc"
