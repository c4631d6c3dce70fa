// Kernels of blocks and threads as Metal: where there is a clang, it takes all of them with the
// stubs beside this test; nothing runs.
#include <QtTest>

#include "engine/backend/target_table.h"
#include "engine/support/files.h"
#include "engine/support/run_program.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/shared_rows.h"

using namespace tw;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

std::shared_ptr<Backend const> metal(std::string const& spelling = "metal:m1") {
  return create_backend(target_hardware(spelling).value()).value();
}

Result<Artifact> code_of(te::Kernel const& kernel) {
  auto backend = metal();
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  TRY_ASSIGN(Schedule schedule, backend->default_schedule(program));
  TRY_ASSIGN(auto stages, lower(schedule.program(), backend->target(), backend->passes()));
  return backend->generate(stages.back().kernel, CodeTier::kFull, CodeTexts::kAll, {});
}

std::string text_of_kernel(std::string const& name) {
  auto backend = metal();
  auto made = testing::bound_kernel(name, *backend).value();
  return backend->generate(made.lowered, CodeTier::kFull, CodeTexts::kAll, {})
      .value()
      .listings[0]
      .text;
}

/// What clang says; empty: it takes the text. In its C++ only what is static lies in a numbered
/// memory.
std::string complaints(std::string const& clang, std::string text) {
  constexpr std::string_view kDeclared = "alignas(16) threadgroup ";
  for (size_t at = 0; (at = text.find(kDeclared, at)) != std::string::npos; at += kDeclared.size())
    text.insert(at + 12, "static ");
  QTemporaryDir folder;
  std::string source = folder.filePath("kernel.cpp").toStdString();
  std::string stub = folder.filePath("metal_stdlib").toStdString();
  std::string header = testing::source("/tests/metal/metal_stubs.h");
  if (!write_file(source, text, Durability::kFast) ||
      !write_file(stub, "#include \"" + header + "\"\n", Durability::kFast))
    return "no file was written";
  auto run = run_program(
      {clang, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
       "-Wno-unknown-attributes", "-Wno-unused-parameter", "-Wno-unused-variable",
       "-Wno-unused-function", "-Wno-sign-compare", "-I" + folder.path().toStdString(), source},
      std::chrono::minutes(2));
  if (!run) return to_sentence(run.error());
  return run->exit_code == 0 ? "" : run->output + "\n";
}

}  // namespace

class KernelsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { clang_ = QStandardPaths::findExecutable("clang++").toStdString(); }

  void clang_takes_each_kernel_data() {
    QTest::addColumn<QString>("name");
    for (std::string const& name : testing::bound_kernel_names())
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void clang_takes_each_kernel() {
    QFETCH(QString, name);
    auto backend = metal();
    auto made = testing::bound_kernel(name.toStdString(), *backend);
    QVERIFY2(made, sentence(made).c_str());
    auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    for (CodeListing const& listing : code->listings)
      QCOMPARE(listing.source_line.size(), size_t(std::ranges::count(listing.text, '\n')));
    std::string const& text = code->listings[0].text;
    QVERIFY(text.contains("kernel void tw_") && text.contains("[[buffer(0)]]"));
    if (clang_.empty()) QSKIP("there is no clang++ here");
    std::string said = complaints(clang_, text);
    QVERIFY2(said.empty(), (said + text).c_str());
  }

  /// It would see a name and a component that Metal has not.
  void the_check_can_fail() {
    if (clang_.empty()) QSKIP("there is no clang++ here");
    std::string text = text_of_kernel("product_wide");
    QCOMPARE(complaints(clang_, text), std::string());
    auto changed = [&](std::string const& from, std::string const& to) {
      std::string other = text;
      size_t at = other.find(from);
      if (at == std::string::npos) return std::string("'" + from + "' is not there");
      return complaints(clang_, other.replace(at, from.size(), to));
    };
    QVERIFY(changed("thread_place.x", "thread_place.w").contains("error"));
    QVERIFY(changed("threadgroup_barrier(", "barrier(").contains("error"));
  }

  void vectors_and_memories_are_named() {
    std::string wide = text_of_kernel("product_wide");
    for (char const* part : {"alignas(16) threadgroup float A_cache[", "(device float4 const*)&A[",
                             "(threadgroup float4*)&A_cache[", "(device float4*)&C["})
      QVERIFY2(wide.contains(part), wide.c_str());
    QVERIFY(text_of_kernel("softmax").contains("precise::exp("));
  }

  void limits_hold_to_the_thread_and_the_byte() {
    auto backend = metal("metal:m2-max");
    auto made = [&](int64_t bytes, int threads) -> Result<Artifact> {
      TRY_ASSIGN(testing::SharedRows rows, testing::shared_rows(bytes, threads, *backend));
      TRY_ASSIGN(auto stages, lower(rows.schedule.program(), backend->target(), backend->passes()));
      return backend->generate(stages.back().kernel, CodeTier::kFull, CodeTexts::kAll, {});
    };
    auto most = made(32 << 10, 1024);
    QVERIFY2(most, sentence(most).c_str());
    QVERIFY(!made(32 << 10, 1025));
    auto more = made((32 << 10) + 1, 256);
    QVERIFY(!more);
    QCOMPARE(more.error().code, std::string("scope_overflow"));
  }

  void what_metal_lacks_is_refused() {
    auto erf = code_of(te::parse_kernel("tilewright te 1\nkernel e(X: f32[64]) -> Y\n"
                                        "  Y[i in 64] = erf(X[i])\n")
                           .value());
    QVERIFY(!erf);
    QCOMPARE(erf.error().code, std::string("unsupported_expression"));
    QVERIFY2(erf.error().message.contains("erf"), sentence(erf).c_str());
    std::string parameters, sum;
    for (int i = 0; i < 31; ++i) {
      parameters += (i ? ", X" : "X") + std::to_string(i) + ": f32[64]";
      sum += (i ? " + X" : "X") + std::to_string(i) + "[i]";
    }
    auto many = code_of(te::parse_kernel("tilewright te 1\nkernel many(" + parameters +
                                         ") -> Y\n  Y[i in 64] = " + sum + "\n")
                            .value());
    QVERIFY(!many);
    QVERIFY2(many.error().message.contains("32 parameters") &&
                 many.error().message.contains("at most 31"),
             sentence(many).c_str());
  }

  void launches_are_judged() {
    auto backend = metal();
    QVERIFY(backend->has_launches());
    QCOMPARE(computed_roofs(backend->target().hardware)->best("f32").all_cores,
             2 * 128 * 8 * 1.278);
    std::vector<std::string> names = described_devices();
    QVERIFY(std::ranges::count(names, "metal:m1") == 1);
  }

private:
  std::string clang_;
};

QTEST_GUILESS_MAIN(KernelsTest)
#include "kernels_test.moc"
