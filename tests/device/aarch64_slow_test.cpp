// The cases of an emulated device, with 64-bit Arm; and its instructions, alone and in kernels.
#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/measure/kernel_bench.h"
#include "engine/schedule/trace.h"
#include "targets/cpu/compiler/cpu_intrinsic.h"
#include "tests/benchmarks/instructions/workloads.h"
#include "tests/device/emulated_cases.h"
#include "tests/support/instruction_calls.h"

using namespace tw;

class Aarch64Test : public test::EmulatedCases {
  Q_OBJECT
protected:
  QString architecture() const override { return "aarch64"; }
  QStringList models() const override { return {"dqn", "resnet18"}; }

private slots:
  void the_device_describes_its_own_architecture() {
    if (!emulated_) QSKIP("there is no device");
    QVERIFY(hardware_.word("triple") == "aarch64-linux-gnu");
    QVERIFY(hardware_.word("features") == "+neon,+dotprod,+fullfp16,+i8mm");
    QVERIFY(hardware_.word("processor") == "generic");
    QCOMPARE(hardware_.unit().vector_bytes, 16);
    QCOMPARE(hardware_.unit().vector_registers, 32);
    QCOMPARE(QString::fromStdString(backend_->target().title), QString("aarch64 · NEON"));
  }

  void an_instruction_does_what_its_declaration_says_data() {
    QTest::addColumn<int>("row");
    for (size_t i = 0; i < cpu_intrinsic_table().size(); ++i)
      if (cpu_intrinsic_table()[i]->architecture == "aarch64")
        QTest::addRow("%s", tensor_intrinsic(*cpu_intrinsic_table()[i]).declaration->name.c_str())
            << int(i);
  }
  void an_instruction_does_what_its_declaration_says() {
    if (!emulated_) QSKIP("there is no device");
    QFETCH(int, row);
    CpuIntrinsic const& intrinsic = *cpu_intrinsic_table()[size_t(row)];
    QVERIFY(has_intrinsic(intrinsic, hardware_));
    ir::Program program = ir::parse_program(testing::program_of_call(intrinsic)).value();
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked})
      compare(program, program, tier);
  }

  /// `is_lowered_to`: what stands in the assembly, each form for itself.
  void kernels_of_instructions_compute_what_their_nests_say_data() {
    QTest::addColumn<int>("row");
    QTest::addColumn<QString>("is_lowered_to");
    std::vector<bench::InstructionWorkload> all = bench::instruction_workloads();
    std::map<std::string, char const*> const words{
        {"sdot", "\tsdot\t"}, {"udot", "\tudot\t"}, {"usdot", "\tusdot\t"}};
    for (size_t i = 0; i < all.size(); ++i)
      if (auto word = words.find(all[i].intrinsic); word != words.end())
        QTest::addRow("%s with %s", all[i].name.c_str(), all[i].intrinsic.c_str())
            << int(i) << word->second;
  }
  void kernels_of_instructions_compute_what_their_nests_say() {
    if (!emulated_) QSKIP("there is no device");
    QFETCH(int, row);
    QFETCH(QString, is_lowered_to);
    bench::InstructionWorkload const one = bench::instruction_workloads().at(size_t(row));
    Schedule plain(te::to_program(te::parse_kernel(one.small_kernel).value()).value(),
                   backend_->shared_target());
    auto schedule = replay(plain, parse_script(one.script).value());
    QVERIFY2(schedule, schedule ? "" : schedule.error().message.c_str());
    compare(schedule->program(), plain.program(), CodeTier::kFull);
    std::string const assembly = assembly_of(schedule->program());
    QVERIFY2(QString::fromStdString(assembly).contains(is_lowered_to), assembly.c_str());
  }

private:
  /// What the program makes on the device is what the interpreter makes of `reference`, in every
  /// bit.
  void compare(ir::Program const& program, ir::Program const& reference, CodeTier tier) {
    auto code = compile_kernel(program, *backend_, tier);
    QVERIFY2(code, code ? "" : to_sentence(code.error()).c_str());
    Rng rng(7);
    std::vector<NDArray> inputs;
    for (ir::Buffer const& input : program.inputs)
      inputs.push_back(testing::numbers_for(*input, rng));
    KernelBench bench(*device_, program, inputs);
    auto outputs = bench.run(*code, {});
    QVERIFY2(outputs, outputs ? "" : to_sentence(outputs.error()).c_str());
    QVERIFY((*outputs)[0].hash() == ir::interpret(reference, inputs).value()[0].hash());
  }
  std::string assembly_of(ir::Program const& program) const {
    auto stages = lower(program, backend_->target(), backend_->passes()).value();
    return backend_->generate(stages.back().kernel, CodeTier::kFull, CodeTexts::kAll, {})
        .value()
        .listings.at(1)
        .text;
  }
};

QTEST_GUILESS_MAIN(Aarch64Test)
#include "aarch64_slow_test.moc"
#include "moc_emulated_cases.cpp"
