// The reference pages below resources/docs/reference are made from the tables and the sources: they
// are never older than these. With TW_UPDATE_TEXTS set, the pages are written anew.
#include <fmt/format.h>

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QtTest>
#include <map>
#include <ranges>

#include "app/shared/journal/journal.h"
#include "engine/backend/target_table.h"
#include "engine/graph/operator.h"
#include "engine/graph/pipeline.h"
#include "engine/ir/text.h"
#include "engine/schedule/macros/macro.h"
#include "engine/schedule/primitive.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "tests/support/paths.h"

using namespace tw;

namespace {

std::string const kHead =
    "\n\nMade from the tables by `TW_UPDATE_TEXTS=1 build/tests/docs_reference_test`.\n\n";

/// A cell of a table: bars would end it.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.replace(at, 1, "\\|");
  return text;
}

std::string bounds_of(Parameter const& parameter) {
  std::string text = parameter.word         ? "a name"
                     : parameter.scope      ? "a memory of the target"
                     : parameter.axis       ? "an axis of the target's blocks and threads"
                     : parameter.intrinsic  ? "an instruction of the target"
                     : parameter.annotation ? "an annotation of the target for loops or blocks"
                     : parameter.list       ? "numbers with commas between them, in quotes"
                     : !parameter.choices.empty()
                         ? fmt::format("{}", fmt::join(parameter.choices, ", "))
                         : fmt::format("{} to {}", parameter.low, parameter.high);
  if (parameter.preset) text += fmt::format("; usually {}", *parameter.preset);
  return parameter.optional ? text + "; may be left out" : text;
}

std::string primitives_page() {
  std::string text = "# Schedule primitives" + kHead;
  for (Primitive const* one : primitive_table()) {
    text += fmt::format("## {}\n\n{}{}. {}\n\n    {}\n", one->name, one->title,
                        one->key.empty() ? "" : fmt::format(" (key `{}`)", one->key), one->doc,
                        one->rewrite);
    if (!one->parameters.empty()) text += "\n| argument | what | values |\n|---|---|---|\n";
    for (Parameter const& p : one->parameters)
      text += fmt::format("| `{}` | {} | {} |\n", p.name, cell(p.doc), cell(bounds_of(p)));
    text += "\n";
  }
  return text;
}

std::string operators_page() {
  std::string text =
      "# Operators of the graph" + kHead + "| operator | what it computes |\n|---|---|\n";
  for (Operator const* one : operator_table())
    text += fmt::format("| `{}` | {} |\n", one->name, cell(one->doc));
  return text;
}

std::string names_of(Invariants const& invariants) {
  std::string text;
  for (Invariant one : invariants)
    text += (text.empty() ? "" : ", ") + fmt::format("`{}`", name_of(one));
  return text;
}

std::string graph_passes_table(std::string const& title, std::span<GraphPass const> passes) {
  std::string text = title + "| pass | what it does | why there |\n|---|---|---|\n";
  for (GraphPass const& pass : passes)
    text += fmt::format("| `{}` | {} | {} |\n", pass.name, cell(pass.title), cell(pass.why));
  return text + "\n";
}

/// Of a target that has a list of its own; empty: it has that of every target.
std::string own_graph_passes(TargetEntry const& entry, Backend const& backend) {
  auto names = std::views::transform(&GraphPass::name);
  if (std::ranges::equal(backend.graph_passes() | names, graph_passes() | names)) return {};
  return graph_passes_table(fmt::format("## Over graphs, target `{}`\n\n", entry.name),
                            backend.graph_passes());
}

std::string passes_page() {
  std::string text =
      "# Passes" + kHead +
      graph_passes_table("## Over graphs\n\n`tw graph MODEL --passes` shows what each did.\n\n",
                         graph_passes());
  std::set<Invariant> spoken;
  for (TargetEntry const* entry : target_table()) {
    auto hardware = target_hardware(entry->spellings().back());
    auto backend = hardware ? create_backend(*hardware) : std::unexpected(hardware.error());
    if (!backend) continue;
    text += own_graph_passes(*entry, **backend);
    text += fmt::format(
        "## Lowering kernels, target `{}`\n\n| pass | what it does | why there | requires | "
        "establishes | invalidates |\n"
        "|---|---|---|---|---|---|\n",
        entry->name);
    std::vector<std::string> keys = pass_keys((*backend)->passes());
    for (size_t i = 0; i < keys.size(); ++i) {
      Pass const& pass = (*backend)->passes()[i];
      text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", keys[i], cell(pass.title),
                          cell(pass.why), names_of(pass.contract.needs),
                          names_of(pass.contract.gives), names_of(pass.contract.gives_up));
      for (auto const* set : {&pass.contract.needs, &pass.contract.gives, &pass.contract.gives_up})
        spoken.insert(set->begin(), set->end());
    }
    text += "\n";
  }
  text += "## What holds between them\n\n| invariant | means |\n|---|---|\n";
  for (Invariant one : spoken)
    text += fmt::format("| `{}` | {} |\n", name_of(one), cell(std::string(sentence_of(one))));
  return text;
}

std::string journal_page() {
  std::string text = "# Lines of a journal" + kHead + "| line | what it does |\n|---|---|\n";
  for (journal::FormInfo const& one : journal::form_list())
    text += fmt::format("| `{}{}{}` | {} |\n", one.words, one.fields.empty() ? "" : " ",
                        cell(one.fields), cell(one.doc));
  return text;
}

/// What is said with a code, as the sources have it.
struct Saying {
  std::set<std::string> exits;  ///< of all who say it
  std::string sentence;
  std::set<std::string> folders;
};

/// The words of an argument that begins at `at`: "a" + name + "b", or fmt::format("a{}b", name).
/// Places of values are braces.
std::string sentence_at(QString const& text, qsizetype at) {
  for (QString const& wrap : {QString("fmt::format("), QString("std::string(")})
    if (text.mid(at).startsWith(wrap)) at += wrap.size();
  QString words;
  bool value = false;  // between two literals, or behind the last
  int depth = 0;
  for (; at < text.size(); ++at) {
    QChar c = text[at];
    if (c == '"') {
      qsizetype end = at + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      if (depth == 0) words += (value ? "{}" : "") + text.mid(at + 1, end - at - 1);
      value = value && depth > 0;
      at = end;
    } else if (c == ',' && depth == 0) {
      break;
    } else if (c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if (c == ')' || c == '}' || c == ']') {
      if (--depth < -1) break;  // one more than the wrap's
    } else if (c == '+' && depth <= 0) {
      value = true;
    } else if (c == ';') {
      break;
    }
    if (depth < 0) depth = 0;
  }
  if (value) words += "{}";
  return words.replace("\\\"", "\"").toStdString();
}

/// The exit code of what a function says: of one that gives its sentence a place in a text, of a
/// schedule's own, of a general one. Of `Error{...}` it is in the braces.
std::string exit_of(QString const& function, QString const& behind) {
  static std::map<QString, std::string> const kCodes = {{"refused", "1"},
                                                        {"bad_input", "2"},
                                                        {"error", "2"},
                                                        {"wrong", "2"},
                                                        {"bad_value", "2"},
                                                        {"environment_failed", "3"},
                                                        {"failed", "3"},
                                                        {"fail", "3"},
                                                        {"refuse", "a step"},
                                                        {"refuse_stage", "a step"},
                                                        {"unusable", "a step"},
                                                        {"refuse_here", "a step"},
                                                        {"refuse_sizes", "a step"},
                                                        {"refused_result", "a step"},
                                                        {"no", "a step"}};
  if (function != "Error") return kCodes.at(function);
  QString fault = behind.section("Fault::k", 1, 1);
  return fault.startsWith("Environment") ? "3" : fault.startsWith("Refused") ? "1" : "2";
}

void collect(QString const& file, std::map<std::string, Saying>& sayings) {
  static QRegularExpression const kSaying(
      R"re(\b(bad_input|refused|environment_failed|refuse|refuse_stage|refuse_here|refuse_sizes)re"
      R"re(|refused_result|unusable|no|error|fail|failed|wrong|bad_value|Error)[({]\s*)re"
      R"re("([a-z]+(?:_[a-z0-9]+)+|cancelled)",\s*)re");
  QFile source(file);
  if (!source.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(file));
  QString text = QString::fromUtf8(source.readAll());
  std::string folder =
      file.mid(QString(testing::source()).size() + 1).section('/', 0, 1).toStdString();
  for (auto found = kSaying.globalMatch(text); found.hasNext();) {
    QRegularExpressionMatch match = found.next();
    std::string sentence = sentence_at(text, match.capturedEnd());
    Saying& saying = sayings[match.captured(2).toStdString()];
    if (saying.sentence.empty()) saying.sentence = sentence;
    saying.exits.insert(exit_of(match.captured(1), text.mid(match.capturedEnd(), 300)));
    saying.folders.insert(folder);
  }
}

std::string errors_page() {
  QStringList files;
  for (char const* folder : {"engine", "targets", "app"}) {
    QDirIterator all(QString(testing::source("/")) + folder, {"*.cpp", "*.h"}, QDir::Files,
                     QDirIterator::Subdirectories);
    while (all.hasNext()) files << all.next();
  }
  files.sort();
  std::map<std::string, Saying> sayings;
  for (QString const& file : files) collect(file, sayings);
  std::string text =
      "# Codes of errors" + kHead +
      "A failure is a code that stays, and a sentence for people. The exit code of `tw`: 1 a check "
      "failed or a step was\nrefused, 2 the input cannot be used, 3 the environment failed. "
      "\"a step\" is the reason of a refused schedule step. `{}`\nstands for a name or "
      "number; of a code with several sentences one is shown.\n\n"
      "| code | exit | a sentence | said in |\n|---|---|---|---|\n";
  for (auto const& [code, saying] : sayings)
    text += fmt::format("| `{}` | {} | {} | {} |\n", code, fmt::join(saying.exits, ", "),
                        cell(saying.sentence), fmt::join(saying.folders, ", "));
  return text;
}

template <typename T>
Status status_of(Result<T> const& result) {
  return result ? Status() : std::unexpected(result.error());
}

}  // namespace

class ReferenceTest : public QObject {
  Q_OBJECT
private slots:
  void pages_are_those_of_the_tables_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("text");
    auto row = [](char const* name, std::string const& text) {
      QTest::newRow(name) << QString(name) << QString::fromStdString(text);
    };
    row("primitives", primitives_page());
    row("operators", operators_page());
    row("passes", passes_page());
    row("journal", journal_page());
    row("errors", errors_page());
  }
  void pages_are_those_of_the_tables() {
    QFETCH(QString, name);
    QFETCH(QString, text);
    QFile file(QString(testing::source("/resources/docs/reference/%1.md")).arg(name));
    if (qEnvironmentVariableIsSet("TW_UPDATE_TEXTS")) {
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(text.toUtf8());
      return;
    }
    QVERIFY2(file.open(QIODevice::ReadOnly), "write the pages with TW_UPDATE_TEXTS=1");
    QVERIFY2(QString::fromUtf8(file.readAll()) == text,
             "the page is old: TW_UPDATE_TEXTS=1 build/tests/docs_reference_test writes it");
  }
  void examples_of_the_grammars_are_read() {
    QFile file(testing::source("/resources/docs/grammars.md"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    static QRegularExpression const kExample("```(\\w+)\n(.*?)```",
                                             QRegularExpression::DotMatchesEverythingOption);
    std::map<QString, int> read;
    for (auto found = kExample.globalMatch(QString::fromUtf8(file.readAll())); found.hasNext();) {
      QRegularExpressionMatch match = found.next();
      QString kind = match.captured(1);
      std::string text = match.captured(2).toStdString();
      Status status;
      if (kind == "te") status = status_of(te::parse_kernel(text));
      if (kind == "program") status = status_of(ir::parse_program(text));
      if (kind == "schedule") status = status_of(parse_script(text));
      if (kind == "macro") status = status_of(parse_macro(text, "macro"));
      QVERIFY2(status, status ? "" : (kind.toStdString() + to_sentence(status.error())).c_str());
      ++read[kind];
    }
    QCOMPARE(read.size(), size_t(5));
    QVERIFY(read["vtas"] > 0);  // which vta_hardware_assembly_test reads
    QVERIFY(read["te"] > 0 && read["program"] > 0 && read["schedule"] > 0);
    QVERIFY(read["macro"] > 0);
  }
  void links_between_pages_lead_somewhere() {
    QStringList pages{testing::source("/README.md")};
    QDirIterator all(testing::source("/resources/docs"), {"*.md"}, QDir::Files,
                     QDirIterator::Subdirectories);
    while (all.hasNext()) pages << all.next();
    static QRegularExpression const kLink(R"(\]\(([^)#:]+)\))");
    int links = 0;
    for (QString const& page : pages) {
      QFile file(page);
      QVERIFY(file.open(QIODevice::ReadOnly));
      QString text = QString::fromUtf8(file.readAll());
      for (auto found = kLink.globalMatch(text); found.hasNext(); ++links) {
        QString link = found.next().captured(1);
        QVERIFY2(QFileInfo::exists(QFileInfo(page).dir().filePath(link)),
                 qPrintable(page + " leads to " + link));
      }
    }
    QVERIFY(links > 20);
  }
};

QTEST_GUILESS_MAIN(ReferenceTest)
#include "reference_test.moc"
