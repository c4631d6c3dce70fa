// Linking in process: the same bytes, several threads, and refusals that name the symbol.
#include "targets/shared/link/link.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QtTest>
#include <thread>

#include "tests/device/test_kernels.h"

using namespace tw;

namespace {

std::atomic<int> interruptions = 0;

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
  /// LLVM takes signals over for whoever lets it write a file of a disk, and ends the process where
  /// one comes in the middle of a link. It does so once: nothing may be linked before this.
  void a_signal_in_the_middle_of_a_link_is_left_to_the_program() {
    struct sigaction action {
    }, before{}, after{};
    action.sa_handler = [](int) { ++interruptions; };
    action.sa_flags = SA_RESTART;
    QCOMPARE(::sigaction(SIGINT, &action, &before), 0);
    std::atomic<bool> done = false;
    std::thread sender([&] {
      while (!done) {
        ::kill(::getpid(), SIGINT);
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
    std::vector<std::byte> objects[] = {object_of(kNeedsTwo), object_of(kDefines)};
    auto const first = link_shared_library(objects);
    int differ = 0;
    for (int i = 0; i < 200; ++i) differ += link_shared_library(objects) == first ? 0 : 1;
    done = true;
    sender.join();
    QCOMPARE(::sigaction(SIGINT, &before, &after), 0);
    QVERIFY(first);
    QCOMPARE(differ, 0);
    QVERIFY(after.sa_handler == action.sa_handler);
    QVERIFY(interruptions > 200);
  }

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

  /// A network has as many kernels as it likes.
  void more_objects_than_descriptors_are_linked() {
    std::vector<std::vector<std::byte>> objects;
    for (int i = 0; i < 300; ++i)
      objects.push_back(
          object_of(fmt::format("define i32 @kernel{0}() {{\n  ret i32 {0}\n}}\n", i).c_str()));
    rlimit usual{}, few{};
    QCOMPARE(::getrlimit(RLIMIT_NOFILE, &usual), 0);
    few = {64, usual.rlim_max};
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &few), 0);
    auto library = link_shared_library(objects);
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &usual), 0);
    QVERIFY2(library, error_of(library).message.c_str());
    std::string_view bytes(reinterpret_cast<char const*>(library->data()), library->size());
    for (int i = 0; i < 300; ++i)
      QVERIFY(bytes.find(fmt::format("kernel{}", i)) != std::string_view::npos);
  }

  void a_link_without_a_descriptor_to_spare_is_a_sentence() {
    std::vector<std::byte> objects[] = {object_of(kDefines)};
    QVERIFY(link_shared_library(objects));
    rlimit usual{}, none{};
    QCOMPARE(::getrlimit(RLIMIT_NOFILE, &usual), 0);
    none = {3, usual.rlim_max};
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &none), 0);
    Error error = error_of(link_shared_library(objects));
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &usual), 0);
    QVERIFY(error.code == "link_failed" && error.fault == Fault::kEnvironment);
    QVERIFY2(error.message.find("Too many open files") != std::string::npos, error.message.c_str());
    QVERIFY(link_shared_library(objects));
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
