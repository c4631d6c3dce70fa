// What is read from lowered code for a model of time: how often a thread does what.
#include <QtTest>
#include <algorithm>

#include "engine/ir/kernel.h"
#include "engine/lowering/passes.h"
#include "engine/target/target.h"
#include "targets/shared/gpu/launch_nest.h"
#include "targets/shared/gpu/time_model.h"

using namespace tw;

namespace {

constexpr char kHead[] =
    "tilewright kernel 1\n"
    "intrinsic sync_threads() barrier\n"
    "intrinsic bring(write to: f32[4] @shared, read from: f32[4]) async\n"
    "  for i in 4\n"
    "    to[i] = from[i]\n"
    "intrinsic commit_copies() commits\n"
    "intrinsic wait_copies(scalar n: i64) waits\n";

ir::KernelIr parsed(std::string const& body, std::string const& params) {
  auto kernel = ir::parse_kernel(kHead + ("host f(" + params + ")\n") + body);
  if (!kernel) qFatal("%s", kernel.error().message.c_str());
  return *kernel;
}

gpu::LaunchNest nest_of(std::string const& body,
                        std::string const& params = "A: f32[4096], C: f32[4096]") {
  Target target;
  auto chosen = choose_unrolled_loops().run(parsed(body, params), {.target = target});
  auto nest = gpu::launch_nest(chosen.value().host.body);
  if (!nest) qFatal("no nest");
  return *nest;
}

gpu::NestAccess const& access(gpu::LaunchNest const& nest, std::string const& tensor, bool store) {
  for (gpu::NestAccess const& one : nest.accesses)
    if (one.tensor == tensor && one.store == store) return one;
  qFatal("no access");
}

}  // namespace

class LaunchNestTest : public QObject {
  Q_OBJECT
private slots:
  void bound_loops_are_the_grid_and_the_block() {
    gpu::LaunchNest nest = nest_of(
        "  bind(blockIdx.y) y in 3\n"
        "    bind(blockIdx.x) x in 5\n"
        "      bind(threadIdx.x) t in 64\n"
        "        C[y*320+x*64+t] = A[y*320+x*64+t]\n");
    QCOMPARE(nest.grid, (std::array<int64_t, 3>{5, 3, 1}));
    QCOMPARE(nest.block, (std::array<int64_t, 3>{64, 1, 1}));
    QCOMPARE(nest.blocks() * nest.threads(), int64_t(960));
    QCOMPARE(nest.waits.main, 1.0);
    QCOMPARE(nest.instructions.memory, 2.0);
  }

  void what_does_not_change_in_a_loop_is_loaded_before_it() {
    gpu::LaunchNest nest = nest_of(
        "  bind(threadIdx.x) t in 32\n"
        "    for k in 1000\n"
        "      C[k*32+t] = A[t]\n",
        "A: f32[32], C: f32[32000]");
    QCOMPARE(access(nest, "A", false).times, 1.0);
    QCOMPARE(access(nest, "C", true).times, 1000.0);
  }

  void choices_that_unrolled_loops_decide_cost_the_branch_that_is_taken() {
    auto counted = [](std::string const& counter) {
      return nest_of(
                 "  bind(threadIdx.x) t in 32\n"
                 "    unroll i in 4\n"
                 "      C[t+i*32] = select(" +
                 counter + " == 0, A[t]+A[t+1]+A[t+2], select(" + counter +
                 " == 1, A[t]+A[t+1], A[t]))\n")
          .instructions;
    };
    QCOMPARE(counted("i").f32, 3.0);  // two sums, one, none, none
    QCOMPARE(counted("i").flops, 3.0);
    QCOMPARE(counted("t").f32, 3.0 * 4);  // a choice of each thread's own
  }

  void what_two_statements_read_is_loaded_once() {
    auto loads = [](std::string const& between) {
      gpu::LaunchNest nest = nest_of(
          "  bind(threadIdx.x) t in 32\n"
          "    C[t] = A[t]\n" +
          between + "    C[t+32] = A[t]\n");
      return std::ranges::count_if(nest.accesses, [](gpu::NestAccess const& one) {
        return one.tensor == "A" && !one.store;
      });
    };
    QCOMPARE(loads(""), 1);
    QCOMPARE(loads("    C[t+64] = A[t+1]\n"), 2);
    QCOMPARE(loads("    A[t] = 0.0\n"), 2);
    QCOMPARE(loads("    call sync_threads()\n"), 2);
    QCOMPARE(loads("    if t < 8\n      C[t+64] = 0.0\n"), 2);
  }

  void a_barrier_makes_shared_memory_be_read_again() {
    std::string loop =
        "  bind(threadIdx.x) t in 32\n"
        "    alloc S: f32[32] @shared\n"
        "      S[t] = A[t]\n"
        "      call sync_threads()\n"
        "      for k in 200\n"
        "        C[t*200+k] = S[31-t]\n";
    std::string params = "A: f32[32], C: f32[6400]";
    QCOMPARE(access(nest_of(loop, params), "S", false).times, 1.0);
    gpu::LaunchNest again = nest_of(loop + "        call sync_threads()\n", params);
    QCOMPARE(access(again, "S", false).times, 200.0);
    QCOMPARE(again.barriers, 201.0);
    QCOMPARE(again.waits.shared, 200.0);
    QCOMPARE(again.shared_bytes, int64_t(128));
  }

  void neighbours_of_an_unrolled_loop_are_one_wide_access() {
    auto body = [](char const* index) {
      return std::string("  bind(threadIdx.x) t in 32\n    for j in 4\n      C[t*4+j] = A[") +
             index + "]\n";
    };
    gpu::LaunchNest nest = nest_of(body("t*4+j"));
    QCOMPARE(access(nest, "A", false).width, 4);
    QCOMPARE(access(nest, "A", false).times, 1.0);
    QCOMPARE(access(nest_of(body("t*2+j")), "A", false).width, 2);  // 8 bytes are aligned
    QCOMPARE(access(nest_of(body("t*4+j+1")), "A", false).width, 1);
    QCOMPARE(access(nest_of(body("j*32+t")), "A", false).times, 4.0);
  }

  void conditions_let_a_part_of_warps_pass() {
    gpu::LaunchNest nest = nest_of(
        "  bind(blockIdx.x) b in 4\n"
        "    bind(threadIdx.x) t in 64\n"
        "      if t < 8\n"
        "        C[b*64+t] = A[b*64+t]\n");
    gpu::Share share = access(nest, "C", true).share;
    QVERIFY2(share.warps > 0.3 && share.warps < 0.7, QByteArray::number(share.warps));
    QVERIFY2(share.threads > 0.07 && share.threads < 0.18, QByteArray::number(share.threads));
    gpu::LaunchNest whole = nest_of(
        "  bind(blockIdx.x) b in 4\n"
        "    bind(threadIdx.x) t in 64\n"
        "      if b*64+t < 256\n"
        "        C[b*64+t] = A[b*64+t]\n");
    QCOMPARE(access(whole, "C", true).share.threads, 1.0);
  }

  void copies_under_conditions_of_their_own_share_nothing() {
    std::string head =
        "  bind(threadIdx.x) t in 32\n"
        "    alloc S: f32[128] @shared\n"
        "      alloc own: f32[16] @local\n"
        "        for k in 100\n"
        "          for i in 4\n"
        "            for j in 4\n";
    std::string sum = "own[i*4+j] = own[i*4+j]+S[i*32+t]\n",
                meet = "          call sync_threads()\n";
    gpu::LaunchNest always = nest_of(head + "              " + sum + meet);
    QCOMPARE(access(always, "S", false).times, 400.0);
    // As in SASS of a product whose sizes are no multiples of its tiles.
    gpu::LaunchNest tested =
        nest_of(head + "              if i*4+j+t < 40\n                " + sum + meet);
    QCOMPARE(access(tested, "S", false).times, 1600.0);
  }

  void what_registers_do_not_hold_is_local_memory() {
    auto nest = [](int64_t edge) {
      std::string n = std::to_string(edge), all = std::to_string(edge * edge);
      return nest_of("  bind(threadIdx.x) t in 32\n    alloc own: f32[" + all +
                         "] @local\n      for i in " + n + "\n        for j in " + n +
                         "\n          own[i*" + n + "+j] = A[i*" + n + "+j]\n      for i in " + n +
                         "\n        for j in " + n + "\n          C[(i*" + n +
                         "+j)*32+t] = own[i*" + n + "+j]\n",
                     "A: f32[4096], C: f32[65536]");
    };
    for (gpu::NestAccess const& one : nest(8).accesses) QVERIFY(!one.local);
    QVERIFY(nest(8).registers >= 64);
    gpu::LaunchNest large = nest(16);
    QVERIFY(access(large, "own", true).local);
    QVERIFY(access(large, "own", false).local);
    QVERIFY(large.registers < 64);
  }

  void a_copy_that_goes_on_is_waited_for_where_nothing_is_between() {
    auto body = [](int groups) {
      return "  bind(threadIdx.x) t in 32\n"
             "    alloc S: f32[256] @shared\n"
             "      for k in 100\n"
             "        call bring(S[k%2*128+t*4+a] over (a in 4), A[k%32*128+t*4+b] over (b in 4))\n"
             "        call commit_copies()\n"
             "        call wait_copies(" +
             std::to_string(groups) +
             ")\n"
             "        C[t] = S[k%2*128+t]\n";
    };
    QCOMPARE(nest_of(body(0)).waits.main, 100.0);
    gpu::LaunchNest hidden = nest_of(body(1));
    QCOMPARE(hidden.waits.main, 0.0);
    QCOMPARE(access(hidden, "A", false).width, 4);
    QCOMPARE(access(hidden, "S", true).times, 100.0);
  }

  void sizes_are_as_large_as_they_may_be() {
    ir::KernelIr kernel = parsed(
        "  size n in 1..8\n"
        "  bind(blockIdx.x) b in n\n"
        "    bind(threadIdx.x) t in 64\n"
        "      C[b*64+t] = A[b*64+t]\n",
        "A: f32[n*64], C: f32[n*64]");
    auto time = gpu::program_time(kernel.host, {.shared_per_unit = 100 << 10}, {});
    QVERIFY(time);
    QCOMPARE(time->launches.at(0).nest.blocks(), int64_t(8));
  }

  void what_data_says_has_no_time() {
    QVERIFY(!gpu::launch_nest(parsed("  bind(threadIdx.x) t in 4\n"
                                     "    for k in N[0]\n"
                                     "      C[t] = A[k]\n",
                                     "A: f32[64], N: i64[1], C: f32[64]")
                                  .host.body));
  }
};

QTEST_GUILESS_MAIN(LaunchNestTest)
#include "launch_nest_test.moc"
