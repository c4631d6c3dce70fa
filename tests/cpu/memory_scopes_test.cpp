// LLVM is told that tensors of different names are different memory.
#include <QtTest>

#include "engine/backend/code_reporter.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/compiled.h"
#include "tests/support/lowered.h"

using namespace tw;

namespace {

/// Both loops over j read a number of one tensor of the workspace and write beside it, or read what
/// lies beside it.
constexpr char kScaled[] =
    "kernel scaled(X: f32[64, 500], Z: f32[64]) -> Y\n"
    "  m[i in 64] = X[i, 0] * Z[i]\n"
    "  e[i in 64, j in 500] = X[i, j] * m[i]\n"
    "  s[i in 64] = e[i, 0] * Z[i]\n"
    "  Y[i in 64, j in 500] = e[i, j] * s[i]\n";

}  // namespace

class MemoryScopesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = create_cpu_backend(detect_host()).value(); }

  void a_loop_that_reads_one_tensor_and_writes_another_becomes_vectors() {
    auto const* reporter = dynamic_cast<CodeReporter const*>(backend_.get());
    QVERIFY(reporter);
    auto remarks =
        reporter->remarks(testing::lowered_by(*backend_, kScaled, "").kernel, {}).value();
    int vectors = 0;
    for (CodeRemark const& remark : remarks) {
      QVERIFY2(remark.words.find("unsafe dependent memory") == std::string::npos,
               remark.words.c_str());
      vectors += remark.words.starts_with("vectorized loop") ? 1 : 0;
    }
    QVERIFY2(vectors >= 2, std::to_string(vectors).c_str());
  }

  /// Tensors that lie in one another's part of the workspace would be.
  void parts_of_the_workspace_are_apart() {
    testing::Lowered one = testing::lowered_by(*backend_, kScaled, "");
    int64_t bytes = 0, end = 0;
    std::map<int64_t, std::string> by_place;
    for (auto const& [name, offset] : workspace_layout(one.kernel, &bytes)) by_place[offset] = name;
    QCOMPARE(by_place.size(), size_t(3));
    std::map<std::string, int64_t> sizes = {{"e", 64 * 500 * 4}, {"m", 64 * 4}, {"s", 64 * 4}};
    for (auto const& [offset, name] : by_place) {
      QVERIFY(offset >= end);
      end = offset + sizes.at(name);
    }
    QVERIFY(bytes >= end);
  }

  void what_is_computed_stays() {
    for (char const* steps :
         {"", "parallel(e.i)\nparallel(Y.i)\n",
          "a, b = split(e.j, factor=4)\nunroll(b)\nc, d = split(Y.j, factor=8)\nvectorize(d)\n",
          "compute_inline(m)\n", "reorder(e.j, e.i)\nreorder(Y.j, Y.i)\n"})
      agrees(steps);
  }

private:
  void agrees(std::string const& steps) {
    testing::Lowered one = testing::lowered_by(*backend_, kScaled, steps);
    te::Kernel kernel = testing::parsed_kernel(kScaled).value();
    Rng rng(3);
    auto inputs = testing::random_inputs(kernel, rng);
    te::Expected expected = testing::expected_of(kernel, inputs);
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked}) {
      auto outputs = testing::run_compiled(one.kernel, one.program, inputs, *backend_, tier, pool_);
      QVERIFY2(outputs, outputs ? "" : to_sentence(outputs.error()).c_str());
      QVERIFY2(te::judge(*outputs, expected).equal, steps.c_str());
    }
  }

  std::shared_ptr<Backend const> backend_;
  ThreadPool pool_{2};
};

QTEST_GUILESS_MAIN(MemoryScopesTest)
#include "memory_scopes_test.moc"
