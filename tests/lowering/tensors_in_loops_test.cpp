// Tensors that are allocated inside of loops: how small they become and where they live.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/stmt.h"
#include "engine/ir/text.h"
#include "engine/lowering/passes.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"

using namespace tw;

namespace {

/// A producer whose part per row of `C` is `rows` of `width`.
std::string chain(int64_t rows, int64_t width) {
  return "tilewright te 1\nkernel f(X: f32[" + std::to_string(rows + 7) + ", " +
         std::to_string(width) + "]) -> C\n  P[i in " + std::to_string(rows + 7) + ", j in " +
         std::to_string(width) + "] = X[i, j] * 2.0\n  C[y in 8, j in " + std::to_string(width) +
         "] = sum[r in " + std::to_string(rows) + "] P[y+r, j]\n";
}

struct Lowered {
  ir::Program program;
  std::vector<LoweredStage> stages;
};

Lowered lower_chain(int64_t rows, int64_t width, std::string const& steps) {
  auto program = te::to_program(te::parse_kernel(chain(rows, width)).value()).value();
  auto script = parse_script("tilewright schedule 1\n" + steps).value();
  auto schedule = replay(Schedule(program), script).value();
  std::vector<Pass> passes{
      hoist_reduction_init(), lower_blocks(),    simplify_kernel().because("for the test"),
      compact_tensors(),      flatten_buffers(), plan_workspace()};
  return {program, lower(schedule.program(), *any_target(), passes).value()};
}

/// The allocation of `P` in the last stage.
ir::Buffer tensor_of(Lowered const& lowered) {
  ir::Buffer found;
  std::vector<ir::Stmt> open{lowered.stages.back().kernel.host.body};
  while (!open.empty()) {
    ir::Stmt s = open.back();
    open.pop_back();
    if (auto const* alloc = s.as<ir::Alloc>()) {
      if (alloc->buffer->name == "P") found = alloc->buffer;
      open.push_back(alloc->body);
    }
    if (auto const* loop = s.as<ir::For>()) open.push_back(loop->body);
    if (auto const* list = s.as<ir::Seq>())
      open.insert(open.end(), list->stmts.begin(), list->stmts.end());
  }
  return found;
}

void check_values(Lowered const& lowered) {
  NDArray input =
      NDArray::create(DType::kF32, *ir::constant_shape(*lowered.program.inputs[0])).value();
  for (int64_t i = 0; i < input.size(); ++i) input.set_value(i, double(i % 17) - 8);
  auto expected = ir::interpret(lowered.program, {input}).value();
  auto actual = ir::interpret(lowered.stages.back().kernel, 1, {input});
  QVERIFY2(actual, actual ? "" : to_sentence(actual.error()).c_str());
  QVERIFY(compare((*actual)[0], expected[0], 1e-6).equal);
}

}  // namespace

class TensorsInLoopsTest : public QObject {
  Q_OBJECT
private slots:
  void a_small_part_lives_on_the_stack_of_its_thread() {
    Lowered lowered = lower_chain(3, 32, "compute_at(P, C.y)\nparallel(C.y)\n");
    ir::Buffer tensor = tensor_of(lowered);
    QVERIFY(tensor);
    QCOMPARE(tensor->scope, std::string(kStackScope));
    QCOMPARE(*ir::as_int(tensor->shape[0]), int64_t(3 * 32));
    QCOMPARE(workspace_bytes(lowered.stages.back().kernel), int64_t(0));
    check_values(lowered);
  }

  void a_large_part_gets_a_place_for_every_task() {
    Lowered lowered = lower_chain(20, 1000, "compute_at(P, C.y)\nparallel(C.y)\n");
    ir::Buffer tensor = tensor_of(lowered);
    QVERIFY(tensor);
    QCOMPARE(tensor->scope, std::string(kWorkspaceScope));
    // 20000 elements are whole lines; 8 tasks run at once.
    QCOMPARE(workspace_bytes(lowered.stages.back().kernel), int64_t(8 * 20000 * 4));
    check_values(lowered);
  }

  void a_large_part_in_a_serial_loop_has_one_place() {
    Lowered lowered = lower_chain(20, 1000, "compute_at(P, C.y)\n");
    QCOMPARE(workspace_bytes(lowered.stages.back().kernel), int64_t(20000 * 4));
    check_values(lowered);
  }

  void the_whole_tensor_stays_whole_outside_of_loops() {
    Lowered lowered = lower_chain(3, 32, "parallel(C.y)\n");
    QCOMPARE(workspace_bytes(lowered.stages.back().kernel), int64_t(10 * 32 * 4));
    check_values(lowered);
  }
};

QTEST_GUILESS_MAIN(TensorsInLoopsTest)
#include "tensors_in_loops_test.moc"
