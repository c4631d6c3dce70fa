// Schedules for blocks and threads: lowered, with barriers, and interpreted as threads. None races,
// all compute what the plain program does, and without any one of the barriers one does race.
#include <QtTest>

#include <map>

#include "engine/ir/kernel.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"
#include "tests/support/tensors_left_outside.h"
#include "tests/support/thread_passes.h"

using namespace tw;

namespace {

constexpr char kMatmul[] = R"(kernel matmul(A: f32[24, 12], B: f32[12, 20]) -> C
  C[i in 24, j in 20] = sum[k in 12] A[i, k] * B[k, j]
)";

/// Blocks of 8 x 8 by 4 x 4 threads, each with 2 x 2 sums of its own; what a block reads is brought
/// to its memory by all of its threads, four columns at a time.
constexpr char kTiled[] = R"(tilewright schedule 1
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

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

Result<ir::KernelIr> lowered(Schedule const& schedule) {
  std::vector<Pass> passes = testing::thread_passes();
  passes.insert(passes.begin(), factor_thread_sums());
  auto unified = std::ranges::find(passes, std::string("unify_thread_bindings"), &Pass::name);
  if (schedule.target().shuffles.lanes > 0) passes.insert(unified + 1, privatize_shared_tensors());
  TRY_ASSIGN(auto stages,
             lower(schedule.program(), schedule.target(), passes, {.verify = VerifyPasses::kEach}));
  return stages.back().kernel;
}

/// Both machines' memories and axes: the names that they share mean the same.
ir::Sharing both_machines() {
  ir::Sharing sharing = testing::thread_machine()->sharing();
  ir::Sharing more = testing::accelerator_machine()->sharing();
  sharing.scopes.insert(more.scopes.begin(), more.scopes.end());
  return sharing;
}

Result<std::vector<NDArray>> run(ir::KernelIr const& kernel, std::vector<NDArray> const& inputs,
                                 uint64_t seed) {
  static ir::Sharing const sharing = both_machines();
  return ir::interpret(kernel, inputs.size(), inputs, {.shuffle_seed = seed, .sharing = &sharing});
}

int barriers_in(ir::Stmt const& body) {
  int count = 0;
  ir::walk(body, [&](ir::Stmt const& s) {
    auto const* call = s.as<ir::IntrinsicCall>();
    count += call && call->intrinsic->barrier;
    return true;
  });
  return count;
}

/// Without barrier `number`, from 0.
ir::KernelIr without_barrier(ir::KernelIr kernel, int number) {
  int at = 0;
  kernel.host.body = ir::rewrite_stmts(kernel.host.body, [&](ir::Stmt const& s) -> ir::Stmt {
    auto const* call = s.as<ir::IntrinsicCall>();
    if (!call || !call->intrinsic->barrier || at++ != number) return nullptr;
    return ir::seq({});
  });
  return kernel;
}

}  // namespace

class BoundLoopsTest : public QObject {
  Q_OBJECT
private slots:
  /// Two virtual threads for each thread's row: half of the threads do the same with more work
  /// each.
  void a_matrix_product_with_virtual_threads() {
    std::string steps = kTiled;
    for (auto [old, now] :
         {std::pair{"tx, j2 = split(j1, factor=2)\n",
                    "vx, j3 = split(j1, factor=4)\ntx, j2 = split(j3, factor=2)\n"},
          std::pair{"reorder(by, bx, ty, tx, k0, k1, i2, j2)",
                    "reorder(by, bx, vx, ty, tx, k0, k1, i2, j2)"},
          std::pair{"bind(tx, axis=threadIdx.x)\n",
                    "bind(tx, axis=threadIdx.x)\nbind(vx, axis=vthread)\n"},
          std::pair{"bind(A_cache.d1, axis=threadIdx.x)\n",
                    "ax, a2 = split(A_cache.d1, factor=2)\nbind(ax, axis=threadIdx.x)\n"},
          std::pair{"B_cache.d1_2", "B_cache.d1"}})
      steps.replace(steps.find(old), std::string(old).size(), now);
    proves(kMatmul, steps, 2);
  }

  void a_matrix_product_with_shared_and_local_caches() { proves(kMatmul, kTiled, 2); }

  /// Each of eight threads sums up a part of a row; the first one adds the parts.
  void a_reduction_across_threads() {
    proves(R"(kernel rows(X: f32[3, 40]) -> Y
  Y[i in 3] = sum[k in 40] X[i, k]
)",
           R"(tilewright schedule 1
k0, k1 = split(Y.k, factor=8)
rfactor(k1)
set_scope(Y_rf, scope=shared)
compute_at(Y_rf, Y.i)
bind(Y.i, axis=blockIdx.x)
bind(Y_rf.k1_2, axis=threadIdx.x)
)",
           1);
  }

  /// TW_TEST_SEED and TW_SCHEDULES choose others, and more of them.
  void random_schedules_race_nowhere_and_need_their_barriers() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261123;
    int schedules = qEnvironmentVariableIntValue("TW_SCHEDULES");
    if (schedules <= 0) schedules = 400;
    qInfo("seed %llu, %d schedules", static_cast<unsigned long long>(seed), schedules);
    Rng rng(seed);
    Counts counts;
    for (int i = 0; i < schedules; ++i) {
      std::string text = testing::test_kernel(i, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      auto target = i % 5 == 4   ? testing::accelerator_machine()
                    : i % 3 == 0 ? testing::thread_machine()
                    : i % 3 == 1 ? testing::thread_machine_with_sums()
                                 : testing::thread_machine_with_shuffles();
      Schedule schedule = random_schedule(kernel, rng, target);
      check(kernel, schedule, text + schedule.script(), rng, counts);
    }
    qInfo("%d run with threads, %d with shared work, %d with barriers, %d barriers taken away",
          counts.run, counts.sharing_work, counts.with_barriers, counts.taken_away);
    qInfo("%d with virtual threads", counts.virtual_threads);
    qInfo("%d barriers not needed by these data, in kernels whose indices are read",
          counts.told_by_data);
    for (auto const& [code, count] : counts.not_lowered)
      qInfo("not lowered: %d %s", count, code.c_str());
    QVERIFY(counts.run * 10 >= schedules * 9);
    QVERIFY(counts.with_barriers * 5 >= schedules);
    QVERIFY(counts.sharing_work * 20 >= schedules);
    QVERIFY(counts.virtual_threads * 10 >= schedules);
  }

private:
  struct Counts {
    int run = 0, with_barriers = 0, taken_away = 0, sharing_work = 0, told_by_data = 0;
    int virtual_threads = 0;
    std::map<std::string, int> not_lowered;
  };

  /// The schedule computes what the kernel does, and needs each of its barriers.
  static void proves(std::string const& text, std::string const& steps, int barriers) {
    te::Kernel kernel = testing::parsed_kernel(text).value();
    auto script = parse_script(steps, "steps");
    QVERIFY2(script, sentence(script).c_str());
    Schedule plain(te::to_program(kernel).value(), testing::thread_machine());
    auto schedule = replay(plain, *script);
    QVERIFY2(schedule, schedule ? "" : schedule.error().message.c_str());
    auto code = lowered(*schedule);
    QVERIFY2(code, (sentence(code) + "\n" + ir::to_text(schedule->program())).c_str());
    Rng rng(5);
    std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
    te::Expected expected = testing::expected_of(kernel, inputs);
    for (uint64_t seed = 0; seed < 4; ++seed) {
      auto outputs = run(*code, inputs, seed);
      QVERIFY2(outputs, (sentence(outputs) + "\n" + ir::print(*code).text).c_str());
      QVERIFY2(te::judge(*outputs, expected).equal, ir::print(*code).text.c_str());
    }
    QCOMPARE(barriers_in(code->host.body), barriers);
    for (int i = 0; i < barriers; ++i) QVERIFY(races_without_barrier(*code, i, inputs));
    if (qEnvironmentVariableIsSet("TW_SHOW"))
      qInfo("%s%s", ir::to_text(schedule->program()).c_str(), ir::print(*code).text.c_str());
  }

  static bool races_without_barrier(ir::KernelIr const& code, int number,
                                    std::vector<NDArray> const& inputs) {
    // Before it is seen that an element was not written yet it may have been used as an index.
    bool races = false;
    for (uint64_t seed = 1; seed < 20 && !races; ++seed) {
      auto outputs = run(without_barrier(code, number), inputs, seed);
      races = !outputs && outputs.error().code == "race";
    }
    return races;
  }

  /// What a block below a loop of threads reads is brought to a memory that they share, at some
  /// loop below theirs, and its loops are bound to their axes where that is legal.
  static void share_work(Schedule& schedule, Rng& rng) {
    auto take = [&](Step const& step) {
      auto next = schedule.apply(step);
      if (next) schedule = std::move(*next);
      return bool(next);
    };
    std::vector<ir::BlockSite> blocks = ir::blocks_of(schedule.program().body);
    ir::BlockSite const& reader = blocks[size_t(rng.below(int64_t(blocks.size())))];
    if (reader.loops.empty()) return;
    std::string tensor = testing::random_word(schedule.program(), "tensor", rng);
    Step cache{"cache_read", {reader.block->name}, {{"tensor", tensor}, {"scope", "shared"}}, {}};
    std::string place = reference_of(
        schedule.program(), reader.loops[size_t(rng.below(int64_t(reader.loops.size())))]->id);
    if (!take(cache) || !take({"compute_at", {tensor + "_cache", place}, {}, {}})) return;
    auto block = find_block(schedule.program(), tensor + "_cache");
    for (ir::For const* loop : block ? block->loops : std::vector<ir::For const*>())
      for (char const* axis : {"threadIdx.x", "threadIdx.y", "threadIdx.z"})
        if (loop->loop_kind == ir::LoopKind::kSerial &&
            take({"bind", {reference_of(schedule.program(), loop->id)}, {{"axis", axis}}, {}}))
          break;
  }

  /// Some steps of any kind, then loops bound from the outermost, then tensors brought to memories
  /// of blocks and threads, and their loops shared by the threads.
  static Schedule random_schedule(te::Kernel const& kernel, Rng& rng,
                                  std::shared_ptr<Target const> target) {
    Schedule schedule(te::to_program(kernel).value(), std::move(target));
    auto try_some = [&](std::vector<std::string> const& names, int64_t tries) {
      for (; tries > 0; --tries) {
        Primitive const& primitive =
            *find_primitive(names[size_t(rng.below(int64_t(names.size())))]);
        auto next = schedule.apply(
            testing::propose_step(schedule.program(), rng, primitive, schedule.target()));
        if (next) schedule = std::move(*next);
      }
    };
    try_some({"split", "split", "reorder", "fuse", "cache_write", "rfactor", "reverse_compute_at"},
             rng.between(0, 8));
    try_some({"bind"}, rng.between(4, 12));
    try_some({"cache_read", "set_scope", "compute_at", "compute_at", "reverse_compute_at"},
             rng.between(0, 14));
    for (int64_t tries = rng.between(0, 8); tries > 0; --tries) share_work(schedule, rng);
    try_some({"bind", "bind", "split", "compute_at", "unroll", "vectorize"}, rng.between(4, 20));
    testing::place_tensors_left_outside(schedule, rng, lowered);
    return schedule;
  }

  void check(te::Kernel const& kernel, Schedule const& schedule, std::string const& text, Rng& rng,
             Counts& counts) {
    auto code = lowered(schedule);
    if (!code) {
      ++counts.not_lowered[code.error().code];
      if (qEnvironmentVariableIsSet("TW_SHOW"))
        qInfo("not lowered: %s\n%s", sentence(code).c_str(),
              ir::to_text(schedule.program()).c_str());
      bool expected_refusal =
          code.error().code == "instance_outside" || code.error().code == "scope_overflow";
      QVERIFY2(expected_refusal, (text + sentence(code)).c_str());
      return;
    }
    std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
    te::Expected expected = testing::expected_of(kernel, inputs);
    auto outputs = run(*code, inputs, rng.next() | 1);
    std::string shown = text + ir::to_text(schedule.program()) + ir::print(*code).text;
    bool right = outputs && te::judge(*outputs, expected).equal;
    if (!right) qWarning("wrong: %s\n%s", sentence(outputs).c_str(), shown.c_str());
    QVERIFY(right);
    int barriers = barriers_in(code->host.body);
    counts.run += has_threads(*code) || has_virtual_threads(schedule.program());
    counts.virtual_threads += has_virtual_threads(schedule.program());
    counts.sharing_work += shares_work(schedule.program());
    counts.with_barriers += barriers > 0;
    for (int i = 0; i < barriers; ++i, ++counts.taken_away) {
      bool needed = races_without_barrier(*code, i, inputs);
      // What data tell may meet another time.
      if (!needed && is_told_by_data(*code)) {
        ++counts.told_by_data;
        continue;
      }
      if (!needed) qWarning("barrier %d is not needed:\n%s", i, shown.c_str());
      QVERIFY(needed);
    }
  }

  /// Loops inside of one another are bound to one axis.
  static bool shares_work(ir::Program const& program) {
    return std::ranges::any_of(ir::loops_of(program.body), [](ir::LoopSite const& site) {
      return site.loop->loop_kind == ir::LoopKind::kBind &&
             std::ranges::any_of(site.around, [&](ir::For const* around) {
               return around->bind == site.loop->bind;
             });
    });
  }

  /// An index, or what is selected, is read from a tensor.
  static bool is_told_by_data(ir::KernelIr const& code) {
    bool told = false;
    auto look = [&](ir::Expr const& e) {
      ir::walk_reads(e, [&](ir::Touched const&) { told = true; });
    };
    ir::walk_reads(code.host.body, [&](ir::Touched const& at) {
      for (ir::Expr const& index : at.indices) look(index);
    });
    ir::walk_exprs(code.host.body, [&](ir::Expr const& e) {
      if (auto const* choice = e.as<ir::Select>()) look(choice->condition);
      return true;
    });
    return told;
  }

  static bool has_virtual_threads(ir::Program const& program) {
    return std::ranges::any_of(ir::loops_of(program.body), [](ir::LoopSite const& site) {
      return site.loop->bind == "vthread" && !ir::is_int(site.loop->extent, 1);
    });
  }

  static bool has_threads(ir::KernelIr const& code) {
    return std::ranges::any_of(ir::loops_of(code.host.body), [](ir::LoopSite const& site) {
      return site.loop->loop_kind == ir::LoopKind::kBind;
    });
  }
};

QTEST_GUILESS_MAIN(BoundLoopsTest)
#include "bound_loops_test.moc"
