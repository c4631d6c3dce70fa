// ResNet-18's convolutions on the timing simulator: against times measured on a board, with the
// tiles that were measured; and under the schedules by rule.
#include <QtTest>

#include "targets/vta/simulator/timing.h"
#include "tests/support/vta_kernels.h"

using namespace tw;
using namespace tw::vta;
using namespace tw::vta::testing;

namespace {

/// A layer of Table 1 of Moreau et al. 2018 (C1 and C3 are not in the log), with what TopHub's log
/// v0.10 says of a PYNQ board with 1 x 16 at 100 MHz: the best tiles, their milliseconds, and how
/// often the layer is in the network.
struct Layer {
  char const* name;
  int64_t extent, in, out, kernel, stride;
  int64_t tile_y, tile_x, tile_o;
  char const* threads;
  double board_ms;
  int times;
  double gops_4x8;  ///< best on the same board with 4 x 8 and four images
};
constexpr Layer kLayers[] = {
    {"C2", 56, 64, 64, 3, 1, 8, 56, 2, "o", 5.699, 4, 43.3},
    {"C4", 56, 64, 128, 3, 2, 7, 28, 4, "o", 2.966, 1, 41.6},
    {"C5", 56, 64, 128, 1, 2, 7, 28, 4, "y", 1.349, 1, 18.1},
    {"C6", 28, 128, 128, 3, 1, 14, 28, 2, "y", 5.183, 3, 46.4},
    {"C7", 28, 128, 256, 3, 2, 14, 14, 4, "o", 2.669, 1, 46.0},
    {"C8", 28, 128, 256, 1, 2, 7, 14, 8, "o", 1.029, 1, 23.4},
    {"C9", 14, 256, 256, 3, 1, 14, 14, 4, "o", 4.934, 3, 48.1},
    {"C10", 14, 256, 512, 3, 2, 7, 7, 16, "o", 3.994, 1, 47.7},
    {"C11", 14, 256, 512, 1, 2, 7, 7, 16, "o", 1.081, 1, 18.7},
    {"C12", 7, 512, 512, 3, 1, 7, 7, 16, "o", 7.348, 3, 48.9},
};

/// As it was measured: shift and clip behind the sums.
std::string measured_text(Layer const& layer, Configuration const& c) {
  ConvShape shape{.images = c.batch(),
                  .height = layer.extent,
                  .width = layer.extent,
                  .in = layer.in,
                  .out = layer.out,
                  .kernel = layer.kernel,
                  .stride = layer.stride,
                  .rounded = false};
  return text_of(shape, c);
}

enum class By : uint8_t { kMeasuredTiles, kRule, kRuleWithoutThreads };

struct Timed {
  double ms = 0;
  int64_t gemm_uops = 0;
};

Timed timed(Layer const& layer, Configuration const& c, By by) {
  auto backend = backend_of(c);
  Point point;
  if (by == By::kMeasuredTiles)
    point = {{"conv.tile.n", "1"},
             {"conv.tile.y", std::to_string(layer.tile_y)},
             {"conv.tile.x", std::to_string(layer.tile_x)},
             {"conv.tile.o", std::to_string(layer.tile_o)},
             {"conv.tile.c", "1"},
             {"conv.threads", layer.threads},
             {"conv.order", "rows"},
             {"conv.parts", "no"}};
  if (by == By::kRuleWithoutThreads) point = {{"conv.threads", "none"}};
  Decisions decisions(point);
  Schedule schedule = backend->templated(program_of(measured_text(layer, c)), decisions).value();
  CallProgram calls = calls_of(schedule.program(), *backend, c).value();
  Timed result;
  std::vector<Batch> batches = make_batches(calls, sample_addresses(calls)).value();
  for (Batch const& batch : batches)
    result.ms += run_timed(c, batch.stream, {}, {.execute = false}).value().milliseconds;
  for (Call const& call : calls.calls) {
    int64_t steps = call.kind == CallKind::kGemm && !call.reset;
    for (CallLoop const& loop : call.loops) steps *= loop.extent;
    result.gemm_uops += steps;
  }
  return result;
}

double gops(Timed const& one, Configuration const& c) {
  return 2e-6 * double(one.gemm_uops * c.macs_per_cycle()) / one.ms;
}

}  // namespace

class LayersTest : public QObject {
  Q_OBJECT
private slots:
  void the_model_meets_the_measured_board() {
    Configuration c = *find_board("pynq");
    int within = 0;
    for (Layer const& layer : kLayers) {
      Timed one = timed(layer, c, By::kMeasuredTiles);
      double ratio = one.ms / layer.board_ms;
      qInfo("%-4s measured %.3f ms, model %.3f ms, ratio %.3f", layer.name, layer.board_ms, one.ms,
            ratio);
      within += std::abs(ratio - 1) <= 0.10;
    }
    QVERIFY2(within == 10, qPrintable(QString("%1 of 10 within 10 %").arg(within)));
  }

  /// Constants were found on the 1 x 16 design; this one they have not seen. Here tiles are the
  /// rule's; published_times_test has those that were measured.
  void the_model_meets_another_design() {
    Configuration c = *find_board("pynq-4x8");
    int within = 0;
    double best = 0;
    for (Layer const& layer : kLayers) {
      double rate = gops(timed(layer, c, By::kRule), c);
      qInfo("%-4s measured %.1f GOPS, model %.1f GOPS, ratio %.3f", layer.name, layer.gops_4x8,
            rate, rate / layer.gops_4x8);
      within += std::abs(rate / layer.gops_4x8 - 1) <= 0.10;
      best = std::max(best, rate / c.peak_gops());
    }
    qInfo("best layer: %.3f of peak", best);
    QVERIFY2(within >= 9, qPrintable(QString("%1 of 10 within 10 %").arg(within)));
    QVERIFY(best >= 0.96);
  }

  void schedules_by_rule_are_as_fast_as_the_best_that_was_measured() {
    Configuration c = *find_board("pynq");
    double total = 0, best = 0;
    int64_t uops = 0;
    for (Layer const& layer : kLayers) {
      Timed with = timed(layer, c, By::kRule), without = timed(layer, c, By::kRuleWithoutThreads);
      double fraction = gops(with, c) / c.peak_gops();
      qInfo("%-4s %.3f ms, %.3f of peak; one thread %.3f ms: threads gain %.2f; measured %.3f ms",
            layer.name, with.ms, fraction, without.ms, without.ms / with.ms, layer.board_ms);
      QVERIFY2(without.ms / with.ms >= 1, layer.name);
      total += layer.times * with.ms;
      uops += layer.times * with.gemm_uops;
      best = std::max(best, fraction);
    }
    qInfo("all layers as often as they are there: %.2f ms, %lld GEMM micro-ops; best %.3f of peak",
          total, qlonglong(uops), best);
    QCOMPARE(uops, int64_t(6'623'232));
    QVERIFY(total <= 88.3);
    QVERIFY(best >= 0.91);  // the best that was measured is 0.916 of peak
    tell_end_to_end(total, 1e-6 * double(uops * c.macs_per_cycle()));
  }

private:
  /// What is published of the whole network: on the board's Cortex-A9 alone the offloaded
  /// convolutions take 40 times as long, and an image more than 3 s; with the accelerator less than
  /// 0.5 s (Moreau et al. 2018, section 5). The first two say how fast the processor is; what stays
  /// there is taken at that rate.
  static void tell_end_to_end(double offloaded_ms, double offloaded_macs_millions) {
    double processor = offloaded_macs_millions / (40 * offloaded_ms);  // million MACs a ms
    struct Rest {
      char const* name;
      double macs_millions;
    };
    double rest_ms = 0;
    for (Rest const& one : {Rest{"C1, 7x7 of 3 channels", 118.014},
                            Rest{"max pool (a comparison counts as a MAC)", 1.806},
                            Rest{"average pool", 0.025}, Rest{"dense layer", 0.512}}) {
      qInfo("on the processor: %-40s %7.2f ms", one.name, one.macs_millions / processor);
      rest_ms += one.macs_millions / processor;
    }
    qInfo("on the accelerator: all other convolutions             %7.2f ms", offloaded_ms);
    qInfo("the network: %.3f s; on the processor alone %.2f s", 1e-3 * (offloaded_ms + rest_ms),
          1e-3 * (40 * offloaded_ms + rest_ms));
    QVERIFY(offloaded_ms + rest_ms < 500);
    QVERIFY(40 * offloaded_ms + rest_ms > 3000);
  }
};

QTEST_GUILESS_MAIN(LayersTest)
#include "layers_test.moc"
