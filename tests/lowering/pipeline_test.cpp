// The list of passes as data: what holds where, what is checked, what can be left out.
#include <QtTest>
#include <set>

#include "engine/ir/kernel.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/passes.h"
#include "engine/te/te.h"

using namespace tw;

namespace {

std::vector<Pass> all_passes() {
  return {hoist_reduction_init(), lower_blocks(),    simplify_kernel().because("first"),
          compact_tensors(),      partition_loops(), flatten_buffers(),
          vectorize_loops(),      unroll_loops(),    simplify_kernel().because("again"),
          promote_accumulators(), plan_workspace()};
}

ir::Program sums() {
  return te::to_program(te::parse_kernel("tilewright te 1\nkernel sums(X: f32[4, 3]) -> Y\n"
                                         "  Y[i in 4] = sum[k in 3] X[i, k]\n")
                            .value())
      .value();
}

QString sentence(auto const& result) {
  return result ? QString("no error") : QString::fromStdString(to_sentence(result.error()));
}

/// A pass that promises and does what it is told.
Pass pass_that(PassContract contract,
               Result<ir::KernelIr> (*run)(ir::KernelIr const&, PassContext const&)) {
  return {"broken", "", "", run, std::move(contract)};
}

Result<ir::KernelIr> does_nothing(ir::KernelIr const& kernel, PassContext const&) { return kernel; }

Result<ir::KernelIr> stores_elsewhere(ir::KernelIr const& kernel, PassContext const&) {
  ir::KernelIr result = kernel;
  result.host.body = ir::make<ir::Store>(ir::make_buffer("Z", DType::kF32, {1}),
                                         std::vector<ir::Expr>{ir::int_imm(0)}, ir::float_imm(1));
  return result;
}

Result<std::vector<LoweredStage>> lower_sums(std::vector<Pass> const& passes,
                                             LowerOptions const& options) {
  static Target const target;
  return lower(sums(), target, passes, options);
}

LowerOptions verifying() {
  LowerOptions options;
  options.verify = VerifyPasses::kEach;
  return options;
}

LowerOptions without(std::vector<std::string> off) {
  LowerOptions options = verifying();
  options.off = std::move(off);
  return options;
}

std::string kernel_text(std::string const& params, std::string const& body) {
  return "tilewright kernel 1\nhost f(" + params + ")\n" + body;
}

}  // namespace

class PipelineTest : public QObject {
  Q_OBJECT
private slots:
  void a_pass_that_stands_again_has_a_key_of_its_own() {
    std::vector<std::string> keys = pass_keys(all_passes());
    QCOMPARE(keys.size(), size_t(11));
    QCOMPARE(keys[2], std::string("simplify"));
    QCOMPARE(keys[8], std::string("simplify.2"));
  }

  void a_pass_is_known_by_its_former_name() {
    QCOMPARE(pass_called("place_waits.2"), std::string("insert_async_waits.2"));
    QCOMPARE(pass_called("simplify.2"), std::string("simplify.2"));
    std::set<std::string> files;
    for (PassRow const& row : pass_table()) files.insert(row.file);
    for (std::string const& file : files) QCOMPARE(pass_called(file), file);
    for (char const* former :
         {"branch_on_sizes", "cut_open_loops", "guard_updates", "launch_threads", "lower_calls",
          "open_sizes", "place_barriers", "place_tensors", "place_waits", "set_registers"})
      QVERIFY2(files.contains(pass_called(former)), former);
  }

  void what_holds_at_the_end_is_what_generating_code_needs() {
    std::vector<Invariants> stages = stage_invariants(all_passes());
    QCOMPARE(stages.size(), size_t(12));
    QVERIFY(stages.front() == program_invariants());
    for (Invariant needed : code_invariants())
      QVERIFY2(stages.back().contains(needed), std::string(name_of(needed)).c_str());
    // Vectors have lanes and remainders are copies: these promises are given up on the way.
    QVERIFY(!stages.back().contains(Invariant::kScalarCode));
    QVERIFY(!stages.back().contains(Invariant::kLoopsOnce));
    // No pass stands before what it needs.
    std::vector<Pass> passes = all_passes();
    for (size_t i = 0; i < passes.size(); ++i)
      for (Invariant needed : passes[i].contract.needs)
        QVERIFY2(stages[i].contains(needed), passes[i].name.c_str());
  }

  void every_stage_is_timed_and_seen() {
    std::vector<std::string> seen;
    LowerOptions options = verifying();
    options.observe = [&](LoweredStage const& stage) { seen.push_back(stage.name); };
    auto stages = lower_sums(all_passes(), options);
    QVERIFY2(stages, qPrintable(sentence(stages)));
    QCOMPARE(seen, pass_keys(all_passes()));
    QCOMPARE(stages->size(), size_t(12));
    for (size_t i = 1; i < stages->size(); ++i)
      QVERIFY((*stages)[i].ran && (*stages)[i].milliseconds > 0 &&
              (*stages)[i].verify_milliseconds > 0);
  }

  void nothing_is_checked_unless_asked_for() {
    LowerOptions options;
    std::vector<Pass> passes = all_passes();
    passes.push_back(pass_that({}, stores_elsewhere));
    auto stages = lower_sums(passes, options);
    QVERIFY2(stages, qPrintable(sentence(stages)));
    QCOMPARE(stages->back().verify_milliseconds, 0.0);
  }

  void a_pass_that_breaks_a_kernel_is_named_with_what_it_broke() {
    std::vector<Pass> passes = all_passes();
    passes.insert(passes.begin() + 2, pass_that({}, stores_elsewhere));
    auto stages = lower_sums(passes, verifying());
    QVERIFY(!stages);
    QCOMPARE(stages.error().code, std::string("pass_failed_check"));
    QCOMPARE(
        sentence(stages),
        QString("after the pass broken: the tensor 'Z' is used outside its scope, in: Z[0] = 1.0"));
  }

  void a_promise_that_is_not_kept_is_named_with_the_statement() {
    std::vector<Pass> passes{hoist_reduction_init(), lower_blocks(),
                             pass_that({.gives = {Invariant::kFlatBuffers}}, does_nothing)};
    QCOMPARE(sentence(lower_sums(passes, verifying())),
             QString("after the pass broken: flat_buffers does not hold (every tensor has one "
                     "dimension): the parameter X"));
    passes.back() = pass_that({.gives = {Invariant::kNoVectorLoops}}, does_nothing);
    QVERIFY(lower_sums(passes, verifying()));
    passes = {pass_that({.gives = {Invariant::kNoBlocks}}, does_nothing)};
    QVERIFY(sentence(lower_sums(passes, verifying()))
                .startsWith("after the pass broken: no_blocks does not hold (there are no blocks): "
                            "block Y("));
  }

  void what_a_pass_needs_is_checked_before_it() {
    // Without the first pass inits would be lost, silently.
    QVERIFY(sentence(lower_sums({lower_blocks()}, verifying()))
                .startsWith("before the pass lower_blocks: no_inits does not hold"));
  }

  void passes_that_others_can_live_without_can_be_left_out_data() {
    QTest::addColumn<QString>("key");
    for (char const* key : {"simplify", "simplify.2", "compact_tensors", "partition_loops",
                            "unroll_loops", "promote_accumulators"})
      QTest::newRow(key) << key;
  }
  void passes_that_others_can_live_without_can_be_left_out() {
    QFETCH(QString, key);
    auto stages = lower_sums(all_passes(), without({key.toStdString()}));
    QVERIFY2(stages, qPrintable(sentence(stages)));
    QCOMPARE(stages->size(), size_t(12));
    for (size_t i = 1; i < stages->size(); ++i) {
      bool off = (*stages)[i].name == key.toStdString();
      QCOMPARE((*stages)[i].ran, !off);
      if (off) QVERIFY(ir::equal((*stages)[i].kernel, (*stages)[i - 1].kernel));
    }
  }

  void others_are_refused_with_what_would_be_missing_data() {
    QTest::addColumn<QString>("keys");
    QTest::addColumn<QString>("reason");
    auto row = [](char const* keys, char const* reason) { QTest::newRow(keys) << keys << reason; };
    row("hoist_reduction_init",
        "the pass hoist_reduction_init cannot be left out: lower_blocks needs no_inits (no block "
        "has an init)");
    row("lower_blocks",
        "the pass lower_blocks cannot be left out: compact_tensors needs no_blocks (there are no "
        "blocks)");
    row("compact_tensors,flatten_buffers",
        "the pass flatten_buffers cannot be left out: vectorize_loops needs flat_buffers (every "
        "tensor has one dimension)");
    row("vectorize_loops",
        "the pass vectorize_loops cannot be left out: promote_accumulators needs no_vector_loops "
        "(there are no vector loops)");
    row("vectorize_loops,promote_accumulators",
        "the pass vectorize_loops cannot be left out: generating code needs no_vector_loops "
        "(there are no vector loops)");
    row("plan_workspace",
        "the pass plan_workspace cannot be left out: generating code needs placed_buffers (every "
        "allocation has its place: registers, the stack, a block's memory or the workspace)");
    row("simplify.3",
        "there is no pass 'simplify.3'; the passes are hoist_reduction_init, lower_blocks, "
        "simplify, compact_tensors, partition_loops, flatten_buffers, vectorize_loops, "
        "unroll_loops, simplify.2, promote_accumulators, plan_workspace");
  }
  void others_are_refused_with_what_would_be_missing() {
    QFETCH(QString, keys);
    QFETCH(QString, reason);
    std::vector<std::string> off;
    for (QString const& key : keys.split(',')) off.push_back(key.toStdString());
    QCOMPARE(sentence(lower_sums(all_passes(), without(off))), reason);
  }

  void each_invariant_finds_the_statement_that_breaks_it_data() {
    QTest::addColumn<int>("invariant");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("culprit");
    auto row = [](Invariant invariant, std::string const& text, char const* culprit) {
      QTest::newRow(std::string(name_of(invariant)).c_str())
          << int(invariant) << QString::fromStdString(text) << culprit;
    };
    std::string xy = "X: f32[4], Y: f32[4]";
    row(Invariant::kScalarCode,
        kernel_text(xy, "  Y[0] = X[0]\n  Y[ramp(0, 1, 4)] = broadcast(X[0], 4)\n"),
        "Y[ramp(0, 1, 4)] = broadcast(X[0], 4)");
    row(Invariant::kNoInits,
        kernel_text(xy,
                    "  for k in 4\n    block Y(reduce vk: 4 = k)\n      init Y[0] = 0.0\n"
                    "      Y[0] = Y[0]+X[vk]\n"),
        "block Y(reduce vk: 4 = k)");
    row(Invariant::kNoBlocks, kernel_text(xy, "  block Y()\n    Y[0] = 1.0\n"), "block Y()");
    row(Invariant::kFlatBuffers, kernel_text(xy, "  alloc T: f32[2, 2] @local\n  T[0, 0] = 1.0\n"),
        "alloc T: f32[2, 2] @local");
    row(Invariant::kNoVectorLoops, kernel_text(xy, "  vector i in 4\n    Y[i] = X[i]\n"),
        "vector i in 4");
    row(Invariant::kNoUnrolledLoops,
        kernel_text(xy, "  for j in 2\n    unroll i in 4\n      Y[i] = X[i]\n"), "unroll i in 4");
    row(Invariant::kWholeRegisters,
        kernel_text(xy,
                    "  alloc t: f32[4] @register\n  t[ramp(0, 1, 4)] = broadcast(0.0, 4)\n"
                    "  Y[0] = t[1]\n"),
        "Y[0] = t[1]");
    row(Invariant::kPlacedBuffers, kernel_text(xy, "  alloc t: f32[4] @global\n  t[0] = 0.0\n"),
        "alloc t: f32[4] @global");
  }
  void each_invariant_finds_the_statement_that_breaks_it() {
    QFETCH(int, invariant);
    QFETCH(QString, text);
    QFETCH(QString, culprit);
    auto kernel = ir::parse_kernel(text.toStdString());
    QVERIFY2(kernel, qPrintable(sentence(kernel)));
    QVERIFY(verify_kernel(*kernel, {}));
    Status status = verify_kernel(*kernel, {Invariant(invariant)});
    QCOMPARE(status.error().code, std::string("invariant_broken"));
    QVERIFY2(sentence(status).endsWith("): " + culprit), qPrintable(sentence(status)));
  }

  void a_loop_that_stands_twice_breaks_loops_once() {
    auto kernel =
        ir::parse_kernel(kernel_text("X: f32[4], Y: f32[4]", "  for i in 4\n    Y[i] = X[i]\n"))
            .value();
    QVERIFY(verify_kernel(kernel, {Invariant::kLoopsOnce}));
    kernel.host.body = ir::seq({kernel.host.body, kernel.host.body});
    QVERIFY(sentence(verify_kernel(kernel, {Invariant::kLoopsOnce})).endsWith("): for i in 4"));
  }
};

QTEST_GUILESS_MAIN(PipelineTest)
#include "pipeline_test.moc"
