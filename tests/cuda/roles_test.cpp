// Threads of a block that are split by roles: some bring tiles, the others compute with them.
// Products at random are what the plain program computes, in any order of the threads, are proven,
// and are assembled without spills; and why threads cannot be split.
#include <QtTest>
#include <cmath>

#include "engine/analysis/locality.h"
#include "engine/lowering/launch_order.h"
#include "engine/schedule/macros/macro_set.h"
#include "engine/schedule/trace.h"
#include "targets/cuda/compiler/rates.h"
#include "targets/cuda/compiler/toolkit.h"
#include "tests/support/cuda_gpus.h"
#include "tests/support/gpu_scripts.h"
#include "tests/support/launch_faults.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

constexpr uint64_t kSeed = 20261130;
constexpr int kProducts = 60;

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

struct Product {
  int64_t rows = 32, columns = 32, terms = 32;
  testing::Tiles tiles{16, 4, 8};
  bool asynchronous = false, bulk = false;  ///< the copies
  int64_t ring = 2;                         ///< tiles in it
  int64_t producers = 0;                    ///< threads that fill them; 0: as many as compute
};

struct Made {
  te::Kernel kernel;
  ir::Program program;
  std::vector<LoweredStage> stages;
};

std::string copies(Product const& p, char const* tile, char const* row, char const* column) {
  int64_t threads = p.tiles.block / p.tiles.own;
  return fmt::format(
      "fill_by_threads({0}, {0}.{1}, {0}.{2}, copy=copy_async_16, elements=4, x={3}, y={3})\n",
      tile, row, column, threads);
}

std::string script_of(Product const& p) {
  std::string text = testing::tiled_product_script(p.tiles);
  if (p.asynchronous)
    text = text.substr(0, text.find("p = fuse(")) + copies(p, "A_cache", "d0", "d1") +
           copies(p, "B_cache", "d0_2", "d1_2");
  int64_t threads = p.tiles.block / p.tiles.own;
  if (p.bulk)  // a row by each of the first threads
    text = text.substr(0, text.find("p = fuse(")) +
           fmt::format(
               "an, at = split(A_cache.d0, factor={0})\nay, ax = split(at, factor={1})\n"
               "bind(ay, axis=threadIdx.y)\nbind(ax, axis=threadIdx.x)\n"
               "tensorize(A_cache.d1, intrinsic=copy_bulk_{2})\n"
               "bn, bx2 = split(B_cache.d0_2, factor=2)\nbind(bx2, axis=threadIdx.x)\n"
               "tensorize(B_cache.d1_2, intrinsic=copy_bulk_{3})\n",
               std::min(threads * threads, p.tiles.block), threads, 4 * p.tiles.terms,
               4 * p.tiles.block);
  if (p.producers > 0)
    text += fmt::format("annotate(C.k0, key=producers, value={})\n", p.producers);
  return text + fmt::format("annotate(C.k0, key=roles, value={})\n", p.ring);
}

Result<Made> made_of(Product const& p, std::string const& script, Backend const& backend) {
  TRY_ASSIGN(te::Kernel kernel,
             te::parse_kernel(fmt::format(
                 "tilewright te 1\nkernel product(A: f32[{0}, {2}], B: f32[{2}, {1}]) -> C\n"
                 "  C[i in {0}, j in {1}] = sum[k in {2}] A[i, k] * B[k, j]\n",
                 p.rows, p.columns, p.terms)));
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  MacroSet const macros(builtin_macros());
  TRY_ASSIGN(Script steps, parse_script("tilewright schedule 1\n" + script, {}, false, &macros));
  auto done = replay(Schedule(program, backend.shared_target()), steps, &macros);
  if (!done) return refused(done.error().code, done.error().message);
  TRY_ASSIGN(auto stages, lower(done->program(), backend.target(), backend.passes(),
                                {.off = {}, .verify = VerifyPasses::kEach, .observe = {}}));
  return Made{std::move(kernel), done->program(), std::move(stages)};
}

Product random_product(Rng& rng) {
  Product p;
  p.asynchronous = rng.below(3) == 0;
  p.bulk = !p.asynchronous && rng.below(2);
  p.tiles.block = rng.below(2) ? 16 : 32;
  p.tiles.own = rng.below(2) ? 4 : 8;
  p.tiles.terms = p.asynchronous || p.bulk || rng.below(2) ? 8 : 4;
  p.tiles.padded = !p.asynchronous && !p.bulk && rng.below(2);
  p.ring = rng.between(2, 5);
  if (rng.below(2)) p.producers = 32 * rng.between(1, 3);
  auto extent = [&](int64_t tile) { return tile * rng.between(1, 2); };
  p.rows = extent(p.tiles.block);
  p.columns = extent(p.tiles.block);
  p.terms = p.tiles.terms * rng.between(1, 7);
  if (p.asynchronous || p.bulk) return p;
  for (int64_t* one : {&p.rows, &p.columns, &p.terms})  // or no whole tiles
    if (rng.below(2)) *one += rng.between(1, 3);
  return p;
}

}  // namespace

class RolesTest : public QObject {
  Q_OBJECT
private slots:
  void products_at_random_are_right_and_proven() {
    qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
    Rng rng(kSeed);
    auto backend = testing::backend_for("h100");
    int split = 0;
    for (int i = 0; i < kProducts; ++i) {
      Product p = random_product(rng);
      std::string about =
          fmt::format("product {}: {} x {} x {}\n{}", i, p.rows, p.columns, p.terms, script_of(p));
      auto made = made_of(p, script_of(p), *backend);
      QVERIFY2(made, (sentence(made) + "\n" + about).c_str());
      QVERIFY2(testing::said(launch_order(backend->target(), made->stages.back().kernel)).empty(),
               about.c_str());
      std::vector<NDArray> inputs = testing::random_inputs(made->kernel, rng);
      auto wanted = ir::interpret(te::to_program(made->kernel).value(), inputs);
      QVERIFY2(wanted, sentence(wanted).c_str());
      for (LoweredStage const& stage : made->stages) {
        if (stage.name != "split_roles" && stage.name != "check_target") continue;
        split += ir::print(stage.kernel).text.contains("call await_phase") && stage.name[0] == 's';
        ir::Sharing sharing = placed_sharing(backend->target());
        auto outputs = ir::interpret(stage.kernel, inputs.size(), inputs,
                                     {.shuffle_seed = uint64_t(i + 1), .sharing = &sharing});
        QVERIFY2(outputs, (sentence(outputs) + "\n" + about).c_str());
        std::string far = testing::difference(*wanted, *outputs);
        QVERIFY2(far.empty(), (far + "\n" + about).c_str());
      }
    }
    QVERIFY(split > kProducts / 2);
  }

  void they_are_assembled_without_spills_data() {
    QTest::addColumn<bool>("asynchronous");
    QTest::addColumn<int>("block");
    for (bool asynchronous : {false, true})
      for (int block : {32, 64, 128})
        QTest::addRow("%s %d", asynchronous ? "cp.async" : "stores", block)
            << asynchronous << block;
  }
  void they_are_assembled_without_spills() {
    QFETCH(bool, asynchronous);
    QFETCH(int, block);
    for (char const* gpu : {"a100", "h100"}) {
      auto backend = testing::backend_for(gpu);
      Product p{.rows = 512,
                .columns = 512,
                .terms = 512,
                .tiles = {block, 8, 8},
                .asynchronous = asynchronous,
                .ring = 3};
      if (block == 32) p.tiles.own = 4;
      auto made = made_of(p, script_of(p), *backend);
      QVERIFY2(made, sentence(made).c_str());
      auto code =
          backend->generate(made->stages.back().kernel, CodeTier::kFull, CodeTexts::kAll, {});
      QVERIFY2(code, sentence(code).c_str());
      for (size_t text : {0, 1})
        for (std::string const& word :
             {std::string("mbarrier.init.shared.b64"), std::string("mbarrier.arrive.shared.b64"),
              std::string("mbarrier.test_wait.parity.shared.b64")})
          QVERIFY2(code->listings[text].text.contains(word), code->listings[text].text.c_str());
      QCOMPARE(code->listings[1].text.contains("cp.async.mbarrier.arrive.noinc.shared.b64"),
               asynchronous);
      if (cuda::find_toolkit().ptxas.empty()) return qInfo("not assembled: there is no ptxas here");
      std::string const& resources = code->listings[3].text;
      QVERIFY2(resources.contains("spills         none"), resources.c_str());
    }
  }

  void rows_come_in_one_piece() {
    auto backend = testing::backend_for("h100");
    Product p{.rows = 256, .columns = 256, .terms = 256, .tiles = {64, 4, 16}, .bulk = true};
    auto made = made_of(p, script_of(p), *backend);
    QVERIFY2(made, sentence(made).c_str());
    auto code = backend->generate(made->stages.back().kernel, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    for (size_t text : {0, 1}) {
      std::string const& all = code->listings[text].text;
      for (char const* word : {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64",
                               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
                               "fence.proxy.async.shared::cta"})
        QVERIFY2(all.contains(word), all.c_str());
      QVERIFY2(!all.contains("noinc"), all.c_str());  // each thread arrives at once
    }
    // Two tiles of each factor, and two times two barriers, each two at a place of its own.
    QVERIFY2(code->listings[3].text.contains(
                 fmt::format("{} bytes of each block", 2 * 2 * 64 * 16 * 4 + 64 + 16)),
             code->listings[3].text.c_str());
    if (cuda::find_toolkit().ptxas.empty()) return qInfo("not assembled: there is no ptxas here");
    QVERIFY2(code->listings[3].text.contains("spills         none"),
             code->listings[3].text.c_str());
    // Without roles nobody waits for them.
    std::string script = script_of(p);
    auto plain = made_of(p, script.substr(0, script.find("annotate(")), *backend);
    QVERIFY2(plain, sentence(plain).c_str());
    auto refused = backend->generate(plain->stages.back().kernel, CodeTier::kFull, {}, {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, std::string("no_roles"));
    QVERIFY(!testing::backend_for("a100")->target().intrinsic("copy_bulk_128"));
  }

  /// One warp beside those that compute: rows of threads that come after theirs.
  void one_warp_fills() {
    auto backend = testing::backend_for("h100");
    Product p{.rows = 256,
              .columns = 256,
              .terms = 256,
              .tiles = {64, 4, 16},
              .bulk = true,
              .ring = 3,
              .producers = 32};
    auto made = made_of(p, script_of(p), *backend);
    QVERIFY2(made, sentence(made).c_str());
    auto code = backend->generate(made->stages.back().kernel, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    std::string const& resources = code->listings[3].text;
    QVERIFY2(resources.contains("16 x 18"), resources.c_str());
    if (cuda::find_toolkit().ptxas.empty()) return qInfo("not assembled: there is no ptxas here");
    QVERIFY2(resources.contains("spills         none"), resources.c_str());
  }

  /// A row in one piece takes its bytes and two instructions; threads that do not fill are no load.
  void modelled_times_know_who_fills() {
    auto backend = testing::backend_for("h100");
    auto modelled = [&](Product const& p) {
      auto made = made_of(p, script_of(p), *backend);
      if (!made) qFatal("%s", sentence(made).c_str());
      return backend
          ->model_time(made->program, analysis::Locality(made->program),
                       cuda::roofs_of(backend->target().hardware).value())
          .value();
    };
    Product p{.rows = 1024,
              .columns = 1024,
              .terms = 1024,
              .tiles = {128, 8, 8},
              .asynchronous = true,
              .ring = 3};
    auto copies = modelled(p);
    p.asynchronous = false;
    p.bulk = true;
    auto pieces = modelled(p);
    p.producers = 32;
    auto one_warp = modelled(p);
    qInfo("%.1f, %.1f, %.1f us", copies.seconds * 1e6, pieces.seconds * 1e6,
          one_warp.seconds * 1e6);
    // Shared memory and latency bind both.
    QVERIFY(pieces.seconds < copies.seconds * 1.001 && one_warp.seconds < pieces.seconds);
    // Each of 64 blocks reads 1024 rows of 128 elements of either factor, and writes its tile, half
    // sectors at a time.
    double bytes = 64.0 * (2 * 1024 * 128 + 2 * 128 * 128) * 4;
    for (auto const* one : {&copies, &pieces, &one_warp})
      QVERIFY2(std::abs(one->levels[1].bytes / bytes - 1) < 0.02,
               qPrintable(QString("%1 of %2").arg(one->levels[1].bytes).arg(bytes)));
  }

  void why_threads_cannot_be_split() {
    auto backend = testing::backend_for("a100");
    auto refused = [&](Product const& p, std::string const& more = {}) {
      auto made = made_of(p, script_of(p) + more, *backend);
      return made ? std::string("it is not refused") : made.error().code;
    };
    QCOMPARE(refused({.rows = 128, .columns = 128, .tiles = {128, 4, 8}}), std::string("no_roles"));
    QCOMPARE(refused({.tiles = {16, 4, 8}, .ring = 9}), std::string("value_out_of_range"));
    QCOMPARE(refused({.tiles = {16, 4, 8}, .producers = 16}), std::string("value_out_of_range"));
    QCOMPARE(refused({.tiles = {16, 4, 8}, .producers = 34}), std::string("no_roles"));
    std::string plain =
        testing::plain_product_script("ty, tx") + "annotate(C.k, key=roles, value=2)\n";
    QCOMPARE(made_of({}, plain, *backend).error().code, std::string("no_roles"));
    // Others have no barriers with phases, and no word for roles.
    auto old = testing::backend_for("v100");
    QVERIFY(!made_of({}, script_of({}), *old));
    QVERIFY(!old->target().phases.open);
  }
};

QTEST_GUILESS_MAIN(RolesTest)
#include "roles_test.moc"
