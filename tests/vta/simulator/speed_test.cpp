// How fast the simulators are, in processor time; the bounds are loose, the figures are printed.
#include <QtTest>
#include <ctime>

#include "engine/support/base/random.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/simulator/timing.h"

using namespace tw;
using namespace tw::vta;

namespace {

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

Instruction load(Memory memory, int64_t sram, int64_t rows, int64_t columns, Tokens tokens) {
  Instruction i{.opcode = Opcode::kLoad, .tokens = tokens};
  i.transfer = {.memory = memory,
                .sram = uint32_t(sram),
                .y_size = uint32_t(rows),
                .x_size = uint32_t(columns),
                .x_stride = uint32_t(columns)};
  return i;
}

/// As a convolution of 3x3 over 14x14 with two virtual threads: `tiles` tiles of 2 x 4 blocks of
/// channels for each of `channels` blocks of input.
Stream convolution(int tiles, int channels) {
  Stream stream{load(Memory::kUop, 0, 1, 504, {})};
  for (int tile = 0; tile < tiles; ++tile) {
    for (uint32_t thread = 0; thread < 2; ++thread) {
      Instruction reset{.opcode = Opcode::kGemm,
                        .tokens = {.pop_next = tile > 0, .push_prev = true}};
      reset.nest = {
          .reset = true, .uop_begin = 0, .uop_end = 1, .outer = 4, .inner = 196, .dst = {196, 1}};
      stream.push_back(reset);
    }
    for (int channel = 0; channel < channels; ++channel)
      for (int64_t thread = 0; thread < 2; ++thread) {
        stream.push_back(load(Memory::kInp, thread * 256, 16, 16, {.pop_next = true}));
        stream.push_back(load(Memory::kWgt, thread * 36, 4, 9, {.push_next = true}));
        Instruction gemm{.opcode = Opcode::kGemm,
                         .tokens = {.pop_prev = true, .push_prev = channel + 1 < channels}};
        gemm.nest = {.uop_begin = 0,
                     .uop_end = 126,
                     .outer = 4,
                     .inner = 14,
                     .dst = {196, 14},
                     .src = {0, 16},
                     .wgt = {9, 0}};
        stream.push_back(gemm);
      }
    for (int thread = 0; thread < 2; ++thread) {
      Instruction shift{.opcode = Opcode::kAlu,
                        .tokens = {.push_next = true},
                        .alu = AluOp::kShr,
                        .use_immediate = true,
                        .immediate = 8};
      shift.nest = {.uop_begin = 0, .uop_end = 1, .outer = 28, .inner = 28, .dst = {28, 1}};
      stream.push_back(shift);
      Instruction store{.opcode = Opcode::kStore, .tokens = {.pop_prev = true, .push_prev = true}};
      store.transfer = {
          .memory = Memory::kOut, .dram = 1 << 15, .y_size = 28, .x_size = 28, .x_stride = 28};
      stream.push_back(store);
    }
  }
  for (int thread = 0; thread < 2; ++thread)
    stream.push_back(load(Memory::kUop, 0, 0, 0, {.pop_next = true}));
  stream.push_back({});
  return stream;
}

/// Micro-ops 0 to 125 of the products: nine taps of fourteen columns.
std::vector<std::byte> dram_with_uops(Configuration const& c) {
  std::vector<std::byte> dram(1 << 20);
  Rng rng(1);
  for (std::byte& byte : dram) byte = std::byte(rng.next());
  for (uint32_t i = 0; i < 504; ++i) {
    uint64_t bits = encode(c, MicroOp{i % 14, i % 14 + i / 14 % 3, i / 14 % 9}).value();
    for (size_t b = 0; b < 4; ++b) dram[i * 4 + b] = std::byte(bits >> 8 * b);
  }
  return dram;
}

}  // namespace

class SpeedTest : public QObject {
  Q_OBJECT
private slots:
  void products_are_fast() {
    Configuration const& c = *find_board("pynq");
    Stream stream = convolution(8, 16);
    std::vector<std::byte> dram = dram_with_uops(c);
    double best = 0;
    int64_t uops = 0;
    for (int i = 0; i < 5; ++i) {
      double begin = processor_seconds();
      auto machine = run_behavioural(c, stream, dram);
      double seconds = processor_seconds() - begin;
      QVERIFY2(machine, machine ? "" : machine.error().message.c_str());
      uops = machine->counters().gemm_uops;
      best = std::max(best, double(uops) / seconds);
    }
    QCOMPARE(uops, int64_t(8 * 16 * 2) * 126 * 4 * 14);
    qInfo("behavioural: %.1f million GEMM micro-ops (16x16) a second, loads and stores included",
          best * 1e-6);
    QVERIFY2(best > 5e6, "at least a tenth of what is wanted, on any machine");
  }

  void times_alone_are_faster() {
    Configuration const& c = *find_board("pynq");
    for (auto [tiles, channels] : {std::pair{4, 4}, {32, 32}}) {
      Stream stream = convolution(tiles, channels);
      TimingOptions options;
      options.execute = false;
      double best = 1e9;
      for (int i = 0; i < 5; ++i) {
        double begin = processor_seconds();
        auto run = run_timed(c, stream, {}, options);
        best = std::min(best, processor_seconds() - begin);
        QVERIFY2(run, run ? "" : run.error().message.c_str());
      }
      qInfo("timing alone: %zu instructions in %.2f ms, %.0f ns each", stream.size(), best * 1e3,
            best * 1e9 / double(stream.size()));
      QVERIFY2(best / double(stream.size()) < 50e-6, "an instruction takes microseconds at most");
    }
  }
};

QTEST_GUILESS_MAIN(SpeedTest)
#include "speed_test.moc"
