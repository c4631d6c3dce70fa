// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/start_page.h"

#include <QAction>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/paint/controls.h"
#include "widgets/start/drop_field.h"
#include "widgets/start/lesson_card.h"
#include "widgets/start/machine_card.h"
#include "widgets/start/recent_row.h"
#include "widgets/start/sample_button.h"

namespace tw {

namespace {

constexpr double kTwoColumns = 1120;            // units of width from which there are two
constexpr double kWidest = 1296, kMost = 1840;  // of the content, on a usual and on a large screen

/// `role` says in the theme's style sheet how it looks.
QLabel* label_of(QString const& text, char const* role, controls::Wrap wrap = controls::Wrap::kNo) {
  auto* made = controls::label({}, role, wrap);
  made->setText(text);
  return made;
}

QWidget* plain_widget() {
  auto* made = new QWidget;
  made->setProperty("role", "bare");
  return made;
}

}  // namespace

StartPage::StartPage(std::vector<SampleCard> samples, QWidget* parent) : QWidget(parent) {
  setObjectName("start");
  setAttribute(Qt::WA_StyledBackground);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  scroll_ = new QScrollArea;
  scroll_->setWidgetResizable(true);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setProperty("role", "bare");
  scroll_->viewport()->setProperty("role", "bare");
  auto* content = plain_widget();
  page_ = new QVBoxLayout(content);
  page_->addWidget(label_of("Shape a kernel, see what the machine does with it.", "headline",
                            controls::Wrap::kYes));
  page_->addWidget(label_of("Every step is checked before it is taken, and measured after.", "lead",
                            controls::Wrap::kYes));
  make_samples(samples);
  columns_ = new QBoxLayout(QBoxLayout::LeftToRight);
  columns_->addWidget(build_left());
  columns_->addWidget(build_right());
  page_->addLayout(columns_);
  page_->addStretch(1);
  scroll_->setWidget(content);
  all->addWidget(scroll_);
}

void StartPage::make_samples(std::vector<SampleCard> const& samples) {
  for (SampleCard const& sample : samples) {
    auto* button = new SampleButton(sample);
    connect(button, &QPushButton::clicked, this,
            [this, source = sample.source] { emit sample_asked(source); });
    adopt(button);
    samples_.push_back(button);
  }
}

QWidget* StartPage::build_left() {
  auto* side = plain_widget();
  left_ = new QVBoxLayout(side);
  left_->setContentsMargins(0, 0, 0, 0);
  drop_ = new DropField;
  connect(drop_, &DropField::open_asked, this, &StartPage::open_asked);
  left_->addWidget(drop_);
  auto* head = new QHBoxLayout;
  head->addWidget(label_of("Samples", "section"));
  head->addStretch(1);
  times_ = label_of("default schedules, times on this machine", "label");
  head->addWidget(times_);
  left_->addLayout(head);
  grid_ = new QGridLayout;
  left_->addLayout(grid_);
  machine_ = new MachineCard;
  connect(machine_, &QPushButton::clicked, this, &StartPage::devices_asked);
  adopt(machine_);
  left_->addWidget(machine_);
  left_->addStretch(1);
  return side;
}

QWidget* StartPage::build_right() {
  auto* side = plain_widget();
  right_ = new QVBoxLayout(side);
  right_->setContentsMargins(0, 0, 0, 0);
  lesson_ = new LessonCard;
  connect(lesson_, &LessonCard::lesson_asked, this, &StartPage::lesson_asked);
  connect(lesson_, &LessonCard::list_asked, this, &StartPage::lessons_asked);
  right_->addWidget(lesson_);
  right_->addWidget(label_of("Recent", "section"));
  no_recent_ = label_of("Recent models and their best results appear here.", "secondary",
                        controls::Wrap::kYes);
  right_->addWidget(no_recent_);
  recent_ = new QVBoxLayout;
  recent_->setSpacing(0);
  right_->addLayout(recent_);
  right_->addStretch(1);
  return side;
}

void StartPage::adopt(StartCard* card) {
  card->installEventFilter(this);
  connect(card, &StartCard::arrow_pressed, this, [this, card](int key) { go(card, key); });
}

void StartPage::set_theme(Theme const& theme) {
  theme_ = theme;
  for (StartCard* card : findChildren<StartCard*>()) card->set_theme(theme);
  drop_->set_theme(theme);
  lesson_->set_theme(theme);
  place();
}

void StartPage::show_machine(std::shared_ptr<session::MachineView const> machine,
                             QDateTime const& measured) {
  at_hand_ = machine;
  show_promise();
  machine_->show_machine(std::move(machine), measured);
}

void StartPage::show_story(QString const& source, session::SampleSummary const& story) {
  for (SampleButton* button : samples_)
    if (button->sample().source == source) button->show_story(story);
  promises_[source] = story.promise;
  if (source == lesson_source()) show_promise();
}

void StartPage::show_promise() {
  auto known = promises_.find(lesson_source());
  lesson_->show_kernel(at_hand_, known == promises_.end() ? std::nullopt : known->second);
}

QString StartPage::lesson_source() const { return lesson_->source(); }

void StartPage::show_lesson(std::optional<StartLesson> const& lesson) {
  lesson_->show_lesson(lesson);
  show_promise();
}

void StartPage::show_recent(std::vector<RecentFile> const& files) {
  for (RecentRow* row : recents_) {
    recent_->removeWidget(row);
    row->hide();
    row->setObjectName({});  // the name is the next one's
    row->deleteLater();      // one of its actions may be what takes it off the list
  }
  recents_.clear();
  no_recent_->setVisible(files.empty());
  for (RecentFile const& file : files) add_recent(file);
  place();
}

void StartPage::add_recent(RecentFile const& file) {
  QString name = QFileInfo(file.path).fileName(), where = QFileInfo(file.path).absolutePath();
  for (SampleButton const* sample : samples_)
    if (sample->sample().source == file.path) {
      name = sample->sample().title;
      where = "built in";
    }
  auto* row = new RecentRow(name, where, file.reached);
  row->setObjectName(QString("recent_%1").arg(recents_.size()));
  row->setContextMenuPolicy(Qt::ActionsContextMenu);
  auto* forget = new QAction("Remove from this list", row);
  connect(forget, &QAction::triggered, this, [this, path = file.path] { emit forget_asked(path); });
  row->addAction(forget);
  connect(row, &QPushButton::clicked, this, [this, path = file.path] { emit recent_asked(path); });
  row->set_theme(theme_);
  adopt(row);
  recent_->addWidget(row);
  recents_.push_back(row);
}

// ---- where things are -------------------------------------------------------------------------

void StartPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place();
}

void StartPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  take_focus();
}

void StartPage::take_focus() {
  QWidget* now = window()->focusWidget();
  bool ours = now && isAncestorOf(now) && now->isVisible();
  if (!ours && isVisible() && !samples_.empty()) samples_.front()->setFocus(Qt::OtherFocusReason);
}

/// Larger screens have larger cards, not wider gaps; what is left of the height stands above and
/// below.
void StartPage::place() {
  double wide = width() / theme_.scale, tall = height() / theme_.scale;
  bool two = wide >= kTwoColumns;
  double growth = std::clamp(std::min(wide / 1500, tall / 924), 1.0, 1.6);
  double content = std::min({wide - 48, std::max(kWidest, wide * 0.81), kMost});
  double side = (wide - content) / 2, gap = two ? 16 * growth : 14;
  double top = tall < 800 ? 20 : 56 * growth;
  page_->setContentsMargins(theme_.px(side), theme_.px(top), theme_.px(side), theme_.px(20));
  page_->setSpacing(theme_.px(tall < 800 ? 6 : 10));
  columns_->setDirection(two ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  columns_->setSpacing(theme_.px(two ? 48 * growth : 24));
  columns_->setContentsMargins(0, theme_.px(tall < 800 ? 10 : 24 * growth), 0, 0);
  columns_->setStretch(0, two ? 820 : 0);
  columns_->setStretch(1, two ? 428 : 0);
  for (QBoxLayout* column : {left_, right_}) column->setSpacing(theme_.px(gap));
  double left = two ? (content - 48 * growth) * 820 / 1248 : content;
  lesson_->set_low(two && tall < 700);
  drop_->fit(left < 520, (tall < 800 ? 84 : 108) * growth);
  machine_->set_narrow(left < 720);
  // Of a lower window two rows of cards shall be seen whole.
  double card = std::clamp((tall - 430) / 2, 140.0, SampleButton::kHeight) * growth;
  place_samples(left < 620 ? 2 : 3, two ? card : SampleButton::kHeight);
  for (RecentRow* row : recents_) row->set_height(RecentRow::kHeight * std::min(growth, 1.3));
}

void StartPage::place_samples(int columns, double height) {
  grid_->setSpacing(theme_.px(16));
  for (SampleButton* button : samples_) button->set_height(height);
  if (columns == in_row_) return;
  in_row_ = columns;
  for (size_t i = 0; i < samples_.size(); ++i)
    grid_->addWidget(samples_[i], int(i) / columns, int(i) % columns);
  for (int i = 0; i < 3; ++i) grid_->setColumnStretch(i, i < columns ? 1 : 0);
}

// ---- the keyboard -----------------------------------------------------------------------------

bool StartPage::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusIn)
    if (auto* card = qobject_cast<QWidget*>(watched)) scroll_->ensureWidgetVisible(card, 0, 24);
  return QWidget::eventFilter(watched, event);
}

/// To the nearest card on that side; one straight ahead is nearer than one beside.
void StartPage::go(StartCard const* from, int key) {
  auto centre = [this](QWidget const* card) {
    return QPointF(card->mapTo(this, card->rect().center()));
  };
  bool sideways = key == Qt::Key_Left || key == Qt::Key_Right;
  double sign = key == Qt::Key_Right || key == Qt::Key_Down ? 1 : -1;
  StartCard* best = nullptr;
  double least = 0;
  for (StartCard* card : findChildren<StartCard*>()) {
    if (card == from || !card->isVisible()) continue;
    QPointF way = centre(card) - centre(from);
    double ahead = sign * (sideways ? way.x() : way.y());
    double beside = std::abs(sideways ? way.y() : way.x());
    if (ahead < 8 || (!best ? false : ahead + 2 * beside >= least)) continue;
    best = card;
    least = ahead + 2 * beside;
  }
  if (best) best->setFocus(Qt::OtherFocusReason);
}

}  // namespace tw
