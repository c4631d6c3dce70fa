// One account of memory: what legality holds a tensor to take at its place is what lowering makes
// of it, on programs by hand; random ones are in memory_use_test.
#include <QtTest>

#include "engine/arith/instances.h"
#include "engine/ir/text.h"
#include "engine/lowering/passes.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

constexpr char kProduct[] =
    "kernel matmul(A: f32[16, 32], B: f32[32, 8]) -> C\n"
    "  C[i in 16, j in 8] = sum[k in 32] A[i, k] * B[k, j]\n";

ir::Program scheduled(std::string const& steps, std::shared_ptr<Target const> target) {
  Schedule plain(te::to_program(testing::parsed_kernel(kProduct).value()).value(),
                 std::move(target));
  return replay(plain, parse_script("tilewright schedule 1\n" + steps).value()).value().program();
}

struct Found {
  ir::Alloc const* alloc = nullptr;
  std::vector<ir::For const*> around;
};

/// The allocation of a tensor with the loops around it.
Found find(ir::Stmt const& body, std::string const& tensor) {
  Found found;
  std::vector<ir::For const*> around;
  std::function<void(ir::Stmt const&)> visit = [&](ir::Stmt const& root) {
    ir::walk(root, [&](ir::Stmt const& s) {
      if (auto const* alloc = s.as<ir::Alloc>(); alloc && alloc->buffer->name == tensor)
        found = {alloc, around};
      auto const* loop = s.as<ir::For>();
      if (!loop) return true;
      around.push_back(loop);
      visit(loop->body);
      around.pop_back();
      return false;
    });
  };
  visit(body);
  return found;
}

std::vector<int64_t> numbers(std::vector<ir::Expr> const& list) {
  std::vector<int64_t> result;
  for (ir::Expr const& e : list) result.push_back(ir::as_int(e).value_or(-1));
  return result;
}

arith::Instances instances(ir::Program const& program, std::string const& tensor,
                           Target const& target) {
  Found found = find(program.body, tensor);
  return arith::instances_of(*found.alloc, found.around, target.sharing());
}

}  // namespace

class InstancesTest : public QObject {
  Q_OBJECT
private slots:
  void a_tensor_inside_of_loops_holds_what_one_iteration_uses() {
    auto target = testing::thread_machine();
    ir::Program program = scheduled(
        "k0, k1 = split(C.k, factor=8)\nreorder(C.i, k0, C.j, k1)\n"
        "cache_read(C, tensor=B, scope=local)\ncompute_at(B_cache, k0)\n",
        target);
    arith::Instances one = instances(program, "B_cache", *target);
    QCOMPARE(one.count, int64_t(1));
    QVERIFY(one.smaller);
    QCOMPARE(numbers(one.shape), (std::vector<int64_t>{8, 8}));
    Found found = find(program.body, "B_cache");
    QCOMPARE(*one.bytes(*found.alloc->buffer), int64_t(8 * 8 * 4));
    QVERIFY(ir::uses_variable(one.base[0], found.around.back()->name()));
    QCOMPARE(numbers(arith::instances_of(*found.alloc, {}, target->sharing()).shape),
             (std::vector<int64_t>{32, 8}));
  }

  void threads_that_share_it_hold_it_together_and_virtual_ones_have_one_each() {
    auto target = testing::thread_machine();
    auto rows = [&](char const* axis, char const* scope) {
      ir::Program program =
          scheduled(std::string("v, i1 = split(C.i, factor=4)\ncache_read(C, tensor=A, scope=") +
                        scope + ")\ncompute_at(A_cache, v)\nbind(v, axis=" + axis + ")\n",
                    target);
      return instances(program, "A_cache", *target);
    };
    QCOMPARE(numbers(rows("threadIdx.x", "shared").shape), (std::vector<int64_t>{16, 32}));
    QCOMPARE(numbers(rows("threadIdx.x", "local").shape), (std::vector<int64_t>{4, 32}));
    QCOMPARE(numbers(rows("blockIdx.x", "shared").shape), (std::vector<int64_t>{4, 32}));
    QCOMPARE(rows("blockIdx.x", "shared").count, int64_t(1));
    arith::Instances turns = rows("vthread", "shared");
    QCOMPARE(turns.count, int64_t(4));
    QCOMPARE(numbers(turns.shape), (std::vector<int64_t>{4, 32}));
  }

  void a_rest_behind_fused_blocks_is_no_reason_for_more() {
    auto target = testing::thread_machine();
    ir::Program program = scheduled(
        "cache_write(C, scope=local)\n"
        "i0, j0, i1, j1 = tile(C.i, C.j, outer_factor=5, inner_factor=3)\n"
        "b = fuse(i0, j0)\nreverse_compute_at(C_write, b)\nbind(b, axis=blockIdx.x)\n",
        target);
    QCOMPARE(numbers(instances(program, "C_cache", *target).shape), (std::vector<int64_t>{5, 3}));
  }

  void programs_and_lowered_code_are_told_alike() {
    auto target = testing::thread_machine();
    ir::Program program = scheduled(
        "i0, i1 = split(C.i, factor=5)\nk0, k1 = split(C.k, factor=12)\n"
        "reorder(i0, k0, i1, C.j, k1)\ncache_read(C, tensor=A, scope=shared)\n"
        "compute_at(A_cache, k0)\n",
        target);
    arith::Instances said = instances(program, "A_cache", *target);
    std::vector<Pass> const passes{hoist_reduction_init(), lower_blocks(),
                                   simplify_kernel().because("for the test"), compact_tensors()};
    auto stages = lower(program, *target, passes);
    QVERIFY(stages);
    Found made = find(stages->back().kernel.host.body, "A_cache");
    QVERIFY(made.alloc && said.smaller);
    QCOMPARE(numbers(made.alloc->buffer->shape), numbers(said.shape));
  }
};

QTEST_GUILESS_MAIN(InstancesTest)
#include "instances_test.moc"
