// Bytes between memories, beside a walk over all blocks, threads and iterations.
#include <QtTest>

#include <map>
#include <set>

#include "engine/ir/expr_evaluator.h"
#include "engine/lowering/pipeline.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/gpu/footprint.h"
#include "targets/shared/gpu/launch_nest.h"
#include "targets/shared/gpu/passes.h"
#include "targets/shared/gpu/traffic.h"
#include "tests/support/gpu_scripts.h"

using namespace tw;

namespace {

gpu::LaunchNest nest_of(std::string const& text, std::string const& script) {
  static auto const backend =
      cuda::create_cuda_backend(cuda::known_gpus().front().hardware, {}).value();
  ir::Program program = te::to_program(te::parse_kernel(text).value()).value();
  auto steps = parse_script("tilewright schedule 1\n" + script).value();
  auto done = replay(Schedule(program, backend->shared_target()), steps);
  if (!done) qFatal("%s", done.error().message.c_str());
  auto stages = lower(done->program(), backend->target(), gpu::model_passes(), {}).value();
  return *gpu::launch_nest(stages.back().kernel.host.body);
}

struct Walked {
  double of_blocks = 0;  ///< bytes of sectors that each block touches, added up
  double of_all = 0;     ///< of sectors that any block touches
};

/// What loads, or stores, of main memory touch.
Walked walked(gpu::LaunchNest const& nest, bool stores) {
  std::map<int64_t, std::set<std::pair<std::string, int64_t>>> blocks;
  std::set<std::pair<std::string, int64_t>> all;
  for (gpu::NestAccess const& access : nest.accesses) {
    if (access.shared || access.store != stores) continue;
    ir::ExprEvaluator evaluator;
    ir::Compiled index = evaluator.compile(access.index);
    int64_t turns = 1;
    for (size_t at : access.loops) turns *= nest.loops[at].extent;
    for (int64_t turn = 0; turn < turns; ++turn) {
      int64_t rest = turn, block = 0;
      for (size_t at : access.loops) {
        gpu::NestLoop const& loop = nest.loops[at];
        evaluator.set(evaluator.slot(loop.name), rest % loop.extent);
        if (loop.kind == gpu::NestLoop::Kind::kBlock)
          block = block * loop.extent + rest % loop.extent;
        rest /= loop.extent;
      }
      int64_t sector = evaluator.integer(index, 0) * access.bytes / gpu::kSectorBytes;
      blocks[block].insert({access.tensor, sector});
      all.insert({access.tensor, sector});
    }
  }
  Walked sum;
  for (auto const& [block, own] : blocks) sum.of_blocks += double(own.size());
  sum.of_blocks *= double(gpu::kSectorBytes);
  sum.of_all = double(all.size()) * double(gpu::kSectorBytes);
  return sum;
}

}  // namespace

class TrafficTest : public QObject {
  Q_OBJECT
private slots:
  void large_caches_bring_each_sector_once_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("script");
    auto row = [](char const* name, std::string const& text, std::string const& script) {
      QTest::newRow(name) << QString::fromStdString(text) << QString::fromStdString(script);
    };
    using namespace testing;
    row("plain product", product_text(64), plain_product_script("ty, tx"));
    row("plain product by rows", product_text(64), plain_product_script("tx, ty"));
    row("tiles", product_text(64), tiled_product_script({32, 4, 8}));
    row("padded tiles", product_text(64), tiled_product_script({32, 4, 16, true}));
    row("transpose", transpose_text(64), tiled_transpose_script(32, true));
    row("columns", transpose_text(64), "bind(Y.i, axis=blockIdx.x)\nbind(Y.j, axis=threadIdx.x)\n");
    row("sum", sum_text(4096),
        "b, t = split(Y.i, factor=128)\nbind(b, axis=blockIdx.x)\n"
        "bind(t, axis=threadIdx.x)\n");
  }
  void large_caches_bring_each_sector_once() {
    QFETCH(QString, text);
    QFETCH(QString, script);
    gpu::LaunchNest nest = nest_of(text.toStdString(), script.toStdString());
    gpu::Traffic counted = gpu::traffic_of(nest, {1 << 20, 1 << 30, nest.blocks()});
    Walked loads = walked(nest, false), stores = walked(nest, true);
    QCOMPARE(counted.loaded_bytes, loads.of_blocks);
    QCOMPARE(counted.dram_bytes, loads.of_all + stores.of_all);
    QCOMPARE(counted.touched_bytes, loads.of_all + stores.of_all);
    QVERIFY(counted.asked_bytes >= counted.loaded_bytes);
    QVERIFY(counted.l2_busy_bytes >= counted.l2_bytes);
  }

  void small_caches_bring_more() {
    gpu::LaunchNest nest =
        nest_of(testing::product_text(64), testing::plain_product_script("ty, tx"));
    gpu::Traffic large = gpu::traffic_of(nest, {1 << 20, 1 << 30, nest.blocks()});
    gpu::Traffic none = gpu::traffic_of(nest, {0, 1 << 30, nest.blocks()});
    QVERIFY(none.loaded_bytes > 4 * large.loaded_bytes);
    QVERIFY(none.loaded_bytes <= none.asked_bytes);
    QCOMPARE(none.dram_bytes, large.dram_bytes);
    // One block at a time, and nothing of one is there for the next.
    gpu::Traffic small = gpu::traffic_of(nest, {1 << 20, 0, 1});
    QVERIFY(small.dram_bytes > 2 * large.dram_bytes);
    QVERIFY(small.dram_bytes <= small.l2_bytes);
  }

  void waves_share_what_l2_holds() {
    gpu::LaunchNest nest =
        nest_of(testing::product_text(128), testing::tiled_product_script({32, 4, 8}));
    QCOMPARE(nest.blocks(), int64_t(16));
    double matrix = 128.0 * 128 * 4;
    gpu::Traffic fits = gpu::traffic_of(nest, {1 << 20, 1 << 20, 4});
    QCOMPARE(fits.dram_bytes, 3 * matrix);
    // A wave of a row of blocks reads a quarter of A and all of B.
    gpu::Traffic less = gpu::traffic_of(nest, {1 << 20, 32 << 10, 4});
    QCOMPARE(less.dram_bytes, matrix + 4 * matrix + matrix);
  }
};

QTEST_GUILESS_MAIN(TrafficTest)
#include "traffic_test.moc"
