// Linking in process: the same bytes, several threads, and refusals that name the symbol.
#include "targets/shared/link/link.h"

#include <QtTest>
#include <thread>

#include "tests/device/test_kernels.h"

using namespace tw;

namespace {

std::vector<std::byte> object_of(char const* ir) {
  return test::generate_text(ir, CodeTier::kFast).value().object;
}

/// The refusal, or one with the code "none".
template <typename T>
Error error_of(Result<T> const& result) {
  return result ? Error{.code = "none"} : result.error();
}

constexpr char kNeedsTwo[] = R"(
declare float @expf(float)
declare float @frobnicate(float)
define float @kernel(float %x) {
  %y = call float @expf(float %x)
  %z = call float @frobnicate(float %y)
  ret float %z
}
)";
constexpr char kDefines[] = R"(
define float @frobnicate(float %x) {
  ret float %x
}
define float @expf(float %x) {
  ret float %x
}
)";

}  // namespace

class LinkTest : public QObject {
  Q_OBJECT
private slots:
  void the_same_objects_give_the_same_bytes() {
    std::vector<std::byte> objects[] = {object_of(kNeedsTwo), object_of(kDefines)};
    QElapsedTimer clock;
    clock.start();
    auto first = link_shared_library(objects).value();
    qInfo("%zu bytes in %lld us", first.size(),
          static_cast<long long>(clock.nsecsElapsed() / 1000));
    QVERIFY(link_shared_library(objects).value() == first);
  }

  void what_the_loader_has_needs_no_definition_and_nothing_else_is_let_through() {
    std::vector<std::byte> objects[] = {object_of(kNeedsTwo)};
    QVERIFY(link_shared_library(objects, {.of_the_loader = {"expf", "frobnicate"}}));
    Error error = error_of(link_shared_library(objects, {.of_the_loader = {"expf"}}));
    QVERIFY(error.code == "undefined_symbol");
    QVERIFY2(error.message.find("needs 'frobnicate',") != std::string::npos, error.message.c_str());
  }

  void a_missing_symbol_is_named() {
    std::vector<std::byte> objects[] = {object_of(kNeedsTwo)};
    Error error = error_of(link_shared_library(objects));
    QVERIFY(error.code == "undefined_symbol");
    QCOMPARE(QString::fromStdString(error.message),
             QString("the kernel library needs 'expf', 'frobnicate', which nothing defines: a "
                     "kernel may call nothing but the table it is given"));
    std::vector<std::byte> good[] = {object_of(kDefines)};
    QVERIFY(link_shared_library(good));  // a refusal leaves the linker usable
  }

  void a_symbol_defined_twice_is_named() {
    std::vector<std::byte> objects[] = {object_of(kDefines), object_of(kDefines)};
    Error error = error_of(link_shared_library(objects));
    QVERIFY(error.code == "duplicate_symbol");
    QVERIFY(error.message.find("'frobnicate'") != std::string::npos);
  }

  void junk_and_nothing_are_refused() {
    std::vector<std::byte> objects[] = {std::vector<std::byte>(100, std::byte{3})};
    QVERIFY(error_of(link_shared_library(objects)).code == "link_failed");
    QVERIFY(error_of(link_shared_library({})).code == "link_failed");
  }

  void a_scratch_folder_that_cannot_be_used_is_a_sentence_and_a_used_one_is_left_empty() {
    std::vector<std::byte> objects[] = {object_of(kDefines)};
    Error error = error_of(link_shared_library(objects, {.scratch_folder = "/proc/nowhere"}));
    QVERIFY(error.code == "scratch_unusable");
    QTemporaryDir folder;
    QVERIFY(link_shared_library(objects, {.scratch_folder = folder.path().toStdString()}));
    QVERIFY(QDir(folder.path()).isEmpty());
  }

  void threads_may_link_at_once() {
    std::vector<std::byte> objects[] = {object_of(kDefines)};
    std::atomic<int> failures{0};
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
          for (int i = 0; i < 10; ++i) failures += link_shared_library(objects) ? 0 : 1;
        });
      }
    }
    QCOMPARE(failures.load(), 0);
  }
};

QTEST_GUILESS_MAIN(LinkTest)
#include "link_test.moc"
