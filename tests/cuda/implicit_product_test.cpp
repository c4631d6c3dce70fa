// Convolutions as matrix products whose factors are made tile by tile: the default schedule of such
// types, right on the interpreter, assembled without spills, and in few lines.
#include <QtTest>

#include "engine/lowering/pipeline.h"
#include "engine/te/inputs.h"
#include "targets/cuda/compiler/toolkit.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/cuda_gpus.h"
#include "tests/support/emitted_runs.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

struct Conv {
  int64_t batch = 1, channels = 16, height = 9, width = 9, made = 32, window = 3, stride = 1;
  int64_t padding = 1;
  std::string factor = "f16", sum = "f32", after = {};  ///< expression of C[n, o, y, x]
};

/// "X[n, c, y-1, x-1]" with zeros around it.
std::string text_of(Conv const& c) {
  int64_t high = c.height + 2 * c.padding, wide = c.width + 2 * c.padding;
  int64_t rows = (high - c.window) / c.stride + 1, columns = (wide - c.window) / c.stride + 1;
  std::string text = fmt::format(
      "tilewright te 1\nkernel conv(X: {0}[{1}, {2}, {3}, {4}], W: {0}[{5}, {2}, {6}, "
      "{6}]) -> {7}\n",
      c.factor, c.batch, c.channels, c.height, c.width, c.made, c.window,
      c.after.empty() ? "C" : "Y");
  if (c.padding > 0)
    text += fmt::format(
        "  P[n in {0}, c in {1}, y in {2}, x in {3}] = select({4} <= y && y < {5} && {4} <= x && x "
        "< {6}, X[n, c, y-{4}, x-{4}], {7}(0))\n",
        c.batch, c.channels, high, wide, c.padding, c.height + c.padding, c.width + c.padding,
        c.factor);
  text += fmt::format(
      "  C[n in {0}, o in {1}, y in {2}, x in {3}]: {4} = sum[c in {5}, r in {6}, s in {6}] "
      "{4}({7}[n, c, y*{8}+r, x*{8}+s]) * {4}(W[o, c, r, s])\n",
      c.batch, c.made, rows, columns, c.sum, c.channels, c.window, c.padding > 0 ? "P" : "X",
      c.stride);
  if (!c.after.empty())
    text += fmt::format("  Y[n in {}, o in {}, y in {}, x in {}] = {}\n", c.batch, c.made, rows,
                        columns, c.after);
  return text;
}

/// By two warpgroups, each of which has 64 channels of 128 places.
constexpr char kWarpgroups[] =
    "tilewright te 1\n"
    "kernel conv(X: f16[1, 64, 16, 8], W: f16[128, 64, 3, 1]) -> C\n"
    "  P[n in 1, c in 64, y in 18, x in 8] = select(1 <= y && y < 17, X[n, c, y-1, x], f16(0))\n"
    "  C[n in 1, o in 128, y in 16, x in 8]: f32 = sum[c in 64, r in 3, s in 1] "
    "f32(P[n, c, y+r, x+s]) * f32(W[o, c, r, s])\n";
constexpr char kWarpgroupSteps[] =
    "tilewright schedule 1\n"
    "reorder(C.r, C.s, C.c)\n"
    "p, k = product_of_convolution(C, C.n, C.o, C.y, C.x, C.r, C.s, C.c, input=P, weights=W, "
    "output=C)\n"
    "compute_inline(P)\ncache_write(C, scope=local, layout=AB8a8b)\n"
    "reverse_compute_inline(C_write)\n"
    "by, bx, i1, j1 = tile(C.o, C.p, outer_factor=128, inner_factor=128)\n"
    "wg, i2 = split(i1, factor=64)\nw, i3 = split(i2, factor=16)\na, g = split(i3, factor=8)\n"
    "n, j2 = split(j1, factor=8)\nt, b = split(j2, factor=2)\nk0, k1 = split(C.k, factor=64)\n"
    "k2, k3 = split(k1, factor=16)\nk4, k5 = split(k3, factor=8)\n"
    "reorder(wg, w, g, t, k0, k2, a, n, b, k4, k5)\nreverse_compute_at(C_write_2, t)\n"
    "u = fuse(w, g)\nlane = fuse(u, t)\nbind(by, axis=blockIdx.y)\nbind(bx, axis=blockIdx.x)\n"
    "bind(wg, axis=threadIdx.y)\nbind(lane, axis=threadIdx.x)\n"
    "set_scope(W_reindex, scope=shared)\nset_scope(P_reindex, scope=shared)\n"
    "transform_layout(W_reindex, layout=BA8b)\ntransform_layout(P_reindex, layout=BA8b)\n"
    "compute_at(W_reindex, C.k0)\ncompute_at(P_reindex, C.k0)\n"
    "storage_align(W_reindex, dim=0, factor=64, offset=8)\n"
    "storage_align(P_reindex, dim=0, factor=64, offset=8)\ndecompose_reduction(C.k0)\n"
    "share_among_threads(W_reindex, W_reindex.d0, W_reindex.d1, x=128, y=2)\n"
    "share_among_threads(P_reindex, P_reindex.d0_2, P_reindex.d1_2, x=128, y=2)\n"
    "tensorize(C.a, intrinsic=wgmma_f16_n128)\nunroll(C.k2)\n";

struct Made {
  te::Kernel kernel;
  Schedule schedule;
  ir::KernelIr lowered;
};

Result<Made> lowered_by(te::Kernel kernel, Schedule schedule, Backend const& backend) {
  TRY_ASSIGN(auto stages, lower(schedule.program(), backend.target(), backend.passes(),
                                {.off = {}, .verify = VerifyPasses::kEach, .observe = {}}));
  return Made{std::move(kernel), std::move(schedule), std::move(stages.back().kernel)};
}

Result<Made> default_of(std::string const& text, Backend const& backend, Point const& point = {}) {
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel(text));
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  Decisions decisions{point};
  TRY_ASSIGN(Schedule schedule, backend.templated(program, decisions));
  return lowered_by(std::move(kernel), std::move(schedule), backend);
}

Result<Made> made_by(std::string const& text, std::string const& script, Backend const& backend) {
  MacroSet const macros(builtin_macros());
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel(text));
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  TRY_ASSIGN(Script steps, parse_script(script, {}, false, &macros));
  auto done = replay(Schedule(program, backend.shared_target()), steps, &macros);
  if (!done) return refused(done.error().code, done.error().message);
  return lowered_by(std::move(kernel), std::move(*done), backend);
}

/// What the interpreter makes of it that the plain program does not; none: "".
std::string wrong_in(Made const& made, Backend const& backend) {
  Rng rng(40);
  std::vector<NDArray> inputs = testing::random_inputs(made.kernel, rng);
  auto wanted = ir::interpret(made.schedule.origin(), inputs).value();
  ir::Sharing sharing = placed_sharing(backend.target());
  auto interpreted =
      ir::interpret(made.lowered, inputs.size(), inputs,
                    {.shuffle_seed = 5, .sizes = {}, .sharing = &sharing, .stop = {}});
  if (!interpreted) return sentence(interpreted);
  return testing::difference(wanted, *interpreted);
}

/// Of a warp of this machine's threads, as tests/support/emitted_device.h runs it.
std::string wrong_as_emitted(Made const& made) {
  if (!__builtin_cpu_supports("fma")) return {};
  Rng rng(41);
  std::vector<NDArray> inputs = testing::random_inputs(made.kernel, rng);
  auto wanted = ir::interpret(made.schedule.origin(), inputs).value();
  auto machine = Machine::create({.triple = {}, .cpu = "x86-64-v3", .features = {}}).value();
  auto run = testing::run_emitted(machine, made.lowered, made.schedule.origin(), inputs);
  return run ? testing::difference(wanted, run->outputs) : sentence(run);
}

}  // namespace

class ImplicitProductTest : public QObject {
  Q_OBJECT
private slots:
  void a_convolution_is_a_product_by_default_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("unit");
    auto row = [](char const* name, char const* unit, Conv const& conv) {
      QTest::newRow(name) << QString::fromStdString(text_of(conv)) << unit;
    };
    row("padded", "mma_f16", {});
    row("nothing whole", "mma_bf16",
        {.channels = 5, .height = 11, .width = 7, .made = 13, .factor = "bf16"});
    row("stride 2 without padding", "mma_f16",
        {.height = 13, .width = 15, .stride = 2, .padding = 0});
    row("stride 2, window of 7", "mma_f16",
        {.channels = 3, .height = 20, .width = 18, .window = 7, .stride = 2, .padding = 3});
    row("1x1", "mma_f16", {.channels = 32, .height = 8, .width = 8, .window = 1, .padding = 0});
    row("1x1, stride 2", "mma_bf16",
        {.channels = 40,
         .height = 15,
         .width = 15,
         .window = 1,
         .stride = 2,
         .padding = 0,
         .factor = "bf16"});
    row("in batches", "mma_f16", {.batch = 3, .height = 8, .width = 8});
    row("bytes", "mma_i8",
        {.batch = 2, .channels = 9, .height = 8, .width = 7, .factor = "i8", .sum = "i32"});
    row("with what comes after", "mma_f16", {.batch = 2, .after = "max(C[n, o, y, x], 0)"});
    row("of many terms", "mma_f16", {.channels = 128, .height = 7, .width = 7, .made = 64});
  }
  void a_convolution_is_a_product_by_default() {
    QFETCH(QString, text);
    QFETCH(QString, unit);
    for (char const* gpu : {"a100", "h100"}) {
      auto backend = testing::backend_for(gpu);
      auto made = default_of(text.toStdString(), *backend);
      QVERIFY2(made, sentence(made).c_str());
      std::string const script = made->schedule.script();
      QVERIFY2(script.contains(unit.toStdString()), script.c_str());  // or that of warpgroups
      QCOMPARE(wrong_in(*made, *backend), std::string());
      if (cuda::find_toolkit().ptxas.empty()) continue;
      auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
      QVERIFY2(code, sentence(code).c_str());
      std::string const& resources = code->listings[3].text;
      QVERIFY2(resources.contains("spills         none"), resources.c_str());
    }
  }

  void whole_windows_come_in_fragments_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("transposed");
    QTest::addColumn<QString>("first");
    auto row = [](char const* name, bool transposed, Conv const& conv,
                  char const* first = "copy=copy_async_16_") {
      QTest::newRow(name) << QString::fromStdString(text_of(conv)) << transposed << first;
    };
    row("padded", true, {.height = 8, .width = 8, .made = 64});
    row("rows of no multiple of 8", true,
        {.batch = 2, .channels = 32, .height = 12, .width = 6, .made = 64, .factor = "bf16"});
    row("in parts of odd places", true, {.channels = 128, .height = 7, .width = 7, .made = 64});
    row("stride 2 with what comes after", true,
        {.height = 16, .width = 32, .made = 64, .stride = 2, .after = "max(C[n, o, y, x], 0.0)"});
    row("1x1", true,
        {.channels = 128, .height = 8, .width = 8, .made = 64, .window = 1, .padding = 0});
    row("bytes", false,
        {.channels = 32, .height = 8, .width = 8, .made = 64, .factor = "i8", .sum = "i32"});
    row("a longer window", true,
        {.channels = 3,
         .height = 16,
         .width = 31,
         .made = 64,
         .window = 7,
         .stride = 2,
         .padding = 3},
        "product_over_window");
    row("channels of no whole tile", true,
        {.height = 8, .width = 8, .made = 40, .after = "max(C[n, o, y, x], 0.0)"},
        "share_among_threads");
  }
  /// Tiles of all terms of some channels: weights come by asynchronous copies where these lie side
  /// by side, and pieces of eight places by ldmatrix.trans. `first`: what tells how.
  void whole_windows_come_in_fragments() {
    QFETCH(QString, text);
    QFETCH(bool, transposed);
    QFETCH(QString, first);
    auto backend = testing::backend_for("a100");
    auto made = default_of(text.toStdString(), *backend);
    QVERIFY2(made, sentence(made).c_str());
    std::string const script = made->schedule.script();
    QVERIFY2(script.contains("fragments_of_product"), script.c_str());
    QVERIFY2(script.contains(first.toStdString()), script.c_str());
    QVERIFY2(std::ranges::count(script, '\n') <= 25, script.c_str());
    QCOMPARE(wrong_in(*made, *backend), std::string());
    QCOMPARE(wrong_as_emitted(*made), std::string());
    for (char const* gpu : {"a100", "h100"}) {
      auto code =
          testing::backend_for(gpu)->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
      QVERIFY2(code, sentence(code).c_str());
      for (size_t text_of : {0, 1}) {
        std::string const& one = code->listings[text_of].text;
        QVERIFY2(one.contains("ldmatrix.sync.aligned.m8n8.x4.shared"), one.c_str());
        QVERIFY2(one.contains("ldmatrix.sync.aligned.m8n8.x2.trans.shared") == transposed,
                 one.c_str());
      }
      if (cuda::find_toolkit().ptxas.empty()) continue;
      std::string const& resources = code->listings[3].text;
      QVERIFY2(resources.contains("spills         none"), resources.c_str());
    }
  }

  /// Eight elements over the ends of rows: one copy where rows lie one behind the other, and none
  /// where elements lie between them.
  void rows_behind_each_other_are_copied_as_one() {
    auto backend = testing::backend_for("a100");
    auto made = [&](int64_t wide) {
      return made_by(fmt::format("tilewright te 1\nkernel rows(W: f16[32, 16, 3, {}]) -> B\n"
                                 "  A[o in 32, k in 144] = W[o, k // 9, k // 3 % 3, k % 3]\n"
                                 "  B[o in 32, k in 144] = A[o, k]\n",
                                 wide),
                     "tilewright schedule 1\nstage_at(A, B.o)\nbind(B.o, axis=blockIdx.x)\n"
                     "k0, k1 = split(A.k, factor=8)\n"
                     "tensorize(A.k1, intrinsic=copy_async_16_f16)\n"
                     "bind(A.k0, axis=threadIdx.x)\nb0, b1 = split(B.k, factor=18)\n"
                     "bind(B.b1, axis=threadIdx.x)\n",
                     *backend);
    };
    auto dense = made(3);
    QVERIFY2(dense, sentence(dense).c_str());
    QCOMPARE(wrong_in(*dense, *backend), std::string());
    QCOMPARE(wrong_as_emitted(*dense), std::string());
    auto apart = made(4);
    QVERIFY(!apart);
    QCOMPARE(apart.error().code, std::string("nest_differs"));
  }

  /// Passes of what a warp reads of its tiles, as "Memory access" counts them.
  void their_tiles_lie_in_different_banks() {
    auto backend = testing::backend_for("h100");
    auto made = default_of(text_of({.batch = 16,
                                    .channels = 64,
                                    .height = 56,
                                    .width = 56,
                                    .made = 64,
                                    .after = "max(C[n, o, y, x], 0.0)"}),
                           *backend);
    QVERIFY2(made, sentence(made).c_str());
    auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    std::string const& access = code->listings[4].text;
    for (char const* line : {"W_reindex        load  shared     4 passes, ideal 4, 8 elements",
                             "P_reindex        load  shared     2 passes, ideal 2, 8 elements",
                             "P_reindex        store shared     1 pass, ideal 1",
                             "W                load  global    16 sectors, ideal 16, 8 elements",
                             "Y                store global     8 sectors, ideal 8, 2 elements"})
      QVERIFY2(access.contains(line), access.c_str());
  }

  void a_warpgroup_computes_one_by_a_script() {
    auto backend = testing::backend_for("h100");
    auto made = made_by(kWarpgroups, kWarpgroupSteps, *backend);
    QVERIFY2(made, sentence(made).c_str());
    QCOMPARE(wrong_in(*made, *backend), std::string());
    auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    std::string const& ptx = code->listings[1].text;
    QVERIFY2(ptx.contains("wgmma.mma_async"), ptx.c_str());
    if (cuda::find_toolkit().ptxas.empty()) return;
    std::string const& resources = code->listings[3].text;
    QVERIFY2(resources.contains("spills         none"), resources.c_str());
  }

  void warpgroups_compute_some_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("parts");
    auto row = [](char const* name, Conv const& conv, int parts = 1) {
      QTest::newRow(name) << QString::fromStdString(text_of(conv)) << parts;
    };
    row("nothing whole",
        {.channels = 5, .height = 11, .width = 7, .made = 13, .after = "max(C[n, o, y, x], 0)"});
    row("whole places of several pictures",
        {.batch = 2, .channels = 8, .height = 8, .width = 8, .made = 64});
    row("1x1", {.channels = 64, .height = 8, .width = 8, .made = 64, .window = 1, .padding = 0});
    row("in parts", {.channels = 64, .height = 7, .width = 7, .made = 64, .window = 2}, 2);
  }
  void warpgroups_compute_some() {
    QFETCH(QString, text);
    QFETCH(int, parts);
    auto backend = testing::backend_for("h100");
    Point const point{{"C.warpgroups", "1"}, {"C.tile", "64"}, {"C.parts", std::to_string(parts)}};
    auto made = default_of(text.toStdString(), *backend, point);
    QVERIFY2(made, sentence(made).c_str());
    std::string const script = made->schedule.script();
    QVERIFY2(script.contains("intrinsic=wgmma_f16_n64"), script.c_str());
    QCOMPARE(wrong_in(*made, *backend), std::string());
    if (cuda::find_toolkit().ptxas.empty()) return;
    auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    std::string const& resources = code->listings[3].text;
    QVERIFY2(resources.contains("spills         none"), resources.c_str());
    QVERIFY2(!resources.contains("ptxas says"), resources.c_str());
  }

  void others_are_no_products_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("f32") << QString::fromStdString(text_of({.factor = "f32"}));
    QTest::newRow("depthwise")
        << "tilewright te 1\nkernel conv(X: f16[1, 32, 10, 10], W: f16[32, 3, 3]) -> C\n"
           "  C[n in 1, o in 32, y in 8, x in 8]: f32 = sum[r in 3, s in 3] f32(X[n, o, y+r, x+s]) "
           "* f32(W[o, r, s])\n";
    QTest::newRow("in groups")
        << "tilewright te 1\nkernel conv(X: f16[1, 32, 10, 10], W: f16[32, 16, 3, 3]) -> C\n"
           "  C[n in 1, o in 32, y in 8, x in 8]: f32 = sum[c in 16, r in 3, s in 3] "
           "f32(X[n, o // 16 * 16 + c, y+r, x+s]) * f32(W[o, c, r, s])\n";
  }
  void others_are_no_products() {
    QFETCH(QString, text);
    auto backend = testing::backend_for("a100");
    auto made = default_of(text.toStdString(), *backend);
    QVERIFY2(made, sentence(made).c_str());
    std::string const script = made->schedule.script();
    QVERIFY2(!script.contains("intrinsic=mma_"), script.c_str());
  }
};

QTEST_GUILESS_MAIN(ImplicitProductTest)
#include "implicit_product_test.moc"
