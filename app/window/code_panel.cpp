// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/code_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/session/stage_names.h"
#include "widgets/code/loop_card.h"
#include "widgets/code/stage_list.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr int kLowered = 1;  ///< the tab that has a pass chooser

}  // namespace

CodePanel::CodePanel(session::Session& session, Selection& selection, QWidget* parent)
    : QWidget(parent),
      session_(session),
      selection_(selection),
      view_(new CodeView(selection)),
      tabs_(new QTabBar),
      passes_(new StageList),
      changes_(new QPushButton("Changes")),
      looks_(new QPushButton("Show")),
      title_(new QLabel),
      loop_(new LoopCard),
      body_(new QBoxLayout(QBoxLayout::TopToBottom)) {
  setObjectName("codePanel");
  tabs_->setObjectName("codeTabs");
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  for (char const* name : {"Expression", "Lowered"}) tabs_->addTab(name);
  fill_stages(session.snapshot());
  tabs_->setCurrentIndex(kLowered);
  passes_->setObjectName("passes");
  passes_->setAccessibleName("Stage of lowering");
  changes_->setObjectName("changes");
  changes_->setCheckable(true);
  changes_->setChecked(true);
  changes_->setProperty("quiet", true);
  changes_->setToolTip("Mark what the last step changed");
  title_->setObjectName("codeTitle");
  title_->setProperty("role", "label");
  title_->setMinimumWidth(24);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  title_->installEventFilter(this);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(tabs_);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(12, 4, 12, 4);
  row->setSpacing(14);
  row->addWidget(passes_);
  row->addWidget(title_, 1);
  row->addWidget(changes_);
  row->addWidget(looks_);
  column->addLayout(row);
  body_->setContentsMargins(0, 0, 0, 0);
  body_->setSpacing(0);
  body_->addWidget(view_, 1);
  body_->addWidget(loop_);
  column->addLayout(body_, 1);
  make_look_menu();
  view_->set_explainer([this](int line) { return explained(line); });
  connect(loop_, &LoopCard::clicked, view_, &CodeView::bring_hot_loop_into_sight);
  connect(view_->verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { show_span(); });
  connect(tabs_, &QTabBar::currentChanged, this, [this] { update_text(); });
  connect(&selection_, &Selection::step_changed, this, [this] { update_text(); });
  connect(passes_, &QComboBox::currentIndexChanged, this, [this] {
    update_text();
    emit pass_chosen(passes_->currentData().toString());
  });
  connect(changes_, &QPushButton::toggled, this, [this](bool marked) {
    update_text();
    emit changes_marked(marked);
  });
}

void CodePanel::set_theme(Theme const& theme) {
  view_->set_theme(theme);
  loop_->set_theme(theme);
  scale_ = theme.scale;
  place_loop();
  passes_->setMinimumWidth(theme.px(170));
  passes_->setMaximumWidth(theme.px(230));
}

/// Of a pass by its name, or by the one that it had before.
int CodePanel::row_of(QString const& pass) const {
  return passes_->findData(QString::fromStdString(session::stage_called(pass.toStdString())));
}

bool CodePanel::show_pass(QString const& pass) {
  int row = row_of(pass);
  if (row >= 0) passes_->setCurrentIndex(row);
  return row >= 0;
}

bool CodePanel::show_stage(QString const& key) {
  for (int tab = kLowered + 1; tab < tabs_->count(); ++tab)
    if (tabs_->tabData(tab).toString() == key) return tabs_->setCurrentIndex(tab), true;
  if (key == "expression") return tabs_->setCurrentIndex(0), true;
  if (row_of(key) < 0) return false;
  tabs_->setCurrentIndex(kLowered);
  return show_pass(key);
}

QString CodePanel::stage_beside(int by) const {
  if (!stages_) return stage();
  int count = int(stages_->size()), at = 0;
  while (at < count && QString::fromStdString((*stages_)[size_t(at)].key) != stage()) ++at;
  return QString::fromStdString((*stages_)[size_t(std::clamp(at + by, 0, count - 1))].key);
}

void CodePanel::mark_changes(bool marked) { changes_->setChecked(marked); }

QString CodePanel::stage() const {
  if (tabs_->currentIndex() == 0) return "expression";
  if (tabs_->currentIndex() != kLowered) return tabs_->tabData(tabs_->currentIndex()).toString();
  QString pass = passes_->currentData().toString();
  return pass.isEmpty() ? "program" : pass;
}

/// Those of another device, when it is of another kind.
void CodePanel::fill_stages(session::Snapshot const& snapshot) {
  if (stages_ == snapshot.code_stages || !snapshot.code_stages) return;
  stages_ = snapshot.code_stages;
  QSignalBlocker passes_blocker(passes_), tabs_blocker(tabs_);
  QString shown = passes_->currentData().toString();
  int tab = tabs_->currentIndex();
  passes_->clear();
  while (tabs_->count() > kLowered + 1) tabs_->removeTab(tabs_->count() - 1);
  for (auto const& stage : *stages_) {
    if (stage.kind == session::CodeKind::kExpression) continue;
    if (is_of_target(stage.kind)) {
      int added = tabs_->addTab(QString::fromStdString(stage.title));
      tabs_->setTabData(added, QString::fromStdString(stage.key));
      tabs_->setTabToolTip(added, QString::fromStdString(stage.why));
      continue;
    }
    passes_->addItem(QString::fromStdString(stage.key), QString::fromStdString(stage.key));
    passes_->setItemData(passes_->count() - 1, paint::wrapped(QString::fromStdString(stage.why)),
                         Qt::ToolTipRole);
  }
  passes_marked_ = nullptr;
  passes_->setCurrentIndex(std::max(0, passes_->findData(shown)));
  tabs_->setCurrentIndex(std::clamp(tab, 0, tabs_->count() - 1));
}

void CodePanel::refresh(session::Snapshot const& snapshot) {
  snapshot_ = snapshot;
  auto const& refusal = snapshot.refusal;
  bool shown = refusal && refusal->conflict && !refusal->culprits.empty();
  view_->set_guilty(shown ? refusal->conflict->buffer : std::string(),
                    shown ? refusal->culprits.front() : -1);
  fill_stages(snapshot);
  update_text();
}

void CodePanel::update_text() {
  passes_->setVisible(tabs_->currentIndex() == kLowered);
  // To the baseline all stages are marked, and the switch says so.
  changes_->setVisible(tabs_->currentIndex() == kLowered && !look_.baseline);
  loop_->setVisible(shows_assembly() && look_.model && assembly_.report);
  find_baseline();
  if (!snapshot_.nest || show_outlook()) return;
  if (tabs_->currentIndex() == kLowered) mark_passes();
  auto text = text_to_show();
  if (shows_assembly())
    show_assembly(text);
  else
    view_->show_text(text, snapshot_.nest), show_shares();
  if (text && std::exchange(leaves_outlook_, false))
    view_->verticalScrollBar()->setValue(looked_at_);
  if (text && view_->text()) say_changes(*view_->text());
}

/// What the program would be after the step that is pointed at; false: what it is has to be shown.
bool CodePanel::show_outlook() {
  bool program = tabs_->currentIndex() == kLowered && stage() == "program";
  bool wanted = program && !selection_.step().isEmpty();
  auto outlook = wanted ? session_.outlook(selection_.step().toStdString()) : nullptr;
  if (wanted && !outlook) return looks_ahead_;  // the last one stays until there is another
  bool shown = wanted && outlook->program;
  if (shown && !looks_ahead_) looked_at_ = view_->verticalScrollBar()->value();
  if (shown) {
    view_->show_text(outlook->program, outlook->nest);
    view_->bring_changes_into_sight();
    say_title("preview: " + change_words(*outlook->program), {});
  }
  leaves_outlook_ = !shown && (looks_ahead_ || leaves_outlook_);
  looks_ahead_ = shown;
  return shown;
}

}  // namespace tw
