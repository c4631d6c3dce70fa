// What the code generator's passes say, below the lines of the program that it is about.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "engine/session/views/schedule_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

char const* word_of(CodeRemark::Kind kind) {
  static char const* const kWords[] = {"passed", "missed", "analysis"};
  return kWords[size_t(kind)];
}

std::string trimmed(std::string const& text) {
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

/// Costs as people read them: "2.112000e+03" is 2110.
std::string with_plain_numbers(std::string const& words) {
  std::istringstream stream(words);
  std::string all;
  for (std::string word; stream >> word;) {
    size_t end = 0;
    bool scientific = word.find("e+") != word.npos || word.find("e-") != word.npos;
    double value = 0;
    if (scientific) {
      char* rest = nullptr;
      value = std::strtod(word.c_str(), &rest);
      end = size_t(rest - word.c_str());
    }
    all += (all.empty() ? "" : " ") + (end > 0 ? number_text(value) + word.substr(end) : word);
  }
  return all;
}

/// "4 passed, 7 missed": how many of each kind.
std::string counts_of(std::vector<CodeRemark> const& remarks) {
  auto count = [&](CodeRemark::Kind kind) {
    return std::ranges::count(remarks, kind, &CodeRemark::kind);
  };
  return fmt::format("{} passed, {} missed", count(CodeRemark::Kind::kDone),
                     count(CodeRemark::Kind::kMissed));
}

}  // namespace

CodeText text_of_remarks(ir::KernelIr const& lowered, std::vector<CodeRemark> const& remarks) {
  CodeText program = text_of_stage(lowered, {}), text;
  text.stage = kRemarksStage;
  text.kind = CodeKind::kRemarks;
  text.title = "remarks on the code that finalists are measured with: " + counts_of(remarks);
  auto add = [&](std::string words, CodeLine const& of, int line) {
    CodeLine added = of;
    added.text = std::move(words);
    added.source_line = line;
    text.lines.push_back(std::move(added));
  };
  int last = -1;
  for (CodeRemark const& remark : remarks) {
    bool known = remark.line > 0 && size_t(remark.line) <= program.lines.size();
    CodeLine of = known ? program.lines[size_t(remark.line) - 1] : CodeLine();
    int line = known ? remark.line : 0;
    if (line != last) add(known ? trimmed(of.text) : "the whole kernel", of, line);
    last = line;
    of.loop = -1;  // only the line itself opens it
    add(fmt::format("  {:<8}  {:<16}  {}", word_of(remark.kind), remark.pass,
                    with_plain_numbers(remark.words)),
        of, line);
  }
  if (remarks.empty()) add("no remarks", {}, 0);
  return text;
}

}  // namespace tw::session
