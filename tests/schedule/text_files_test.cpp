#include <QDir>
#include <QtTest>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "engine/ir/text.h"
#include "engine/schedule/explain.h"
#include "engine/schedule/open_sizes.h"
#include "engine/schedule/refusal_codes.h"
#include "engine/schedule/trace.h"
#include "engine/te/sizes.h"
#include "tests/support/matrix_machine.h"
#include "tests/support/paths.h"
#include "tests/support/thread_machine.h"

using namespace tw;

namespace {

using Sections = std::map<std::string, std::string>;

std::string read(QString const& path) {
  std::ifstream stream(path.toStdString());
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// "--- name" starts a section.
Sections sections_of(std::string const& text) {
  Sections sections;
  std::istringstream stream(text);
  std::string name;
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("--- "))
      name = line.substr(4);
    else
      sections[name] += line + "\n";
  return sections;
}

/// Of a kernel with sizes it is the open program, and so is what comes after.
Result<Schedule> schedule_of(std::string const& text, std::shared_ptr<Target const> target) {
  if (text.starts_with("tilewright program")) {
    TRY_ASSIGN(ir::Program program, ir::parse_program(text));
    return Schedule(std::move(program), std::move(target));
  }
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel("tilewright te 1\n" + text));
  TRY_ASSIGN(ir::Program program, te::to_open_program(kernel));
  if (kernel.sizes.empty()) return Schedule(std::move(program), std::move(target));
  return Schedule(SizedProgram{std::move(program), te::shown_values(kernel)}, std::move(target));
}

/// "--- target" with the line "threads": that of blocks and threads; "thread sums": the same that
/// shares sums; "accelerator": that of virtual threads alone; "matrices": that of instructions;
/// else one without limits.
std::shared_ptr<Target const> target_of(Sections const& sections) {
  auto named = sections.find("target");
  if (named == sections.end()) return any_target();
  if (named->second == "accelerator\n") return testing::accelerator_machine();
  if (named->second == "thread sums\n") return testing::thread_machine_with_sums();
  return named->second == "matrices\n" ? testing::matrix_machine() : testing::thread_machine();
}

/// What the steps give: the program, or the sentence of the first one that is not taken.
std::string outcome(Sections const& sections) {
  auto first = schedule_of(sections.at("before"), target_of(sections));
  if (!first) return "the program cannot be read: " + to_sentence(first.error()) + "\n";
  auto script = parse_script("tilewright schedule 1\n" + sections.at("steps"), "steps");
  if (!script) return to_sentence(script.error()) + "\n";
  Schedule schedule = std::move(*first);
  bool open = schedule.sized();
  for (auto const& [line, step] : script->steps) {
    auto next = replay(schedule, Script{script->kernel, script->kernel_line, {{line, step}}});
    if (!next) return to_text(step, with_repairs(schedule, step, next.error()));
    schedule = std::move(*next);
  }
  return ir::to_text(open ? schedule.sized()->program : schedule.program());
}

void list(char const* folder) {
  QTest::addColumn<QString>("path");
  QDir dir(QString(testing::source()) + folder);
  for (QString const& name : dir.entryList({"*.test"}, QDir::Files, QDir::Name))
    QTest::newRow(name.toUtf8()) << dir.filePath(name);
}

/// With TW_UPDATE_TEXTS set, writes what came out instead of comparing; the change is then
/// reviewed.
void compare_with(QString const& path, std::string const& section) {
  Sections sections = sections_of(read(path));
  QVERIFY2(sections.contains("before") && sections.contains("steps"), qPrintable(path));
  std::string actual = outcome(sections);
  bool refused = !actual.starts_with("tilewright program");
  QVERIFY2(refused == (section == "refused"), actual.c_str());
  if (qEnvironmentVariableIsSet("TW_UPDATE_TEXTS")) {
    std::string target = sections.contains("target") ? "--- target\n" + sections["target"] : "";
    std::ofstream(path.toStdString()) << target << "--- before\n"
                                      << sections["before"] << "--- steps\n"
                                      << sections["steps"] << "--- " << section << "\n"
                                      << actual;
    return;
  }
  QCOMPARE(QString::fromStdString(actual), QString::fromStdString(sections[section]));
}

}  // namespace

/// Files of before, steps and after: one per thing that a step does, one per refusal.
class TextFilesTest : public QObject {
  Q_OBJECT
private slots:
  /// What the file expects is what the primitive, or any step, says it may be refused with.
  void a_refusal_is_of_the_primitives_list_data() { list("/tests/illegal"); }
  void a_refusal_is_of_the_primitives_list() {
    QFETCH(QString, path);
    Sections sections = sections_of(read(path));
    auto first = schedule_of(sections.at("before"), target_of(sections));
    auto script = parse_script("tilewright schedule 1\n" + sections.at("steps"), "steps");
    if (!first || !script) return;  // it is not read, so no step is refused
    Schedule schedule = std::move(*first);
    for (auto const& [line, step] : script->steps) {
      auto next = replay(schedule, Script{script->kernel, script->kernel_line, {{line, step}}});
      if (next) {
        schedule = std::move(*next);
        continue;
      }
      Primitive const* primitive = find_primitive(step.primitive);
      QVERIFY2(!primitive || may_refuse(*primitive, schedule.program(), next.error().code),
               (step.primitive + " does not list " + next.error().code).c_str());
      QVERIFY(!primitive || !may_refuse(*primitive, schedule.program(), "no_code_at_all"));
      return;
    }
  }
  void steps_give_the_program_of_the_file_data() { list("/tests/golden/schedule"); }
  void steps_give_the_program_of_the_file() {
    QFETCH(QString, path);
    compare_with(path, "after");
  }
  void refusals_say_what_the_file_says_data() { list("/tests/illegal"); }
  void refusals_say_what_the_file_says() {
    QFETCH(QString, path);
    compare_with(path, "refused");
  }
  /// At least five of each primitive.
  void every_primitive_is_refused() {
    std::map<std::string, int> counts;
    QDir dir(QString(testing::source()) + "/tests/illegal");
    for (QString const& name : dir.entryList({"*.test"}, QDir::Files)) {
      std::smatch found;
      std::string refused = sections_of(read(dir.filePath(name)))["refused"];
      if (std::regex_search(refused, found, std::regex(R"(^line \d+: (?:[^(]*= )?(\w+)\()")))
        ++counts[found[1]];
    }
    for (Primitive const* primitive : primitive_table()) {
      std::string said = primitive->name + ": " + std::to_string(counts[primitive->name]);
      QVERIFY2(counts[primitive->name] >= 5, said.c_str());
    }
  }
  void there_are_files() {
    QVERIFY(QDir(QString(testing::source()) + "/tests/golden/schedule").count() > 10);
    QVERIFY(QDir(QString(testing::source()) + "/tests/illegal").count() > 30);
  }
};

QTEST_GUILESS_MAIN(TextFilesTest)
#include "text_files_test.moc"
