// Words of loops and blocks: what they do to the code, and that they do nothing to what it
// computes.
#include <QtTest>

#include <chrono>

#include "engine/ir/interpreter.h"
#include "engine/ir/kernel.h"
#include "engine/ir/text.h"
#include "engine/lowering/pipeline.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/compiled.h"
#include "tests/support/lowered.h"

using namespace tw;

namespace {

constexpr char kScale[] =
    "kernel scale(X: f32[1000, 16]) -> Y\n"
    "  Y[i in 1000, j in 16] = X[i, j] * 3.0\n";

std::string assembly_of(Backend const& backend, testing::Lowered const& one, CodeTier tier) {
  Artifact artifact = backend.compile(one.kernel, tier, CodeTexts::kAll).value();
  for (CodeListing const& listing : artifact.listings)
    if (listing.key == "assembly") return listing.text;
  return {};
}

int count(std::string const& text, std::string const& word) {
  int found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace

class WordsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    backend_ = create_cpu_backend(detect_host()).value();
    if (!QString::fromStdString(detect_host().word(kTriple)).startsWith("x86_64"))
      QSKIP("the instructions that are looked for are those of x86-64");
  }

  void unroll_by_says_how_many_iterations_a_turn_has() {
    for (int turns : {1, 2, 8}) {
      testing::Lowered one = testing::lowered_by(
          *backend_, kScale,
          "vectorize(Y.j)\nannotate(Y.i, key=unroll_by, value=" + std::to_string(turns) + ")\n");
      std::string assembly = assembly_of(*backend_, one, CodeTier::kFull);
      int wide = 16 * 4 / backend_->target().hardware.unit().vector_bytes;
      QCOMPARE(count(assembly, "mulps\t"), turns * std::max(wide, 1));
      agrees(one, kScale);
    }
  }

  void a_word_that_was_taken_back_leaves_nothing() {
    testing::Lowered plain = testing::lowered_by(*backend_, kScale, "vectorize(Y.j)\n");
    testing::Lowered back =
        testing::lowered_by(*backend_, kScale,
                            "vectorize(Y.j)\nannotate(Y.i, key=unroll_by, value=8)\n"
                            "annotate(Y, key=nontemporal)\nannotate(Y, key=nontemporal, value=0)\n"
                            "annotate(Y.i, key=unroll_by, value=0)\n");
    QVERIFY(ir::equal(plain.kernel, back.kernel));
    QCOMPARE(QString::fromStdString(assembly_of(*backend_, back, CodeTier::kFull)),
             QString::fromStdString(assembly_of(*backend_, plain, CodeTier::kFull)));
  }

  void nontemporal_stores_pass_by_the_caches_and_end_with_a_fence() {
    testing::Lowered plain = testing::lowered_by(*backend_, kScale, "vectorize(Y.j)\n");
    testing::Lowered past =
        testing::lowered_by(*backend_, kScale, "vectorize(Y.j)\nannotate(Y, key=nontemporal)\n");
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
      std::string with = assembly_of(*backend_, past, tier),
                  without = assembly_of(*backend_, plain, tier);
      QVERIFY2(count(with, "movntps") > 0, with.c_str());
      QCOMPARE(count(with, "sfence"), 1);
      QCOMPARE(count(without, "movnt") + count(without, "sfence"), 0);
    }
    agrees(past, kScale);
  }

  /// Each task ends with a fence; the loop's own code has one before it starts them, and one at its
  /// end.
  void tasks_make_their_stores_known() {
    testing::Lowered past = testing::lowered_by(
        *backend_, kScale, "vectorize(Y.j)\nparallel(Y.i)\nannotate(Y, key=nontemporal)\n");
    QCOMPARE(count(assembly_of(*backend_, past, CodeTier::kFast), "sfence"), 3);
    agrees(past, kScale);
  }

  /// What is summed up in registers is stored past the caches once; its start is not.
  void only_the_last_store_of_a_sum_passes_by() {
    char const text[] =
        "kernel sums(X: f32[64, 16, 16]) -> Y\n"
        "  Y[i in 64, j in 16] = sum[k in 16] X[i, k, j]\n";
    testing::Lowered past = testing::lowered_by(
        *backend_, text, "reorder(Y.k, Y.j)\nvectorize(Y.j)\nannotate(Y, key=nontemporal)\n");
    std::string kernel = ir::print(past.kernel).text;
    QCOMPARE(count(kernel, "with nontemporal=1"), 1);
    agrees(past, text);
  }

  /// Rows that do not begin at whole vectors, and tensors that do not, are stored as ever.
  void elements_between_vectors_are_stored_as_ever() {
    char const text[] =
        "kernel odd(X: f32[50, 23]) -> Y\n"
        "  Y[i in 50, j in 23] = X[i, j] * 3.0\n";
    testing::Lowered odd = testing::lowered_by(
        *backend_, text,
        "a, b = split(Y.j, factor=16)\nvectorize(b)\nannotate(Y, key=nontemporal)\n");
    QCOMPARE(count(assembly_of(*backend_, odd, CodeTier::kFast), "movnt"), 0);
    agrees(odd, text);
    testing::Lowered past =
        testing::lowered_by(*backend_, kScale, "vectorize(Y.j)\nannotate(Y, key=nontemporal)\n");
    Artifact artifact = backend_->compile(past.kernel, CodeTier::kFast, CodeTexts::kNone).value();
    LoadedModule module = LoadedModule::load(artifact.library).value();
    auto code = reinterpret_cast<TwKernel>(module.symbol(artifact.symbol).value());
    std::vector<float> x(16000, 2.0F), y(16016, 0.0F);
    for (size_t shift : {1, 4, 8}) {
      void* buffers[] = {x.data(), y.data() + shift, nullptr};
      QCOMPARE(code(buffers, pool_.runtime()), 0);
      for (size_t i = 0; i < 16000; ++i) QCOMPARE(y[shift + i], 6.0F);
    }
  }

  /// A division by a size has branches: multiples of its result stand behind it.
  void names_with_divisions_come_before_what_is_made_of_them() {
    auto kernel = ir::parse_kernel(R"(tilewright kernel 1
host scale(sizes: i64[1], X: f32[64], Y: f32[64])
  let T = sizes[0]
  let n = (T+7)//T
    alloc C: f32[64] @workspace
    for i in n
      for j in 2
        C[ramp(i*32+j*16, 1, 16)] = X[ramp(i*32+j*16, 1, 16)]*broadcast(3.0, 16) with nontemporal=1
    for i in n
      for j in 4
        Y[i*8+n*2+j] = C[i*32+n*4+j]
)");
    QVERIFY2(kernel, kernel ? "" : to_sentence(kernel.error()).c_str());
    auto pass = std::ranges::find(backend_->passes(), "plan_workspace", &Pass::name);
    auto planned = pass->run(*kernel, {backend_->target()});
    QVERIFY2(planned, planned ? "" : to_sentence(planned.error()).c_str());
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
      auto artifact = backend_->compile(*planned, tier, CodeTexts::kNone);
      QVERIFY2(artifact, artifact ? "" : to_sentence(artifact.error()).c_str());
      LoadedModule module = LoadedModule::load(artifact->library).value();
      auto code = reinterpret_cast<TwKernel>(module.symbol(artifact->symbol).value());
      std::vector<float> x(64), y(64, -1.0F), workspace(artifact->workspace_bytes / 4 + 32);
      for (size_t i = 0; i < x.size(); ++i) x[i] = float(i);
      int64_t sizes[] = {4};
      void* buffers[] = {sizes, x.data(), y.data(), workspace.data()};
      QCOMPARE(code(buffers, pool_.runtime()), 0);
      for (size_t i = 0; i < 2; ++i)
        for (size_t j = 0; j < 4; ++j) QCOMPARE(y[i * 8 + 4 + j], 3.0F * x[i * 32 + 8 + j]);
    }
  }

  /// The time is printed; it says something on a machine that does nothing else.
  void nontemporal_stores_of_a_large_tensor_take() {
    char const text[] =
        "kernel large(X: f32[4096, 4096]) -> Y\n"
        "  Y[i in 4096, j in 4096] = X[i, j] * 3.0\n";
    std::string steps = "a, b = split(Y.j, factor=16)\nvectorize(b)\n";
    double with = milliseconds(
               testing::lowered_by(*backend_, text, steps + "annotate(Y, key=nontemporal)\n")),
           without = milliseconds(testing::lowered_by(*backend_, text, steps));
    qInfo("64 MiB written: %.2f ms past the caches, %.2f ms through them", with, without);
  }

private:
  void agrees(testing::Lowered const& one, std::string const& text) {
    te::Kernel kernel = testing::parsed_kernel(text).value();
    Rng rng(3);
    auto inputs = testing::random_inputs(kernel, rng);
    te::Expected expected = testing::expected_of(kernel, inputs);
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked}) {
      auto outputs = testing::run_compiled(one.kernel, one.program, inputs, *backend_, tier, pool_);
      QVERIFY2(outputs, outputs ? "" : to_sentence(outputs.error()).c_str());
      QVERIFY(te::judge(*outputs, expected).equal);
    }
  }

  double milliseconds(testing::Lowered const& one) {
    Artifact artifact = backend_->compile(one.kernel, CodeTier::kFull, CodeTexts::kNone).value();
    LoadedModule module = LoadedModule::load(artifact.library).value();
    auto code = reinterpret_cast<TwKernel>(module.symbol(artifact.symbol).value());
    NDArray x = NDArray::create(DType::kF32, {4096, 4096}).value(),
            y = NDArray::create(DType::kF32, {4096, 4096}).value();
    void* buffers[] = {x.data(), y.data(), nullptr};
    double least = 1e9;
    for (int round = 0; round < 9; ++round) {
      auto start = std::chrono::steady_clock::now();
      code(buffers, pool_.runtime());
      least = std::min(
          least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                     .count());
    }
    return least;
  }

  std::shared_ptr<Backend const> backend_;
  ThreadPool pool_{2};
};

QTEST_GUILESS_MAIN(WordsTest)
#include "words_test.moc"
