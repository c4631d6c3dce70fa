// Loading libraries from memory; broken bytes are refused.
#include "engine/runtime/module.h"

#include <QtTest>

#include "engine/runtime/thread_pool.h"
#include "tests/device/test_kernels.h"

using namespace tw;

class ModuleTest : public QObject {
  Q_OBJECT
private slots:
  void a_kernel_is_found_and_runs() {
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
      auto library = test::build_library(test::common_kernels(), tier).value();
      LoadedModule loaded = LoadedModule::load(library).value();
      auto kernel = reinterpret_cast<TwKernel>(loaded.symbol("add").value());
      std::vector<float> a(1024, 1.5f), b(1024, 2.0f), c(1024);
      void* buffers[] = {a.data(), b.data(), c.data(), nullptr};
      ThreadPool pool(1);
      QCOMPARE(kernel(buffers, pool.runtime()), 0);
      QCOMPARE(c, std::vector<float>(1024, 3.5f));
    }
  }

  void libraries_loaded_one_after_the_other_are_different_ones() {
    // Every load gets the same descriptor number again: the loader must not take it for the same
    // file.
    auto first =
        LoadedModule::load(test::build_library(test::common_kernels(), CodeTier::kFast).value())
            .value();
    auto second =
        LoadedModule::load(test::build_library(test::common_kernels(), CodeTier::kFull).value())
            .value();
    QVERIFY(first.symbol("add").value() != second.symbol("add").value());
  }

  void an_unknown_name_is_a_sentence() {
    auto library = test::build_library(test::common_kernels()).value();
    LoadedModule loaded = LoadedModule::load(library).value();
    auto missing = loaded.symbol("conv");
    QVERIFY(missing.error().code == "symbol_not_found");
    QVERIFY(missing.error().message == "the kernel library has no function 'conv'");
  }

  void broken_bytes_are_refused() {
    std::vector<std::byte> junk(5000, std::byte{1});
    QVERIFY(LoadedModule::load(junk).error().code == "module_not_loadable");
    QVERIFY(LoadedModule::load({}).error().code == "module_not_loadable");
    auto library = test::build_library(test::common_kernels()).value();
    library.resize(200);
    QVERIFY(LoadedModule::load(library).error().code == "module_not_loadable");
  }
};

QTEST_GUILESS_MAIN(ModuleTest)
#include "module_test.moc"
