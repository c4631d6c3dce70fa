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
int most_allowed(int registers) { return ((registers * 11 + 9) / 10 + 7) / 8 * 8; }

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

/// Every kernel of tests/opencl/kernels.
Result<std::vector<testing::BoundKernel>> all_kernels(Backend const& backend) {
  std::vector<testing::BoundKernel> kernels;
  for (std::string const& name :
       testing::bound_kernel_names({testing::kBoundKernels, testing::kCudaKernels})) {
    TRY_ASSIGN(testing::BoundKernel one, testing::bound_kernel(name, backend));
    kernels.push_back(std::move(one));
  }
  return kernels;
}

/// Each function by itself, an element a thread.
Result<std::vector<testing::BoundKernel>> function_kernels(Backend const& backend) {
  std::vector<testing::BoundKernel> kernels;
  for (std::string const call : {"exp(X[i])", "log(X[i])", "tanh(X[i])", "erf(X[i])", "sin(X[i])",
                                 "cos(X[i])", "sqrt(X[i])", "pow(X[i], X[i+1])"}) {
    TRY_ASSIGN(te::Kernel kernel, te::parse_kernel("tilewright te 1\nkernel f(X: f32[4097]) -> Y\n"
                                                   "  Y[i in 4096] = " +
                                                   call + "\n"));
    TRY_ASSIGN(ir::Program program, te::to_program(kernel));
    TRY_ASSIGN(Script steps, parse_script("tilewright schedule 1\na, b = split(Y.i, factor=256)\n"
                                          "bind(a, axis=blockIdx.x)\nbind(b, axis=threadIdx.x)\n"));
    auto done = replay(Schedule(program, backend.shared_target()), steps);
    if (!done) return refused(done.error().code, done.error().message);
    TRY_ASSIGN(auto stages, lower(done->program(), backend.target(), backend.passes()));
    std::string name = call.substr(0, call.find('('));
    kernels.push_back({name, std::move(kernel), *done, std::move(stages.back().kernel)});
  }
  return kernels;
}

}  // namespace

class RegistersTest : public QObject {
  Q_OBJECT
private slots:
  void registers_are_those_of_nvcc_data() {
    QTest::addColumn<QString>("gpu");
    QTest::addColumn<bool>("functions");
    for (bool functions : {false, true})
      for (char const* one : {"a100", "h100"})
        QTest::addRow("%s%s", functions ? "functions " : "", one) << QString(one) << functions;
  }
  void registers_are_those_of_nvcc() {
    QFETCH(QString, gpu);
    QFETCH(bool, functions);
    cuda::Toolkit toolkit = cuda::find_toolkit();
    std::filesystem::path nvcc = toolkit.ptxas.parent_path() / "nvcc";
    if (toolkit.ptxas.empty() || !std::filesystem::exists(nvcc))
      QSKIP("there is no CUDA toolkit here: registers are not compared");
    auto const& gpus = cuda::known_gpus();
    Hardware hardware = std::ranges::find(gpus, gpu.toStdString(), &cuda::KnownGpu::name)->hardware;
    std::string architecture = hardware.word(cuda::kArchitecture);
    auto backend = cuda::create_cuda_backend(hardware, {}).value();
    auto kernels = functions ? function_kernels(*backend) : all_kernels(*backend);
    QVERIFY2(kernels, sentence(kernels).c_str());
    std::string text;
    Counts ours;
    for (testing::BoundKernel const& one : *kernels) {
      auto code = backend->generate(one.lowered, CodeTier::kFull, CodeTexts::kAll, {}).value();
      text += renamed(code.listings[0].text, one.name + "_");
      std::string ptx(reinterpret_cast<char const*>(code.parts[1].bytes.data()),
                      code.parts[1].bytes.size());
      auto assembled = cuda::assemble(toolkit, ptx, architecture);
      QVERIFY2(assembled, sentence(assembled).c_str());
      ours.merge(counts_of(assembled->functions, one.name + "_"));
    }
    Counts theirs = by_nvcc(nvcc, text, architecture);
    QCOMPARE(ours.size(), theirs.size());
    compare(ours, theirs, architecture);
  }

private:
  /// None: it did not take the text.
  static Counts by_nvcc(std::filesystem::path const& nvcc, std::string const& text,
                        std::string const& architecture) {
    QTemporaryDir folder;
    std::string source = folder.filePath("all.cu").toStdString();
    if (!write_file(source, text, Durability::kFast)) return {};
    auto run = run_program({nvcc.string(), "-arch=" + architecture, "-cubin", "-Xptxas", "-v",
                            source, "-o", folder.filePath("all.cubin").toStdString()},
                           std::chrono::minutes(5));
    if (!run || run->exit_code != 0)
      qWarning("%s", run ? run->output.c_str() : sentence(run).c_str());
    return run ? counts_of(cuda::parse_resources(run->output), "") : Counts();
  }

  static void compare(Counts const& ours, Counts const& theirs, std::string const& architecture) {
    std::string worse;
    int above = 0;
    for (auto const& [function, registers] : ours) {
      QVERIFY2(theirs.contains(function), function.c_str());
      int wanted = theirs.at(function);
      qInfo("%-8s %-40s %4d registers of PTX, %4d of CUDA C by nvcc", architecture.c_str(),
            function.c_str(), registers, wanted);
      if (registers <= most_allowed(wanted)) continue;
      worse += " " + function;
      ++above;
    }
    qInfo("%s: %d of %d above those of nvcc:%s", architecture.c_str(), above, int(ours.size()),
          worse.c_str());
    // Loops that are written out here and that nvcc keeps.
    QVERIFY2(above * 10 <= int(ours.size()), worse.c_str());
  }
};

QTEST_GUILESS_MAIN(RegistersTest)
#include "registers_test.moc"
