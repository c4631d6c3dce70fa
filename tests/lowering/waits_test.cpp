// Copies to memories of threads that go on while others compute: commits and waits are placed so
// that none is used too early, in any order of the threads. Without any one of the waits, or with
// one that lets a group more be under way, the interpreter finds a fault: in the matrix product,
// and wherever kernels and schedules are made at random.
#include <fmt/format.h>

#include <QtTest>
#include <map>
#include <set>

#include "engine/ir/intrinsic.h"
#include "engine/ir/kernel.h"
#include "engine/lowering/launch_order.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"
#include "tests/support/tensors_left_outside.h"
#include "tests/support/thread_passes.h"

using namespace tw;

namespace {

std::string matmul(int terms) {
  return fmt::format(
      "kernel matmul(A: f32[24, {0}], B: f32[{0}, 16]) -> C\n"
      "  C[i in 24, j in 16] = sum[k in {0}] A[i, k] * B[k, j]\n",
      terms);
}

/// Blocks of 8 x 8 by 4 x 4 threads with sums of their own; what the next four columns need is
/// brought to the block's memory while these are added up.
constexpr char kPipelined[] = R"(tilewright schedule 1
cache_write(C, scope=local)
by, i1 = split(C.i, factor=8)
bx, j1 = split(C.j, factor=8)
ty, i2 = split(i1, factor=2)
tx, j2 = split(j1, factor=2)
k0, k1 = split(C.k, factor=4)
reorder(by, bx, ty, tx, k0, k1, i2, j2)
reverse_compute_at(C_write, tx)
bind(by, axis=blockIdx.y)
bind(bx, axis=blockIdx.x)
bind(ty, axis=threadIdx.y)
bind(tx, axis=threadIdx.x)
cache_read(C, tensor=A, scope=shared)
compute_at(A_cache, k0)
ay, a1 = split(A_cache.d0, factor=2)
bind(ay, axis=threadIdx.y)
bind(A_cache.d1, axis=threadIdx.x)
cache_read(C, tensor=B, scope=shared)
compute_at(B_cache, k0)
bind(B_cache.d0, axis=threadIdx.y)
bx1, b1 = split(B_cache.d1_2, factor=2)
bind(bx1, axis=threadIdx.x)
)";

/// Two iterations use the element of the first one of them, while those of later ones are brought.
constexpr char kUnevenDistance[] = R"(tilewright program 1
program uneven(X: f32[2, 8]) -> (Y: f32[2, 6], Z: f32[2])
  bind(blockIdx.x) b in 2
    alloc T: f32[8] @shared
      block first(vb: 2 = b)
        T[0] = X[vb, 0]
      block Z(vb: 2 = b)
        Z[vb] = 1.0
      block second(vb: 2 = b)
        T[1] = X[vb, 1]
      for k in 6
        block Y(vb: 2 = b, vk: 6 = k)
          Y[vb, vk] = T[vk//2*2]
        block next(vb: 2 = b, vk: 6 = k)
          T[vk+2] = X[vb, vk+2]
)";

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

/// One element, brought while others compute.
ir::Intrinsic bring(std::string const& scope) {
  ir::Buffer to = ir::make_buffer("to", DType::kF32, {1}, scope),
             from = ir::make_buffer("from", DType::kF32, {1}, "");
  std::vector<ir::Expr> first{ir::int_imm(0)};
  return ir::declare({.name = "bring_" + scope,
                      .params = {ir::tensor_param(ir::ParamKind::kWrite, to),
                                 ir::tensor_param(ir::ParamKind::kRead, from)},
                      .completion = ir::Completion::kStarted,
                      .behaviour = ir::make<ir::Store>(to, first, ir::load(from, first))})
      .value();
}

/// What is copied to memories of blocks and threads is started only.
ir::KernelIr with_copies_started(ir::KernelIr kernel, int& copies) {
  kernel.host.body = ir::rewrite_stmts(kernel.host.body, [&](ir::Stmt const& s) -> ir::Stmt {
    auto const* store = s.as<ir::Store>();
    auto const* from = store ? store->value.as<ir::Load>() : nullptr;
    bool brings = from && store->buffer->type == DType::kF32 && from->buffer->scope == "global" &&
                  (store->buffer->scope == "shared" || store->buffer->scope == "local");
    if (!brings) return nullptr;
    std::string number = std::to_string(++copies);
    ir::Expr one = ir::int_imm(1);
    return ir::make<ir::IntrinsicCall>(
        bring(store->buffer->scope),
        std::vector<ir::Operand>{
            {ir::load(store->buffer, store->indices), {{ir::var("to" + number), one}}},
            {store->value, {{ir::var("from" + number), one}}}});
  });
  return kernel;
}

struct Lowered {
  ir::KernelIr kernel;
  int copies = 0;
};

/// Launched as threads, its copies started, and then with its waits and barriers.
Result<Lowered> lowered(Schedule const& schedule) {
  std::vector<Pass> passes = testing::thread_passes();
  auto launch = std::ranges::find(passes, "insert_async_waits", &Pass::name);
  std::vector<Pass> before(passes.begin(), launch);
  TRY_ASSIGN(auto stages, lower(schedule.program(), schedule.target(), before));
  Lowered result{stages.back().kernel};
  result.kernel = with_copies_started(result.kernel, result.copies);
  for (; launch != passes.end(); ++launch) {
    TRY_ASSIGN(result.kernel, run_pass(*launch, result.kernel, PassContext{schedule.target()}));
  }
  TRY(ir::verify(result.kernel));
  return result;
}

Result<std::vector<NDArray>> run(ir::KernelIr const& kernel, std::vector<NDArray> const& inputs,
                                 uint64_t seed) {
  static ir::Sharing const sharing = testing::thread_machine()->sharing();
  return ir::interpret(kernel, inputs.size(), inputs, {.shuffle_seed = seed, .sharing = &sharing});
}

bool is_wait(ir::Stmt const& s) {
  auto const* call = s.as<ir::IntrinsicCall>();
  return call && call->intrinsic->completion == ir::Completion::kWaits;
}

bool is_barrier(ir::Stmt const& s) {
  auto const* call = s.as<ir::IntrinsicCall>();
  return call && call->intrinsic->barrier;
}

/// How many groups each wait lets be under way.
std::vector<int64_t> waits_in(ir::KernelIr const& kernel) {
  std::vector<int64_t> waits;
  ir::walk(kernel.host.body, [&](ir::Stmt const& s) {
    if (is_wait(s)) waits.push_back(*ir::as_int(s.to<ir::IntrinsicCall>().operands[0].value));
    return true;
  });
  return waits;
}

int barriers_in(ir::KernelIr const& kernel) {
  int barriers = 0;
  ir::walk(kernel.host.body, [&](ir::Stmt const& s) { return barriers += is_barrier(s), true; });
  return barriers;
}

/// Statement `number` of those that `is_one` finds, as `f` makes it.
template <typename Is, typename F>
ir::KernelIr changed(ir::KernelIr kernel, int number, Is is_one, F f) {
  int at = 0;
  kernel.host.body = ir::rewrite_stmts(kernel.host.body, [&](ir::Stmt const& s) -> ir::Stmt {
    return is_one(s) && at++ == number ? f(s) : ir::Stmt();
  });
  return kernel;
}

ir::Stmt nothing(ir::Stmt const&) { return ir::seq({}); }

ir::Stmt with_one_more(ir::Stmt const& wait) {
  auto const& call = wait.to<ir::IntrinsicCall>();
  return ir::make<ir::IntrinsicCall>(
      call.intrinsic,
      std::vector<ir::Operand>{{ir::int_imm(*ir::as_int(call.operands[0].value) + 1), {}}});
}

bool is_found(ir::KernelIr const& kernel, std::vector<NDArray> const& inputs) {
  static std::set<std::string> const kFaults{"used_in_flight", "overwritten_in_flight",
                                             "released_in_flight", "never_waited_for", "race"};
  for (uint64_t seed = 1; seed < 20; ++seed)
    if (auto outputs = run(kernel, inputs, seed); !outputs)
      return kFaults.contains(outputs.error().code);
  return false;
}

}  // namespace

class WaitsTest : public QObject {
  Q_OBJECT
private slots:
  /// Each wait leaves as many groups under way as there are stages ahead. A copy behind the product
  /// goes to a slot that no thread reads any more once all have met in this iteration.
  void a_matrix_product_brings_the_next_parts_while_it_adds_up_data() {
    QTest::addColumn<int>("terms");
    QTest::addColumn<QString>("pipeline");
    QTest::addColumn<std::vector<int64_t>>("waits");
    QTest::addColumn<int>("barriers");
    QTest::newRow("two stages") << 20 << R"(stages="0,0,1")" << std::vector<int64_t>{1, 0} << 3;
    QTest::newRow("two stages, long")
        << 512 << R"(stages="0,0,1")" << std::vector<int64_t>{1, 0} << 3;
    QTest::newRow("three stages") << 20 << R"(stages="0,0,2")" << std::vector<int64_t>{2, 1, 0}
                                  << 4;
    QTest::newRow("three stages, copies last")
        << 20 << R"(stages="0,0,2", order="1,2,0")" << std::vector<int64_t>{1, 1, 0} << 3;
    QTest::newRow("three stages, copies last, long")
        << 512 << R"(stages="0,0,2", order="1,2,0")" << std::vector<int64_t>{1, 1, 0} << 3;
  }
  void a_matrix_product_brings_the_next_parts_while_it_adds_up() {
    QFETCH(int, terms);
    QFETCH(QString, pipeline);
    QFETCH(std::vector<int64_t>, waits);
    QFETCH(int, barriers);
    te::Kernel kernel = testing::parsed_kernel(matmul(terms)).value();
    auto script = parse_script(
        kPipelined + fmt::format("software_pipeline(k0, {})\n", pipeline.toStdString()), "steps");
    QVERIFY2(script, sentence(script).c_str());
    auto schedule =
        replay(Schedule(te::to_program(kernel).value(), testing::thread_machine()), *script);
    QVERIFY2(schedule, schedule ? "" : schedule.error().message.c_str());
    auto code = lowered(*schedule);
    QVERIFY2(code, sentence(code).c_str());
    std::string text = ir::print(code->kernel).text;
    if (qEnvironmentVariableIsSet("TW_SHOW"))
      qInfo("%s%s", ir::to_text(schedule->program()).c_str(), text.c_str());
    QCOMPARE(waits_in(code->kernel), waits);
    QCOMPARE(barriers_in(code->kernel), barriers);
    Rng rng(5);
    std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
    te::Expected expected = testing::expected_of(kernel, inputs);
    for (uint64_t seed = 0; seed < 3; ++seed) {
      auto outputs = run(code->kernel, inputs, seed);
      QVERIFY2(outputs, (sentence(outputs) + "\n" + text).c_str());
      QVERIFY2(te::judge(*outputs, expected).equal, text.c_str());
    }
    needs_everything(code->kernel, inputs);
  }

  /// Iterations use what was brought two groups ago, or three: all wait for the later one, and
  /// others stay under way.
  void a_use_waits_for_the_latest_copy_that_any_iteration_needs() {
    Schedule schedule(ir::parse_program(kUnevenDistance).value(), testing::thread_machine());
    auto code = lowered(schedule);
    QVERIFY2(code, sentence(code).c_str());
    std::string text = ir::print(code->kernel).text;
    QCOMPARE(code->copies, 3);
    std::vector<int64_t> const in_the_loop_and_after{1, 0};
    QCOMPARE(waits_in(code->kernel), in_the_loop_and_after);
    NDArray x = NDArray::create(DType::kF32, {2, 8}).value();
    for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, double(i));
    auto outputs = run(code->kernel, {x}, 1);
    QVERIFY2(outputs, (sentence(outputs) + "\n" + text).c_str());
    for (int64_t i = 0; i < 12; ++i)
      QCOMPARE((*outputs)[0].value_at(i), double(i / 6 * 8 + i % 6 / 2 * 2));
    needs_everything(code->kernel, {x});
  }

  /// TW_TEST_SEED and TW_SCHEDULES choose others, and more of them.
  void random_pipelines_wait_for_what_they_use_and_no_longer() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261124;
    int schedules = qEnvironmentVariableIntValue("TW_SCHEDULES");
    if (schedules <= 0) schedules = 200;
    qInfo("seed %llu, %d schedules", static_cast<unsigned long long>(seed), schedules);
    Rng rng(seed);
    for (int i = 0; i < schedules; ++i) {
      std::string text = testing::test_kernel(i, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      check(kernel, random_schedule(kernel, rng), text, rng);
    }
    qInfo("%d with copies, %d of them with waits that leave some under way", counts_.copies,
          counts_.overlapping);
    qInfo("%d waits taken away, %d made weaker: a fault each time", counts_.taken_away,
          counts_.made_weaker);
    qInfo("%d waits of one copy alone, and %d for what data tell, more often than these runs need",
          counts_.at_once, counts_.told_by_data);
    qInfo(
        "the prover of order proves %d, leaves %d undecided, and finds a fault in %d changed ones "
        "that these runs do not show",
        counts_.proven, counts_.undecided, counts_.more_found);
    QVERIFY(counts_.proven > counts_.undecided);
    for (auto const& [code, count] : counts_.not_lowered)
      qInfo("not lowered: %d %s", count, code.c_str());
    QVERIFY(counts_.taken_away * 20 >= schedules);
    QVERIFY(counts_.copies * 5 >= schedules);
    QVERIFY(counts_.overlapping * 40 >= schedules);
  }

private:
  struct Counts {
    int copies = 0, overlapping = 0, taken_away = 0, made_weaker = 0, at_once = 0, told_by_data = 0;
    int proven = 0, undecided = 0, more_found = 0;  ///< by the prover of order
    std::map<std::string, int> not_lowered;
  };

  /// What is brought by others than the test's copies may be told by data, and where it could not
  /// be decided what is waited for each copy has a wait of its own: these may be more than needed.
  void needs_waits(ir::KernelIr const& kernel, std::vector<NDArray> const& inputs,
                   std::string const& shown) {
    std::vector<bool> own = waits_of_one_copy(kernel);
    for (int i = 0; i < int(own.size()); ++i) {
      bool away = is_found_by_both(changed(kernel, i, is_wait, nothing), inputs);
      bool more = is_found_by_both(changed(kernel, i, is_wait, with_one_more), inputs);
      counts_.taken_away += away;
      counts_.made_weaker += more;
      if (away && more) continue;
      if (own[size_t(i)] || is_told_by_data(kernel)) {
        ++(own[size_t(i)] ? counts_.at_once : counts_.told_by_data);
        continue;
      }
      qWarning("wait %d could %s:\n%s", i, away ? "let one more be under way" : "be left out",
               shown.c_str());
      QVERIFY(away && more);
    }
  }

  /// What the interpreter finds, the prover of order finds; it may find more, of other data.
  bool is_found_by_both(ir::KernelIr const& kernel, std::vector<NDArray> const& inputs) {
    bool found = is_found(kernel, inputs);
    LaunchOrder order = launch_order(*testing::thread_machine(), kernel);
    if (found && order.proven()) qFatal("%s is proven", ir::print(kernel).text.c_str());
    counts_.more_found += !found && !order.faults.empty();
    return found;
  }

  void needs_everything(ir::KernelIr const& kernel, std::vector<NDArray> const& inputs) {
    std::string text = ir::print(kernel).text;
    needs_waits(kernel, inputs, text);
    for (int i = 0; i < barriers_in(kernel); ++i)
      QVERIFY2(is_found_by_both(changed(kernel, i, is_barrier, nothing), inputs),
               ("barrier " + std::to_string(i) + "\n" + text).c_str());
  }

  /// What blocks read is brought to a memory of blocks or threads, at some loop around them; then
  /// loops that hold such a copy become pipelines.
  static Schedule random_schedule(te::Kernel const& kernel, Rng& rng) {
    Schedule schedule(te::to_program(kernel).value(), testing::thread_machine());
    auto take = [&](Step const& step) {
      auto next = schedule.apply(step);
      if (next) schedule = std::move(*next);
      return bool(next);
    };
    auto try_some = [&](std::vector<std::string> const& names, int64_t tries) {
      for (; tries > 0; --tries)
        take(testing::propose_step(schedule.program(), rng,
                                   *find_primitive(names[size_t(rng.below(int64_t(names.size())))]),
                                   schedule.target()));
    };
    try_some({"split", "reorder", "split"}, rng.between(0, 6));
    try_some({"bind"}, rng.between(0, 6));
    for (int64_t tries = rng.between(1, 4); tries > 0; --tries) {
      std::vector<ir::BlockSite> blocks = ir::blocks_of(schedule.program().body);
      ir::BlockSite const& reader = blocks[size_t(rng.below(int64_t(blocks.size())))];
      if (reader.loops.empty()) continue;
      std::string tensor = testing::random_word(schedule.program(), "tensor", rng);
      std::string scope = rng.below(2) ? "shared" : "local";
      std::string place = reference_of(
          schedule.program(), reader.loops[size_t(rng.below(int64_t(reader.loops.size())))]->id);
      if (take({"cache_read", {reader.block->name}, {{"tensor", tensor}, {"scope", scope}}, {}}))
        take({"compute_at", {tensor + "_cache", place}, {}, {}});
    }
    try_some({"double_buffer", "software_pipeline"}, rng.between(1, 4));
    try_some({"bind", "split", "unroll"}, rng.between(0, 6));
    testing::place_tensors_left_outside(schedule, rng, lowered);
    return schedule;
  }

  void check(te::Kernel const& kernel, Schedule const& schedule, std::string const& text,
             Rng& rng) {
    auto code = lowered(schedule);
    if (!code) {
      ++counts_.not_lowered[code.error().code];
      bool expected_refusal =
          code.error().code == "instance_outside" || code.error().code == "scope_overflow";
      QVERIFY2(expected_refusal, (text + schedule.script() + sentence(code)).c_str());
      return;
    }
    if (code->copies == 0) return;
    ++counts_.copies;
    std::vector<int64_t> waits = waits_in(code->kernel);
    counts_.overlapping += std::ranges::any_of(waits, [](int64_t groups) { return groups > 0; });
    std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
    auto outputs = run(code->kernel, inputs, rng.next() | 1);
    std::string shown = sentence(outputs) + "\n" + text + schedule.script() +
                        ir::to_text(schedule.program()) + ir::print(code->kernel).text;
    bool right = outputs && te::judge(*outputs, testing::expected_of(kernel, inputs)).equal;
    if (!right) qWarning("wrong: %s", shown.c_str());
    QVERIFY(right);
    LaunchOrder order = launch_order(*testing::thread_machine(), code->kernel);
    ++(order.proven() ? counts_.proven : counts_.undecided);
    needs_waits(code->kernel, inputs, shown);
  }

  /// Of each wait whether it follows one copy alone, with its commit.
  static std::vector<bool> waits_of_one_copy(ir::KernelIr const& kernel) {
    std::set<ir::StmtNode const*> own;
    std::vector<bool> result;
    ir::walk(kernel.host.body, [&](ir::Stmt const& s) {
      auto const* list = s.as<ir::Seq>();
      for (size_t i = 0; list && i + 2 < list->stmts.size(); ++i)
        if (starts(list->stmts[i]) && is_wait(list->stmts[i + 2]))
          own.insert(list->stmts[i + 2].get());
      if (is_wait(s)) result.push_back(own.contains(s.get()));
      return true;
    });
    return result;
  }
  static bool starts(ir::Stmt const& s) {
    auto const* call = s.as<ir::IntrinsicCall>();
    return call && call->intrinsic->completion == ir::Completion::kStarted;
  }

  /// Data tell where a tensor that copies fill is used, or whether it is.
  static bool is_told_by_data(ir::KernelIr const& kernel) {
    std::set<std::string> filled;
    ir::walk(kernel.host.body, [&](ir::Stmt const& s) {
      if (starts(s)) ir::walk_writes(s, [&](auto const& at) { filled.insert(at.buffer->name); });
      return true;
    });
    auto reads = [](ir::Expr const& e, auto const& which) {
      bool found = false;
      ir::walk_reads(e, [&](ir::Touched const& at) { found = found || which(at); });
      return found;
    };
    auto any = [](ir::Touched const&) { return true; };
    auto is_filled = [&](ir::Touched const& at) { return filled.contains(at.buffer->name); };
    auto is_by_data = [&](ir::Touched const& at) {
      auto loads = [&](ir::Expr const& index) { return reads(index, any); };
      return is_filled(at) && std::ranges::any_of(at.indices, loads);
    };
    bool told = false;
    ir::walk_exprs(kernel.host.body, [&](ir::Expr const& e) {
      auto const* choice = e.as<ir::Select>();
      told = told || reads(e, is_by_data) ||
             (choice && reads(choice->condition, any) && reads(e, is_filled));
      return !told;
    });
    return told;
  }

  Counts counts_;
};

QTEST_GUILESS_MAIN(WaitsTest)
#include "waits_test.moc"
