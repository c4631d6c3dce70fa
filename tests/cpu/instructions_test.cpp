// Instructions of processors: each is what code made for it has, and those of this machine do what
// their declarations say. (Those of 64-bit Arm run in tests/device/aarch64_slow_test.cpp.)
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/intrinsic.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/compiler/cpu_intrinsic.h"
#include "targets/cpu/compiler/cpu_targets.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/benchmarks/instructions/workloads.h"
#include "tests/support/compiled.h"
#include "tests/support/instruction_calls.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

/// A processor that has what the instruction needs.
Hardware processor_with(CpuIntrinsic const& intrinsic) {
  std::string base = intrinsic.architecture == "x86_64" ? "cpu:x86-64-v4" : "cpu:aarch64";
  Hardware hardware = cpu_target(base).value();
  for (std::string const& feature : intrinsic.features.at(0))
    hardware.code[kFeatures] += ",+" + feature;
  return hardware;
}

/// "sdot" of "sdot v0.4s, v1.16b, v2.4b[0]"; how it is encoded, "{vex}", stands before some.
std::string mnemonic_of(std::string const& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  if (word.starts_with('{')) words >> word;
  return word;
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
    QVERIFY(names.size() >= 8);
  }

  void code_of_a_call_is_the_instruction_data() { instruction_rows(); }
  void code_of_a_call_is_the_instruction() {
    QFETCH(int, row);
    CpuIntrinsic const& intrinsic = *cpu_intrinsic_table()[size_t(row)];
    auto backend = create_cpu_backend(processor_with(intrinsic)).value();
    std::string const name = tensor_intrinsic(intrinsic).declaration->name;
    QVERIFY(backend->target().intrinsic(name));
    ir::Program program = ir::parse_program(testing::program_of_call(intrinsic)).value();
    auto stages = lower(program, backend->target(), backend->passes());
    QVERIFY2(stages, stages ? "" : to_sentence(stages.error()).c_str());
    auto code = backend->generate(stages->back().kernel, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, code ? "" : to_sentence(code.error()).c_str());
    std::string const& assembly = code->listings.at(1).text;
    // Of the unsigned and signed dot product there is a form for either operand's element.
    std::set<std::string> words{name.substr(0, name.find('_'))};
    if (name.starts_with("usdot")) words.insert("sudot");
    int found = 0;
    std::istringstream lines(assembly);
    for (std::string line; std::getline(lines, line);) found += words.contains(mnemonic_of(line));
    QVERIFY2(found == 1, assembly.c_str());
  }

  void an_instruction_does_what_its_declaration_says_data() { instruction_rows(); }
  void an_instruction_does_what_its_declaration_says() {
    QFETCH(int, row);
    CpuIntrinsic const& intrinsic = *cpu_intrinsic_table()[size_t(row)];
    if (!has_intrinsic(intrinsic, detect_host())) QSKIP("this processor does not have it");
    auto program = ir::parse_program(testing::program_of_call(intrinsic));
    QVERIFY2(program, program ? "" : to_sentence(program.error()).c_str());
    Rng rng(7);
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked}) {
      std::vector<NDArray> inputs;
      for (ir::Buffer const& input : program->inputs)
        inputs.push_back(testing::numbers_for(*input, rng));
      compare(*program, inputs, tier);
    }
  }

  void kernels_of_instructions_compute_what_their_nests_say_data() {
    QTest::addColumn<int>("row");
    std::vector<bench::InstructionWorkload> all = bench::instruction_workloads();
    for (size_t i = 0; i < all.size(); ++i)
      QTest::addRow("%s with %s", all[i].name.c_str(), all[i].intrinsic.c_str()) << int(i);
  }
  void kernels_of_instructions_compute_what_their_nests_say() {
    QFETCH(int, row);
    bench::InstructionWorkload const one = bench::instruction_workloads().at(size_t(row));
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
      inputs.push_back(testing::numbers_for(*input, rng));
    NDArray expected = ir::interpret(plain.program(), inputs).value()[0];
    compare(schedule->program(), inputs, CodeTier::kFull, &expected);
  }

private:
  static void instruction_rows() {
    QTest::addColumn<int>("row");
    for (size_t i = 0; i < cpu_intrinsic_table().size(); ++i)
      QTest::addRow("%s", tensor_intrinsic(*cpu_intrinsic_table()[i]).declaration->name.c_str())
          << int(i);
  }

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
