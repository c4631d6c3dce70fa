// Registers that ptxas gives to our PTX, beside those of the CUDA C text compiled by nvcc: what
// people would have written is what the generated code is measured by.
#include <QtTest>

#include "engine/support/files.h"
#include "engine/support/run_program.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/compiler/toolkit.h"
#include "targets/cuda/hardware/description.h"
#include "tests/support/bound_kernels.h"

using namespace tw;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

using Counts = std::map<std::string, int>;  // by function

/// A tenth more, in what a multiprocessor hands out: eight registers of each thread at once
/// (CUDA Programming Guide, technical specifications per compute capability).
int most_allowed(int registers) { return (registers * 11 / 10 + 7) / 8 * 8; }

/// The text with its functions called `prefix` and their names, and its helpers kept apart.
std::string renamed(std::string text, std::string const& prefix) {
  for (size_t at = 0; (at = text.find(" tw_", at)) != std::string::npos; at += 4) {
    size_t line = text.rfind('\n', at) + 1;
    if (text.compare(line, 4, "void") == 0) text.insert(at + 1, prefix);
  }
  return "namespace " + prefix + "n {\n" + text + "}\n";
}

Counts counts_of(std::vector<cuda::FunctionResources> const& functions, std::string const& prefix) {
  Counts counts;
  for (cuda::FunctionResources const& one : functions)
    counts[prefix + one.function] = one.registers;
  return counts;
}

}  // namespace

class RegistersTest : public QObject {
  Q_OBJECT
private slots:
  void registers_are_those_of_nvcc_data() {
    QTest::addColumn<QString>("gpu");
    for (char const* one : {"a100", "h100"}) QTest::newRow(one) << QString(one);
  }
  void registers_are_those_of_nvcc() {
    QFETCH(QString, gpu);
    cuda::Toolkit toolkit = cuda::find_toolkit();
    std::filesystem::path nvcc = toolkit.ptxas.parent_path() / "nvcc";
    if (toolkit.ptxas.empty() || !std::filesystem::exists(nvcc))
      QSKIP("there is no CUDA toolkit here: registers are not compared");
    auto const& gpus = cuda::known_gpus();
    Hardware hardware = std::ranges::find(gpus, gpu.toStdString(), &cuda::KnownGpu::name)->hardware;
    std::string architecture = hardware.word(cuda::kArchitecture);
    auto backend = cuda::create_cuda_backend(hardware, {}).value();
    std::string text;
    Counts ours;
    for (std::string const& name : testing::bound_kernel_names()) {
      auto made = testing::bound_kernel(name, *backend);
      QVERIFY2(made, sentence(made).c_str());
      auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {}).value();
      text += renamed(code.listings[0].text, name + "_");
      std::string ptx(reinterpret_cast<char const*>(code.parts[1].bytes.data()),
                      code.parts[1].bytes.size());
      auto assembled = cuda::assemble(toolkit, ptx, architecture);
      QVERIFY2(assembled, sentence(assembled).c_str());
      ours.merge(counts_of(assembled->functions, name + "_"));
    }
    QTemporaryDir folder;
    std::string source = folder.filePath("all.cu").toStdString();
    QVERIFY(write_file(source, text, Durability::kFast));
    auto run = run_program({nvcc.string(), "-arch=" + architecture, "-cubin", "-Xptxas", "-v",
                            source, "-o", folder.filePath("all.cubin").toStdString()},
                           std::chrono::minutes(5));
    QVERIFY2(run && run->exit_code == 0, run ? run->output.c_str() : sentence(run).c_str());
    Counts theirs = counts_of(cuda::parse_resources(run->output), "");
    QCOMPARE(ours.size(), theirs.size());
    compare(ours, theirs, architecture);
  }

private:
  static void compare(Counts const& ours, Counts const& theirs, std::string const& architecture) {
    std::string worse;
    for (auto const& [function, registers] : ours) {
      QVERIFY2(theirs.contains(function), function.c_str());
      int wanted = theirs.at(function);
      qInfo("%-8s %-40s %4d registers of PTX, %4d of CUDA C by nvcc", architecture.c_str(),
            function.c_str(), registers, wanted);
      if (registers > most_allowed(wanted)) worse += " " + function;
    }
    QVERIFY2(worse.empty(), ("more than a tenth above those of nvcc:" + worse).c_str());
  }
};

QTEST_GUILESS_MAIN(RegistersTest)
#include "registers_test.moc"
