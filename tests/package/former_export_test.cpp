// An export of a former version, made when kernels got the first version of their table: it runs
// as it did.
#include <QtTest>

#include <cmath>

#include "engine/runtime/module.h"
#include "engine/runtime/tilewright.h"
#include "engine/support/files.h"
#include "tests/support/paths.h"

using namespace tw;

namespace {

constexpr int kRows = 48, kColumns = 64, kDepth = 40;

/// Small numbers that products do not round.
float number(int index) { return float(index * 7 % 11 - 5); }

char const* folder() { return testing::source("/tests/package/former_export"); }

}  // namespace

class FormerExportTest : public QObject {
  Q_OBJECT
private slots:
  void its_parallel_kernel_computes_the_same() {
    for (int threads : {1, 2}) {
      TwModel* model = tw_load(folder(), threads);
      if (!model && QString(tw_error()).contains("this one lacks")) QSKIP(tw_error());
      if (!model && QString(tw_error()).contains("this machine is")) QSKIP(tw_error());
      QVERIFY2(model, tw_error());
      for (int input = 0; input < 3; ++input)
        for (int64_t i = 0; i < tw_input(model, input)->bytes / 4; ++i)
          static_cast<float*>(tw_input_data(model, input))[i] = number(int(i) + input);
      QVERIFY2(tw_run(model) == 0, tw_error());
      auto const* output = static_cast<float const*>(tw_output_data(model, 0));
      for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kColumns; ++j) {
          float sum = number(j + 2);
          for (int k = 0; k < kDepth; ++k)
            sum += number(i * kDepth + k) * number(k * kColumns + j + 1);
          QCOMPARE(output[i * kColumns + j], std::max(sum, 0.0f));
        }
      tw_free(model);
    }
  }

  void its_library_asks_for_no_version() {
    std::string library = read_file(std::string(folder()) + "/kernels.so").value();
    auto loaded = LoadedModule::load(std::as_bytes(std::span(library)));
    if (!loaded) QSKIP(loaded.error().message.c_str());
    QVERIFY(loaded->symbol("product"));
    QCOMPARE(loaded->symbol("tw_needs_runtime").error().code, std::string("symbol_not_found"));
  }
};

QTEST_GUILESS_MAIN(FormerExportTest)
#include "former_export_test.moc"
