// Sectors and passes of random accesses, beside a count over all warps and all iterations.
#include <QtTest>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/stmt.h"
#include "engine/lowering/pipeline.h"
#include "engine/schedule/trace.h"
#include "engine/support/base/random.h"
#include "engine/te/te.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/gpu/launch_report.h"
#include "targets/shared/gpu/warp_accesses.h"

using namespace tw;
using namespace tw::ir;

namespace {

struct Drawn {
  std::vector<std::pair<std::string, int64_t>> loops;  // serial ones
  std::array<int64_t, 3> block{};
  Expr index;
  DType type = DType::kF32;
};

Drawn drawn(Rng& rng) {
  Drawn made;
  made.block = {rng.between(1, 40), rng.between(1, 6), rng.between(1, 2)};
  for (int64_t i = rng.below(3); i >= 0; --i)
    made.loops.push_back({"k" + std::to_string(i), rng.between(1, 9)});
  made.type = std::array{DType::kF32, DType::kF64, DType::kI8, DType::kI16}[size_t(rng.below(4))];
  std::vector<std::string> threads{"tx", "ty", "tz"};
  made.index = int_imm(rng.between(64, 90));
  for (std::string const& name : threads) {
    Expr term = var(name);
    if (rng.below(3) == 0)
      term = floor_mod(term + int_imm(rng.below(3)), int_imm(rng.between(2, 9)));
    if (rng.below(4) == 0) term = floor_div(term, int_imm(rng.between(2, 5)));
    if (rng.below(5) == 0) term = binary(BinaryOp::kBitXor, term, var("ty"));
    made.index = made.index + term * int_imm(rng.between(0, 40));
  }
  for (auto const& [name, extent] : made.loops) {
    Expr term = var(name);
    if (rng.below(3) == 0) term = floor_div(term, int_imm(2)) + floor_mod(term, int_imm(3));
    // As a fused loop is taken apart again.
    if (rng.below(4) == 0)
      term = floor_mod(term * int_imm(8) + var("tx"), int_imm(rng.between(3, 20)));
    made.index = made.index + term * int_imm(rng.between(0, 70));
  }
  return made;
}

/// The access in its nest; the tensor is a parameter, or the block's.
Function function_of(Drawn const& one, bool shared, int64_t vector = 0) {
  Buffer tensor = make_buffer("T", one.type, {100000}, shared ? "shared" : "global"),
         out = make_buffer("O", one.type, {1});
  Stmt body = make<Store>(out, std::vector<Expr>{int_imm(0)}, load(tensor, {one.index}));
  int32_t id = 10;
  if (vector > 0)
    body = make<For>(LoopId{id++}, var("v"), int_imm(vector), LoopKind::kVector, body);
  for (auto const& [name, extent] : one.loops)
    body = make<For>(LoopId{id++}, var(name), int_imm(extent), LoopKind::kSerial, body);
  if (shared) body = make<Alloc>(tensor, body);
  char const* axes[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
  char const* names[] = {"tx", "ty", "tz"};
  for (int d = 0; d < 3; ++d)
    body = make<For>(LoopId{d}, var(names[d]), int_imm(one.block[size_t(d)]), LoopKind::kBind, body,
                     axes[d]);
  return {"f", shared ? std::vector<Buffer>{out} : std::vector<Buffer>{tensor, out}, {}, body};
}

struct Count {
  double sum = 0, times = 0;
  int least = INT_MAX, most = 0;
};

Count by_hand(Drawn const& one, bool shared) {
  ExprEvaluator evaluator;
  int axes[] = {evaluator.slot("tx"), evaluator.slot("ty"), evaluator.slot("tz")};
  std::vector<int> counters;
  for (auto const& [name, extent] : one.loops) counters.push_back(evaluator.slot(name));
  Compiled index = evaluator.compile(one.index);
  int bytes = int(size_of(one.type));
  int64_t threads = one.block[0] * one.block[1] * one.block[2], turns = 1;
  for (auto const& [name, extent] : one.loops) turns *= extent;
  Count count;
  for (int64_t turn = 0; turn < turns; ++turn) {
    int64_t rest = turn;
    for (size_t i = 0; i < counters.size(); ++i) {
      evaluator.set(counters[i], rest % one.loops[i].second);
      rest /= one.loops[i].second;
    }
    for (int64_t first = 0; first < threads; first += 32) {
      std::vector<int64_t> addresses;
      for (int64_t t = first; t < std::min(first + 32, threads); ++t) {
        evaluator.set(axes[0], t % one.block[0]);
        evaluator.set(axes[1], t / one.block[0] % one.block[1]);
        evaluator.set(axes[2], t / one.block[0] / one.block[1]);
        addresses.push_back(evaluator.integer(index, 0) * bytes);
      }
      int cost =
          shared ? gpu::passes_of(addresses, bytes, false) : gpu::sectors_of(addresses, bytes);
      count.sum += cost;
      ++count.times;
      count.least = std::min(count.least, cost);
      count.most = std::max(count.most, cost);
    }
  }
  return count;
}

std::vector<int64_t> lanes(int64_t stride, int count = 32) {
  std::vector<int64_t> list;
  for (int i = 0; i < count; ++i) list.push_back(i * stride);
  return list;
}

}  // namespace

class WarpAccessesTest : public QObject {
  Q_OBJECT
private slots:
  void known_patterns() {
    QCOMPARE(gpu::sectors_of(lanes(4), 4), 4);      // side by side
    QCOMPARE(gpu::sectors_of(lanes(4096), 4), 32);  // a column
    QCOMPARE(gpu::sectors_of(lanes(0), 4), 1);
    QCOMPARE(gpu::sectors_of({28, 32}, 4), 2);
    QCOMPARE(gpu::passes_of(lanes(4), 4, false), 1);
    QCOMPARE(gpu::passes_of(lanes(128), 4, false), 32);  // all in one bank
    QCOMPARE(gpu::passes_of(lanes(132), 4, false), 1);   // padded by one
    QCOMPARE(gpu::passes_of(lanes(0), 4, false), 1);     // one word for all
    QCOMPARE(gpu::passes_of(lanes(8), 4, false), 2);
    QCOMPARE(gpu::passes_of(lanes(8), 8, false), 2);    // half a warp at a time
    QCOMPARE(gpu::passes_of(lanes(1), 1, false), 1);    // four lanes in a word
    QCOMPARE(gpu::passes_of(lanes(16), 16, false), 4);  // a quarter at a time
    QCOMPARE(gpu::passes_of(lanes(0), 16, false), 2);   // or half, where neighbours want the same
    QCOMPARE(gpu::passes_of(lanes(0), 16, true), 4);
    QCOMPARE(gpu::passes_of(lanes(0), 8, false), 1);
    std::vector<int64_t> halves, far;
    for (int64_t lane = 0; lane < 32; ++lane)
      halves.push_back(lane / 16 * 32), far.push_back(lane % 16 * 32);
    QCOMPARE(gpu::passes_of(halves, 16, false), 2);
    QCOMPARE(gpu::passes_of(far, 16, false), 8);  // no broadcast between quarters
  }

  void some_that_are_drawn_tell_about_all() {
    std::vector<gpu::LoopAround> around{{"tx", 32, 0}, {"k", 8000, -1}};
    gpu::LaunchShape shape{{}, {32, 1, 1}};
    for (int64_t row : {7, 20, 30, 61}) {
      // As a fused loop is taken apart: rows end inside of a warp.
      Expr flat = var("k") * int_imm(32) + var("tx");
      Expr index = floor_div(flat, int_imm(row)) * int_imm(100) + floor_mod(flat, int_imm(row));
      gpu::WarpAccess all{}, drawn{};
      gpu::count_access(all, index, 1, around, shape, 32, gpu::Counted::kAll);
      gpu::count_access(drawn, index, 1, around, shape, 32, gpu::Counted::kDrawn);
      QVERIFY(all.undecided.empty() && drawn.undecided.empty());
      QVERIFY2(std::abs(drawn.average - all.average) < 0.05 * all.average,
               qPrintable(QString("%1, not %2").arg(drawn.average).arg(all.average)));
      QVERIFY(drawn.most <= all.most && drawn.least >= all.least);
      // Far more than could be tried.
      around[1].extent = int64_t(1) << 40;
      gpu::WarpAccess large{}, none{};
      gpu::count_access(large, index, 1, around, shape, 32, gpu::Counted::kDrawn);
      QVERIFY(std::abs(large.average - all.average) < 0.1 * all.average);
      gpu::count_access(none, index, 1, around, shape, 32, gpu::Counted::kAll);
      QVERIFY(!none.undecided.empty());
      around[1].extent = 8000;
    }
  }

  void a_vectorized_loop_is_one_access_where_it_is_aligned() {
    for (auto [stride, start, wide, sectors] :
         {std::tuple{4, 0, 4, 16}, {4, 1, 1, 17}, {5, 0, 1, 20}, {8, 4, 4, 32}}) {
      Drawn one{{}, {32, 1, 1}, var("tx") * int_imm(stride) + int_imm(start) + var("v")};
      Function function = function_of(one, false, 4);
      gpu::LaunchShape shape = gpu::launch_shape(function).value();
      gpu::WarpAccess access = gpu::warp_accesses(function, shape, 32, 64).front();
      QCOMPARE(access.width, wide);
      QCOMPARE(access.most, sectors);
      QCOMPARE(access.ideal, wide == 4 ? 16 : 4);
    }
  }

  /// Sixteen bytes of each thread, by a vector loop and by a copy that goes on while others
  /// compute: a row of 128 elements takes 16 sectors, and of shared memory a quarter of a warp in
  /// each pass.
  void vectors_are_one_access() {
    auto backend = cuda::create_cuda_backend(cuda::known_gpus()[0].hardware, {}).value();
    for (std::string const last : {"vectorize(cw)", "tensorize(cw, intrinsic=copy_async_16)"}) {
      te::Kernel kernel = te::parse_kernel(
                              "tilewright te 1\nkernel rows(X: f32[4, 128]) -> Y\n"
                              "  Y[i in 4, j in 128] = X[i, 127-j]\n")
                              .value();
      Script steps = parse_script(
                         "tilewright schedule 1\nbind(Y.i, axis=blockIdx.x)\n"
                         "j0, j1 = split(Y.j, factor=32)\nbind(j1, axis=threadIdx.x)\n"
                         "cache_read(Y, tensor=X, scope=shared)\ncompute_at(X_cache, Y.i)\n"
                         "c0, cw = split(X_cache.d1, factor=4)\nbind(c0, axis=threadIdx.x)\n" +
                         last + "\n")
                         .value();
      Schedule schedule(te::to_program(kernel).value(), backend->shared_target());
      auto done = replay(std::move(schedule), steps).value();
      auto stages = lower(done.program(), backend->target(), backend->passes()).value();
      Function const& function = stages.back().kernel.device[0];
      auto found = gpu::warp_accesses(function, gpu::launch_shape(function).value(), 32, 64);
      QCOMPARE(found.size(), size_t(4));
      std::ranges::stable_sort(found, {},
                               [](auto const& one) { return one.tensor + (one.store ? "" : "!"); });
      auto is = [](gpu::WarpAccess const& one, char const* tensor, int bytes, int cost) {
        return one.tensor == tensor && one.bytes * one.width == bytes && one.most == cost &&
               one.least == cost && one.ideal == cost;
      };
      QVERIFY(is(found[0], "X", 16, 16) && is(found[1], "X_cache", 16, 4));
      QVERIFY(is(found[2], "X_cache", 4, 1) && is(found[3], "Y", 4, 4));
    }
  }

  void counts_are_those_of_all_warps() {
    Rng rng(20261129);
    int decided = 0;
    for (int i = 0; i < 3000; ++i) {
      Drawn one = drawn(rng);
      bool shared = i % 2 == 0;
      Function function = function_of(one, shared);
      gpu::LaunchShape shape = gpu::launch_shape(function).value();
      std::vector<gpu::WarpAccess> found = gpu::warp_accesses(function, shape, 32);
      QVERIFY(!found.empty());
      gpu::WarpAccess const& access = found.front();
      QCOMPARE(access.tensor, std::string("T"));
      QCOMPARE(access.shared, shared);
      if (!access.undecided.empty()) continue;
      ++decided;
      Count count = by_hand(one, shared);
      QVERIFY2(std::abs(access.average - count.sum / count.times) < 1e-9 &&
                   access.least == count.least && access.most == count.most,
               qPrintable(QString("%1: %2 (%3 to %4), not %5 (%6 to %7)")
                              .arg(i)
                              .arg(access.average)
                              .arg(access.least)
                              .arg(access.most)
                              .arg(count.sum / count.times)
                              .arg(count.least)
                              .arg(count.most)));
    }
    qInfo("%d of 3000 decided", decided);
    QCOMPARE(decided, 3000);
  }

  /// What a picture shows of one request, added up over all of them.
  void requests_come_to_the_count() {
    Rng rng(20261130);
    int requests = 0;
    for (int i = 0; i < 600; ++i) {
      Drawn one = drawn(rng);
      bool shared = i % 2 == 0;
      Function function = function_of(one, shared);
      gpu::LaunchShape shape = gpu::launch_shape(function).value();
      ir::PrintedProgram printed = print(KernelIr{.host = function, .device = {}});
      LaunchReport report = gpu::launch_report("f", function, shape, printed, {32, 64});
      LaunchAccess const& access = report.accesses.front();
      std::vector<int64_t> at(access.loops.size(), 0);
      double sum = 0, times = 0;
      for (bool more = true; more;) {
        for (int warp = 0; warp < access.warps; ++warp, ++times, ++requests) {
          WarpRequest request = access.request(warp, at);
          QVERIFY(request.known);
          sum += request.cost;
        }
        size_t turn = 0;
        while (turn < at.size() && ++at[turn] == access.loops[turn].extent) at[turn++] = 0;
        more = turn < at.size();
      }
      QVERIFY2(std::abs(sum / times - access.average) < 1e-9, qPrintable(QString::number(i)));
    }
    qInfo("%d requests", requests);
  }

  /// A lane whose guard does not hold takes no part, whatever its index would be.
  void guarded_lanes_take_no_part() {
    Drawn one{.loops = {{"k", 4}}, .block = {32, 1, 1}, .index = var("tx") * int_imm(4)};
    Function function = function_of(one, false);
    Buffer tensor = function.params[0], out = function.params[1];
    Stmt store = make<Store>(out, std::vector<Expr>{int_imm(0)}, load(tensor, {one.index}));
    Expr condition = binary(BinaryOp::kLt, var("tx") + var("k"), int_imm(10));
    Stmt body = make<If>(condition, store, Stmt());
    body = make<For>(LoopId{9}, var("k"), int_imm(4), LoopKind::kSerial, body);
    function.body =
        make<For>(LoopId{1}, var("tx"), int_imm(32), LoopKind::kBind, body, "threadIdx.x");
    gpu::LaunchShape shape = gpu::launch_shape(function).value();
    gpu::WarpAccess access = gpu::warp_accesses(function, shape, 32).front();
    QCOMPARE(gpu::deciding_loops(access), std::vector<std::string>{"k"});
    for (int64_t k = 0; k < 4; ++k) {
      auto lanes = gpu::lane_addresses(access, shape, 32, {.warp = 0, .at = {{"k", k}}});
      QVERIFY(lanes.has_value());
      for (int64_t lane = 0; lane < 32; ++lane)
        QCOMPARE((*lanes)[size_t(lane)], lane + k < 10 ? lane * 16 : -1);
    }
  }

  /// Both branches of a guard that was moved out of loops; what a size decides is no tile.
  void versions_of_code_are_told_apart() {
    Buffer tensor = make_buffer("T", DType::kF32, {64}), out = make_buffer("O", DType::kF32, {64});
    auto versions = [&](Expr const& condition) {
      Stmt store = make<Store>(out, std::vector<Expr>{var("tx")}, load(tensor, {var("tx")}));
      Stmt other =
          make<Store>(out, std::vector<Expr>{var("tx")}, load(tensor, {var("tx") * int_imm(2)}));
      Function function{"f", {tensor, out}, {}, make<If>(condition, store, other)};
      function.body = make<For>(LoopId{1}, var("tx"), int_imm(32), LoopKind::kBind, function.body,
                                "threadIdx.x");
      std::string all;
      for (gpu::WarpAccess const& one :
           gpu::warp_accesses(function, gpu::launch_shape(function).value(), 32))
        all += one.tensor + (one.store ? " store: " : " load: ") + one.version + "; ";
      return all;
    };
    QCOMPARE(versions(binary(BinaryOp::kLt, var("tx"), int_imm(10))),
             std::string("T load: whole tiles; O store: whole tiles; T load: edge tiles; O store: "
                         "edge tiles; "));
    QCOMPARE(versions(binary(BinaryOp::kLt, var("n"), int_imm(10))),
             std::string("T load: ; O store: ; T load: ; O store: ; "));
  }
};

QTEST_GUILESS_MAIN(WarpAccessesTest)
#include "warp_accesses_test.moc"
