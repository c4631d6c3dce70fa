// A machine with other roofs or caches: what is modelled follows by the time model's own rules, and
// nothing of the session changes.
#include <QtTest>

#include <thread>

#include "engine/session/use_cases.h"
#include "engine/session/what_if.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

MachineView machine() {
  MachineView view;
  Hardware hardware = make_environment().value().backend->target().hardware;
  hardware.memories = {{.name = "L1", .bytes = 48 << 10},
                       {.name = "L2", .bytes = 1 << 20},
                       {.name = "DRAM", .bytes = int64_t(8) << 30, .cache = false}};
  Roofs rates;
  rates.compute = {{"FMA f32", "vector", "f32", {100, 200, 0}},
                   {"FMA f32 scalar", "scalar", "f32", {10, 20, 0}}};
  rates.memory = {{"L1", 24 << 10, {200, 400, 0}, {200, 400, 0}},
                  {"L2", 500 << 10, {80, 160, 0}, {80, 160, 0}},
                  {"DRAM", 64 << 20, {20, 30, 0}, {20, 30, 0}}};
  view.hardware = std::make_shared<Hardware const>(hardware);
  view.rates = std::make_shared<Roofs const>(rates);
  view.cache_bytes = {48 << 10, 1 << 20};
  view.roofs_known = true;
  view.roofs = {{"FMA f32", true, 200, 2},
                {"FMA f32, one core", true, 100, 1},
                {"L1", false, 400, 2},
                {"L2", false, 160, 2},
                {"DRAM", false, 30, 2}};
  return view;
}

std::string refusal(std::string const& text) {
  auto what = parse_what_if(text, machine());
  return what ? "" : what.error().code + ": " + what.error().message;
}

}  // namespace

class WhatIfTest : public QObject {
  Q_OBJECT
private slots:
  void a_unit_tells_a_size_from_a_bandwidth() {
    auto what = parse_what_if("L2=2MB, l2 = 320 GB/s; DRAM=60GB/s,f32=0.4 TFLOP/s", machine());
    QVERIFY2(what.has_value(), what ? "" : what.error().message.c_str());
    QCOMPARE(to_text(*what), std::string("L2=2MB, L2=320GB/s, DRAM=60GB/s, FMA f32=400GFLOP/s"));
    QCOMPARE(parse_what_if(to_text(*what), machine()).value(), *what);
    QCOMPARE(words_of(*what, machine()),
             std::string("L2 2.0 MB instead of 1.0 MB, L2 320 GB/s instead of 160 GB/s, "
                         "DRAM 60.0 GB/s instead of 30.0 GB/s, "
                         "FMA f32 400 GFLOP/s instead of 200 GFLOP/s"));
    QCOMPARE(to_text(parse_what_if("L1=47.5KB", machine()).value()), std::string("L1=48640B"));
  }

  void what_is_as_it_is_anyway_is_no_change() {
    QVERIFY(parse_what_if("L2=1MB, DRAM=30GB/s", machine()).value().changes.empty());
    QVERIFY(parse_what_if(" ", machine()).value().changes.empty());
  }

  void a_wrong_line_says_what_is_wrong_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    QTest::newRow("no sign") << "L2 2MB"
                             << "NAME=NUMBER UNIT";
    QTest::newRow("no number") << "L2=much"
                               << "a number above 0";
    QTest::newRow("nothing") << "L2=0MB"
                             << "a number above 0";
    QTest::newRow("below") << "DRAM=-3GB/s"
                           << "a number above 0";
    QTest::newRow("no unit") << "DRAM=3"
                             << "the unit is";
    QTest::newRow("wrong unit") << "DRAM=3MB"
                                << "what has a value in MB is L1, L2";
    QTest::newRow("unknown") << "L4=3GB/s"
                             << "what has a value in GB/s is L1, L2, DRAM";
    QTest::newRow("twice") << "DRAM=3GB/s, DRAM=4GB/s"
                           << "changed twice";
    QTest::newRow("too small") << "L2=16KB"
                               << "less than L1 with 48 KB";
    QTest::newRow("too much") << "DRAM=1e300GB/s"
                              << "no machine";
    QTest::newRow("no end") << "DRAM=infGB/s"
                            << "a number above 0";
  }
  void a_wrong_line_says_what_is_wrong() {
    QFETCH(QString, text);
    QFETCH(QString, words);
    QString said = QString::fromStdString(refusal(text.toStdString()));
    QVERIFY2(said.startsWith("bad_what_if: ") && said.contains(words), qPrintable(said));
  }

  void every_number_of_a_changed_roof_is_changed() {
    MachineView view = machine();
    auto backend = make_environment().value().backend;
    auto what = parse_what_if("FMA f32=400GFLOP/s, DRAM=15GB/s, L2=4MB", view).value();
    auto changed = machine_if(view, backend, what).value();
    QCOMPARE(changed.view.rates->of("vector", "f32").one_core, 200.0);
    QCOMPARE(changed.view.rates->of("scalar", "f32").one_core, 10.0);
    QCOMPARE(changed.view.rates->memory[2].load.one_core, 10.0);
    QCOMPARE(changed.view.rates->memory[2].triad.all_cores, 15.0);
    QCOMPARE(changed.view.rates->memory[1], view.rates->memory[1]);
    QCOMPARE(changed.view.roofs[1].value, 200.0);
    QCOMPARE(changed.view.roofs[4].value, 15.0);
    QCOMPARE(changed.view.cache_bytes[1], int64_t(4) << 20);
    QCOMPARE(changed.backend->target().hardware.caches()[1].bytes, int64_t(4) << 20);
    QCOMPARE(backend->target().hardware, make_environment().value().backend->target().hardware);
  }

  /// By what the command line prints for the changed machine.
  void a_faster_memory_bounds_less() {
    auto environment = make_environment().value();
    auto model = load_model(
        "te:tilewright te 1\nkernel copy(A: f32[4194304]) -> C\n"
        "  C[i in 4194304] = A[i] + 1.0\n",
        {}, *environment.backend);
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    MachineView view = machine();
    auto on = [&](std::string const& text) {
      auto changed =
          machine_if(view, environment.backend, parse_what_if(text, view).value()).value();
      return analyze_kernel(**model, 0, "", "plain", changed.view, *changed.backend).value();
    };
    auto now = on(""), faster = on("DRAM=300GB/s"), larger = on("L2=1GB");
    auto level = [](KernelAnalysis const& analysis, size_t i) { return analysis.point.levels[i]; };
    QVERIFY(std::abs(level(faster, 2).ms * 10 / level(now, 2).ms - 1) < 1e-9);
    QVERIFY(faster.point.model_ms <= now.point.model_ms);
    QVERIFY(level(now, 2).ms > 0);
    QCOMPARE(level(larger, 2).ms, 0.0);  // it stays there from run to run
  }

  void a_session_models_each_step_and_stays_as_it_is() {
    auto session = testing::make_session(true);
    testing::MatmulFile file;
    file.open(*session);
    QVERIFY(session->execute(ApplyStep{"split(C.j, factor=16)"}));
    QVERIFY(session->wait_idle(120));
    Snapshot before = session->snapshot();
    QVERIFY(before.machine && before.machine->rates);
    MachineQuantity peak = quantities_of(*before.machine).front();
    QVERIFY(peak.kind == QuantityKind::kArithmetic);
    peak.value /= 64;
    QVERIFY(!hypothetical(*session, WhatIf{}, false));
    auto view = asked(*session, WhatIf{{peak}}, false);
    QVERIFY(view && view->failure.empty());
    QCOMPARE(view->trail.size(), size_t(2));
    QCOMPARE(view->trail[1].now.model_ms,
             *before.history->nodes[size_t(before.history->current)].model_ms);
    QVERIFY(view->trail[1].then.model_ms >= view->trail[1].now.model_ms);
    QCOMPARE(view->roofs.size(), before.roofline->roofs.size());
    QCOMPARE(view->roofs[0].value * 64, before.roofline->roofs[0].value);
    QVERIFY2(view->words.find("modelled: ") != std::string::npos, view->words.c_str());
    QVERIFY(!view->layers);
    QCOMPARE(asked(*session, WhatIf{{peak}}, false), view);  // remembered
    auto with_layers = asked(*session, WhatIf{{peak}}, true);
    QVERIFY(with_layers && with_layers->layers);
    QCOMPARE(with_layers->layers->layers.size(), size_t(1));
    Snapshot after = session->snapshot();
    QCOMPARE(after.machine, before.machine);
    QCOMPARE(after.roofline->roofs[0].value, before.roofline->roofs[0].value);
  }

private:
  static std::shared_ptr<HypotheticalView const> asked(Session& session, WhatIf const& what,
                                                       bool layers) {
    for (int i = 0; i < 60000; ++i) {
      if (auto view = hypothetical(session, what, layers)) return view;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return nullptr;
  }
};

QTEST_GUILESS_MAIN(WhatIfTest)
#include "what_if_test.moc"
