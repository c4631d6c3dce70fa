// Instructions of this machine's processor: each does what its declaration says.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/compiler/cpu_intrinsic.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/benchmarks/instructions/workloads.h"
#include "tests/support/compiled.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

std::string shape_text(ir::BufferNode const& buffer) {
  std::string text = std::string(to_text(buffer.type)) + "[";
  for (size_t d = 0; d < buffer.shape.size(); ++d)
    text += (d > 0 ? ", " : "") + ir::to_text(buffer.shape[d]);
  return text + "]";
}

/// Its elements along axes x0, x1, ...
std::string box_text(std::string const& tensor, ir::BufferNode const& buffer) {
  std::string indices, axes;
  for (size_t d = 0; d < buffer.shape.size(); ++d) {
    std::string comma = d > 0 ? ", " : "", axis = "x" + std::to_string(d);
    indices += comma + axis;
    axes += comma + axis + " in " + ir::to_text(buffer.shape[d]);
  }
  return tensor + "[" + indices + "] over (" + axes + ")";
}

/// One call on inputs, and on a copy of one where it updates.
std::string program_of(CpuIntrinsic const& intrinsic) {
  ir::Intrinsic declaration = tensor_intrinsic(intrinsic).declaration;
  std::string inputs, operands, result, start;
  for (ir::IntrinsicParam const& param : declaration->params) {
    std::string name = "T" + param.name();
    inputs += (inputs.empty() ? "" : ", ") + name + ": " + shape_text(*param.buffer);
    operands +=
        (operands.empty() ? "" : ", ") + box_text(param.writes() ? "Y" : name, *param.buffer);
    if (!param.writes()) continue;
    result = shape_text(*param.buffer);
    std::string lanes = ir::to_text(param.buffer->shape[0]);
    start = "  for i in " + lanes + "\n    block start(vi: " + lanes +
            " = i)\n      Y[vi] = " + name + "[vi]\n";
  }
  return "tilewright program 1\n" + intrinsic.declaration + "program one(" + inputs +
         ") -> (Y: " + result + ")\n" + start + "  block use()\n    call " + declaration->name +
         "(" + operands + ")\n";
}

/// Of all values that the type has.
NDArray random_array(ir::BufferNode const& buffer, Rng& rng) {
  NDArray array = NDArray::create(buffer.type, *ir::constant_shape(buffer)).value();
  for (int64_t i = 0; i < array.size(); ++i) {
    if (buffer.type == DType::kU8) array.set_value(i, double(rng.below(256)));
    if (buffer.type == DType::kI8) array.set_value(i, double(rng.below(256)) - 128);
    if (buffer.type == DType::kI32) array.set_value(i, double(rng.below(1 << 20)) - (1 << 19));
    if (is_float(buffer.type)) array.set_value(i, rng.uniform() * 2 - 1);
  }
  return array;
}

}  // namespace

class InstructionsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = create_cpu_backend(detect_host()).value(); }

  void declarations_are_read_and_named_as_their_files() {
    std::set<std::string> names;
    for (CpuIntrinsic const* one : cpu_intrinsic_table()) {
      TensorIntrinsic intrinsic = tensor_intrinsic(*one);
      QVERIFY(names.insert(intrinsic.declaration->name).second);
      QVERIFY(one->operations > 0 && one->code && !one->features.empty());
      QVERIFY(intrinsic.dense.size() == intrinsic.declaration->params.size());
    }
    QVERIFY(names.size() >= 4);
  }

  void an_instruction_does_what_its_declaration_says_data() {
    QTest::addColumn<int>("row");
    for (size_t i = 0; i < cpu_intrinsic_table().size(); ++i)
      QTest::addRow("%s", tensor_intrinsic(*cpu_intrinsic_table()[i]).declaration->name.c_str())
          << int(i);
  }
  void an_instruction_does_what_its_declaration_says() {
    QFETCH(int, row);
    CpuIntrinsic const& intrinsic = *cpu_intrinsic_table()[size_t(row)];
    if (!has_intrinsic(intrinsic, detect_host())) QSKIP("this processor does not have it");
    auto program = ir::parse_program(program_of(intrinsic));
    QVERIFY2(program, program ? "" : to_sentence(program.error()).c_str());
    Rng rng(7);
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked}) {
      std::vector<NDArray> inputs;
      for (ir::Buffer const& input : program->inputs) inputs.push_back(random_array(*input, rng));
      compare(*program, inputs, tier);
    }
  }

  void kernels_of_instructions_compute_what_their_nests_say_data() {
    QTest::addColumn<QString>("name");
    for (bench::InstructionWorkload const& one : bench::instruction_workloads())
      QTest::newRow(one.name.c_str()) << QString::fromStdString(one.name);
  }
  void kernels_of_instructions_compute_what_their_nests_say() {
    QFETCH(QString, name);
    for (bench::InstructionWorkload const& one : bench::instruction_workloads()) {
      if (one.name != name.toStdString()) continue;
      if (!backend_->target().intrinsic(one.intrinsic)) QSKIP("this processor does not have it");
      auto kernel = te::parse_kernel(one.small_kernel);
      QVERIFY2(kernel, kernel ? "" : to_sentence(kernel.error()).c_str());
      Schedule plain(te::to_program(*kernel).value(), backend_->shared_target());
      auto script = parse_script(one.script);
      QVERIFY2(script, script ? "" : to_sentence(script.error()).c_str());
      QVERIFY(script->steps.size() <= 16);
      auto schedule = replay(plain, *script);
      QVERIFY2(schedule, schedule ? "" : schedule.error().message.c_str());
      Rng rng(3);
      std::vector<NDArray> inputs;
      for (ir::Buffer const& input : plain.program().inputs)
        inputs.push_back(random_array(*input, rng));
      NDArray expected = ir::interpret(plain.program(), inputs).value()[0];
      compare(schedule->program(), inputs, CodeTier::kFull, &expected);
    }
  }

private:
  void compare(ir::Program const& program, std::vector<NDArray> const& inputs, CodeTier tier,
               NDArray const* wanted = nullptr) {
    auto stages =
        lower(program, backend_->target(), backend_->passes(), {.verify = VerifyPasses::kEach});
    QVERIFY2(stages, stages ? "" : to_sentence(stages.error()).c_str());
    auto actual =
        testing::run_compiled(stages->back().kernel, program, inputs, *backend_, tier, pool_);
    QVERIFY2(actual, actual ? "" : to_sentence(actual.error()).c_str());
    NDArray expected = wanted ? *wanted : ir::interpret(program, inputs).value()[0];
    for (int64_t i = 0; i < expected.size(); ++i) {
      double room = is_float(expected.type()) ? 1e-5 : 0;
      QVERIFY2(std::abs((*actual)[0].value_at(i) - expected.value_at(i)) <= room,
               qPrintable(QString("%1: %2, not %3")
                              .arg(i)
                              .arg((*actual)[0].value_at(i))
                              .arg(expected.value_at(i))));
    }
  }

  std::shared_ptr<Backend const> backend_;
  ThreadPool pool_{1};
};

QTEST_GUILESS_MAIN(InstructionsTest)
#include "instructions_test.moc"
