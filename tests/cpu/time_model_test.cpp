// Modelled times of a matrix product on a machine with known rates.
#include "targets/cpu/compiler/time_model.h"

#include <QtTest>

#include "engine/analysis/instructions.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"

using namespace tw;

namespace {

constexpr char kMatmul[] =
    "tilewright te 1\n"
    "kernel matmul(A: f32[64, 64], B: f32[64, 64]) -> C\n"
    "  C[i in 64, j in 64] = sum[k in 64] A[i, k] * B[k, j]\n";

/// 4 GHz: 16 lanes, one vector multiply-add and two scalar ones in a cycle.
Hardware machine() {
  Hardware hardware;
  hardware.units = {{.count = 4, .vector_bytes = 64}};
  hardware.memories = {{"L1", 32 << 10}, {"L2", 1 << 20}};
  return hardware;
}
Roofs roofs() {
  Roofs roofs;
  roofs.compute = {{"FMA f32", "vector", "f32", {128, 512}},
                   {"scalar f32", "scalar", "f32", {16, 64}}};
  roofs.memory = {{"L1", 0, {256, 1024}, {}}, {"L2", 0, {128, 512}, {}}, {"DRAM", 0, {16, 32}, {}}};
  return roofs;
}

ir::Program scheduled(char const* script) {
  auto program = te::to_program(te::parse_kernel(kMatmul).value()).value();
  auto steps = parse_script(script, "test", true).value();
  return replay(Schedule(program), steps).value().program();
}

analysis::TimeModel modelled(char const* script) {
  ir::Program program = scheduled(script);
  return cpu_model_time(program, analysis::Locality(program), machine(), roofs());
}

constexpr double kSums = 64.0 * 64 * 64;
/// Cycles of an addition that waits for the one before. A processor looks a hundred of them ahead,
/// and so begins the next sums while one of 64 goes on.
constexpr double kWaits = 4 / (1 + 100.0 / 64);

/// Of the last block.
analysis::Instructions instructions(std::string const& kernel, std::string const& script) {
  auto program = te::to_program(te::parse_kernel("tilewright te 1\n" + kernel).value()).value();
  auto schedule = replay(Schedule(program), parse_script(script, "test", true).value()).value();
  return analysis::instructions_of(ir::blocks_of(schedule.program().body).back(), 16);
}

}  // namespace

class TimeModelTest : public QObject {
  Q_OBJECT
private slots:
  void the_additions_of_a_plain_sum_wait_for_each_other() {
    auto model = modelled("");
    QCOMPARE(model.flops, 2 * kSums);
    QCOMPARE(model.arithmetic_seconds, kSums * kWaits / 4e9);
    QCOMPARE(model.bound, std::string("arithmetic"));
  }

  void a_sum_of_integers_is_there_in_the_next_cycle() {
    auto time = [](std::string const& type) {
      auto kernel = te::parse_kernel("tilewright te 1\nkernel m(A: " + type +
                                     "[64, 64], B: " + type + "[64, 64]) -> C\n" +
                                     "  C[i in 64, j in 64] = sum[k in 64] A[i, k] * B[k, j]\n");
      auto program = te::to_program(kernel.value()).value();
      return cpu_model_time(program, analysis::Locality(program), machine(), roofs())
          .arithmetic_seconds;
    };
    QCOMPARE(time("f32"), kSums * kWaits / 4e9);
    QCOMPARE(time("i32"), 2 * kSums / 8e9);  // product and sum
  }

  void lanes_and_chains_make_it_faster() {
    // One vector of 16 sums: still one chain.
    double lanes = modelled("split(C.j, factor=16)\nreorder(C.k, C.j.1)\nvectorize(C.j.1)\n")
                       .arithmetic_seconds;
    QCOMPARE(lanes, kSums / 16 * kWaits / 4e9);
    // Eight rows of them: as fast as the unit is.
    auto full = modelled(
        "split(C.i, factor=8)\nsplit(C.j, factor=16)\nreorder(C.j.0, C.k, C.i.1, C.j.1)\n"
        "unroll(C.i.1)\nvectorize(C.j.1)\n");
    QCOMPARE(full.arithmetic_seconds, kSums / 16 / 4e9);
    // Each step of k asks for one vector of B and eight numbers of A; C once for each tile.
    double tiles = 64 / 8 * 64 / 16;
    QCOMPARE(full.levels[0].bytes, tiles * (64 * (64 + 8 * 4) + 2 * 8 * 64));
    QCOMPARE(full.levels[0].seconds, tiles * (64 * (1 / 4e9 + 8 / 8e9) + 2 * 8 / 4e9));
  }

  /// A sum of 4096 numbers is as long as what it looks ahead to and more.
  void a_long_sum_waits_longer_than_a_short_one() {
    auto each = [](int64_t length) {
      std::string n = std::to_string(length);
      auto kernel = te::parse_kernel("tilewright te 1\nkernel s(A: f32[64, " + n +
                                     "]) -> C\n  C[i in 64] = sum[k in " + n + "] A[i, k]\n");
      auto program = te::to_program(kernel.value()).value();
      return cpu_model_time(program, analysis::Locality(program), machine(), roofs())
                 .arithmetic_seconds /
             (64.0 * double(length)) * 4e9;
    };
    QVERIFY(each(4096) > 3.8 && each(4096) <= 4);
    QVERIFY(each(100) > 1.9 && each(100) < 2.1);
  }

  /// LLVM makes vectors of a loop over neighbours by itself: reordering was modelled as no gain
  /// where it made a product 27 times faster.
  void the_order_of_loops_decides_about_vectors() {
    std::string const large =
        "tilewright te 1\nkernel matmul(A: f32[512, 512], B: f32[512, 512]) -> C\n"
        "  C[i in 512, j in 512] = sum[k in 512] A[i, k] * B[k, j]\n";
    auto program = te::to_program(te::parse_kernel(large).value()).value();
    auto seconds = [&](char const* script) {
      auto made = replay(Schedule(program), parse_script(script, "", true).value()).value();
      return cpu_model_time(made.program(), analysis::Locality(made.program()), machine(), roofs())
          .arithmetic_seconds;
    };
    QVERIFY(seconds("") > 10 * seconds("reorder(C.k, C.j)\n"));
    QCOMPARE(seconds("reorder(C.k, C.j)\nsplit(C.j, factor=16)\nvectorize(C.j.1)\n"),
             seconds("reorder(C.k, C.j)\n"));
  }

  void tasks_run_in_whole_rounds_on_all_cores() {
    double one = modelled("").arithmetic_seconds;
    QCOMPARE(modelled("parallel(C.i)\n").arithmetic_seconds, one / 4);
    // Six tasks of eleven rows (the last has nine): two rounds of four cores.
    QCOMPARE(modelled("split(C.i, factor=11)\nparallel(C.i.0)\n").arithmetic_seconds * 3 / one,
             1.0 * 66 / 64);
  }

  /// The time of a product was modelled a little above the roof that it stands below.
  void all_cores_are_as_fast_as_they_are_together() {
    Roofs slower = roofs();
    slower.compute.front().rate.all_cores = 480;  // of 512
    auto time = [&](char const* script) {
      ir::Program program = scheduled(script);
      return cpu_model_time(program, analysis::Locality(program), machine(), slower)
          .arithmetic_seconds;
    };
    QCOMPARE(time("") / time("parallel(C.i)\n"), 4 * 480.0 / 512);
    QCOMPARE(time("") / time("split(C.i, factor=32)\nparallel(C.i.0)\n"),
             2 * (1 - (1 - 480.0 / 512) / 3));
  }

  void data_that_stays_in_a_cache_costs_nothing_behind_it() {
    auto model = modelled("");
    QCOMPARE(model.levels.size(), size_t(3));
    QCOMPARE(model.levels[2].bytes, 3.0 * 64 * 64 * 4);  // from empty caches
    QCOMPARE(model.levels[2].seconds, 0.0);              // but 48 KB stay in the second cache
    QVERIFY(model.levels[1].seconds > 0);
  }

  /// What one block waits for is not hidden behind what another one computes.
  void blocks_follow_one_another() {
    auto program =
        te::to_program(te::parse_kernel("tilewright te 1\n"
                                        "kernel two(A: f32[64, 64], B: f32[64, 64]) -> C\n"
                                        "  T[i in 64, j in 64] = A[i, j] * 2.0\n"
                                        "  C[i in 64, j in 64] = sum[k in 64] T[i, k] * B[k, j]\n")
                           .value())
            .value();
    auto model = cpu_model_time(program, analysis::Locality(program), machine(), roofs());
    double copy = 2.0 * 64 * 64 / 16 / 4e9;  // a load and a store of each vector, one in a cycle
    double sums = kSums * kWaits / 4e9;
    QCOMPARE(model.arithmetic_seconds, sums + 64.0 * 64 / 16 / 4e9);
    QCOMPARE(model.seconds, sums + copy);
    QCOMPARE(model.bound, std::string("arithmetic"));
  }

  /// Their arithmetic took no time: a convolution of bytes was modelled to take half of what it
  /// took.
  void integers_take_time_product_and_sum_apart() {
    auto arithmetic = [](std::string const& type, std::string const& product) {
      return instructions("kernel m(A: " + type + "[64, 64], B: " + type + "[64, 64]) -> C\n" +
                              "  C[i in 64, j in 64] = sum[k in 64] " + product + "\n",
                          "split(C.j, factor=16)\nreorder(C.k, C.j.1)\nvectorize(C.j.1)\n")
          .arithmetic;
    };
    QCOMPARE(arithmetic("f32", "A[i, k] * B[k, j]"), kSums / 16);
    QCOMPARE(arithmetic("i32", "A[i, k] * B[k, j]"), 2 * kSums / 16);
    QCOMPARE(arithmetic("i8", "i32(A[i, k]) * i32(B[k, j])"), 2 * kSums / 16);
    QCOMPARE(arithmetic("f64", "A[i, k] * B[k, j]"), kSums / 8);
  }

  void lanes_are_those_of_the_widest_number_of_a_block() {
    auto made = [](std::string const& type, std::string const& value) {
      return instructions("kernel k(A: " + type + "[4096]) -> C\n  C[i in 4096] = " + value + "\n",
                          "split(C.i, factor=64)\nvectorize(C.i.1)\n");
    };
    QCOMPARE(made("i8", "max(A[i], 3:i8)").lanes, 64.0);
    QCOMPARE(made("i8", "max(A[i], 3:i8)").vector_accesses, 2 * 64.0);
    // Widened as they are loaded, sixteen at a time.
    QCOMPARE(made("i8", "f32(A[i]) * 0.5").lanes, 16.0);
    QCOMPARE(made("i8", "f32(A[i]) * 0.5").vector_accesses, 2 * 4 * 64.0);
    QCOMPARE(made("f16", "max(A[i], A[i])").lanes, 16.0);  // computed with in 32 bits
    QCOMPARE(made("f64", "A[i] * A[i]").lanes, 8.0);
  }

  void packed_lanes_are_neighbours() {
    auto program =
        te::to_program(te::parse_kernel("tilewright te 1\n"
                                        "kernel packed(A: f32[64], B: f32[2, 64, 16]) -> C\n"
                                        "  C[j in 32] = sum[k in 64] A[k] * B[j//16, k, j%16]\n")
                           .value())
            .value();
    auto steps =
        parse_script("split(C.j, factor=16)\nreorder(C.k, C.j.1)\nvectorize(C.j.1)\n", "", true);
    auto schedule = replay(Schedule(program), *steps).value();
    auto site = ir::blocks_of(schedule.program().body).front();
    auto instructions = analysis::instructions_of(site, 16);
    QCOMPARE(instructions.vector_accesses, 2 * 64.0 + 2 * 2);  // B; C is loaded and stored
    QCOMPARE(instructions.scalar_accesses, 2 * 64.0);          // A is broadcast
  }

  /// A guard that is the same for all lanes is a branch around the update: convolutions whose
  /// padding is one were modelled to take five times what they took. One of each lane is a choice.
  void a_guard_costs_where_it_is_of_each_lane() {
    auto program =
        te::to_program(
            te::parse_kernel("tilewright te 1\n"
                             "kernel guarded(A: f32[66, 64], W: f32[3, 64]) -> C\n"
                             "  C[i in 64, j in 64] = sum[r in 3] select(1 <= i + r && i + r < 65, "
                             "A[i+r, j] * W[r, j], 0.0)\n")
                .value())
            .value();
    auto arithmetic = [&](char const* script) {
      auto steps = parse_script(script, "", true);
      auto schedule = replay(Schedule(program), *steps).value();
      auto site = ir::blocks_of(schedule.program().body).front();
      return analysis::instructions_of(site, 16).arithmetic;
    };
    double sums = 64.0 * 64 * 3;
    QCOMPARE(arithmetic(""), sums);
    QCOMPARE(arithmetic("split(C.j, factor=16)\nreorder(C.r, C.j.1)\nvectorize(C.j.1)\n"),
             sums / 16);
    QVERIFY(arithmetic("split(C.i, factor=16)\nreorder(C.j, C.r, C.i.1)\nvectorize(C.i.1)\n") >
            3 * sums / 16);
  }

  /// It was modelled as if it read the whole table from memory: 1.7 ms where 45 µs were measured.
  void the_model_of_a_gather_does_not_read_the_whole_table() {
    te::Kernel kernel = te::parse_kernel(
                            "tilewright te 1\n"
                            "kernel g(X: f32[10000, 650], I: i64[20]) -> Y\n"
                            "  Y[n in 20, x in 650] = X[max(0, min(I[n], 9999)), x]\n")
                            .value();
    ir::Program program = te::to_program(kernel).value();
    analysis::Locality locality(program);
    double chosen = 20.0 * (650 * 4 + 2 * 64) + 20 * 8 + 20 * 650 * 4;
    QVERIFY(double(locality.whole().line_bytes) <= chosen + 128);
    QVERIFY(cpu_model_time(program, locality, machine(), roofs()).seconds < 50e-6);
  }
};

QTEST_GUILESS_MAIN(TimeModelTest)
#include "time_model_test.moc"
