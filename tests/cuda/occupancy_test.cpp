// Blocks of a multiprocessor, what limits them and what would bring one more, beside NVIDIA's own
// calculation (cuda_occupancy.h), where a toolkit is found.
#include <QtTest>

#ifdef TW_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

#include "engine/support/base/random.h"
#include "targets/cuda/compiler/resources.h"
#include "targets/cuda/hardware/description.h"

using namespace tw;

class OccupancyTest : public QObject {
  Q_OBJECT
private slots:
  void blocks_are_those_of_nvidias_calculation() {
#ifndef TW_CUDA_OCCUPANCY
    QSKIP("there was no cuda_occupancy.h when this was built");
#else
    Rng rng(4);
    int limits[4] = {};
    for (cuda::KnownGpu const& gpu : cuda::known_gpus()) {
      gpu::Multiprocessor unit = cuda::multiprocessor_of(gpu.hardware).value();
      cudaOccDeviceProp device = properties(gpu.hardware, unit);
      cudaOccDeviceState state;
      for (int i = 0; i < 4000; ++i) {
        gpu::KernelUse use{
            .registers = int(rng.between(1, 255)),
            .shared_bytes = rng.below(3) ? rng.below(48 << 10) : 0,
            .threads = int(rng.below(4) ? 32 * rng.between(1, 32) : rng.between(1, 1024))};
        cudaOccFuncAttributes function;
        function.maxThreadsPerBlock = 1024;
        function.numRegs = use.registers;
        function.sharedSizeBytes = size_t(use.shared_bytes);
        function.partitionedGCConfig = PARTITIONED_GC_OFF;
        function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        function.numBlockBarriers = 1;
        cudaOccResult result{};
        QCOMPARE(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state,
                                                         use.threads, 0),
                 CUDA_OCC_SUCCESS);
        gpu::Occupancy made = gpu::occupancy(unit, use);
        if (made.blocks != result.activeBlocksPerMultiprocessor)
          QFAIL(qPrintable(QString("%1: %2 registers, %3 bytes, %4 threads: %5 blocks, not %6")
                               .arg(QString::fromStdString(gpu.name))
                               .arg(use.registers)
                               .arg(use.shared_bytes)
                               .arg(use.threads)
                               .arg(made.blocks)
                               .arg(result.activeBlocksPerMultiprocessor)));
        if (made.blocks > 0) ++limits[int(made.limit)];
      }
    }
    for (int count : limits) QVERIFY(count > 0);
#endif
  }

  void the_next_step_brings_a_block() {
    gpu::Multiprocessor unit = cuda::multiprocessor_of(cuda::known_gpus()[0].hardware).value();
    gpu::KernelUse use{.registers = 132, .shared_bytes = 0, .threads = 256};
    QCOMPARE(gpu::occupancy(unit, use).blocks, 1);
    QVERIFY(gpu::occupancy(unit, use).limit == gpu::Limit::kRegisters);
    QCOMPARE(gpu::next_step(unit, use),
             std::string("4 registers fewer for each thread: one block more"));
    use.registers -= 4;
    QCOMPARE(gpu::occupancy(unit, use).blocks, 2);
    use = {.registers = 32, .shared_bytes = 100'000, .threads = 128};
    QVERIFY(gpu::occupancy(unit, use).limit == gpu::Limit::kShared);
    int before = gpu::occupancy(unit, use).blocks;
    int64_t fewer = std::stoll(gpu::next_step(unit, use));
    use.shared_bytes -= fewer - 1;
    QCOMPARE(gpu::occupancy(unit, use).blocks, before);
    use.shared_bytes -= 1;
    QCOMPARE(gpu::occupancy(unit, use).blocks, before + 1);
    QCOMPARE(gpu::occupancy(unit, {.registers = 256, .shared_bytes = 0, .threads = 32}).blocks, 0);
    QCOMPARE(gpu::occupancy(unit, {.registers = 32, .shared_bytes = 0, .threads = 2048}).blocks, 0);
  }

private:
#ifdef TW_CUDA_OCCUPANCY
  static cudaOccDeviceProp properties(Hardware const& hardware, gpu::Multiprocessor const& unit) {
    std::string digits = hardware.word(cuda::kArchitecture).substr(3, 2);
    cudaOccDeviceProp device;
    device.computeMajor = digits[0] - '0';
    device.computeMinor = digits[1] - '0';
    device.maxThreadsPerBlock = unit.max_threads;
    device.maxThreadsPerMultiprocessor = unit.max_warps * unit.warp;
    device.regsPerBlock = int(unit.registers);
    device.regsPerMultiprocessor = int(unit.registers);
    device.warpSize = unit.warp;
    device.sharedMemPerBlock = 48 << 10;
    device.sharedMemPerMultiprocessor = size_t(unit.shared_per_unit);
    device.numSms = hardware.unit().count;
    device.sharedMemPerBlockOptin = size_t(unit.shared_per_block);
    device.reservedSharedMemPerBlock = size_t(unit.shared_reserved);
    return device;
  }
#endif
};

QTEST_GUILESS_MAIN(OccupancyTest)
#include "occupancy_test.moc"
