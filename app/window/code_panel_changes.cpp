// SPDX-License-Identifier: GPL-3.0-or-later
// What the marks of the code panel are changes to, and what is said of them above the code.
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>

#include "app/window/code_panel.h"
#include "engine/session/bookmarks.h"
#include "engine/session/facts/facts.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr char const* kHowToSet =
    "There is no baseline to compare with. B in History makes the focused state the baseline; "
    "Ctrl+Alt+B does so from anywhere.";

/// The expression is the kernel's in all its states, and remarks are no code.
bool can_differ(QString const& stage) { return stage != "expression" && stage != "remarks"; }

}  // namespace

ChangeCount count_changes(session::CodeText const& text) {
  using session::LineChange;
  ChangeCount count;
  for (auto const& line : text.lines) {
    count.added += line.change == LineChange::kAdded;
    count.removed += line.change == LineChange::kRemoved;
    count.moved += line.change == LineChange::kMovedUp || line.change == LineChange::kMovedDown;
  }
  return count;
}

QString change_words(session::CodeText const& text) {
  ChangeCount count = count_changes(text);
  return count.all() > 0
             ? QStringLiteral("+%1 −%2 ↕%3").arg(count.added).arg(count.removed).arg(count.moved)
             : QString("%1 lines").arg(text.lines.size());
}

void CodePanel::find_baseline() {
  auto marks = session_.marks();
  baseline_ = {};
  if (!session::has_step(snapshot_, marks->baseline)) return;
  auto known = marks->states.find(marks->baseline);
  bool named = known != marks->states.end() && !known->second.name.empty();
  std::string const& label = snapshot_.history->nodes[size_t(marks->baseline)].label;
  baseline_ = {marks->baseline, QString::fromStdString(named ? known->second.name : label)};
}

bool CodePanel::to_baseline() const {
  return look_.baseline && baseline_.node >= 0 && can_differ(stage()) && snapshot_.history &&
         snapshot_.history->current != baseline_.node;
}

std::string CodePanel::against() const {
  if (to_baseline()) return "baseline";
  bool marked = changes_->isChecked() && !changes_->isHidden();
  return marked ? "before" : "nothing";
}

std::shared_ptr<session::CodeText const> CodePanel::text_to_show() {
  std::string key = stage().toStdString();
  // Assembly is compared as it is shown: show_assembly.
  if (to_baseline() && !shows_assembly())
    return session_.code_of(snapshot_.history->current, key, baseline_.node);
  return session_.code(key, against() == "before");
}

void CodePanel::say_changes(session::CodeText const& text) {
  QString whole = QString::fromStdString(text.title), changes = change_words(text);
  bool changed = count_changes(text).all() > 0;
  QString name = QString("baseline '%1'").arg(baseline_.name);
  if (to_baseline())
    return say_title(changed ? "diff to " + name + "  " + changes : "as " + name + ", " + changes,
                     whole + "\nThe baseline is " + baseline_.name + ".");
  if (!look_.baseline || !can_differ(stage()))
    return say_title(changed ? "to the step before: " + changes : changes, whole);
  if (baseline_.node < 0) return say_title("no baseline: B in History sets one", kHowToSet);
  say_title("this is the " + name, whole + "\nThis state is the baseline: nothing differs.");
}

/// In the room that there is; the tooltip has all of it.
void CodePanel::say_title(QString const& words, QString const& explanation) {
  title_words_ = words;
  title_explained_ = explanation;
  int room = std::max(0, title_->contentsRect().width());
  // The counts go last: what they are of stands in the menu, too.
  QString counts = words.mid(words.lastIndexOf('+'));
  bool brief = title_->fontMetrics().horizontalAdvance(words) > room && counts != words &&
               words.contains(QStringLiteral("↕")) &&
               title_->fontMetrics().horizontalAdvance(counts) <= room && !to_baseline();
  title_->setText(title_->fontMetrics().elidedText(brief ? counts : words, Qt::ElideMiddle, room));
  title_->setAccessibleName(words);
  QString more = title_->text() == words ? explanation : words + "\n" + explanation;
  title_->setToolTip(paint::wrapped(more.trimmed()));
}

bool CodePanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == title_ && event->type() == QEvent::Resize)
    say_title(title_words_, title_explained_);
  return QWidget::eventFilter(watched, event);
}

}  // namespace tw
