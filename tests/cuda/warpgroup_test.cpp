// Products by the matrix units of a warpgroup: what the interpreter makes of the declaration, and
// what a warpgroup makes of the descriptors by the PTX ISA, is what the plain program computes;
// waits and barriers are where they must be, and nowhere else; and why a nest is none of a
// warpgroup's.
#include <QtTest>
#include <bit>
#include <chrono>
#include <filesystem>

#include "engine/lowering/launch_order.h"
#include "engine/schedule/macros/macro_set.h"
#include "engine/support/files.h"
#include "engine/support/run_program.h"
#include "targets/cuda/compiler/toolkit.h"
#include "targets/cuda/compiler/warpgroup_units.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/changed_code.h"
#include "tests/support/cuda_gpus.h"
#include "tests/support/emitted_runs.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

struct Product {
  int64_t rows = 64, columns = 64, terms = 128;
  std::string type = "f16", sum = "f32";
  bool transposed = false;    ///< the terms of B stand in rows
  int64_t warpgroups = 1;     ///< of a block, one below the other
  int64_t tile_columns = 64;  ///< of an instruction
  int64_t pieces = 8;         ///< of 16 bytes, of a tile's terms
  std::string stages = "0,0,1", order = {};
  std::string a_layout = {};   ///< another one
  std::string lanes = "g, t";  ///< the order of a warp's loops
  std::string lane_axis = "axis=threadIdx.x";
  int64_t roles = 0;      ///< tiles of a ring that others fill; 0: all threads do
  int64_t producers = 0;  ///< threads that do; 0: as many as compute
  int64_t row() const { return type.ends_with('8') ? 16 : type == "f32" ? 4 : 8; }
  std::string unit() const {
    return fmt::format("wgmma_{}_n{}", type == "f32" ? "tf32" : type, tile_columns);
  }
  std::string copy() const { return type == "f32" ? "copy_async_16" : "copy_async_16_" + type; }
};

struct Made {
  te::Kernel kernel;
  Schedule schedule;
  ir::KernelIr lowered;
  ir::KernelIr before_cut;  ///< with waits and barriers, in one function
};

std::string script_of(Product const& p) {
  int64_t row = p.row(), depth = p.pieces * row;
  std::string fill = fmt::format("copy={}, elements={}, x=128, y={}", p.copy(), row, p.warpgroups);
  bool ring = p.roles == 0 && !p.stages.empty() && p.terms > depth;
  std::string text = fmt::format(
      "tilewright schedule 1\ncache_write(C, scope=local, layout=AB8a8b)\n"
      "by, bx, i1, j1 = tile(C.i, C.j, outer_factor={0}, inner_factor={1})\n"
      "wg, i2 = split(i1, factor=64)\nw, i3 = split(i2, factor=16)\na, g = split(i3, factor=8)\n"
      "n, j2 = split(j1, factor=8)\nt, b = split(j2, factor=2)\nk0, k1 = split(C.k, factor={2})\n"
      "k2, k3 = split(k1, factor={3})\nk4, k5 = split(k3, factor={4})\n"
      "reorder(wg, w, {5}, k0, k2, a, n, b, k4, k5)\nreverse_compute_at(C_write, {6})\n"
      "u = fuse(w, {7})\nlane = fuse(u, {6})\nbind(by, axis=blockIdx.y)\n"
      "bind(bx, axis=blockIdx.x)\nbind(wg, axis=threadIdx.y)\nbind(lane, {8})\n"
      "cache_read(C, tensor=A, scope=shared, layout={9})\n"
      "cache_read(C, tensor=B, scope=shared, layout=BA{4}b)\n"
      "compute_at(A_cache, k0)\ncompute_at(B_cache, k0)\ndecompose_reduction(k0)\n"
      "fill_by_threads(A_cache, A_cache.d0, A_cache.d1, {10})\n"
      "fill_by_threads(B_cache, B_cache.d0_2, B_cache.d1_2, {10})\n",
      64 * p.warpgroups, p.tile_columns, depth, 2 * row, row, p.lanes, p.lanes.substr(3),
      p.lanes.substr(0, 1), p.lane_axis,
      p.a_layout.empty() ? fmt::format("BA{}b", row) : p.a_layout, fill);
  if (ring)
    text += fmt::format("software_pipeline(C.k0, stages=\"{}\"{})\n", p.stages,
                        p.order.empty() ? "" : fmt::format(", order=\"{}\"", p.order));
  if (p.roles > 0) text += fmt::format("annotate(C.k0, key=roles, value={})\n", p.roles);
  if (p.producers > 0)
    text += fmt::format("annotate(C.k0, key=producers, value={})\n", p.producers);
  std::vector<std::string> blocks{"C"};
  if (ring) blocks.push_back("C_last");
  if (ring && p.stages.back() == '2') blocks.push_back("C_last_2");
  for (std::string const& name : blocks)
    text += fmt::format("tensorize({0}.a, intrinsic={1})\nunroll({0}.k2)\n", name, p.unit());
  return text + "vectorize(C_write.d3)\n";
}

Result<Made> made_of(Product const& p, Backend const& backend) {
  TRY_ASSIGN(te::Kernel kernel,
             te::parse_kernel(fmt::format(
                 "tilewright te 1\nkernel product(A: {3}[{0}, {2}], B: {3}[{5}]) -> C\n"
                 "  C[i in {0}, j in {1}]: {4} = sum[k in {2}] {4}(A[i, k]) * {4}(B[{6}])\n",
                 p.rows, p.columns, p.terms, p.type, p.sum,
                 p.transposed ? fmt::format("{}, {}", p.columns, p.terms)
                              : fmt::format("{}, {}", p.terms, p.columns),
                 p.transposed ? "j, k" : "k, j")));
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  MacroSet const macros(builtin_macros());
  TRY_ASSIGN(Script steps, parse_script(script_of(p), {}, false, &macros));
  auto done = replay(Schedule(program, backend.shared_target()), steps, &macros);
  if (!done) return refused(done.error().code, done.error().message);
  TRY_ASSIGN(auto stages, lower(done->program(), backend.target(), backend.passes(),
                                {.off = {}, .verify = VerifyPasses::kEach, .observe = {}}));
  Made made{std::move(kernel), std::move(*done), std::move(stages.back().kernel), {}};
  for (LoweredStage const& stage : stages)
    if (stage.name == "insert_product_fences") made.before_cut = stage.kernel;
  return made;
}

std::vector<NDArray> inputs_of(Made const& made) {
  Rng rng(41);
  std::vector<NDArray> inputs = testing::random_inputs(made.kernel, rng);
  // What a unit of tf32 multiplies as it is.
  for (NDArray& input : inputs)
    for (int64_t i = 0; input.type() == DType::kF32 && i < input.size(); ++i) {
      auto bits = std::bit_cast<uint32_t>(float(input.value_at(i)));
      input.set_value(i, double(std::bit_cast<float>(bits & ~uint32_t(0x1fff))));
    }
  return inputs;
}

}  // namespace

class WarpgroupTest : public QObject {
  Q_OBJECT
private slots:
  void each_unit_is_right_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("sum");
    QTest::addColumn<int>("columns");
    QTest::addColumn<bool>("transposed");
    QTest::addColumn<QString>("ptx");
    for (int columns : {64, 128, 256})
      for (auto [type, sum, k, ptx] : {std::tuple{"f16", "f32", 16, "f32.f16.f16"},
                                       {"bf16", "f32", 16, "f32.bf16.bf16"},
                                       {"i8", "i32", 32, "s32.s8.s8"},
                                       {"u8", "i32", 32, "s32.u8.u8"},
                                       {"f32", "f32", 8, "f32.tf32.tf32"}})
        for (bool transposed : {false, true}) {
          if (!transposed && k != 16) continue;  // refused: a test of its own says so
          // Wide ones take long: of each shape some.
          bool rare = type == std::string("bf16") || type == std::string("u8") || k == 8;
          if (columns > 64 && (rare || (columns == 256 && transposed && k == 16))) continue;
          std::string shape = fmt::format("m64n{}k{}.{}", columns, k, ptx);
          QTest::newRow((shape + (transposed ? " transposed" : "")).c_str())
              << type << sum << columns << transposed << QString::fromStdString(shape);
        }
  }
  void each_unit_is_right() {
    Product product = fetched();
    QFETCH(QString, ptx);
    auto backend = testing::backend_for("h100");
    auto made = made_of(product, *backend);
    QVERIFY2(made, sentence(made).c_str());
    is_right(*made, *backend);
    auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    std::string instruction = "wgmma.mma_async.sync.aligned." + ptx.toStdString();
    for (size_t text : {0, 1})
      for (std::string const& word : {instruction, std::string("wgmma.fence.sync.aligned"),
                                      std::string("wgmma.commit_group.sync.aligned"),
                                      std::string("wgmma.wait_group.sync.aligned"),
                                      std::string("fence.proxy.async.shared::cta")})
        QVERIFY2(code->listings[text].text.contains(word), code->listings[text].text.c_str());
    // Where data is cut, the word for it stands beside the time.
    QVERIFY2(product.type != "f32" || code->listings[5].text.contains("tf32 with sums in f32"),
             code->listings[5].text.c_str());
    if (cuda::find_toolkit().ptxas.empty()) return;
    std::string const& resources = code->listings[3].text;
    QVERIFY2(resources.contains("spills         none"), resources.c_str());
    QVERIFY2(!resources.contains("ptxas says"), resources.c_str());  // they are not serialized
    if (cuda::find_toolkit().nvdisasm.empty()) return qInfo("SASS is not made: no nvdisasm");
    std::string word =
        fmt::format("{}.64x{}x", product.sum == "f32" ? "HGMMA" : "IGMMA", product.tile_columns);
    QVERIFY2(code->listings[2].text.contains(word), code->listings[2].text.c_str());
  }

  void several_warpgroups_and_blocks_share_the_work() {
    auto backend = testing::backend_for("h100");
    auto made = made_of({.rows = 256, .columns = 128, .terms = 192, .warpgroups = 2}, *backend);
    QVERIFY2(made, sentence(made).c_str());
    is_right(*made, *backend);
  }

  void each_wait_and_barrier_is_needed_data() {
    QTest::addColumn<QString>("stages");
    QTest::addColumn<QString>("order");
    QTest::addColumn<int>("under_way");  // groups of products, behind a wait
    QTest::newRow("no ring") << ""
                             << "" << 0;
    QTest::newRow("ring of two") << "0,0,1"
                                 << "" << 0;
    QTest::newRow("ring of three, copies behind products") << "0,0,2"
                                                           << "1,2,0" << 1;
  }
  void each_wait_and_barrier_is_needed() {
    QFETCH(QString, stages);
    QFETCH(QString, order);
    QFETCH(int, under_way);
    auto backend = testing::backend_for("h100");
    auto made = made_of({.terms = stages == "0,0,2" ? 128 : 96,
                         .pieces = 4,
                         .stages = stages.toStdString(),
                         .order = order.toStdString()},
                        *backend);
    QVERIFY2(made, sentence(made).c_str());
    QCOMPARE(most_under_way(made->before_cut), under_way);
    std::vector<NDArray> inputs = inputs_of(*made);
    ir::Sharing sharing = placed_sharing(backend->target());
    QVERIFY(!testing::is_found(made->before_cut, inputs, sharing));
    for (auto* is_one : {&testing::is_wait, &testing::is_barrier}) {
      int count = testing::count_in(made->before_cut, is_one);
      QVERIFY(count > 1);
      for (int i = 0; i < count; ++i)
        QVERIFY2(testing::is_found(testing::changed(made->before_cut, i, is_one, testing::nothing),
                                   inputs, sharing),
                 fmt::format("number {} of {} is not needed", i, count).c_str());
    }
  }

  /// One turn of products is under way while the next tile is awaited; what they read is empty when
  /// they have been waited for.
  void they_go_on_while_others_fill_tiles_data() {
    QTest::addColumn<int>("tiles");
    QTest::addColumn<int>("warpgroups");
    QTest::addColumn<int>("producers");
    QTest::newRow("ring of two") << 2 << 1 << 0;
    QTest::newRow("ring of three") << 3 << 1 << 0;
    QTest::newRow("two warpgroups, one fills") << 4 << 2 << 128;
  }
  void they_go_on_while_others_fill_tiles() {
    QFETCH(int, tiles);
    QFETCH(int, warpgroups);
    QFETCH(int, producers);
    auto backend = testing::backend_for("h100");
    auto made = made_of({.rows = 64 * warpgroups,
                         .terms = 224,
                         .warpgroups = warpgroups,
                         .pieces = 4,
                         .roles = tiles,
                         .producers = producers},
                        *backend);
    QVERIFY2(made, sentence(made).c_str());
    is_right(*made, *backend);
    QCOMPARE(most_under_way(made->before_cut), 1);
    each_wait_for_products_is_needed(*made, *backend);
    auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    for (size_t text : {0, 1})
      for (std::string const& word :
           {std::string("wgmma.mma_async"), std::string("wgmma.commit_group.sync.aligned"),
            std::string("cp.async.mbarrier.arrive.noinc"), std::string("mbarrier.test_wait"),
            std::string("fence.proxy.async.shared::cta")})
        QVERIFY2(code->listings[text].text.contains(word), code->listings[text].text.c_str());
    if (cuda::find_toolkit().ptxas.empty()) return qInfo("not assembled: there is no ptxas here");
    std::string const& resources = code->listings[3].text;
    QVERIFY2(resources.contains("spills         none"), resources.c_str());
    QVERIFY2(!resources.contains("ptxas says"), resources.c_str());
    std::string said = said_of_cuda_c(code->listings[0].text);
    QVERIFY2(!said.contains("C75") && !said.contains("error"), said.c_str());
  }

  void only_sm_90a_has_them() {
    for (char const* gpu : {"a100", "rtx4090", "orin"}) {
      auto made = made_of({}, *testing::backend_for(gpu));
      QVERIFY(!made);
      QVERIFY2(made.error().message.contains("intrinsic must be one of mma_f16"),
               made.error().message.c_str());
    }
  }

  void who_is_no_warpgroup_is_refused() {
    auto backend = testing::backend_for("h100");
    auto refusal = [&](Product const& product) {
      auto made = made_of(product, *backend);
      if (!made) return made.error();
      auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kNone, {});
      return code ? Error{} : code.error();
    };
    QCOMPARE(refusal({}).code, std::string());
    Error swapped = refusal({.lanes = "t, g"});
    QCOMPARE(swapped.code, std::string("not_a_warpgroup"));
    QVERIFY2(swapped.message.contains("threads 32w+4g+t must have rows 16w+g and 16w+g+8"),
             swapped.message.c_str());
    Error rows = refusal({.a_layout = "AB"});
    QCOMPARE(rows.code, std::string("no_core_matrices"));
    QVERIFY2(rows.message.contains("A_cache must lie in pieces of 8 rows of 16 bytes"),
             rows.message.c_str());
    Error odd = refusal({.rows = 96});
    QVERIFY2(odd.code == "not_a_warpgroup" || odd.code == "guarded_nest", odd.message.c_str());
    Error bytes = refusal({.type = "i8", .sum = "i32"});
    QVERIFY2(bytes.code == "nest_differs" && bytes.message.contains("B_cache"),
             bytes.message.c_str());
    Error words = refusal({.type = "f32"});
    QVERIFY2(words.message.contains("the terms of B_cache must stand side by side"),
             words.message.c_str());
  }

private:
  static Product fetched() {
    QFETCH(QString, type);
    QFETCH(QString, sum);
    QFETCH(int, columns);
    QFETCH(bool, transposed);
    return {.columns = columns,
            .terms = type.endsWith('8') ? 256 : 128,
            .type = type.toStdString(),
            .sum = sum.toStdString(),
            .transposed = transposed,
            .tile_columns = columns};
  }

  static int most_under_way(ir::KernelIr const& kernel) {
    int64_t most = 0;
    ir::walk(kernel.host.body, [&](ir::Stmt const& s) {
      auto const* call = s.as<ir::IntrinsicCall>();
      if (call && call->intrinsic->name == cuda::kWaitProducts)
        most = std::max(most, *ir::as_int(call->operands[0].value));
      return true;
    });
    return int(most);
  }

  /// What nvcc and ptxas say of a text; empty where there is no nvcc.
  static std::string said_of_cuda_c(std::string const& text) {
    std::filesystem::path nvcc = cuda::find_toolkit().ptxas.parent_path() / "nvcc";
    QTemporaryDir folder;
    std::string source = folder.filePath("one.cu").toStdString();
    if (!std::filesystem::exists(nvcc)) return {};
    if (!write_file(source, text, Durability::kFast)) return "error: no file";
    auto run = run_program({nvcc.string(), "-arch=sm_90a", "-cubin", "-Xptxas", "-v", source, "-o",
                            folder.filePath("one.cubin").toStdString()},
                           std::chrono::minutes(5));
    return run ? run->output : "error: nvcc does not run";
  }

  static bool is_wait_for_products(ir::Stmt const& s) {
    auto const* call = s.as<ir::IntrinsicCall>();
    return call && call->intrinsic->name == cuda::kWaitProducts;
  }

  /// Neither can be left out nor let one group more be under way: prover and interpreter agree.
  static void each_wait_for_products_is_needed(Made const& made, Backend const& backend) {
    std::vector<NDArray> inputs = inputs_of(made);
    ir::Sharing sharing = placed_sharing(backend.target());
    auto proven = [&](ir::KernelIr const& kernel) {
      return launch_order(backend.target(), kernel).proven();
    };
    QVERIFY(proven(made.before_cut));
    int count = testing::count_in(made.before_cut, is_wait_for_products);
    QVERIFY(count >= 2);
    for (int i = 0; i < count; ++i)
      for (auto* change : {&testing::nothing, &testing::with_one_more}) {
        ir::KernelIr kernel = testing::changed(made.before_cut, i, is_wait_for_products, *change);
        std::string about = fmt::format("number {} of {} is not needed", i, count);
        QVERIFY2(testing::is_found(kernel, inputs, sharing), about.c_str());
        QVERIFY2(!proven(kernel), about.c_str());
      }
  }

  static void is_right(Made const& made, Backend const& backend) {
    std::vector<NDArray> inputs = inputs_of(made);
    auto wanted = ir::interpret(made.schedule.origin(), inputs).value();
    ir::Sharing sharing = placed_sharing(backend.target());
    auto interpreted =
        ir::interpret(made.lowered, inputs.size(), inputs,
                      {.shuffle_seed = 7, .sizes = {}, .sharing = &sharing, .stop = {}});
    QVERIFY2(interpreted, sentence(interpreted).c_str());
    QCOMPARE(testing::difference(wanted, *interpreted), std::string());
    if (!__builtin_cpu_supports("fma")) return;
    auto machine = Machine::create({.triple = {}, .cpu = "x86-64-v3", .features = {}}).value();
    auto run = testing::run_emitted(machine, made.lowered, made.schedule.origin(), inputs);
    QVERIFY2(run, sentence(run).c_str());
    QCOMPARE(testing::difference(wanted, run->outputs), std::string());
  }
};

QTEST_GUILESS_MAIN(WarpgroupTest)
#include "warpgroup_test.moc"
