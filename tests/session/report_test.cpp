// The page that tells what was made of a kernel or a model: complete, alone, and with the numbers
// that the session has.
#include <QtTest>

#include <QXmlStreamReader>

#include "app/shared/report/report.h"
#include "engine/session/facts/facts.h"
#include "engine/session/spread_words.h"
#include "engine/support/base/quantities.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr char kEvil[] = "<script>alert(\"x\" & 'y')</script>";

report::Contents contents_of(report::What what, Session& session) {
  for (int i = 0; i < 6000; ++i) {
    auto contents = report::gather(what, session);
    if (!contents) qFatal("%s", to_sentence(contents.error()).c_str());
    if (*contents) return **contents;
    QThread::msleep(10);
  }
  qFatal("the code never came");
}

struct Page {
  QString error;
  std::map<QString, QString> figures;  ///< values by their facts
  QStringList ids, elements, kernels, texts;
  QString all;
};

/// As a strict reader takes it.
Page read_page(std::string const& html) {
  Page page;
  page.all = QString::fromStdString(html);
  QXmlStreamReader reader(page.all);
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isCharacters()) page.texts << reader.text().toString();
    if (!reader.isStartElement()) continue;
    auto const& attributes = reader.attributes();
    page.elements << reader.name().toString();
    if (attributes.hasAttribute("id")) page.ids << attributes.value("id").toString();
    if (attributes.hasAttribute("data-fact"))
      page.figures[attributes.value("data-fact").toString()] =
          attributes.value("data-value").toString();
    if (attributes.hasAttribute("data-kernel"))
      page.kernels << attributes.value("data-kernel").toString();
  }
  if (reader.hasError()) page.error = reader.errorString();
  return page;
}

/// Nothing is loaded from anywhere, and nothing runs.
void check_alone(Page const& page) {
  QCOMPARE(page.error, QString());
  for (char const* outside : {"://", "src=", "href", "@import", "<link", "<iframe", "<img"})
    QVERIFY2(!page.all.contains(outside), outside);
  QVERIFY(!page.elements.contains("script"));
  qsizetype from = 0;
  while ((from = page.all.indexOf("url(", from)) >= 0)
    QCOMPARE(page.all.mid(from++, 5), QString("url(#"));
  QVERIFY(page.all.contains("prefers-color-scheme:dark"));
  QVERIFY(page.all.contains("@media print"));
}

}  // namespace

class ReportTest : public QObject {
  Q_OBJECT
private slots:
  void a_kernels_page_has_its_steps_times_and_code() {
    testing::MatmulFile file;
    auto session = testing::make_session(true);
    file.open(*session);
    for (char const* step : {"parallel(C.i)", "reorder(C.k, C.j)", "vectorize(C.j)"}) {
      QVERIFY(session->execute(ApplyStep{step}));
      QVERIFY(session->wait_idle(60));
    }
    QVERIFY(session->execute(SetNote{1, "rows <in> parallel"}));
    report::Contents contents = contents_of(report::What::kKernel, *session);
    Page page = read_page(report::to_html(contents));
    check_alone(page);
    for (char const* part : {"script", "check", "history", "loops", "roofline", "code", "machine"})
      QVERIFY2(page.ids.contains(part), part);
    Snapshot now = session->snapshot();
    QVERIFY(now.history->nodes.size() > 3);
    for (HistoryNodeView const& node : now.history->nodes) {
      QVERIFY(node.min_ms);
      std::string time = milliseconds_text(*node.min_ms) + " ";
      time += session::samples_words(*node.min_ms, node.spread, node.samples);
      QVERIFY2(page.texts.join('\n').contains(QString::fromStdString(time)), time.c_str());
      if (!node.step.empty()) QVERIFY(page.texts.contains(QString::fromStdString(node.step)));
    }
    QVERIFY(page.texts.contains("rows <in> parallel"));
    QVERIFY(page.texts.contains(QString::fromStdString(session->script())));
    QCOMPARE(page.elements.count("details"), 3);
    QVERIFY(page.all.contains("ret"));
    for (LoopBar const& bar : now.nest->bars)
      QVERIFY(page.texts.join(' ').contains(QString::fromStdString(bar.name)));
    check_figures(page, now, {"kernel.time", "kernel.speed", "kernel.of_roof", "kernel.gain"});
    QCOMPARE(page.figures.at("state"), QString("correct"));
  }

  void a_models_page_has_its_kernels_with_their_shares() {
    auto session = testing::make_session(true);
    QVERIFY(session->execute(OpenSample{"dqn"}));
    QVERIFY(session->wait_idle(120));
    QVERIFY(session->execute(MeasureModel{}));
    QVERIFY(session->wait_idle(300));
    report::Contents contents = contents_of(report::What::kModel, *session);
    Page page = read_page(report::to_html(contents));
    check_alone(page);
    Snapshot now = session->snapshot();
    QCOMPARE(page.kernels.size(), qsizetype(now.kernels->rows.size()));
    double whole = 0;
    for (KernelRow const& row : now.kernels->rows) whole += row.time_ms.value() * row.count;
    for (KernelRow const& row : now.kernels->rows) {
      QVERIFY(page.kernels.contains(QString::fromStdString(row.name)));
      QVERIFY(page.texts.contains(QString::fromStdString(milliseconds_text(*row.time_ms))));
      QVERIFY(page.texts.contains(
          QString::fromStdString(percent_text(*row.time_ms * row.count / whole))));
    }
    for (char const* part : {"kernels", "graph", "roofline", "machine"})
      QVERIFY2(page.ids.contains(part), part);
    for (RoofView const& roof : now.machine->roofs)
      QVERIFY(page.texts.contains(QString::fromStdString(roof.name)));
    check_figures(page, now, {"model.time", "kernels", "model.operators"});
  }

  /// Names come from files, steps and notes from people, code from both.
  void no_name_is_markup() {
    report::Contents contents;
    auto model = std::make_shared<ModelView>();
    model->name = model->summary = kEvil;
    model->notes = {kEvil};
    auto table = std::make_shared<KernelTable>();
    table->rows.push_back({.name = kEvil, .operators = kEvil, .shape = kEvil, .device = kEvil});
    auto history = std::make_shared<HistoryView>();
    history->nodes = {{.id = 0, .label = kEvil, .step = kEvil, .failure = kEvil, .note = kEvil}};
    auto nest = std::make_shared<NestView>();
    nest->stages = {{kEvil, kEvil, kEvil, kEvil, kEvil, kEvil}};
    nest->bars = {{.name = kEvil, .reference = kEvil, .axis = kEvil}};
    nest->bars[0].consequence = kEvil;
    auto graph = std::make_shared<GraphView>();
    graph->nodes = {{.id = 0, .name = kEvil, .op = kEvil, .detail = kEvil, .group = 0}};
    graph->groups = {{.id = 0, .kernel = 0, .name = kEvil, .nodes = {0}}};
    auto machine = std::make_shared<MachineView>();
    machine->device = machine->name = machine->target = machine->kind = machine->detail = kEvil;
    auto roofline = std::make_shared<RooflineView>();
    machine->roofs = roofline->roofs = {{kEvil, true, 100, 1}, {kEvil, false, 20, 1}};
    roofline->trail = {{.label = kEvil, .intensity = 2, .gflops = 3}};
    roofline->explanation = kEvil;
    auto code = std::make_shared<CodeText>();
    code->title = kEvil;
    code->lines.push_back({.text = kEvil});
    contents.now = {.model = model,
                    .graph = graph,
                    .kernels = table,
                    .kernel = 0,
                    .nest = nest,
                    .history = history,
                    .roofline = roofline,
                    .machine = machine};
    contents.script = contents.version = contents.compiler = kEvil;
    contents.code = {code};
    for (report::What what : {report::What::kKernel, report::What::kModel}) {
      contents.what = what;
      Page page = read_page(report::to_html(contents));
      check_alone(page);
      QVERIFY(page.texts.contains(kEvil));
      QVERIFY(!page.all.contains("<script"));
    }
  }

  void without_a_model_or_a_kernel_there_is_no_page() {
    auto session = testing::make_session(false);
    auto none = report::gather(report::What::kModel, *session);
    QVERIFY(!none);
    QCOMPARE(none.error().code, std::string("no_model"));
  }

private:
  static void check_figures(Page const& page, Snapshot const& now, QStringList const& facts) {
    for (QString const& name : facts) {
      QVERIFY2(page.figures.contains(name), qPrintable(name));
      auto value = session::fact(name.toStdString(), now, {});
      QVERIFY(value);
      QCOMPARE(page.figures.at(name).toDouble(), std::get<double>(*value));
    }
  }
};

QTEST_GUILESS_MAIN(ReportTest)
#include "report_test.moc"
