// The table of error codes (resources/errors) and the sources are of one mind: what the sources
// say is in the table with the exit that they say it with, and what the table has is said.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QtTest>

#include "engine/schedule/refusal_codes.h"
#include "engine/support/error_table.h"
#include "tests/support/said_codes.h"

using namespace tw;

namespace {

using Texts = std::map<std::string, std::string>;

Texts const& program_texts() {
  static Texts const texts = testing::sources_of_program();
  return texts;
}

std::vector<testing::SaidCode> const& all_said() {
  static std::vector<testing::SaidCode> const said = testing::said_codes(program_texts());
  return said;
}

std::map<std::string, std::vector<testing::SaidCode>> said_by_code() {
  std::map<std::string, std::vector<testing::SaidCode>> by_code;
  for (testing::SaidCode const& one : all_said()) by_code[one.code].push_back(one);
  return by_code;
}

QString text_of(QString const& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(path));
  return QString::fromUtf8(file.readAll());
}

/// What tests expect: in text tests "refused: CODE", in programs a comparison of a code.
std::map<std::string, QString> expected_by_tests() {
  std::set<std::string> const made_up{"seven"};  // a test's own
  static QRegularExpression const kRefused("\\brefused: ([a-z]+(?:_[a-z0-9]+)*)\\n");
  static QRegularExpression const kCompared(
      R"re(error\(\)\.code(?:, | == )(?:std::string\(|QString\()?"([a-z_0-9]+)")re");
  std::map<std::string, QString> expected;
  QDirIterator all(testing::source("/tests"), {"*.test", "*.cpp", "*.h"}, QDir::Files,
                   QDirIterator::Subdirectories);
  while (all.hasNext()) {
    QString path = all.next(), text = text_of(path);
    for (auto const& pattern : {kRefused, kCompared})
      for (auto found = pattern.globalMatch(text); found.hasNext();)
        expected.try_emplace(found.next().captured(1).toStdString(), path);
  }
  for (std::string const& code : made_up) expected.erase(code);
  return expected;
}

std::vector<ErrorRow> all_rows() {
  std::vector<ErrorRow> rows;
  for (ErrorArea const& area : error_areas())
    rows.insert(rows.end(), area.rows.begin(), area.rows.end());
  return rows;
}

/// `words` in backquotes.
std::vector<std::string> quoted_in(std::string const& text) {
  static QRegularExpression const kQuoted("`([^`]+)`");
  std::vector<std::string> found;
  for (auto it = kQuoted.globalMatch(QString::fromStdString(text)); it.hasNext();)
    found.push_back(it.next().captured(1).toStdString());
  return found;
}

}  // namespace

class ErrorsTest : public QObject {
  Q_OBJECT
private slots:
  void what_is_said_is_in_the_table() {
    QVERIFY(all_said().size() > 1000);
    std::set<std::string> missing;
    for (testing::SaidCode const& one : all_said())
      if (!find_error(one.code)) missing.insert(one.code + " of " + one.file);
    QVERIFY2(missing.empty(),
             fmt::format("no file of resources/errors has {}", fmt::join(missing, ", ")).c_str());
  }
  void what_the_table_has_is_said_with_its_exit() {
    auto said = said_by_code();
    std::string faults;
    for (ErrorRow const& row : all_rows()) {
      std::set<int> exits;
      for (testing::SaidCode const& one : said[row.code])
        exits.insert(one.exits.begin(), one.exits.end());
      if (said[row.code].empty())
        faults += "nothing says " + row.code + "\n";
      else if (std::vector<int>(exits.begin(), exits.end()) != row.exits)
        faults += fmt::format("{} is said with exit {}, the table has {}\n", row.code,
                              fmt::join(exits, ","), exits_text(row));
    }
    QVERIFY2(faults.empty(), faults.c_str());
  }
  void a_row_is_of_an_area_that_says_it() {
    auto said = said_by_code();
    std::set<std::string> codes;
    std::string faults;
    for (ErrorArea const& area : error_areas())
      for (ErrorRow const& row : area.rows) {
        QVERIFY2(codes.insert(row.code).second, ("two areas have " + row.code).c_str());
        bool here = false;
        for (testing::SaidCode const& one : said[row.code])
          for (std::string const& folder : area.folders)
            here = here || one.file.starts_with(folder + "/");
        if (!here) faults += fmt::format("no folder of '{}' says {}\n", area.title, row.code);
      }
    QVERIFY2(faults.empty(), faults.c_str());
  }
  /// Whoever takes a code and passes it on must be read, or codes are missed.
  void every_function_that_takes_a_code_is_known() {
    std::set<std::string> known = testing::kReadCodes;
    for (testing::Sayer const& sayer : testing::sayers()) known.insert(sayer.name);
    std::set<std::string> takers = testing::takers_of_codes(program_texts());
    QVERIFY(takers.contains("refuse_stage") && takers.contains("no"));
    std::erase_if(takers, [&](std::string const& name) {
      return name.empty() || known.contains(name);  // empty: a member, no parameter
    });
    QVERIFY2(
        takers.empty(),
        fmt::format("add to said_codes.h what takes a code: {}", fmt::join(takers, ", ")).c_str());
  }
  void what_tests_expect_is_in_the_table() {
    std::map<std::string, QString> expected = expected_by_tests();
    QVERIFY(expected.contains("reduction_carried") && expected.size() > 200);
    QString faults;
    for (auto const& [code, path] : expected)
      if (!find_error(code)) faults += QString::fromStdString(code) + " of " + path + "\n";
    QVERIFY2(faults.isEmpty(), qPrintable(faults));
  }
  void what_primitives_refuse_with_is_in_the_table() {
    for (std::span<std::string_view const> codes : {refusals_of_any_step(), refusals_while_bound()})
      for (std::string_view code : codes) QVERIFY2(find_error(code), std::string(code).c_str());
    for (Primitive const* primitive : primitive_table()) {
      QVERIFY2(!primitive->refuses.empty(), primitive->name.c_str());
      QVERIFY2(std::ranges::is_sorted(primitive->refuses), primitive->name.c_str());
      for (std::string const& code : primitive->refuses) {
        ErrorRow const* row = find_error(code);
        QVERIFY2(row && row->exits[0] == 1, (primitive->name + ": " + code).c_str());
        QVERIFY2(!std::ranges::binary_search(refusals_of_any_step(), code),
                 (primitive->name + ": " + code + " is of any step").c_str());
      }
    }
  }
  /// Those of the file itself; what it calls says further ones.
  void a_primitive_lists_what_its_file_says() {
    int here = 0;
    for (testing::SaidCode const& one : all_said()) {
      std::string const folder = "engine/schedule/primitives/";
      if (!one.file.starts_with(folder)) continue;
      ++here;
      Primitive const* primitive =
          find_primitive(one.file.substr(folder.size(), one.file.size() - folder.size() - 4));
      QVERIFY2(primitive && (std::ranges::binary_search(primitive->refuses, one.code) ||
                             std::ranges::binary_search(refusals_of_any_step(), one.code)),
               (one.file + " says " + one.code + ", and its row does not list it").c_str());
    }
    QVERIFY(here > 100);
  }
  /// Commands, options and steps that a remedy names are there.
  void remedies_name_what_there_is() {
    std::string program;
    for (auto const& [file, text] : program_texts()) program += text;
    static QRegularExpression const kOption("--[a-z][a-z-]*");
    for (ErrorRow const& row : all_rows()) {
      auto options = kOption.globalMatch(QString::fromStdString(row.meaning + row.remedy));
      while (options.hasNext()) {
        std::string option = options.next().captured().toStdString();
        QVERIFY2(program.find("\"" + option) != std::string::npos || option == "--help",
                 (row.code + ": " + option).c_str());
      }
      for (std::string const& words : quoted_in(row.remedy)) check_quoted(row, words);
    }
  }
  void a_wrong_line_is_told_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("line");
    QTest::newRow("no head") << "a | 1 | Is. | Do." << 1;
    QTest::newRow("nothing") << "" << 1;
    QTest::newRow("three parts") << "# T | engine/x\na_b | 1 | Is.\n" << 2;
    QTest::newRow("no sentence") << "# T | engine/x\na_b | 1 | Is. | Do\n" << 2;
    QTest::newRow("no exit") << "# T | engine/x\na_b | 4 | Is. | Do.\n" << 2;
    QTest::newRow("exits fall") << "# T | engine/x\na_b | 2,1 | Is. | Do.\n" << 2;
    QTest::newRow("not sorted") << "# T | engine/x\nb | 1 | Is. | Do.\na | 1 | Is. | Do.\n" << 3;
    QTest::newRow("twice") << "# T | engine/x\nb | 1 | Is. | Do.\nb | 1 | Is. | Do.\n" << 3;
  }
  void a_wrong_line_is_told() {
    QFETCH(QString, text);
    QFETCH(int, line);
    auto area = parse_error_area(text.toStdString(), "x.txt");
    QVERIFY(!area);
    QCOMPARE(area.error().code, std::string("bad_error_table"));
    QCOMPARE(area.error().place.line, line);
  }
  void a_row_is_found() {
    ErrorRow const* row = find_error("too_many_lanes");
    QVERIFY(row);
    QCOMPARE(row->exits, std::vector<int>{1});
    QCOMPARE(remedy_of("too_many_lanes"), row->remedy);
    QVERIFY(!find_error("too_many_") && !find_error("") && !find_error("zzz"));
    QCOMPARE(remedy_of("zzz"), std::string());
  }
  /// The reader of sources itself: choices, constants, values, and what only looks like a code.
  void codes_are_read_in_every_form() {
    std::string const source =
        "constexpr char kFar[] = \"far_away\";\n"
        "// refused(\"in_a_comment\", \"x\");\n"
        "auto a = refused(b > 0 ? \"is_more\" : \"is_less\", \"text, with (brackets\");\n"
        "auto c = bad_input(kFar, \"x\");\n"
        "Error d{\"by_fault\", \"x\", {}, Fault::kEnvironment};\n"
        "Error e(int f) const { return {\"in_braces\", std::move(f)}; }\n"
        "std::string code_of(int g) { return g ? \"first_kind\" : \"other_kind\"; }\n"
        "void h() { refusal.code = \"is_set\"; }\n"
        "bool i = error.code == \"is_compared\";\n";
    Texts texts{{"engine/schedule/a.cpp", testing::code_only(source)}};
    std::map<std::string, std::set<int>> found;
    for (testing::SaidCode const& one : testing::said_codes(texts)) found[one.code] = one.exits;
    std::map<std::string, std::set<int>> const wanted{
        {"is_more", {1}},   {"is_less", {1}},    {"far_away", {2}},   {"by_fault", {3}},
        {"in_braces", {2}}, {"first_kind", {1}}, {"other_kind", {1}}, {"is_set", {1}}};
    QVERIFY(found == wanted);
  }

private:
  void check_quoted(ErrorRow const& row, std::string const& words) {
    std::string first = words.substr(0, words.find(' '));
    if (first == "tw" && words.size() > 3 && words[3] != '-') {
      std::string command = words.substr(3, words.find(' ', 3) - 3);
      bool there = command == "COMMAND" || command == "vta";
      for (auto const& [file, text] : program_texts())
        there = there || (file.starts_with("app/cli/") &&
                          text.find('"' + command + '"') != std::string::npos);
      QVERIFY2(there, (row.code + ": there is no command " + words).c_str());
    }
    if (row.code != "not_a_script" && words.find('_') != std::string::npos && first == words)
      QVERIFY2(find_primitive(words), (row.code + ": there is no step " + words).c_str());
  }
};

QTEST_GUILESS_MAIN(ErrorsTest)
#include "errors_test.moc"
