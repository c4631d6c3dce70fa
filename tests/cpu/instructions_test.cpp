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
#include "tests/support/tile_unit.h"

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

bool works_on_tiles(CpuIntrinsic const& intrinsic) { return intrinsic.unit == "matrix"; }

/// This processor; with tiles, which the tests have in software, where the instruction needs them.
Hardware host_for(CpuIntrinsic const& intrinsic) {
  Hardware hardware = detect_host();
  if (works_on_tiles(intrinsic) && !has_intrinsic(intrinsic, hardware))
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

std::map<std::string, int> count_instructions(std::string const& assembly) {
  std::map<std::string, int> counts;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) ++counts[mnemonic_of(line)];
  return counts;
}

}  // namespace

class InstructionsTest : public QObject {
  Q_OBJECT
private slots:
  void declarations_are_read_and_named_as_their_files() {
    std::set<std::string> names;
    for (CpuIntrinsic const* one : cpu_intrinsic_table()) {
      TensorIntrinsic intrinsic = tensor_intrinsic(*one);
      QVERIFY(names.insert(intrinsic.declaration->name).second);
      QVERIFY(one->operations > 0 && one->code && !one->features.empty());
      QVERIFY(intrinsic.dense.size() == intrinsic.declaration->params.size());
    }
    QVERIFY(names.size() >= 13);
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
    std::map<std::string, int> counts = count_instructions(assembly);
    // Of the unsigned and signed dot product there is a form for either operand's element.
    std::set<std::string> words{name.substr(0, name.find('_'))};
    if (name.starts_with("usdot")) words.insert("sudot");
    int found = 0;
    for (std::string const& word : words) found += counts[word];
    QVERIFY2(found == 1, assembly.c_str());
  }

  /// Those of the four tiles of a product are read before the loop of terms and written after it.
  void sums_in_tiles_stay_in_their_registers() {
    auto backend = create_cpu_backend(cpu_target("cpu:x86-64-amx").value()).value();
    for (bench::InstructionWorkload const& one : bench::instruction_workloads()) {
      if (!works_on_tiles(intrinsic_of(one.intrinsic))) continue;
      Schedule plain(te::to_program(te::parse_kernel(one.kernel).value()).value(),
                     backend->shared_target());
      ir::Program program = replay(plain, parse_script(one.script).value())->program();
      auto stages = lower(program, backend->target(), backend->passes()).value();
      for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
        auto code = backend->generate(stages.back().kernel, tier, CodeTexts::kAll, {});
        QVERIFY2(code, code ? "" : to_sentence(code.error()).c_str());
        std::map<std::string, int> counts = count_instructions(code->listings.at(1).text);
        QVERIFY(counts[one.intrinsic] >= 4);
        QCOMPARE(counts["tilestored"], 4);
        QVERIFY(counts["tileloadd"] + counts["tilezero"] <= 2 * counts[one.intrinsic] + 4);
      }
    }
  }

  /// The roofs of bytes are those of vectors and of tiles; an iteration is as many instructions as
  /// its operations are said to be.
  void roofs_of_tiles_are_probed_by_their_instructions() {
    CpuIntrinsic const& intrinsic = intrinsic_of("tdpbusd");
    QVERIFY(use(intrinsic));
    RoofProbes probes = backend_->roof_probes().value();
    std::vector<std::string> units;
    for (ComputeProbe const& one : probes.compute)
      if (one.type == "u8*i8") units.push_back(one.unit);
    QVERIFY(std::ranges::find(units, "matrix") == units.begin());
    bool has_vectors = has_intrinsic(intrinsic_of("vpdpbusd"), detect_host());
    QCOMPARE(units.size(), size_t(has_vectors ? 2 : 1));
    auto probe = std::ranges::find_if(probes.compute, [](ComputeProbe const& one) {
      return one.type == "u8*i8" && one.unit == "matrix";
    });
    constexpr int kIterations = 3;
    int64_t before = testing::TileUnit::products();
    LoadedModule module = LoadedModule::load(probes.library).value();
    call_probe(module.symbol(probe->probe.symbol).value(), kIterations);
    if (!tiles_) return;
    QCOMPARE(double(testing::TileUnit::products() - before) * intrinsic.operations,
             kIterations * probe->probe.flops_per_iteration);
    // The registers hold nearly everything: a product takes longer than the few moves beside it.
    int64_t products = testing::TileUnit::products(), moves = testing::TileUnit::moves();
    call_probe(module.symbol(probe->probe.symbol).value(), 10 * kIterations);
    products = testing::TileUnit::products() - products;
    moves = testing::TileUnit::moves() - moves;
    QVERIFY2(3 * moves < products,
             qPrintable(QString("%1 moves for %2 products").arg(moves).arg(products)));
  }

  void an_instruction_does_what_its_declaration_says_data() { instruction_rows(); }
  void an_instruction_does_what_its_declaration_says() {
    QFETCH(int, row);
    CpuIntrinsic const& intrinsic = *cpu_intrinsic_table()[size_t(row)];
    if (!use(intrinsic)) QSKIP("this processor does not have it");
    auto program = ir::parse_program(testing::program_of_call(intrinsic));
    QVERIFY2(program, program ? "" : to_sentence(program.error()).c_str());
    Rng rng(7);
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked}) {
      std::vector<NDArray> inputs;
      for (ir::Buffer const& input : program->inputs)
        inputs.push_back(testing::numbers_for(*input, rng));
      int64_t before = testing::TileUnit::products();
      compare(*program, inputs, tier);
      QCOMPARE(testing::TileUnit::products() - before, tiles_ ? 1 : 0);
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
    if (!use(intrinsic_of(one.intrinsic))) QSKIP("this processor does not have it");
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
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked})
      compare(schedule->program(), inputs, tier, &expected);
  }

private:
  static void instruction_rows() {
    QTest::addColumn<int>("row");
    for (size_t i = 0; i < cpu_intrinsic_table().size(); ++i)
      QTest::addRow("%s", tensor_intrinsic(*cpu_intrinsic_table()[i]).declaration->name.c_str())
          << int(i);
  }

  static void call_probe(void* function, int64_t iterations) {
    struct alignas(64) {
      RoofParameters parameters;
      std::byte scratch[64];
    } first{{.tasks = 1, .iterations = iterations}, {}};
    alignas(64) std::byte data[64] = {};
    void* buffers[] = {&first, data, nullptr};
    ThreadPool pool(1);
    reinterpret_cast<TwKernel>(function)(buffers, pool.runtime());
  }

  static CpuIntrinsic const& intrinsic_of(std::string const& name) {
    return **std::ranges::find_if(cpu_intrinsic_table(), [&](CpuIntrinsic const* one) {
      return tensor_intrinsic(*one).declaration->name == name;
    });
  }

  /// Makes code for this processor from now on, with tiles in software if need be; false: it cannot
  /// run the instruction.
  bool use(CpuIntrinsic const& intrinsic) {
    Hardware hardware = host_for(intrinsic);
    if (!has_intrinsic(intrinsic, hardware)) return false;
    tiles_.reset();
    if (!has_intrinsic(intrinsic, detect_host())) tiles_.emplace();
    backend_ = create_cpu_backend(hardware).value();
    return true;
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
               qPrintable(QString("%1: %2, not %3, in tier %4")
                              .arg(i)
                              .arg((*actual)[0].value_at(i))
                              .arg(expected.value_at(i))
                              .arg(int(tier))));
    }
  }

  std::shared_ptr<Backend const> backend_;
  std::optional<testing::TileUnit> tiles_;  ///< none: the processor has what is used
  ThreadPool pool_{1};
};

QTEST_GUILESS_MAIN(InstructionsTest)
#include "instructions_test.moc"
