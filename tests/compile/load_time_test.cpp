// What depends on parameters alone is taken out of a kernel, and nothing else is.
#include "engine/compile/load_time.h"

#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

constexpr char kDense[] =
    "tilewright te 1\n"
    "kernel dense(X: f32[3, 8], W: f32[10, 8] @param, S: f32[10] @param) -> Y\n"
    "  V[o in 10, k in 8] = W[o, k] * S[o]\n"
    "  Z[i in 3, o in 10] = sum[k in 8] X[i, k] * V[o, k]\n"
    "  Y[i in 3, o in 10] = max(Z[i, o], 0)\n";

ir::Program scheduled(std::string const& text, char const* script) {
  auto program = te::to_program(te::parse_kernel(text).value()).value();
  return replay(Schedule(program), parse_script(script, "test", true).value()).value().program();
}

}  // namespace

class LoadTimeTest : public QObject {
  Q_OBJECT
private slots:
  void parameters_are_written_and_read_as_text() {
    auto kernel = te::parse_kernel(kDense).value();
    std::string text = te::to_text(kernel);
    QVERIFY(text.find("W: f32[10, 8] @param") != std::string::npos);
    QCOMPARE(te::to_text(te::parse_kernel(text).value()), text);
    std::string program = ir::print(te::to_program(kernel).value()).text;
    QCOMPARE(ir::print(ir::parse_program(program).value()).text, program);
    QCOMPARE(kernel.inputs[1]->scope, std::string(ir::kParameterScope));
    QCOMPARE(kernel.inputs[0]->scope, std::string("global"));
  }

  void a_packed_product_of_parameters_is_made_once() {
    ir::Program whole = scheduled(kDense, "pack(Z, tensor=V, layout=BA5a)\n");
    LoadTimeSplit split = split_load_time(whole);
    QVERIFY(split.at_load.has_value());
    QVERIFY(ir::verify(*split.at_load).has_value());
    QVERIFY(ir::verify(split.at_run).has_value());
    QCOMPARE(split.made.size(), size_t(1));
    QCOMPARE(split.made[0]->name, std::string("V_cache"));
    QCOMPARE(ir::blocks_of(split.at_load->body).size(), size_t(2));  // V and its copy
    QCOMPARE(ir::blocks_of(split.at_run.body).size(), size_t(2));    // Z and Y
    Rng rng(5);
    std::vector<NDArray> inputs = testing::random_inputs(whole, rng);
    auto expected = ir::interpret(whole, inputs).value();
    auto made = ir::interpret(*split.at_load, inputs).value();
    inputs.push_back(made[0]);
    auto found = ir::interpret(split.at_run, inputs).value();
    QVERIFY(compare(found[0], expected[0], 0).equal);
  }

  void what_depends_on_data_stays_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("made");
    QTest::newRow("as it is") << "" << 1;  // V
    QTest::newRow("packed data") << "cache_read(Z, tensor=X)\n" << 1;
    QTest::newRow("inlined") << "compute_inline(V)\n" << 0;
    QTest::newRow("inside of the loop") << "compute_at(V, Z.o)\n" << 0;
    QTest::newRow("two packed") << "pack(Z, tensor=V, layout=BA)\ncache_read(V, tensor=S)\n" << 1;
    QTest::newRow("into a memory that keeps nothing") << "set_scope(V, scope=local)\n" << 0;
    QTest::newRow("from one that keeps nothing")
        << "set_scope(V, scope=local)\ncache_read(Z, tensor=V)\n"
        << 1;
    // A sum begins anew in each run, although its start reads nothing.
    QTest::newRow("the start of a sum apart") << "decompose_reduction(Z.i)\n" << 1;
    QTest::newRow("in two parts") << "loop_partition(V.o, at=3)\n" << 1;
  }
  void what_depends_on_data_stays() {
    QFETCH(QString, script);
    QFETCH(int, made);
    ir::Program whole = scheduled(kDense, script.toUtf8().constData());
    LoadTimeSplit split = split_load_time(whole);
    QCOMPARE(int(split.made.size()), made);
    QCOMPARE(split.at_load.has_value(), made > 0);
    std::string data = kDense;
    while (data.find(" @param") != std::string::npos) data.erase(data.find(" @param"), 7);
    QVERIFY(!split_load_time(scheduled(data, script.toUtf8().constData())).at_load);
  }
};

QTEST_GUILESS_MAIN(LoadTimeTest)
#include "load_time_test.moc"
