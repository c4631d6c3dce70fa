// SPDX-License-Identifier: GPL-3.0-or-later
// How the code panel shows a text: switches, marks of passes, what is beside lines of assembly.
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>

#include "app/window/code_panel.h"
#include "widgets/code/loop_card.h"
#include "widgets/code/stage_list.h"

namespace tw {

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

void CodePanel::set_look(CodeLook const& look) {
  if (look == look_) return;
  look_ = look;
  shown_ = {};
  view_->set_wrap(look.wrap);
  update_text();
}

void CodePanel::show_hot_loop() { view_->bring_hot_loop_into_sight(); }

/// Which passes changed nothing: known a moment after the texts.
void CodePanel::mark_passes() {
  session::CodeReports* reports = session::code_reports(session_);
  auto changes = reports && snapshot_.nest ? reports->pass_changes() : nullptr;
  if (!changes || changes == passes_marked_) return;
  passes_marked_ = changes;
  auto* list = static_cast<StageList*>(passes_);
  for (session::PassChange const& change : *changes)
    list->mark(QString::fromStdString(change.key), change.added, change.removed);
}

LineNotes CodePanel::line_notes() const {
  std::vector<LineNote> of_all(whole_->lines.size());
  if (report_ && report_->hot)
    for (int32_t line : report_->hot->lines) of_all[size_t(line)].hot = true;
  if (report_ && look_.model)
    for (LineCost const& cost : report_->loop.lines) {
      of_all[size_t(cost.line)].cycles = cost.cycles;
      of_all[size_t(cost.line)].heat = session::heat_of(cost.cycles, report_->loop);
    }
  LineNotes notes;
  for (int32_t line : shown_.lines) {
    notes.push_back(of_all[size_t(line)]);
    notes.back().number = line + 1;
  }
  return notes;
}

void CodePanel::show_assembly(std::shared_ptr<session::CodeText const> const& text) {
  session::CodeReports* reports = session::code_reports(session_);
  auto report = reports && text ? reports->assembly_report() : nullptr;
  if (report && report->text != text) report = nullptr;
  if (report || !text) loop_->show_report(report);
  loop_->setVisible(look_.model && report && loop_->shown());
  if (!text) return view_->show_text(nullptr, snapshot_.nest);
  bool same = text == whole_ && report == report_ && shown_.text;
  // What is complete brings the other syntax; all else of the report stands beside the lines.
  bool same_lines = text == whole_ && shown_.text && !(look_.assembly.intel && report != report_);
  bool stays = text == whole_;
  int top = view_->verticalScrollBar()->value();
  whole_ = text;
  report_ = report;
  if (!same_lines) shown_ = session::shown_assembly(text, report.get(), look_.assembly);
  view_->show_text(shown_.text, snapshot_.nest);
  if (same) return;
  view_->show_notes(std::make_shared<LineNotes const>(line_notes()));
  if (stays) view_->verticalScrollBar()->setValue(top);
  // It opens at its hot loop; afterwards it stays where one looks.
  if (report_ && report_->hot && opened_ != text) {
    opened_ = text;
    view_->bring_hot_loop_into_sight();
  }
}

QString CodePanel::explained(int line) const {
  if (!shows_assembly() || !report_ || size_t(line) >= shown_.lines.size()) return {};
  auto facts = report_->instructions.find(shown_.lines[size_t(line)]);
  if (facts == report_->instructions.end()) return {};
  QString words = QString::fromStdString(session::explanation_of(facts->second));
  for (LineCost const& cost : report_->loop.lines)
    if (cost.line == facts->first && look_.model)
      words += QString("\nIn the hot loop: %1 of %2 cycles of an iteration, modelled.")
                   .arg(cost.cycles, 0, 'f', 2)
                   .arg(report_->loop.cycles, 0, 'f', 2);
  return words;
}

}  // namespace tw
