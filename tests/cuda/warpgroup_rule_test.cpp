// Default schedules of products by warpgroups: right on the interpreter and as emitted, assembled
// for sm_90a without spills and without a word of ptxas, in few lines; and chosen where the model
// takes them for faster.
#include <QtTest>

#include "engine/lowering/pipeline.h"
#include "engine/te/inputs.h"
#include "targets/cuda/compiler/product_passes.h"
#include "targets/cuda/compiler/rates.h"
#include "targets/cuda/compiler/toolkit.h"
#include "targets/shared/gpu/launch_nest.h"
#include "targets/shared/gpu/passes.h"
#include "tests/support/cuda_gpus.h"
#include "tests/support/emitted_runs.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

constexpr int64_t kMostLines = 25;  // of a script

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

struct Product {
  int64_t batches = 1, rows = 64, columns = 64, terms = 128;
  std::string type = "f16", sum = "f32";
  bool rows_of_a_last = false, terms_of_b_last = false;
  std::string after = {};  ///< expression of C[i, j]
};

std::string text_of(Product const& p) {
  std::string batch = p.batches > 1 ? fmt::format("{}, ", p.batches) : "";
  std::string b = p.batches > 1 ? "b, " : "",
              of = p.batches > 1 ? fmt::format("b in {}, ", p.batches) : "";
  std::string a_shape = p.rows_of_a_last ? fmt::format("{}, {}", p.terms, p.rows)
                                         : fmt::format("{}, {}", p.rows, p.terms),
              b_shape = p.terms_of_b_last ? fmt::format("{}, {}", p.columns, p.terms)
                                          : fmt::format("{}, {}", p.terms, p.columns);
  std::string text = fmt::format(
      "tilewright te 1\nkernel product(A: {0}[{1}{2}], B: {0}[{1}{3}]) -> {4}\n"
      "  C[{5}i in {6}, j in {7}]: {8} = sum[k in {9}] {8}(A[{10}{11}]) * {8}(B[{10}{12}])\n",
      p.type, batch, a_shape, b_shape, p.after.empty() ? "C" : "D", of, p.rows, p.columns, p.sum,
      p.terms, b, p.rows_of_a_last ? "k, i" : "i, k", p.terms_of_b_last ? "j, k" : "k, j");
  if (!p.after.empty())
    text += fmt::format("  D[{}i in {}, j in {}] = {}\n", of, p.rows, p.columns, p.after);
  return text;
}

/// Of these warpgroups and columns, sums in so many parts.
Point point_of(int groups, int columns, int parts = 1) {
  return {{"C.warpgroups", std::to_string(groups)},
          {"C.columns", std::to_string(columns)},
          {"C.parts", std::to_string(parts)}};
}

}  // namespace

class WarpgroupRuleTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = testing::backend_for("h100"); }

  void products_are_right_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<int>("groups");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("parts");
    auto row = [](char const* name, Product const& p, int groups, int columns, int parts = 1) {
      QTest::newRow(name) << QString::fromStdString(text_of(p))
                          << QString::fromStdString(fmt::format("wgmma_{}_n{}", p.type, columns))
                          << groups << columns << parts;
    };
    row("one tile of terms", {.terms = 64}, 1, 64);
    row("two warpgroups, two tiles", {.rows = 128, .terms = 128}, 2, 64);
    row("a ring of three", {.terms = 192}, 1, 64);
    row("wide", {.columns = 256, .terms = 64}, 1, 256);
    row("terms of B in rows", {.terms = 128, .type = "bf16", .terms_of_b_last = true}, 1, 64);
    row("terms of A in columns", {.terms = 64, .rows_of_a_last = true}, 1, 64);
    row("bytes", {.terms = 256, .type = "i8", .sum = "i32", .terms_of_b_last = true}, 1, 64);
    row("in batches", {.batches = 2, .terms = 128}, 1, 64);
    row("to f16", {.columns = 128, .terms = 64, .after = "f16(C[i, j])"}, 1, 128);
    row("odd terms", {.terms = 100}, 1, 64);
    row("odd rows", {.rows = 100, .terms = 64}, 2, 64);
    row("odd columns", {.columns = 90, .terms = 64}, 1, 64);
    row("nothing whole, then more",
        {.rows = 70, .columns = 75, .terms = 40, .type = "bf16", .after = "max(C[i, j], 0)"}, 1,
        64);
    row("odd bytes",
        {.rows = 70, .terms = 100, .type = "i8", .sum = "i32", .terms_of_b_last = true}, 1, 64);
    row("odd batches", {.batches = 2, .rows = 70, .terms = 64}, 1, 64);
    row("in parts", {.terms = 256}, 1, 64, 2);
    row("odd in parts, then more", {.rows = 70, .terms = 128, .after = "max(C[i, j], 0)"}, 1, 64,
        2);
  }
  void products_are_right() {
    QFETCH(QString, text);
    QFETCH(QString, unit);
    QFETCH(int, groups);
    QFETCH(int, columns);
    QFETCH(int, parts);
    check(text.toStdString(), unit.toStdString(), point_of(groups, columns, parts));
  }

  void random_products_are_right() {
    uint64_t const seed = 20261130;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Rng rng(seed);
    for (int i = 0; i < 3; ++i) {
      Product p{.batches = rng.below(4) == 0 ? 2 : 1,
                .rows = 40 + rng.below(60),
                .columns = 40 + rng.below(60),
                .terms = 40 + rng.below(60),
                .type = rng.below(2) ? "f16" : "bf16",
                .rows_of_a_last = rng.below(2) == 0,
                .terms_of_b_last = rng.below(2) == 0,
                .after = rng.below(2) ? "max(C[i, j], 0)" : ""};
      if (p.batches > 1) p.after = {};
      qInfo("%s", text_of(p).c_str());
      check(text_of(p), fmt::format("wgmma_{}_n64", p.type), point_of(1, 64));
      if (QTest::currentTestFailed()) return;
    }
  }

  void large_products_are_theirs_by_default_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("unit");
    auto row = [](char const* name, char const* unit, Product const& p) {
      QTest::newRow(name) << QString::fromStdString(text_of(p)) << unit;
    };
    row("f16", "wgmma_f16", {.rows = 2048, .columns = 2048, .terms = 2048});
    row("bf16 of odd extents", "wgmma_bf16",
        {.rows = 1000, .columns = 1000, .terms = 1000, .type = "bf16"});
    row("bytes", "wgmma_i8",
        {.rows = 1024,
         .columns = 1024,
         .terms = 1024,
         .type = "i8",
         .sum = "i32",
         .terms_of_b_last = true});
    row("of many terms", "wgmma_f16", {.rows = 256, .columns = 256, .terms = 16384});
    row("bytes with terms in columns", "mma_i8",
        {.rows = 1024, .columns = 1024, .terms = 1024, .type = "i8", .sum = "i32"});
  }
  void large_products_are_theirs_by_default() {
    QFETCH(QString, text);
    QFETCH(QString, unit);
    ir::Program program = program_of(text.toStdString());
    Decisions by_rule;
    auto schedule = backend_->templated(program, by_rule);
    QVERIFY2(schedule, sentence(schedule).c_str());
    std::string const script = schedule->script();
    QVERIFY2(script.contains("intrinsic=" + unit.toStdString()), script.c_str());
    QVERIFY2(std::ranges::count(script, '\n') <= kMostLines, script.c_str());
    Decisions by_warps(Point{{"C.warpgroups", "0"}});
    auto other = backend_->templated(program, by_warps);
    QVERIFY2(other, sentence(other).c_str());
    if (unit.startsWith("wgmma")) QVERIFY(seconds(*schedule) < seconds(*other));
    assembled(*backend_, *schedule);
  }

  /// 64 rows of A and 64 columns of B, of 16 terms in each of four instructions; what comes past L1
  /// is written to shared memory, and not counted as loaded.
  void the_model_counts_what_units_read() {
    Decisions decisions{point_of(1, 64)};
    Schedule schedule = backend_->templated(program_of(text_of({.terms = 64})), decisions).value();
    std::vector<Pass> passes = gpu::model_passes();
    cuda::add_product_passes(passes);
    auto stages = lower(schedule.program(), backend_->target(), passes, {}).value();
    auto nest = gpu::launch_nest(stages.back().kernel.host.body);
    QVERIFY(nest);
    QCOMPARE(nest->unit_bytes * double(nest->threads()), 4.0 * (64 + 64) * 16 * 2);
    QCOMPARE(nest->arithmetic, std::string("f16 with sums in f32"));
    for (gpu::NestAccess const& access : nest->accesses)
      QCOMPARE(access.past_l1, access.tensor == "A" || access.tensor == "B");
  }

  void others_have_no_warpgroups() {
    Decisions asked;
    auto schedule = testing::backend_for("a100")->templated(
        program_of(text_of({.rows = 1024, .columns = 1024, .terms = 1024})), asked);
    QVERIFY2(schedule, sentence(schedule).c_str());
    QVERIFY(schedule->script().contains("intrinsic=mma_f16"));
    for (Knob const& knob : asked.knobs()) QVERIFY(knob.name != "C.warpgroups");
  }

private:
  static ir::Program program_of(std::string const& text) {
    return te::to_program(te::parse_kernel(text).value()).value();
  }

  double seconds(Schedule const& schedule) const {
    Roofs roofs = cuda::roofs_of(backend_->target().hardware).value();
    return backend_->model_time(schedule.program(), analysis::Locality(schedule.program()), roofs)
        .value()
        .seconds;
  }

  static void assembled(Backend const& backend, Schedule const& schedule) {
    auto stages = lower(schedule.program(), backend.target(), backend.passes());
    QVERIFY2(stages, sentence(stages).c_str());
    auto code = backend.generate(stages->back().kernel, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    if (cuda::find_toolkit().ptxas.empty()) return qInfo("not assembled: no ptxas");
    std::string const& resources = code->listings[3].text;
    QVERIFY2(resources.contains("spills         none"), resources.c_str());
    QVERIFY2(!resources.contains("ptxas says"), resources.c_str());
    QVERIFY2(!resources.contains("local memory"), resources.c_str());
  }

  void check(std::string const& text, std::string const& unit, Point const& point) {
    te::Kernel kernel = te::parse_kernel(text).value();
    Decisions decisions{point};
    auto schedule = backend_->templated(te::to_program(kernel).value(), decisions);
    QVERIFY2(schedule, sentence(schedule).c_str());
    std::string const script = schedule->script();
    QVERIFY2(script.contains("intrinsic=" + unit), (text + script).c_str());
    QVERIFY2(std::ranges::count(script, '\n') <= kMostLines, script.c_str());
    is_right(kernel, *schedule);
    if (!QTest::currentTestFailed()) assembled(*backend_, *schedule);
  }

  void is_right(te::Kernel const& kernel, Schedule const& schedule) {
    auto stages = lower(schedule.program(), backend_->target(), backend_->passes(),
                        {.off = {}, .verify = VerifyPasses::kEach, .observe = {}});
    QVERIFY2(stages, sentence(stages).c_str());
    ir::KernelIr const& lowered = stages->back().kernel;
    Rng rng(43);
    std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
    auto wanted = ir::interpret(schedule.origin(), inputs).value();
    ir::Sharing sharing = placed_sharing(backend_->target());
    auto interpreted =
        ir::interpret(lowered, inputs.size(), inputs,
                      {.shuffle_seed = 7, .sizes = {}, .sharing = &sharing, .stop = {}});
    QVERIFY2(interpreted, sentence(interpreted).c_str());
    QCOMPARE(testing::difference(wanted, *interpreted), std::string());
    if (!__builtin_cpu_supports("fma")) return qInfo("not run as emitted: no fma");
    auto machine = Machine::create({.triple = {}, .cpu = "x86-64-v3", .features = {}}).value();
    auto run = testing::run_emitted(machine, lowered, schedule.origin(), inputs);
    QVERIFY2(run, sentence(run).c_str());
    QCOMPARE(testing::difference(wanted, run->outputs), std::string());
  }

  std::shared_ptr<Backend const> backend_;
};

QTEST_GUILESS_MAIN(WarpgroupRuleTest)
#include "warpgroup_rule_test.moc"
