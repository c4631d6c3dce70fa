// Modelled times of kernels of blocks and threads whose order is known from measurements.
#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "engine/analysis/kernel_roof.h"
#include "engine/lowering/pipeline.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/compiler/rates.h"
#include "targets/cuda/compiler/resources.h"
#include "targets/cuda/compiler/toolkit.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/gpu/passes.h"
#include "targets/shared/gpu/time_model.h"
#include "tests/support/gpu_scripts.h"

using namespace tw;

namespace {

struct Modelled {
  gpu::ProgramTime time;
  double seconds() const { return time.model.seconds; }
  gpu::LaunchTime const& only() const { return time.launches.at(0); }
};

class TestGpu {
public:
  explicit TestGpu(std::string const& name) {
    for (cuda::KnownGpu const& one : cuda::known_gpus())
      if (one.name == name) hardware_ = one.hardware;
    roofs_ = cuda::roofs_of(hardware_).value();
    backend_ = cuda::create_cuda_backend(hardware_, {}).value();
  }

  ir::Program scheduled(std::string const& kernel, std::string const& script) const {
    ir::Program program = te::to_program(te::parse_kernel(kernel).value()).value();
    if (script == "default") return backend_->default_schedule(program).value().program();
    auto steps = parse_script("tilewright schedule 1\n" + script).value();
    auto done = replay(Schedule(program, backend_->shared_target()), steps);
    if (!done) qFatal("%s", done.error().message.c_str());
    return done->program();
  }

  Modelled model(std::string const& kernel, std::string const& script) const {
    ir::Program program = scheduled(kernel, script);
    auto stages = lower(program, backend_->target(), gpu::model_passes(), {});
    if (!stages) qFatal("%s", stages.error().message.c_str());
    auto time =
        gpu::program_time(stages->back().kernel.host, cuda::multiprocessor_of(hardware_).value(),
                          cuda::rates_of(hardware_, roofs_).value());
    return {std::move(*time)};
  }

  Backend const& backend() const { return *backend_; }
  Hardware const& hardware() const { return hardware_; }
  Roofs const& roofs() const { return roofs_; }
  double part_of_peak(Modelled const& one) const {
    return one.time.model.flops / one.seconds() / (roofs_.of("vector", "f32").all_cores * 1e9);
  }
  bool knows_l2() const { return roofs_.memory.size() == 3; }
  double dram() const { return roofs_.memory.back().load.all_cores * 1e9; }

private:
  Hardware hardware_;
  Roofs roofs_;
  std::shared_ptr<Backend const> backend_;
};

using namespace tw::testing;

std::string text_of(Modelled const& one) {
  gpu::LaunchTime const& first = one.only();
  return fmt::format("{:.4g} ms, bound by {}; {} waves, {} blocks at once, {} registers",
                     one.seconds() * 1e3, gpu::bound_text(first.bound), first.waves,
                     first.occupancy.blocks, first.nest.registers);
}

/// Blocks of 128 x 128 elements, of which a multiprocessor has room for one.
std::string blocks_text(int64_t blocks) {
  return fmt::format(
      "tilewright te 1\nkernel product(A: f32[{0}, 1024], B: f32[1024, 128]) -> C\n"
      "  C[i in {0}, j in 128] = sum[k in 1024] A[i, k] * B[k, j]\n",
      blocks * 128);
}

}  // namespace

class TimeModelTest : public QObject {
  Q_OBJECT
private slots:
  void gpus_data() {
    QTest::addColumn<QString>("name");
    for (cuda::KnownGpu const& one : cuda::known_gpus())
      QTest::newRow(one.name.c_str()) << QString::fromStdString(one.name);
  }

  void the_roof_of_a_type_is_that_of_its_fastest_unit_data() { gpus_data(); }
  void the_roof_of_a_type_is_that_of_its_fastest_unit() {
    QFETCH(QString, name);
    auto known = std::ranges::find(cuda::known_gpus(), name.toStdString(), &cuda::KnownGpu::name);
    Roofs roofs = cuda::roofs_of(known->hardware).value();
    QVERIFY(!roofs.compute.empty());
    for (ComputeRoof const& one : roofs.compute)
      QVERIFY2(one.rate.all_cores <= roofs.best(one.type).all_cores, one.name.c_str());
  }

  void shared_tiles_lift_a_plain_product_several_times_data() { gpus_data(); }
  void shared_tiles_lift_a_plain_product_several_times() {
    QFETCH(QString, name);
    TestGpu gpu(name.toStdString());
    Modelled plain = gpu.model(product_text(4096), plain_product_script("ty, tx"));
    Modelled tiled = gpu.model(product_text(4096), tiled_product_script({64, 4, 8}));
    Modelled by_rule = gpu.model(product_text(4096), "default");
    QVERIFY2(gpu.part_of_peak(plain) < 0.3, text_of(plain).c_str());
    QVERIFY2(plain.only().bound != gpu::Bound::kArithmetic, text_of(plain).c_str());
    QVERIFY2(tiled.seconds() * 2.5 < plain.seconds(), text_of(tiled).c_str());
    QVERIFY2(by_rule.seconds() * 2.5 < plain.seconds(), text_of(by_rule).c_str());
    QVERIFY2(gpu.part_of_peak(by_rule) > 0.4, text_of(by_rule).c_str());
  }

  void large_register_tiles_without_conflicts_come_near_the_peak() {
    TestGpu a100("a100"), h100("h100");
    std::string script = tiled_product_script({.block = 128, .own = 8, .terms = 8, .padded = true});
    Modelled on_a100 = a100.model(product_text(4096), script);
    QVERIFY2(on_a100.only().bound == gpu::Bound::kArithmetic, text_of(on_a100).c_str());
    QVERIFY2(a100.part_of_peak(on_a100) > 0.8, text_of(on_a100).c_str());
    // Twice the multiply-adds of a cycle beside the same shared memory.
    Modelled on_h100 = h100.model(product_text(4096), script);
    QVERIFY2(h100.part_of_peak(on_h100) > 0.5, text_of(on_h100).c_str());
    QVERIFY2(on_h100.only().bound == gpu::Bound::kShared, text_of(on_h100).c_str());
    Modelled conflicts =
        h100.model(product_text(4096), tiled_product_script({.block = 128, .own = 8, .terms = 8}));
    QVERIFY2(conflicts.seconds() > 1.2 * on_h100.seconds(), text_of(conflicts).c_str());
  }

  void uncoalesced_transposes_are_several_times_slower_data() { gpus_data(); }
  void uncoalesced_transposes_are_several_times_slower() {
    QFETCH(QString, name);
    TestGpu gpu(name.toStdString());
    Modelled plain = gpu.model(transpose_text(4096),
                               "all = fuse(Y.i, Y.j)\n"
                               "b, t = split(all, factor=256)\nbind(b, axis=blockIdx.x)\n"
                               "bind(t, axis=threadIdx.x)\n");
    Modelled tiled = gpu.model(transpose_text(4096), tiled_transpose_script(32, true));
    QVERIFY(gpu.model(transpose_text(4096), "default").seconds() < 1.05 * tiled.seconds());
    double bytes = 2.0 * 4096 * 4096 * 4;
    QCOMPARE(tiled.only().traffic.l2_bytes, bytes);
    QCOMPARE(tiled.only().traffic.dram_bytes, bytes);
    QVERIFY2(plain.only().traffic.l2_bytes > 4 * bytes, text_of(plain).c_str());
    if (!gpu.knows_l2()) return;
    double least = gpu.dram() > 2e12 ? 2 : 1.5;  // where main memory is slow beside L2
    QVERIFY2(plain.seconds() > least * tiled.seconds(), text_of(plain).c_str());
  }

  void a_tile_that_is_read_by_columns_takes_32_passes() {
    TestGpu gpu("h100");
    Modelled padded = gpu.model(transpose_text(4096), tiled_transpose_script(32, true));
    Modelled conflicts = gpu.model(transpose_text(4096), tiled_transpose_script(32, false));
    QCOMPARE(padded.only().traffic.shared_cycles, 32.0 + 32);
    QCOMPARE(conflicts.only().traffic.shared_cycles, 32.0 + 32 * 32);
    QVERIFY2(conflicts.seconds() > padded.seconds(), text_of(conflicts).c_str());
  }

  void sums_of_long_vectors_are_at_the_roof_of_main_memory_data() { gpus_data(); }
  void sums_of_long_vectors_are_at_the_roof_of_main_memory() {
    QFETCH(QString, name);
    TestGpu gpu(name.toStdString());
    constexpr int64_t kElements = 1 << 26;
    Modelled sum = gpu.model(sum_text(kElements), "default");
    double bytes = 3.0 * 4 * kElements;
    QCOMPARE(sum.only().traffic.dram_bytes, bytes);
    QVERIFY2(sum.only().bound == gpu::Bound::kDram, text_of(sum).c_str());
    double least = bytes / gpu.dram();
    QVERIFY2(sum.seconds() >= least && sum.seconds() < 1.05 * least, text_of(sum).c_str());
  }

  void what_l2_holds_does_not_come_again_in_the_next_run() {
    TestGpu gpu("h100");
    Modelled sum = gpu.model(sum_text(1 << 20), "default");
    QCOMPARE(sum.time.model.levels.back().seconds, 0.0);
    QVERIFY2(sum.seconds() < 3.0 * 4 * (1 << 20) / gpu.dram() + 3e-6, text_of(sum).c_str());
  }

  void one_block_more_than_multiprocessors_takes_a_second_wave() {
    TestGpu gpu("h100");
    std::string script = tiled_product_script({.block = 128, .own = 4, .terms = 8});
    Modelled full = gpu.model(blocks_text(132), script), more = gpu.model(blocks_text(133), script);
    QCOMPARE(full.only().occupancy.blocks, 1);
    QCOMPARE(full.only().waves, int64_t(1));
    QCOMPARE(more.only().waves, int64_t(2));
    QVERIFY2(more.seconds() > 1.8 * full.seconds(), text_of(more).c_str());
    QVERIFY2(more.only().tail > 0.8 * full.only().seconds, text_of(more).c_str());
  }

  void one_thread_is_as_slow_as_it_is() {
    TestGpu gpu("h100");
    ir::Program program = gpu.scheduled(product_text(1024), "");
    auto plain = gpu.backend().model_time(program, analysis::Locality(program), gpu.roofs());
    QVERIFY(plain);
    // A sum waits four cycles for the one before it.
    QVERIFY(plain->seconds > 4 * std::pow(1024.0, 3) / 1.98e9);
    QCOMPARE(plain->bound, std::string("latency"));
    double bound = gpu.model(product_text(1024), "bind(C.i, axis=threadIdx.x)\n").seconds();
    QVERIFY(bound < plain->seconds / 100);
    QVERIFY(gpu.model(product_text(1024), "default").seconds() < bound / 100);
  }

  void counts_are_those_of_the_assembled_code() {
    // In one turn of k0, as ptxas 13 assembles it: 4 LDG, 4 STS, 16 LDS.128; at the end 4 STG.128.
    TestGpu gpu("h100");
    gpu::LaunchNest small =
        gpu.model(product_text(1024), tiled_product_script({64, 4, 8})).only().nest;
    QCOMPARE(small.instructions.f32, 1024.0 * 16);
    QCOMPARE(small.instructions.memory, 128.0 * (4 + 4 + 16) + 4);
    // 8 LDG, 8 STS; in each turn of k1, which stays a loop, 8 LDS and 2 LDS.128; 16 STG.128.
    gpu::LaunchNest large =
        gpu.model(product_text(1024), tiled_product_script({128, 8, 8})).only().nest;
    QCOMPARE(large.instructions.memory, 128.0 * (8 + 8 + 8 * (8 + 2)) + 16);
    QCOMPARE(large.waits.shared, 128.0 * 8);
    QCOMPARE(large.shared_bytes, int64_t(2 * 128 * 8 * 4));
  }

  void registers_are_near_those_of_ptxas_data() {
    QTest::addColumn<int>("block");
    QTest::addColumn<int>("own");
    QTest::addColumn<int>("size");
    for (auto [block, own, size] : {std::array{32, 2, 1024},
                                    {32, 4, 1024},
                                    {64, 4, 1024},
                                    {64, 8, 1024},
                                    {128, 8, 1024},
                                    {64, 16, 1024},
                                    {128, 16, 1024},
                                    {64, 4, 1000},
                                    {32, 4, 1021},
                                    {96, 6, 1024},
                                    {64, 8, 1000}})
      QTest::addRow("%d, %d of %d", block, own, size) << block << own << size;
  }
  void registers_are_near_those_of_ptxas() {
    QFETCH(int, block);
    QFETCH(int, own);
    QFETCH(int, size);
    cuda::Toolkit toolkit = cuda::find_toolkit();
    if (toolkit.ptxas.empty()) QSKIP("there is no ptxas here");
    TestGpu gpu("h100");
    std::string script = tiled_product_script({block, own, 8});
    ir::Program program = gpu.scheduled(product_text(size), script);
    auto stages = lower(program, gpu.backend().target(), gpu.backend().passes(), {}).value();
    auto code = gpu.backend().generate(stages.back().kernel, CodeTier::kFull, CodeTexts::kNone, {});
    QVERIFY(code);
    std::string ptx(reinterpret_cast<char const*>(code->parts[1].bytes.data()),
                    code->parts[1].bytes.size());
    auto assembled = cuda::assemble(toolkit, ptx, "sm_90a");
    QVERIFY(assembled);
    cuda::FunctionResources const& counted = assembled->functions.at(0);
    gpu::LaunchNest nest = gpu.model(product_text(size), script).only().nest;
    bool local = std::ranges::any_of(nest.accesses, &gpu::NestAccess::local);
    // ptxas may yet take apart what the model leaves in a loop, where it has room for it.
    QVERIFY(local || counted.stack_bytes == 0);
    if (local) return;
    // Under conditions ptxas holds what copies load, which the model takes as used at once.
    int near = size % block == 0 ? 16 : 40;
    QVERIFY2(std::abs(nest.registers - counted.registers) <= near,
             fmt::format("{}, not {}", nest.registers, counted.registers).c_str());
  }

  void no_kernel_is_faster_than_its_roof() {
    for (char const* name : {"h100", "a100", "orin"}) {
      TestGpu gpu(name);
      for (std::string const& text :
           {product_text(1024), sum_text(1 << 18), sum_text(1 << 20), sum_text(1 << 26),
            transpose_text(512), transpose_text(8192)}) {
        te::Kernel kernel = te::parse_kernel(text).value();
        auto needs = analysis::needs_of(te::to_program(kernel).value(), double(te::flops(kernel)));
        double least = analysis::roof_of(needs, gpu.hardware(), gpu.roofs(), 1).seconds;
        Modelled one = gpu.model(text, "default");
        QVERIFY2(least > 0 && one.seconds() >= least, (text + text_of(one)).c_str());
      }
    }
  }

  void odd_sizes_cost_more() {
    TestGpu gpu("a100");
    double even = gpu.model(product_text(1024), "default").seconds(),
           odd = gpu.model(product_text(1021), "default").seconds();
    QVERIFY2(odd > 0.9 * even && odd < 12 * even, fmt::format("{} {}", odd, even).c_str());
  }

  void parts_make_the_whole() {
    TestGpu gpu("h100");
    for (std::string const& script : {tiled_product_script({64, 4, 8}),
                                      plain_product_script("tx, ty"), std::string("default")}) {
      gpu::LaunchTime one = gpu.model(product_text(1024), script).only();
      double sum = one.work + one.others + one.waits + one.tail + one.launch;
      QVERIFY2(std::abs(sum - one.seconds) < 1e-9 * one.seconds + 1e-12, script.c_str());
      for (double part : {one.work, one.others, one.waits, one.tail}) QVERIFY(part >= 0);
    }
  }

  void a_time_takes_little_time() {
    TestGpu gpu("h100");
    ir::Program program = gpu.scheduled(product_text(1024), "default");
    analysis::Locality locality(program);
    constexpr int kRuns = 10;
    clock_t start = clock();
    for (int i = 0; i < kRuns; ++i)
      QVERIFY(gpu.backend().model_time(program, locality, gpu.roofs()));
    double ms = double(clock() - start) / CLOCKS_PER_SEC / kRuns * 1e3;
    qInfo("%.1f ms of processor time", ms);
    QVERIFY2(ms <= 30, fmt::format("{:.1f} ms", ms).c_str());
  }
};

QTEST_GUILESS_MAIN(TimeModelTest)
#include "time_model_test.moc"
