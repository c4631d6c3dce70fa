// Kernels that passes rewrite whole: calls of intrinsics, and functions for devices.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/te/te.h"
#include "tests/support/all_passes.h"
#include "tests/support/counted_inputs.h"

using namespace tw;

namespace {

/// Tiles of A wait in a tensor that is allocated whole for each of them; the guard is one that
/// loops are partitioned for.
constexpr char kTiles[] =
    "tilewright program 1\n"
    "intrinsic copy(write dst: f32[4, 4], read src: f32[4, 4])\n"
    "  for a in 4\n"
    "    for b in 4\n"
    "      dst[a, b] = src[a, b]\n"
    "intrinsic mma(update c: f32[4, 4], read a: f32[4, 4], read b: f32[4, 4])\n"
    "  for i in 4\n"
    "    for j in 4\n"
    "      for k in 4\n"
    "        c[i, j] = c[i, j]+a[i, k]*b[k, j]\n"
    "intrinsic sync() barrier\n"
    "program f(A: f32[8, 12], B: f32[12, 8]) -> (C: f32[8, 8])\n"
    "  for y in 3\n"
    "    vector x in 8\n"
    "      block zero(vy: 9 = y*3, vx: 8 = x)\n"
    "        for r in 3\n"
    "          if vy+r < 8\n"
    "            C[vy+r, vx] = 0.0\n"
    "  for i in 2\n"
    "    unroll k in 3\n"
    "      alloc T: f32[8, 12] @global\n"
    "      block load(vi: 2 = i, vk: 3 = k)\n"
    "        call copy(T[vi*4+x, vk*4+z] over (x in 4, z in 4), "
    "A[vi*4+x, vk*4+z] over (x in 4, z in 4))\n"
    "      block wait()\n"
    "        call sync()\n"
    "      for j in 2\n"
    "        block product(vi: 2 = i, vj: 2 = j, reduce vk: 3 = k)\n"
    "          call mma(C[vi*4+x, vj*4+z] over (x in 4, z in 4), "
    "T[vi*4+x, vk*4+z] over (x in 4, z in 4), B[vk*4+x, vj*4+z] over (x in 4, z in 4))\n";

}  // namespace

class KernelsTest : public QObject {
  Q_OBJECT
private slots:
  void calls_go_through_every_pass() {
    auto program = ir::parse_program(kTiles);
    QVERIFY2(program, program ? "" : to_sentence(program.error()).c_str());
    std::vector<NDArray> inputs = testing::counted_inputs(*program);
    NDArray expected = ir::interpret(*program, inputs).value()[0];
    auto stages = lower(*program, Target{}, testing::all_passes());
    QVERIFY2(stages, stages ? "" : to_sentence(stages.error()).c_str());
    for (LoweredStage const& stage : *stages) {
      auto out = ir::interpret(stage.kernel, 2, inputs);
      QVERIFY2(out, (stage.name + ": " + (out ? "" : to_sentence(out.error()))).c_str());
      QVERIFY2(compare((*out)[0], expected, 0).equal, stage.name.c_str());
    }
    std::string text = ir::print(stages->back().kernel).text;
    QVERIFY2(text.find("call copy(T[x*4+z] over (x in 4, z in 4), "
                       "A[i*48+x*12+z+4] over (x in 4, z in 4))") != std::string::npos,
             text.c_str());
    QVERIFY(text.find("intrinsic mma(") != std::string::npos);
    QCOMPARE(workspace_bytes(stages->back().kernel), 0);  // 4x4 elements of it are on the stack
  }

  void a_vector_loop_of_calls_is_refused() {
    std::string text = kTiles;
    text.replace(text.find("for j in 2"), 3, "vector");
    auto stages = lower(ir::parse_program(text).value(), Target{}, testing::all_passes());
    QVERIFY(!stages);
    QCOMPARE(stages.error().code, std::string("call_in_vector_loop"));
  }

  /// Whatever a pass does to the host's function, it does to those of devices.
  void functions_of_devices_are_rewritten_as_the_hosts() {
    char const* const kKernels[] = {
        "kernel f(X: f32[30, 7]) -> Y\n  P[i in 30, j in 7] = X[i, j] * 2.0\n"
        "  Y[i in 30] = sum[j in 7] P[i, j]\n",
        "kernel f(X: f32[10]) -> Y\n  Y[i in 10] = max(X[i], 0)\n"};
    for (char const* text : kKernels) {
      auto kernel = te::parse_kernel(std::string("tilewright te 1\n") + text).value();
      ir::Program program = te::to_program(kernel).value();
      ir::Function host{program.name, program.inputs, program.sizes, program.body};
      host.params.insert(host.params.end(), program.outputs.begin(), program.outputs.end());
      ir::KernelIr now{host, {host, host}};
      for (Pass const& pass : testing::all_passes()) {
        ir::KernelIr before = now;
        now = pass.run(now, PassContext{Target{}}).value();
        QCOMPARE(now.device.size(), size_t(2));
        for (ir::Function const& device : now.device)
          QVERIFY2(ir::equal(device, now.host), pass.name.c_str());
        ir::KernelIr alone = pass.run({before.host, {}}, PassContext{Target{}}).value();
        QVERIFY2(ir::equal(alone.host, now.host), pass.name.c_str());
        QVERIFY(!ir::equal(alone, now));
      }
      std::string printed = ir::print(now).text;
      QCOMPARE(QString::fromStdString(printed).count("\ndevice f("), 2);
    }
  }

  void an_error_in_a_device_function_is_the_passes() {
    auto program = ir::parse_program(
                       "tilewright program 1\nprogram f(X: f32[8192]) -> (Y: f32[8192])\n"
                       "  vector i in 8192\n    block Y(v: 8192 = i)\n      Y[v] = X[v]\n")
                       .value();
    ir::Function wide{"wide", program.inputs, {}, program.body}, plain = wide;
    plain.body = ir::seq({});
    auto result = vectorize_loops().run({plain, {wide}}, PassContext{Target{}});
    QVERIFY(!result);
    QCOMPARE(result.error().code, std::string("vector_extent"));
  }
};

QTEST_GUILESS_MAIN(KernelsTest)
#include "kernels_test.moc"
