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
#include "engine/schedule/refusal_codes.h"
#include "engine/schedule/trace.h"
#include "engine/support/error_table.h"
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

/// "`code`: What it means." for each, as a list.
template <typename Codes>
std::string refusals_text(Codes const& codes) {
  std::string text;
  for (auto const& code : codes) {
    ErrorRow const* row = find_error(code);
    text += fmt::format("- `{}`: {}\n", code, row ? row->meaning : "");
  }
  return text;
}

std::string primitives_page() {
  std::string text = "# Schedule primitives" + kHead +
                     "Each is legal if none of what is listed there holds, nor what holds of "
                     "[any step](#any-step). [errors.md](errors.md)\nsays what can be done.\n\n";
  for (Primitive const* one : primitive_table()) {
    text += fmt::format("## {}\n\n{}{}. {}\n\n    {}\n", one->name, one->title,
                        one->key.empty() ? "" : fmt::format(" (key `{}`)", one->key), one->doc,
                        one->rewrite);
    if (!one->parameters.empty()) text += "\n| argument | what | values |\n|---|---|---|\n";
    for (Parameter const& p : one->parameters)
      text += fmt::format("| `{}` | {} | {} |\n", p.name, cell(p.doc), cell(bounds_of(p)));
    text += "\nLegal if none of these holds:\n\n" + refusals_text(one->refuses) + "\n";
  }
  text += "## Any step\n\nRefused, whatever the primitive, where one of these holds:\n\n" +
          refusals_text(refusals_of_any_step()) +
          "\nWhile loops are bound to blocks or threads, one of these, too:\n\n" +
          refusals_text(refusals_while_bound());
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

std::string errors_page() {
  std::string text =
      "# Codes of errors" + kHead +
      "A failure is a code that stays, and a sentence for people. The exit of `tw`: 1 a check "
      "failed or a step was refused,\n2 the input cannot be used, 3 the environment failed; "
      "several, where it depends on who says it. `tw errors CODE` explains\none, `tw --json` adds "
      "the remedy to each failure. What a schedule step may be refused with stands in "
      "[primitives.md](primitives.md).\n";
  for (ErrorArea const& area : error_areas()) {
    text += fmt::format(
        "\n## {}\n\nSaid in `{}`.\n\n| code | exit | meaning | remedy |\n"
        "|---|---|---|---|\n",
        area.title, fmt::join(area.folders, "`, `"));
    for (ErrorRow const& row : area.rows)
      text += fmt::format("| `{}` | {} | {} | {} |\n", row.code, exits_text(row), cell(row.meaning),
                          cell(row.remedy));
  }
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
