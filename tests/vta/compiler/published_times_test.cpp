// Convolutions of ResNet-18 and ResNet-50 on the 4 x 8 design as a board ran them, with the tiles
// that were measured, in the order of loops of the schedules that were: the timing model has seen
// none of these.
#include <QtTest>

#include <cmath>

#include "targets/vta/simulator/timing.h"
#include "tests/support/vta_kernels.h"

using namespace tw;
using namespace tw::vta;
using namespace tw::vta::testing;

namespace {

/// What TopHub's log v0.10 has of a PYNQ board with 4 x 8 at 100 MHz and four images: the best
/// tiles of a search, which loop two threads share, and milliseconds.
struct Row {
  int64_t extent, in, out, kernel, stride;
  int64_t tile_y, tile_x, tile_o, tile_c;
  char const* threads;
  double board_ms;
};
constexpr Row kResNet18[] = {
    {56, 64, 64, 3, 1, 2, 56, 8, 1, "y", 21.3515438},
    {56, 64, 128, 3, 2, 7, 28, 4, 1, "o", 11.1078034},
    {56, 64, 128, 1, 2, 1, 28, 16, 8, "y", 2.8389246},
    {28, 128, 128, 3, 1, 2, 28, 16, 1, "y", 19.9354676},
    {28, 128, 256, 3, 2, 7, 14, 8, 1, "y", 10.0571334},
    {28, 128, 256, 1, 2, 1, 14, 32, 16, "y", 2.199186},
    {14, 256, 256, 3, 1, 14, 14, 4, 1, "o", 19.2200492},
    {14, 256, 512, 3, 2, 7, 7, 16, 1, "o", 9.6910504},
    {14, 256, 512, 1, 2, 1, 7, 32, 16, "o", 2.754953},
    {7, 512, 512, 3, 1, 7, 7, 16, 1, "o", 18.9226258},
};
constexpr Row kResNet50[] = {
    {14, 1024, 2048, 1, 2, 1, 7, 32, 16, "o", 56.3452334},
    {28, 512, 1024, 1, 2, 1, 14, 32, 8, "o", 31.703974},
    {56, 256, 512, 1, 2, 1, 28, 16, 8, "o", 27.1814228},
    {56, 64, 64, 1, 1, 2, 56, 4, 4, "y", 5.9804072},
    {56, 256, 64, 1, 1, 2, 56, 8, 4, "y", 13.0292798},
    {56, 64, 64, 3, 1, 2, 56, 8, 1, "y", 20.7349332},
    {56, 64, 256, 1, 1, 2, 56, 8, 4, "y", 17.9571316},
    {56, 256, 128, 1, 1, 1, 56, 16, 2, "y", 24.7453598},
    {56, 128, 128, 3, 2, 28, 4, 8, 1, "o", 21.0313808},
    {28, 512, 128, 1, 1, 2, 28, 16, 2, "y", 11.252793},
    {28, 128, 128, 3, 1, 14, 28, 2, 1, "y", 19.6718212},
    {28, 128, 512, 1, 1, 2, 28, 16, 4, "y", 13.0965272},
    {28, 512, 256, 1, 1, 2, 28, 16, 8, "y", 19.059272},
    {28, 256, 256, 3, 2, 7, 14, 8, 1, "y", 19.1697264},
    {14, 1024, 256, 1, 1, 7, 14, 8, 8, "o", 9.670791},
    {14, 256, 256, 3, 1, 14, 14, 4, 1, "o", 19.06749},
    {14, 256, 1024, 1, 1, 2, 14, 32, 8, "o", 10.7044832},
    {14, 1024, 512, 1, 1, 2, 14, 32, 16, "o", 18.075489},
    {14, 512, 512, 3, 2, 7, 7, 16, 1, "o", 18.829265},
    {7, 2048, 512, 1, 1, 7, 7, 8, 16, "o", 9.6957754},
    {7, 512, 512, 3, 1, 7, 7, 16, 1, "o", 18.812468},
    {7, 512, 2048, 1, 1, 7, 7, 16, 8, "o", 9.5569984},
};

std::string name_of(Row const& row) {
  return fmt::format("{0}x{0} {1} to {2} channels, {3}x{3}, stride {4}", row.extent, row.in,
                     row.out, row.kernel, row.stride);
}

double modelled_ms(Row const& row, Configuration const& c, Point const& point) {
  ConvShape shape{.images = c.batch(),
                  .height = row.extent,
                  .width = row.extent,
                  .in = row.in,
                  .out = row.out,
                  .kernel = row.kernel,
                  .stride = row.stride,
                  .rounded = false};
  auto backend = backend_of(c);
  Decisions decisions(point);
  Schedule schedule = backend->templated(program_of(text_of(shape, c)), decisions).value();
  CallProgram calls = calls_of(schedule.program(), *backend, c).value();
  double ms = 0;
  std::vector<Batch> batches = make_batches(calls, sample_addresses(calls)).value();
  for (Batch const& batch : batches)
    ms += run_timed(c, batch.stream, {}, {.execute = false}).value().milliseconds;
  return ms;
}

Point measured_tiles(Row const& row) {
  return {{"conv.tile.n", "1"},
          {"conv.tile.y", std::to_string(row.tile_y)},
          {"conv.tile.x", std::to_string(row.tile_x)},
          {"conv.tile.o", std::to_string(row.tile_o)},
          {"conv.tile.c", std::to_string(row.tile_c)},
          {"conv.threads", row.threads},
          {"conv.order", "rows"},
          {"conv.parts", "no"}};
}

}  // namespace

class PublishedTimesTest : public QObject {
  Q_OBJECT
private slots:
  void resnet_18() { compare(kResNet18, 10); }
  void resnet_50() { compare(kResNet50, 21); }

private:
  static void compare(std::span<Row const> rows, int least) {
    Configuration c = *find_board("pynq-4x8");
    int within = 0;
    for (Row const& row : rows) {
      double ms = modelled_ms(row, c, measured_tiles(row)), ratio = ms / row.board_ms;
      double rule = modelled_ms(row, c, {});
      qInfo("%-48s board %7.3f ms, model %7.3f ms, ratio %.3f%s; tiles by rule %7.3f",
            name_of(row).c_str(), row.board_ms, ms, ratio, std::abs(ratio - 1) <= 0.10 ? "" : " *",
            rule);
      within += std::abs(ratio - 1) <= 0.10;
    }
    qInfo("%d of %d within 10 %%", within, int(rows.size()));
    QVERIFY2(within >= least, qPrintable(QString("%1 within 10 %").arg(within)));
  }
};

QTEST_GUILESS_MAIN(PublishedTimesTest)
#include "published_times_test.moc"
