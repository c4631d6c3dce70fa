// What kernels could reach at best: where their data lies, on the cores that are used.
#include "engine/analysis/kernel_roof.h"

#include <QtTest>

#include "engine/analysis/counted_operations.h"
#include "engine/analysis/locality.h"
#include "engine/analysis/time_model.h"
#include "engine/te/te.h"

using namespace tw;
using namespace tw::analysis;

namespace {

Hardware machine() {
  Hardware hardware;
  hardware.units = {{.count = 2, .vector_bytes = 64}};
  hardware.memories = {
      {"L1", 32 << 10}, {"L2", 1 << 20}, {.name = "L3", .bytes = 32 << 20, .shared_by = 2}};
  return hardware;
}
Roofs roofs() {
  Roofs roofs;
  roofs.compute = {{"FMA f32", "vector", "f32", {100, 200}},
                   {"scalar f32", "scalar", "f32", {10, 20}}};
  roofs.memory = {{"L1", 0, {400, 800}, {600, 1200}},
                  {"L2", 0, {200, 400}, {200, 400}},
                  {"L3", 0, {100, 150}, {100, 150}},
                  {"DRAM", 0, {20, 25}, {20, 25}}};
  return roofs;
}

KernelNeeds needs(std::string const& text) {
  te::Kernel kernel = te::parse_kernel("tilewright te 1\n" + text).value();
  return needs_of(te::to_program(kernel).value(), double(te::flops(kernel)));
}
KernelRoof roof(KernelNeeds const& what, int threads = 1) {
  return roof_of(what, machine(), roofs(), threads);
}

}  // namespace

class KernelRoofTest : public QObject {
  Q_OBJECT
private slots:
  void inputs_and_outputs_count_once_and_nothing_between() {
    KernelNeeds product = needs(
        "kernel m(A: f32[64, 32], B: f32[32, 16]) -> D\n"
        "  C[i in 64, j in 16] = sum[k in 32] A[i, k] * B[k, j]\n"
        "  D[i in 64, j in 16] = max(C[i, j], 0)\n");
    QCOMPARE(product.read, 4.0 * (64 * 32 + 32 * 16));
    QCOMPARE(product.written, 4.0 * 64 * 16);
  }

  void products_of_integers_count_where_the_roofs_are_of_them() {
    te::Kernel kernel = te::parse_kernel(
                            "tilewright te 1\nkernel m(A: i8[64, 32], B: i8[32, 16]) -> C\n"
                            "  C[i in 64, j in 16] = sum[k in 32] i32(A[i, k]) * i32(B[k, j])\n")
                            .value();
    ir::Program plain = te::to_program(kernel).value();
    QVERIFY(te::computes_integers(kernel));
    QCOMPARE(te::flops(kernel), int64_t(2) * 64 * 16 * 32);
    KernelNeeds product = needs_of(plain, double(te::flops(kernel)));
    QCOMPARE(counted_type(roofs()), std::string("f32"));
    Roofs integers;
    integers.compute = {{"GEMM i8", "gemm", "i8", {50, 50}}, {"ALU i32", "alu", "i32", {1, 1}}};
    integers.memory = {{"weights", 0, {0.4, 0.4}, {0.4, 0.4}}, {"DRAM", 0, {0.8, 0.8}, {0.8, 0.8}}};
    QCOMPARE(counted_type(integers), std::string("i8"));
    QCOMPARE(arithmetic_unit("i8"), std::string("GOP/s"));
    Hardware accelerator;
    accelerator.memories = {{.name = "DRAM", .bytes = 1 << 29, .cache = false}};
    KernelRoof below = roof_of(product, accelerator, integers, 1);
    QVERIFY(!below.arithmetic);  // both reads and writes share main memory
    QCOMPARE(below.level, std::string("DRAM"));
    QCOMPARE(below.gflops, 50.0);
    QVERIFY(std::abs(below.seconds - product.bytes() / 0.8e9) < 1e-9);
    // A peak of floats is none of theirs.
    product.integers = true;
    QCOMPARE(roof_of(product, machine(), roofs(), 1).gflops, 0.0);
    Roofs both = roofs();
    both.compute.push_back({"VPDPBUSD i8", "vector", "i8", {400, 800}});
    QCOMPARE(roof_of(product, machine(), both, 1).gflops, 400.0);
  }

  void products_of_narrow_factors_are_below_the_roof_of_their_unit_where_there_is_one() {
    KernelNeeds product{.flops = 1e12, .factors = "f16"};
    QCOMPARE(roof_of(product, machine(), roofs(), 1).gflops, roofs().best("f32").one_core);
    Roofs both = roofs();
    both.compute.push_back({"MMA f16", "matrix", "f16", {4000, 4000}});
    QCOMPARE(roof_of(product, machine(), both, 1).gflops, 4000.0);
  }

  void a_table_counts_the_rows_that_are_chosen() {
    KernelNeeds gather = needs(
        "kernel g(X: f32[10000, 650], I: i64[20]) -> Y\n"
        "  Y[n in 20, x in 650] = X[max(0, min(I[n], 9999)), x]\n");
    QCOMPARE(gather.read, 20.0 * 650 * 4 + 20 * 8);
    // A table of two rows has no more than two.
    QCOMPARE(needs("kernel g(X: f32[2, 650], I: i64[20]) -> Y\n"
                   "  Y[n in 20, x in 650] = X[max(0, min(I[n], 1)), x]\n")
                 .read,
             2.0 * 650 * 4 + 20 * 8);
    // Every second element.
    QCOMPARE(needs("kernel s(X: f32[100]) -> Y\n  Y[i in 50] = X[2*i]\n").read, 200.0);
  }

  void the_roof_is_that_of_the_level_that_holds_the_data() {
    KernelRoof small = roof({.flops = 0, .read = 8192, .written = 8192});
    QCOMPARE(small.level, std::string("L1"));
    QVERIFY(!small.arithmetic);
    // 3 x 8192 bytes of two reads to one write would take as long; both together are two thirds.
    QCOMPARE(small.seconds, std::max(8192 / 400e9, 16384 / 600e9));
    QCOMPARE(roof({.flops = 0, .read = 600 << 10, .written = 0}).level, std::string("L2"));
    QCOMPARE(roof({.flops = 0, .read = 20 << 20, .written = 0}).level, std::string("L3"));
    QCOMPARE(roof({.flops = 0, .read = 200 << 20, .written = 0}).level, std::string("DRAM"));
    KernelRoof dense = roof({.flops = 1e9, .read = 1 << 20, .written = 0});
    QVERIFY(dense.arithmetic);
    QCOMPARE(dense.seconds, 1e9 / 100e9);
  }

  /// A byte more than a cache holds does not make all of them slow.
  void what_a_cache_keeps_comes_from_it() {
    double least = 0;
    for (double bytes = 1024; bytes < 256e6; bytes *= 1.1) {
      double seconds = roof({.flops = 0, .read = bytes, .written = 0}).seconds;
      QVERIFY(seconds > least);
      QVERIFY2(least == 0 || seconds / least < 1.1 * 1.1 * 1.6, qPrintable(QString::number(bytes)));
      least = seconds;
    }
    double l1 = 32 << 10, over = l1 + 64;
    QCOMPARE(roof({.flops = 0, .read = over, .written = 0}).seconds, l1 / 400e9 + 64 / 200e9);
  }

  void one_thread_is_compared_with_one_core() {
    KernelNeeds dense{.flops = 1e9, .read = 1024, .written = 0};
    QCOMPARE(roof(dense, 1).gflops, 100.0);
    QCOMPARE(roof(dense, 2).gflops, 200.0);
    QCOMPARE(roof(dense, 1).seconds, 2 * roof(dense, 2).seconds);
    // Two caches of one core each hold twice as much; one that both share does not.
    KernelNeeds data{.flops = 0, .read = 48 << 10, .written = 0};
    QCOMPARE(roof(data, 1).level, std::string("L2"));
    QCOMPARE(roof(data, 2).level, std::string("L1"));
    data.read = 48 << 20;
    QCOMPARE(roof(data, 2).level, std::string("DRAM"));
  }
};

QTEST_APPLESS_MAIN(KernelRoofTest)
#include "kernel_roof_test.moc"
