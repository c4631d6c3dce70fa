/// The tests of a folder are one program: Qt's macros of a program with one test put it into the
/// program's table instead. Its name is that of its file.
#pragma once

#include <QtTest>

namespace tw::testing {

using TestMain = int (*)(int count, char** words);

/// `file` is a path; of it counts "judge_test" of ".../te/judge_test.cpp".
bool add_test(char const* file, TestMain main);

}  // namespace tw::testing

// What QTEST_MAIN and its like end in.
#undef QTEST_MAIN_WRAPPER
#define QTEST_MAIN_WRAPPER(Test, ...)                                \
  [[maybe_unused]] static bool const k##Test##Added =                \
      tw::testing::add_test(__FILE__, [](int argc, char** argv) {    \
        QT_PREPEND_NAMESPACE(QTest::Internal::callInitMain)<Test>(); \
        __VA_ARGS__                                                  \
        Test test;                                                   \
        QTEST_SET_MAIN_SOURCE_PATH                                   \
        return QTest::qExec(&test, argc, argv);                      \
      });
