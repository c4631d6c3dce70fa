// What a kernel is held to take when it runs, on a machine with known rates.
#include "engine/compile/modelled_time.h"

#include <QtTest>

#include "engine/te/te.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"

using namespace tw;

namespace {

Roofs roofs() {
  Roofs roofs;
  roofs.compute = {{"FMA f32", "vector", "f32", {128, 512}},
                   {"scalar f32", "scalar", "f32", {16, 64}}};
  roofs.memory = {{"L1", 0, {256, 1024}, {}}, {"DRAM", 0, {16, 32}, {}}};
  return roofs;
}

/// Of a product with sums over a table, which is data or a parameter.
double seconds_with(std::string const& table) {
  std::string text =
      "tilewright te 1\n"
      "kernel weighted(X: f32[64], W: f32[64, 4096]" +
      table +
      ") -> Y\n"
      "  V[i in 64] = sum[k in 4096] W[i, k] * W[i, k]\n"
      "  Y[i in 64] = X[i] * V[i]\n";
  ir::Program program = te::to_program(te::parse_kernel(text).value()).value();
  auto backend = create_cpu_backend(detect_host()).value();
  return modelled_time(program, *backend, roofs()).value().seconds;
}

}  // namespace

class ModelledTimeTest : public QObject {
  Q_OBJECT
private slots:
  void what_is_computed_when_the_model_is_loaded_costs_a_run_nothing() {
    double as_data = seconds_with(""), as_parameter = seconds_with(" @param");
    QVERIFY(as_parameter > 0);
    QVERIFY(as_parameter * 20 < as_data);
  }
};

QTEST_GUILESS_MAIN(ModelledTimeTest)
#include "modelled_time_test.moc"
