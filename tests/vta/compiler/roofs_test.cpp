// The accelerator's roofs, and where a layer stands below them with and without virtual threads.
#include "targets/vta/compiler/roofs.h"

#include <QtTest>

#include "engine/analysis/kernel_roof.h"
#include "targets/vta/compiler/rules/rules.h"
#include "tests/support/vta_kernels.h"

using namespace tw;
using namespace tw::vta;
using namespace tw::vta::testing;

namespace {

Configuration const& pynq() { return *find_board("pynq"); }

analysis::TimeModel model(ir::Program const& scheduled, Backend const& backend) {
  analysis::Locality locality(scheduled, 64);
  return backend.model_time(scheduled, locality, roofs_of(pynq())).value();
}

analysis::LevelTraffic level(analysis::TimeModel const& model, std::string const& name) {
  auto found = std::ranges::find(model.levels, name, &analysis::LevelTraffic::name);
  return found == model.levels.end() ? analysis::LevelTraffic() : *found;
}

}  // namespace

class RoofsTest : public QObject {
  Q_OBJECT
private slots:
  void roofs_follow_from_the_configuration() {
    Roofs roofs = roofs_of(pynq());
    QCOMPARE(roofs.compute.size(), size_t(2));
    QCOMPARE(roofs.best("i8").all_cores, 2e-9 * 256 * 100e6);
    QCOMPARE(roofs.best("i32").all_cores, 16 / TimingConstants().alu_cycles_per_uop * 0.1);
    QCOMPARE(roofs.memory.size(), size_t(4));
    QCOMPARE(roofs.memory.back().name, std::string("DRAM"));
    QCOMPARE(roofs.memory.back().load.all_cores, 0.8);  // 64 bits at 100 MHz
    for (MemoryRoof const& way : roofs.memory)
      QVERIFY(way.load.all_cores <= roofs.memory.back().load.all_cores);
    Configuration wide = pynq();
    wide.memory_bits = 128;
    wide.clock_mhz = 200;
    QCOMPARE(roofs_of(wide).memory.back().load.all_cores, 4 * 0.8);
    QCOMPARE(roofs_of(wide).best("i8").all_cores, 2 * roofs.best("i8").all_cores);
  }

  void a_layer_counts_its_products_and_the_bytes_that_its_instructions_move() {
    auto backend = backend_of(pynq());
    ConvShape shape{.height = 14, .width = 14, .in = 64, .out = 64, .rounded = false};
    std::string text = text_of(shape, pynq());
    ir::Program plain = program_of(text);
    analysis::TimeModel by_rule =
        model(backend->default_schedule(plain).value().program(), *backend);
    double products = 2.0 * 14 * 14 * 64 * 64 * 9;
    QCOMPARE(by_rule.flops, products);
    QCOMPARE(te::flops(te::parse_kernel(text).value()), int64_t(products));
    QCOMPARE(level(by_rule, "store").bytes, 14.0 * 14 * 64);  // each result once
    QVERIFY(level(by_rule, "weights").bytes >= 64.0 * 64 * 9);
    QVERIFY(level(by_rule, "load").bytes >= 14.0 * 14 * 64);
    QCOMPARE(level(by_rule, "DRAM").bytes, level(by_rule, "weights").bytes +
                                               level(by_rule, "load").bytes +
                                               level(by_rule, "store").bytes);
  }

  void no_layer_is_above_its_roof_and_virtual_threads_bring_it_nearer() {
    auto backend = backend_of(pynq());
    Roofs roofs = roofs_of(pynq());
    Hardware const& hardware = backend->target().hardware;
    for (int64_t kernel : {1, 3}) {
      ConvShape shape{
          .height = 28, .width = 28, .in = 64, .out = 128, .kernel = kernel, .rounded = false};
      std::string text = text_of(shape, pynq());
      ir::Program plain = program_of(text);
      double products = double(te::flops(te::parse_kernel(text).value()));
      auto needs = analysis::needs_of(plain, products);
      double least = analysis::roof_of(needs, hardware, roofs, 1).seconds;
      double with = model(backend->default_schedule(plain).value().program(), *backend).seconds;
      auto in_turn = schedule_in_turn(plain, backend->shared_target(), pynq());
      QVERIFY(in_turn && !QString::fromStdString(in_turn->script()).contains("vthread"));
      double without = model(in_turn->program(), *backend).seconds;
      qInfo("%lldx%lld: at best %.3f ms, by rule %.3f ms, in turn %.3f ms", qlonglong(kernel),
            qlonglong(kernel), least * 1e3, with * 1e3, without * 1e3);
      QVERIFY(least > 0 && least <= with);
      QVERIFY(with < without);
    }
  }

  void what_has_no_threads_to_leave_out_hides_nothing() {
    auto backend = backend_of(pynq());
    ir::Program floats = program_of(
        "tilewright te 1\nkernel add(X: f32[8, 16], Y: f32[8, 16]) -> Z\n"
        "  Z[i in 8, j in 16] = X[i, j] + Y[i, j]\n");
    QVERIFY(!schedule_in_turn(floats, backend->shared_target(), pynq()));
  }
};

QTEST_GUILESS_MAIN(RoofsTest)
#include "roofs_test.moc"
