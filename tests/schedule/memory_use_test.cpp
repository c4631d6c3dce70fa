// What a schedule says that it takes of memories with a capacity, against the allocations of the
// lowered kernel: never less, and mostly the same.
#include <QtTest>

#include <map>

#include "engine/ir/text.h"
#include "engine/schedule/legality/memory_use.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"
#include "tests/support/thread_passes.h"

using namespace tw;

namespace {

/// Of each memory with a capacity where it is fullest.
class Allocated {
public:
  Allocated(ir::KernelIr const& kernel, Target const& target) : target_(target) {
    visit(kernel.host.body);
  }
  std::map<std::string, int64_t> bytes;

private:
  void visit(ir::Stmt const& root) {
    ir::walk(root, [&](ir::Stmt const& s) {
      auto const* alloc = s.as<ir::Alloc>();
      MemoryScope const* memory = alloc ? target_.scope(alloc->buffer->scope) : nullptr;
      if (!memory || memory->bytes == 0) return true;
      int64_t size = size_of(alloc->buffer->type);
      std::vector<int64_t> const shape = *ir::constant_shape(*alloc->buffer);
      for (int64_t extent : shape) size *= extent;
      size = (size + memory->alignment - 1) / memory->alignment * memory->alignment;
      int64_t& live = live_[memory->name];
      live += size;
      bytes[memory->name] = std::max(bytes[memory->name], live);
      visit(alloc->body);
      live -= size;
      return false;
    });
  }

  Target const& target_;
  std::map<std::string, int64_t> live_;
};

Result<ir::KernelIr> lowered(Schedule const& schedule) {
  std::vector<Pass> passes = testing::thread_passes();
  passes.pop_back();  // the check of the target
  TRY_ASSIGN(auto stages, lower(schedule.program(), schedule.target(), passes));
  return stages.back().kernel;
}

Schedule scheduled(std::string const& kernel, std::string const& steps,
                   std::shared_ptr<Target const> target) {
  Schedule plain(te::to_program(testing::parsed_kernel(kernel).value()).value(), std::move(target));
  return replay(plain, parse_script("tilewright schedule 1\n" + steps).value()).value();
}

}  // namespace

class MemoryUseTest : public QObject {
  Q_OBJECT
private slots:
  void parts_are_told_with_their_instances() {
    Schedule schedule = scheduled(
        "kernel matmul(A: f32[16, 32], B: f32[32, 8]) -> C\n"
        "  C[i in 16, j in 8] = sum[k in 32] A[i, k] * B[k, j]\n",
        "v, i1 = split(C.i, factor=8)\nk0, k1 = split(C.k, factor=16)\nreorder(v, k0, i1, C.j)\n"
        "cache_read(C, tensor=A, scope=pad)\ncompute_at(A_cache, k0)\n"
        "cache_read(C, tensor=B, scope=pad)\ncompute_at(B_cache, k0)\n",
        testing::accelerator_machine());
    std::vector<MemoryUse> use = memory_use(schedule.program(), schedule.target());
    QCOMPARE(use.size(), size_t(1));
    QCOMPARE(use[0].memory, std::string("pad"));
    QCOMPARE(use[0].capacity, int64_t(16 << 10));
    QCOMPARE(use[0].bytes, int64_t(8 * 16 * 4 + 16 * 8 * 4));
    auto twice = schedule.apply({"bind", {"v"}, {{"axis", "vthread"}}, {}});
    QVERIFY(twice);
    QCOMPARE(memory_use(twice->program(), twice->target())[0].bytes, 2 * use[0].bytes);
  }

  void a_tensor_on_its_way_into_a_loop_is_noted() {
    Schedule schedule = scheduled(
        "kernel rows(X: f32[64, 1024]) -> Y\n"
        "  Y[i in 64] = sum[k in 1024] X[i, k]\n",
        "cache_read(Y, tensor=X, scope=shared)\n", testing::thread_machine());
    QCOMPARE(QString::fromStdString(schedule.trace()[0].proof),
             QString("the copy holds the same values; until it is moved into a loop, the memory "
                     "'shared' has 48 KB, but 256 KB are needed at the same time: X_cache 256 KB"));
    auto moved = schedule.apply({"compute_at", {"X_cache", "Y.i"}, {}, {}});
    QVERIFY(moved);
    QVERIFY(!moved->trace()[1].proof.contains("needed"));
  }

  void random_schedules_take_what_is_said() {
    int schedules = qEnvironmentVariableIntValue("TW_SCHEDULES");
    if (schedules <= 0) schedules = 300;
    Rng rng(20261125);
    int compared = 0, same = 0;
    for (int i = 0; i < schedules; ++i) {
      std::string text = testing::test_kernel(i, testing::kernel_set(), rng);
      auto target = i % 3 == 0 ? testing::accelerator_machine() : testing::thread_machine();
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule(te::to_program(kernel).value(), target);
      for (int64_t tries = rng.between(6, 30); tries > 0; --tries) {
        static char const* const kNames[] = {"split",      "bind",      "bind",       "cache_read",
                                             "cache_read", "set_scope", "set_scope",  "compute_at",
                                             "compute_at", "reorder",   "cache_write"};
        Primitive const& one = *find_primitive(kNames[rng.below(std::size(kNames))]);
        auto next = schedule.apply(testing::propose_step(schedule.program(), rng, one, *target));
        if (next) schedule = std::move(*next);
      }
      auto code = lowered(schedule);
      if (!code) continue;  // a tensor that is in no place yet
      Allocated allocated(*code, *target);
      std::map<std::string, int64_t> said;
      for (MemoryUse const& use : memory_use(schedule.program(), *target))
        said[use.memory] = use.bytes;
      for (auto const& [memory, bytes] : allocated.bytes) {
        std::string shown = text + schedule.script() + ir::to_text(schedule.program()) +
                            ir::print(*code).text + std::to_string(said[memory]) + " said, " +
                            std::to_string(bytes) + " taken";
        QVERIFY2(said[memory] >= bytes, shown.c_str());
        ++compared;
        same += said[memory] == bytes;
        if (said[memory] != bytes && qEnvironmentVariableIsSet("TW_SHOW"))
          qInfo("%s", shown.c_str());
      }
    }
    qInfo("%d of %d the same, the others are told more", same, compared);
    QVERIFY(compared * 5 >= schedules);
    QVERIFY(same * 10 >= compared * 9);
  }
};

QTEST_GUILESS_MAIN(MemoryUseTest)
#include "memory_use_test.moc"
