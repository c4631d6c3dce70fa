// Products by matrix units: what the interpreter makes of the declaration, and what a warp makes of
// the registers that its threads hand over by the PTX ISA, is what the plain program computes; and
// why a nest is none of a warp's.
#include <QtTest>

#include "engine/schedule/macros/macro_set.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/cuda/compiler/toolkit.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/cuda_gpus.h"
#include "tests/support/emitted_runs.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

/// Of four warps, 32 x 32 sums each.
struct Product {
  int64_t rows = 64, columns = 128, terms = 64;
  std::string type = "f16", sum = "f32", unit = "mma_f16";
  bool transposed = false;                    ///< the terms of B stand in rows
  std::string lanes = "lane = fuse(g, t)\n";  ///< steps that make them
  int64_t own_rows = 4;                       ///< of a thread
  std::string layouts = {};                   ///< steps that choose those of the shared tiles
  int64_t copied = 16;                        ///< bytes of one copy

  int64_t bytes() const { return type.ends_with('8') ? 1 : type == "f32" ? 4 : 2; }
  std::string fill() const {
    return fmt::format("copy=copy_async_{}{}, elements={}", copied, type == "f32" ? "" : "_" + type,
                       copied / bytes());
  }
};

struct Made {
  te::Kernel kernel;
  Schedule schedule;
  ir::KernelIr lowered;
};

Result<Made> made_by(std::string const& text, std::string const& script, Backend const& backend) {
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel(text));
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  MacroSet const macros(builtin_macros());
  TRY_ASSIGN(Script steps, parse_script(script, {}, false, &macros));
  auto done = replay(Schedule(program, backend.shared_target()), steps, &macros);
  if (!done) return refused(done.error().code, done.error().message);
  TRY_ASSIGN(auto stages, lower(done->program(), backend.target(), backend.passes(),
                                {.off = {}, .verify = VerifyPasses::kEach, .observe = {}}));
  return Made{std::move(kernel), std::move(*done), std::move(stages.back().kernel)};
}

Result<Made> made_of(Product const& p, Backend const& backend) {
  return made_by(
      fmt::format("tilewright te 1\nkernel product(A: {3}[{0}, {2}], B: {3}[{5}]) -> C\n"
                  "  C[i in {0}, j in {1}]: {4} = sum[k in {2}] {4}(A[i, k]) * {4}(B[{6}])\n",
                  p.rows, p.columns, p.terms, p.type, p.sum,
                  p.transposed ? fmt::format("{}, {}", p.columns, p.terms)
                               : fmt::format("{}, {}", p.terms, p.columns),
                  p.transposed ? "j, k" : "k, j"),
      fmt::format("tilewright schedule 1\ncache_write(C, scope=local)\n"
                  "by, bx, i1, j1 = tile(C.i, C.j, outer_factor=64, inner_factor=64)\n"
                  "wy, wx, i2, j2 = tile(i1, j1, outer_factor=32, inner_factor=32)\n"
                  "g, t, i3, j3 = tile(i2, j2, outer_factor={}, inner_factor=8)\n"
                  "m, n, a, b = tile(i3, j3, outer_factor=2, inner_factor=2)\n"
                  "k0, k1 = split(C.k, factor=32)\nk2, k3 = split(k1, factor={})\n"
                  "reorder(k0, k2, m, n, a, b, k3)\nw = fuse(wy, wx)\n{}"
                  "reverse_compute_at(C_write, lane)\n"
                  "bind(by, axis=blockIdx.y)\nbind(bx, axis=blockIdx.x)\n"
                  "bind(w, axis=threadIdx.y)\nbind(lane, axis=threadIdx.x)\n"
                  "cache_read(C, tensor=A, scope=shared)\n"
                  "cache_read(C, tensor=B, scope=shared)\n"
                  "compute_at(A_cache, k0)\ncompute_at(B_cache, k0)\n{}"
                  "decompose_reduction(k0)\n"
                  "fill_by_threads(A_cache, A_cache.d0, A_cache.d1, {})\n"
                  "fill_by_threads(B_cache, B_cache.d0_2, B_cache.d1_2, {})\n"
                  "tensorize(C.a, intrinsic={})\n",
                  p.own_rows, 32 / p.bytes(), p.lanes, p.layouts, p.fill(), p.fill(), p.unit),
      backend);
}

}  // namespace

class MatrixTest : public QObject {
  Q_OBJECT
private slots:
  void each_unit_is_right_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("sum");
    QTest::addColumn<bool>("transposed");
    QTest::addColumn<bool>("swizzled");
    QTest::addColumn<QString>("ptx");
    for (bool transposed : {false, true})
      for (bool swizzled : {false, true}) {
        std::string how = transposed ? " transposed" : "";
        if (swizzled) how += " swizzled";
        for (auto [type, sum, ptx] : {std::tuple{"f16", "f32", "m16n8k16.row.col.f32.f16.f16.f32"},
                                      {"bf16", "f32", "m16n8k16.row.col.f32.bf16.bf16.f32"},
                                      {"f32", "f32", "m16n8k8.row.col.f32.tf32.tf32.f32"},
                                      {"i8", "i32", "m16n8k32.row.col.s32.s8.s8.s32"},
                                      {"u8", "i32", "m16n8k32.row.col.s32.u8.u8.s32"}})
          QTest::newRow((type + how).c_str()) << type << sum << transposed << swizzled << ptx;
      }
  }
  void each_unit_is_right() {
    QFETCH(QString, ptx);
    auto backend = testing::backend_for("a100");
    Product const product = fetched();
    auto made = made_of(product, *backend);
    QVERIFY2(made, sentence(made).c_str());
    std::vector<NDArray> inputs = inputs_of(*made);
    if (product.type == "f32")
      for (NDArray& input : inputs) round_to_tf32(input);
    QCOMPARE(wrong_in(*made, inputs), std::string());
    for (char const* gpu : {"a100", "h100"}) {
      auto code =
          testing::backend_for(gpu)->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
      QVERIFY2(code, sentence(code).c_str());
      std::string instruction = "mma.sync.aligned." + ptx.toStdString();
      for (size_t text : {0, 1}) {
        QVERIFY2(code->listings[text].text.contains(instruction),
                 code->listings[text].text.c_str());
        std::string const rows = "ldmatrix.sync.aligned.m8n8.";
        QVERIFY2(code->listings[text].text.contains(rows + "x4.shared"),
                 code->listings[text].text.c_str());
        QVERIFY2(code->listings[text].text.contains(rows + "x2.shared") == product.transposed,
                 code->listings[text].text.c_str());
      }
    }
  }

  void they_are_assembled_without_spills_data() { each_unit_is_right_data(); }
  void they_are_assembled_without_spills() {
    if (cuda::find_toolkit().ptxas.empty()) QSKIP("no ptxas was found");
    assembled([](Artifact const& code) {
      QVERIFY2(code.listings[3].text.contains("spills         none"),
               code.listings[3].text.c_str());
    });
  }

  void they_are_instructions_of_the_gpu_data() { each_unit_is_right_data(); }
  void they_are_instructions_of_the_gpu() {
    if (cuda::find_toolkit().nvdisasm.empty()) QSKIP("no nvdisasm was found");
    assembled([](Artifact const& code) {
      QVERIFY2(code.listings[2].text.contains("MMA.16"), code.listings[2].text.c_str());
    });
  }

  void a_product_of_such_types_is_theirs_by_default_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("unit");
    auto row = [](char const* name, char const* unit, std::string const& text) {
      QTest::newRow(name) << QString::fromStdString("tilewright te 1\nkernel product" + text)
                          << unit;
    };
    row("f16 to f16", "mma_f16",
        "(A: f16[64, 96], B: f16[96, 128]) -> D\n"
        "  C[i in 64, j in 128]: f32 = sum[k in 96] f32(A[i, k]) * f32(B[k, j])\n"
        "  D[i in 64, j in 128]: f16 = f16(C[i, j])\n");
    row("bf16 with terms in rows", "mma_bf16",
        "(A: bf16[64, 64], B: bf16[64, 64]) -> C\n"
        "  C[i in 64, j in 64]: f32 = sum[k in 64] f32(A[i, k]) * f32(B[j, k])\n");
    row("i8", "mma_i8",
        "(A: i8[64, 128], B: i8[128, 64]) -> C\n"
        "  C[i in 64, j in 64]: i32 = sum[k in 128] i32(A[i, k]) * i32(B[k, j])\n");
    row("f32", "",
        "(A: f32[64, 64], B: f32[64, 64]) -> C\n"
        "  C[i in 64, j in 64] = sum[k in 64] A[i, k] * B[k, j]\n");
    row("terms that are no whole tiles", "mma_f16",
        "(A: f16[64, 60], B: f16[60, 64]) -> C\n"
        "  C[i in 64, j in 64]: f32 = sum[k in 60] f32(A[i, k]) * f32(B[k, j])\n");
    row("nothing whole", "mma_bf16",
        "(A: bf16[50, 40], B: bf16[40, 70]) -> D\n"
        "  C[i in 50, j in 70]: f32 = sum[k in 40] f32(A[i, k]) * f32(B[k, j])\n"
        "  D[i in 50, j in 70]: f32 = max(C[i, j], 0)\n");
    row("in batches", "mma_f16",
        "(A: f16[3, 64, 64], B: f16[3, 64, 64]) -> C\n"
        "  C[b in 3, i in 64, j in 64]: f32 = sum[k in 64] f32(A[b, i, k]) * f32(B[b, j, k])\n");
    row("in batches with one factor for all", "mma_f16",
        "(A: f16[2, 64, 64], B: f16[64, 64]) -> C\n"
        "  C[b in 2, i in 64, j in 64]: f32 = sum[k in 64] f32(A[b, k, i]) * f32(B[k, j])\n");
    row("odd bytes in batches", "mma_i8",
        "(A: i8[2, 64, 100], B: i8[2, 70, 100]) -> C\n"
        "  C[b in 2, i in 64, j in 70]: i32 = sum[k in 100] i32(A[b, i, k]) * i32(B[b, j, k])\n");
    row("in fragments", "mma_f16",
        "(A: f16[64, 192], B: f16[192, 128]) -> D\n"
        "  C[i in 64, j in 128]: f32 = sum[k in 192] f32(A[i, k]) * f32(B[k, j])\n"
        "  D[i in 64, j in 128]: f16 = f16(max(C[i, j], 0))\n");
    row("f16 throughout", "mma_f16",
        "(A: f16[64, 64], B: f16[64, 64]) -> C\n"
        "  C[i in 64, j in 64]: f16 = sum[k in 64] A[i, k] * B[k, j]\n");
  }
  void a_product_of_such_types_is_theirs_by_default() {
    QFETCH(QString, text);
    QFETCH(QString, unit);
    auto backend = testing::backend_for("a100");
    te::Kernel kernel = te::parse_kernel(text.toStdString()).value();
    Schedule schedule = backend->default_schedule(te::to_program(kernel).value()).value();
    std::string script = schedule.script();
    QCOMPARE(script.contains("intrinsic=mma_"), !unit.isEmpty());
    if (unit.isEmpty()) return;
    QVERIFY2(script.contains("intrinsic=" + unit.toStdString()), script.c_str());
    auto stages = lower(schedule.program(), backend->target(), backend->passes());
    QVERIFY2(stages, sentence(stages).c_str());
    ir::KernelIr const& lowered = stages->back().kernel;
    Rng rng(37);
    std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
    auto wanted = ir::interpret(schedule.origin(), inputs).value();
    ir::Sharing sharing = placed_sharing(backend->target());
    auto interpreted =
        ir::interpret(lowered, inputs.size(), inputs,
                      {.shuffle_seed = 3, .sizes = {}, .sharing = &sharing, .stop = {}});
    QVERIFY2(interpreted, sentence(interpreted).c_str());
    QCOMPARE(testing::difference(wanted, *interpreted), std::string());
    auto code = backend->generate(lowered, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    std::string const& time = code->listings[5].text;
    QVERIFY2(time.contains(" by matrix units, on all"), time.c_str());
    if (cuda::find_toolkit().ptxas.empty()) return;
    QVERIFY2(code->listings[3].text.contains("spills         none"),
             code->listings[3].text.c_str());
  }

  /// Passes of what a warp reads of its tiles, as "Memory access" counts them.
  void tiles_lie_in_different_banks() {
    auto backend = testing::backend_for("a100");
    for (bool transposed : {false, true})
      for (int64_t terms : {96, 128}) {
        te::Kernel kernel =
            te::parse_kernel(
                fmt::format(
                    "tilewright te 1\nkernel p(A: f16[256, {0}], B: f16[{1}]) -> C\n"
                    "  C[i in 256, j in 256]: f32 = sum[k in {0}] f32(A[i, k]) * "
                    "f32(B[{2}])\n",
                    terms,
                    transposed ? fmt::format("256, {}", terms) : fmt::format("{}, 256", terms),
                    transposed ? "j, k" : "k, j"))
                .value();
        Schedule schedule = backend->default_schedule(te::to_program(kernel).value()).value();
        auto stages = lower(schedule.program(), backend->target(), backend->passes()).value();
        auto code =
            backend->generate(stages.back().kernel, CodeTier::kFull, CodeTexts::kAll, {}).value();
        std::string const& access = code.listings[4].text;
        QVERIFY2(access.contains("A_cache          load  shared     4 passes, ideal 4, 8 elements"),
                 access.c_str());
        // Of tiles that are no fragments terms in columns are read element by element, a pair of
        // rows in the same banks.
        std::string b =
            transposed || terms == 128 ? "2 passes, ideal 2, 8 elements" : "2 passes, ideal 1\n";
        QVERIFY2(access.contains("B_cache          load  shared     " + b), access.c_str());
        for (char const* tile : {"A_cache", "B_cache"}) {
          std::string store = fmt::format("{:<16} store shared     4 passes, ideal 4", tile);
          QVERIFY2(access.contains(store), access.c_str());
        }
        QCOMPARE(schedule.script().contains("fragments_of_product"), terms == 128);
      }
  }

  /// Terms of both factors in columns: pieces of eight rows, and of eight columns, come by
  /// ldmatrix.trans, in as many passes as their bytes need.
  void pieces_across_are_fetched_at_once_data() {
    QTest::addColumn<QString>("type");
    QTest::newRow("f16") << "f16";
    QTest::newRow("bf16") << "bf16";
  }
  void pieces_across_are_fetched_at_once() {
    QFETCH(QString, type);
    std::string const factor = type.toStdString();
    auto backend = testing::backend_for("a100");
    auto made = made_by(fmt::format("tilewright te 1\n"
                                    "kernel product(A: {0}[64, 64], B: {0}[64, 128]) -> C\n"
                                    "  C[i in 64, j in 128]: f32 = sum[k in 64] f32(A[k, i]) * "
                                    "f32(B[k, j])\n",
                                    factor),
                        fmt::format("tilewright schedule 1\ncache_write(C, scope=local)\n"
                                    "k0, lane, a = fragments_of_product(C, C_write, C.i, C.j, C.k, "
                                    "C_write.d0, C_write.d1, layout=AB8a8b)\n"
                                    "copy_apart(C, C.k0, tensor=A, banks=16, apart=8)\n"
                                    "copy_apart(C, C.k0, tensor=B, banks=16, apart=8)\n"
                                    "decompose_reduction(C.k0)\n"
                                    "fill_by_threads(A_cache, A_cache.d0, A_cache.d1, "
                                    "copy=copy_async_16_{0})\n"
                                    "fill_by_threads(B_cache, B_cache.d0_2, B_cache.d1_2, "
                                    "copy=copy_async_16_{0})\n"
                                    "tensorize(C.a, intrinsic=mma_{0})\nvectorize(C_write.d1.1)\n",
                                    factor),
                        *backend);
    QVERIFY2(made, sentence(made).c_str());
    QCOMPARE(wrong_in(*made, inputs_of(*made)), std::string());
    for (char const* gpu : {"a100", "h100"}) {
      auto code =
          testing::backend_for(gpu)->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
      QVERIFY2(code, sentence(code).c_str());
      for (size_t text : {0, 1})
        for (char const* rows : {"m8n8.x4.trans.shared", "m8n8.x2.trans.shared"})
          QVERIFY2(code->listings[text].text.contains(rows), code->listings[text].text.c_str());
      std::string const& access = code->listings[4].text;
      for (char const* line : {"A_cache          load  shared     4 passes, ideal 4, 8 elements",
                               "B_cache          load  shared     2 passes, ideal 2, 8 elements",
                               "C                store global     8 sectors, ideal 8, 2 elements"})
        QVERIFY2(access.contains(line), access.c_str());
      if (cuda::find_toolkit().ptxas.empty()) continue;
      std::string const& resources = code->listings[3].text;
      QVERIFY2(resources.contains("spills         none"), resources.c_str());
    }
  }

  void elements_side_by_side_are_read_at_once() {
    // Rows of 72 bytes: none that ldmatrix could take.
    auto made = made_of({.transposed = true,
                         .layouts = "storage_align(A_cache, dim=0, factor=32, offset=4)\n"
                                    "storage_align(B_cache, dim=0, factor=32, offset=4)\n",
                         .copied = 8},
                        *testing::backend_for("a100"));
    QVERIFY2(made, sentence(made).c_str());
    QCOMPARE(wrong_in(*made, inputs_of(*made)), std::string());
    auto code = testing::backend_for("a100")
                    ->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {})
                    .value();
    std::string const& ptx = code.listings[1].text;
    QVERIFY2(ptx.contains("ld.shared.b32") && !ptx.contains("ld.shared.b16"), ptx.c_str());
  }

  void who_is_no_warp_is_refused() {
    auto backend = testing::backend_for("a100");
    auto refusal = [&](Product const& product) {
      auto made = made_of(product, *backend);
      if (!made) return made.error();
      auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kNone, {});
      return code ? Error{} : code.error();
    };
    Error swapped = refusal({.lanes = "reorder(t, g)\nlane = fuse(t, g)\n"});
    QCOMPARE(swapped.code, std::string("not_a_warp"));
    QVERIFY2(swapped.message.contains("threads 1 and 0 must have the same rows of A_cache"),
             swapped.message.c_str());
    Error many = refusal({.own_rows = 2});
    QCOMPARE(many.code, std::string("not_a_warp"));
    QVERIFY2(many.message.contains("threadIdx.x must have 32 iterations, the lanes of a warp, and "
                                   "has 64"),
             many.message.c_str());
    Error odd = refusal({.rows = 96});
    QVERIFY2(odd.code == "not_a_warp" && odd.message.contains("it stands below by*64"),
             odd.message.c_str());
    QCOMPARE(refusal({}).code, std::string());
  }

  /// Which threads of a warp run it must not depend on what differs between them.
  void what_threads_do_not_have_in_common_is_found() {
    auto backend = testing::backend_for("a100");
    auto made = made_of({}, *backend);
    QVERIFY2(made, sentence(made).c_str());
    ir::KernelIr changed = made->lowered;
    QVERIFY(cuda::matrix_calls(changed));
    auto guard = [&](std::string const& axis) {
      ir::Function& function = changed.device[0] = made->lowered.device[0];
      function.body = ir::rewrite_stmts(function.body, [&](ir::Stmt const& s) -> ir::Stmt {
        auto const* call = s.as<ir::IntrinsicCall>();
        if (!call || !call->intrinsic->name.starts_with("mma_")) return nullptr;
        return ir::make<ir::If>(ir::var(axis) < 1, s, ir::Stmt());
      });
      return cuda::matrix_calls(changed);
    };
    QVERIFY(guard("threadIdx.y"));
    auto lanes = guard("threadIdx.x");
    QVERIFY(!lanes);
    QVERIFY2(lanes.error().message.contains("below threadIdx.x < 1"),
             lanes.error().message.c_str());
  }

private:
  static Product fetched() {
    QFETCH(QString, type);
    QFETCH(QString, sum);
    QFETCH(bool, transposed);
    QFETCH(bool, swizzled);
    Product product{.type = type.toStdString(), .sum = sum.toStdString(), .transposed = transposed};
    product.unit = product.type == "f32" ? "mma_tf32" : "mma_" + product.type;
    if (!swizzled) return product;
    int64_t piece = 16 / product.bytes();
    product.layouts = fmt::format(
        "transform_layout(A_cache, map=\"i, k -> i, (k // {0} ^ i // 4 % 8 ^ i % 2 * 4) * {0} + k "
        "% "
        "{0}\")\n",
        piece);
    char const* terms_in_rows =
        "transform_layout(B_cache, map=\"j, k -> j, (k // {0} ^ j // 8 % 4 ^ j % 2 * 4) * {0} + "
        "k % {0}\")\n";
    char const* others =
        "transform_layout(B_cache, map=\"k, j -> k, (j // {0} ^ k // 2 % 2 * 4) * {0} + j % "
        "{0}\")\n";
    product.layouts += fmt::format(fmt::runtime(transposed ? terms_in_rows : others), piece);
    return product;
  }

  static std::vector<NDArray> inputs_of(Made const& made) {
    Rng rng(31);
    return testing::random_inputs(made.kernel, rng);
  }

  /// What is not as the plain program computes it; by the interpreter, and by a warp of this
  /// machine's threads.
  static std::string wrong_in(Made const& made, std::vector<NDArray> const& inputs) {
    auto wanted = ir::interpret(made.schedule.origin(), inputs).value();
    ir::Sharing sharing = placed_sharing(testing::backend_for("a100")->target());
    auto interpreted =
        ir::interpret(made.lowered, inputs.size(), inputs,
                      {.shuffle_seed = 5, .sizes = {}, .sharing = &sharing, .stop = {}});
    if (!interpreted) return sentence(interpreted);
    std::string wrong = testing::difference(wanted, *interpreted);
    if (!wrong.empty() || !__builtin_cpu_supports("fma")) return wrong;
    auto machine = Machine::create({.triple = {}, .cpu = "x86-64-v3", .features = {}}).value();
    auto run = testing::run_emitted(machine, made.lowered, made.schedule.origin(), inputs);
    return run ? testing::difference(wanted, run->outputs) : sentence(run);
  }

  /// What the unit multiplies as it is.
  static void round_to_tf32(NDArray& array) {
    for (int64_t i = 0; i < array.size(); ++i) {
      uint32_t bits = std::bit_cast<uint32_t>(float(array.value_at(i)));
      array.set_value(i, double(std::bit_cast<float>(bits & ~uint32_t(0x1fff))));
    }
  }

  template <typename Look>
  void assembled(Look const& look) {
    for (char const* gpu : {"a100", "h100"}) {
      auto backend = testing::backend_for(gpu);
      auto made = made_of(fetched(), *backend);
      QVERIFY2(made, sentence(made).c_str());
      auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
      QVERIFY2(code, sentence(code).c_str());
      look(*code);
    }
  }
};

QTEST_GUILESS_MAIN(MatrixTest)
#include "matrix_test.moc"
