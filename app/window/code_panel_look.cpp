// SPDX-License-Identifier: GPL-3.0-or-later
// How the code panel shows a text: switches, marks of passes, what is beside lines of assembly.
#include <QBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <algorithm>

#include "app/window/code_panel.h"
#include "engine/support/base/quantities.h"
#include "widgets/code/loop_card.h"
#include "widgets/code/stage_list.h"

namespace tw {
namespace {

constexpr int kWide = 900;  // units from which on the costs of the hot loop stand beside the code

}  // namespace

void CodePanel::make_look_menu() {
  looks_->setObjectName("codeLook");
  looks_->setProperty("quiet", true);
  looks_->setAccessibleName("How code is shown");
  looks_->setToolTip("How code is shown");
  auto* menu = new QMenu(looks_);
  for (CodeSwitch const& one : code_switches()) {
    QAction* action = menu->addAction(one.title);
    action->setCheckable(true);
    action->setObjectName(one.name);
    connect(action, &QAction::triggered, this,
            [this, name = QString(one.name)](bool on) { emit switched(name, on); });
  }
  connect(menu, &QMenu::aboutToShow, this, [this, menu] {
    for (QAction* action : menu->actions())
      if (CodeSwitch const* one = code_switch(action->objectName().toStdString())) {
        action->setChecked(is_on(*one, look_));
        action->setEnabled(shows_assembly() || !one->assembly);
      }
  });
  looks_->setMenu(menu);
}

void CodePanel::set_look(CodeViewOptions const& look) {
  if (look == look_) return;
  look_ = look;
  shown_ = {};
  view_->set_wrap(look.wrap);
  update_text();
}

void CodePanel::show_hot_loop() { view_->bring_hot_loop_into_sight(); }

/// Which passes changed nothing: known a moment after the texts.
void CodePanel::mark_passes() {
  auto changes = snapshot_.nest ? session::pass_changes(session_) : nullptr;
  if (!changes || changes == passes_marked_) return;
  passes_marked_ = changes;
  auto* list = static_cast<StageList*>(passes_);
  for (session::PassChange const& change : *changes)
    list->mark(QString::fromStdString(change.key), change.added, change.removed);
}

/// Beside the code where both have room, else below it.
void CodePanel::place_loop() {
  using Way = QBoxLayout::Direction;
  double high = (height() - view_->y()) / scale_;
  bool beside = width() >= kWide * scale_ && loop_->height_beside() <= high;
  body_->setDirection(beside ? Way::LeftToRight : Way::TopToBottom);
  loop_->set_form(beside ? LoopCard::Form::kBeside : LoopCard::Form::kBelow);
  show_span();
}

void CodePanel::show_span() {
  auto [top, bottom] = view_->hot_span();
  loop_->set_span({top, bottom});
}

bool CodePanel::loop_is_beside() const { return loop_->form() == LoopCard::Form::kBeside; }

void CodePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place_loop();
}

LineNotes CodePanel::line_notes() const {
  session::AssemblyReport const* report = assembly_.report.get();
  std::vector<LineNote> of_all(assembly_.text->lines.size());
  if (report && report->hot)
    for (int32_t line : report->hot->lines) of_all[size_t(line)].hot = true;
  if (report && look_.model)
    for (LineCost const& cost : report->loop.lines) {
      of_all[size_t(cost.line)].cycles = cost.cycles;
      of_all[size_t(cost.line)].heat = session::heat_of(cost.cycles, report->loop);
    }
  LineNotes notes;
  for (int32_t line : shown_.lines) {
    notes.push_back(line >= 0 ? of_all[size_t(line)] : LineNote());
    notes.back().number = line + 1;
  }
  return notes;
}

std::optional<CodePanel::Assembly> CodePanel::assembly_of(
    std::shared_ptr<session::CodeText const> const& text) {
  auto report = text ? session::assembly_report(session_) : nullptr;
  if (report && report->text != text) report = nullptr;
  if (report || !text) loop_->show_report(report);
  if (!text) return std::nullopt;
  Assembly found{text, {}, report, {}};
  if (!to_baseline()) return found;
  found.before = session_.code_of(baseline_.node, stage().toStdString(), -1);
  if (!found.before) return std::nullopt;
  // Both sides in one syntax.
  if (look_.assembly.intel)
    found.report_before = session::assembly_report_of(session_, baseline_.node);
  return found;
}

session::ShownAssembly CodePanel::shown_of(Assembly const& of) const {
  session::AssemblyLook look = look_.assembly;
  if (!of.before) return session::shown_assembly(of.text, of.report.get(), look);
  auto is_whole = [](auto const& report) { return report && report->complete; };
  look.intel = look.intel && is_whole(of.report) && is_whole(of.report_before);
  auto before = session::shown_assembly(of.before, of.report_before.get(), look);
  return with_changes(session::shown_assembly(of.text, of.report.get(), look), before);
}

void CodePanel::show_assembly(std::shared_ptr<session::CodeText const> const& text) {
  std::optional<Assembly> found = assembly_of(text);
  loop_->setVisible(look_.model && found && found->report && loop_->shown());
  if (!found) return view_->show_text(nullptr, snapshot_.nest);
  bool same = *found == assembly_ && shown_.text;
  // What is complete brings the other syntax; all else of the report stands beside the lines.
  bool same_lines = shown_.text && found->text == assembly_.text &&
                    found->before == assembly_.before &&
                    !(look_.assembly.intel && *found != assembly_);
  bool stays = text == assembly_.text;
  int top = view_->verticalScrollBar()->value();
  assembly_ = *found;
  if (!same_lines) shown_ = shown_of(assembly_);
  view_->show_text(shown_.text, snapshot_.nest);
  if (same && view_->has_notes()) return;
  view_->show_notes(std::make_shared<LineNotes const>(line_notes()));
  place_loop();
  if (stays) view_->verticalScrollBar()->setValue(top);
  // It opens at its hot loop; afterwards it stays where one looks.
  if (assembly_.report && assembly_.report->hot && opened_ != text) {
    opened_ = text;
    view_->bring_hot_loop_into_sight();
  }
}

/// Of the program and of passes: which loops and blocks take the modelled time.
void CodePanel::show_shares() {
  session::CodeText const* text = view_->text();
  bool asked =
      look_.shares && text && text->failure.empty() && snapshot_.nest &&
      (text->kind == session::CodeKind::kProgram || text->kind == session::CodeKind::kPass);
  auto shares = asked ? session::time_shares(session_) : nullptr;
  if (shares && shares->program_hash != snapshot_.nest->program_hash) shares = nullptr;
  if (shares == shares_ && (view_->has_notes() || !shares)) return;  // another text has no notes
  shares_ = shares;
  line_shares_.clear();
  if (!shares || !shares->known()) return view_->show_notes(nullptr);
  line_shares_ = session::shares_of_lines(*text, *shares);
  LineNotes notes(line_shares_.size());
  for (size_t i = 0; i < notes.size(); ++i) {
    notes[i].number = -1;
    notes[i].share = line_shares_[i];
  }
  view_->show_notes(std::make_shared<LineNotes const>(std::move(notes)));
}

int CodePanel::shared_lines() const {
  if (!view_->has_notes() || shows_assembly()) return 0;
  return int(std::ranges::count_if(line_shares_, [](double share) { return share >= 0; }));
}

QString CodePanel::explained(int line) const {
  if (!shows_assembly() && view_->has_notes() && size_t(line) < line_shares_.size() &&
      line_shares_[size_t(line)] >= 0)
    return QString("%1 of the kernel's modelled time; each block is modelled separately.")
        .arg(QString::fromStdString(percent_text(line_shares_[size_t(line)])));
  auto const& report = assembly_.report;
  if (!shows_assembly() || !report || size_t(line) >= shown_.lines.size()) return {};
  auto facts = report->instructions.find(shown_.lines[size_t(line)]);
  if (facts == report->instructions.end()) return {};
  QString words = QString::fromStdString(session::explanation_of(facts->second));
  for (LineCost const& cost : report->loop.lines)
    if (cost.line == facts->first && look_.model)
      words += QString("\nIn the hot loop: %1 of %2 cycles of an iteration, modelled.")
                   .arg(cost.cycles, 0, 'f', 2)
                   .arg(report->loop.cycles, 0, 'f', 2);
  return words;
}

}  // namespace tw
