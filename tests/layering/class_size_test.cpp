// A class with many methods has parts that nobody has named yet.
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/layering/class_sizes.h"
#include "tests/support/paths.h"

namespace fs = std::filesystem;
using namespace tw::testing;

namespace {

constexpr size_t kMostMethods = 40;

/// They have a method for each kind of node. May only fall.
std::map<std::string, size_t> const kVisitors = {{"Emitter", 74}, {"StatementInterpreter", 45}};

constexpr char kSource[] =
    "namespace a {\n"
    "struct Plain { int x = f(3), y{4}; std::function<void(int)> f; };\n"
    "class One final : public Two<int(int)> { Q_OBJECT\n"
    "public:\n"
    "  One() : x_{1}, y_(2) { if (x_) { g(); } }\n"
    "  ~One() override;\n"
    "  int get() const { return h(x_, \"(;{\"); }  // no(method)\n"
    "  int get(int other);\n"
    "  bool operator==(One const&) const = default;\n"
    "  struct Inner { void in(); };\n"
    "private slots: void slot();\n"
    "  std::vector<int (*)(int)> many_;\n"
    "  int x_, y_;\n"
    "};\n"
    "void free_function() { call(); }\n"
    "}\n";

std::string read(fs::path const& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

class ClassSizeTest : public QObject {
  Q_OBJECT
private slots:
  void methods_are_counted() {
    auto sizes = class_sizes("a.h", kSource);
    QCOMPARE(sizes.size(), size_t(3));
    QCOMPARE(sizes[0].methods, std::set<std::string>());
    QCOMPARE(sizes[1].methods, std::set<std::string>{"in"});
    QCOMPARE(sizes[2].methods, (std::set<std::string>{"One", "~One", "get", "operator==", "slot"}));
  }

  void no_class_has_many_methods() {
    ClassSize largest;
    size_t classes = 0, too_large = 0;
    for (char const* folder : {"app", "engine", "targets", "widgets"})
      for (fs::directory_entry const& entry :
           fs::recursive_directory_iterator(tw::testing::source("/" + std::string(folder)))) {
        std::string end = entry.path().extension().string();
        if (end != ".h" && end != ".cpp") continue;
        for (ClassSize& one : class_sizes(entry.path().string(), read(entry.path()))) {
          ++classes;
          auto visitor = kVisitors.find(one.where.substr(one.where.rfind(' ') + 1));
          size_t most = visitor == kVisitors.end() ? kMostMethods : visitor->second;
          if (one.methods.size() > most) {
            qWarning("%s has %zu methods", one.where.c_str(), one.methods.size());
            ++too_large;
          }
          if (visitor == kVisitors.end() && one.methods.size() > largest.methods.size())
            largest = std::move(one);
        }
      }
    qInfo("%zu classes; %s has most methods: %zu", classes, largest.where.c_str(),
          largest.methods.size());
    QVERIFY(classes > 1000);
    QCOMPARE(too_large, size_t(0));
  }
};

QTEST_GUILESS_MAIN(ClassSizeTest)
#include "class_size_test.moc"
