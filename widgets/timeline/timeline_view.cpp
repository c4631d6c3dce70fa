// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_view.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"
#include "widgets/paint/paint.h"
#include "widgets/timeline/timeline_axis.h"
#include "widgets/timeline/timeline_instructions.h"
#include "widgets/timeline/timeline_lanes.h"
#include "widgets/timeline/timeline_legend.h"
#include "widgets/timeline/timeline_memory.h"
#include "widgets/timeline/timeline_queues.h"
#include "widgets/timeline/timeline_totals.h"

namespace tw {
namespace {

constexpr double kNearer = 0.8, kAside = 0.15;

QScrollArea* scrolled(QWidget* widget, QString const& name) {
  auto* area = new QScrollArea;
  area->setObjectName(name);
  area->setWidget(widget);
  area->setWidgetResizable(true);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setFocusPolicy(Qt::NoFocus);
  return area;
}

}  // namespace

TimelineView::TimelineView(QWidget* parent) : QWidget(parent) {
  setObjectName("timeline");
  setAccessibleName("Timeline");
  setAccessibleDescription(
      "W, S: zoom in, zoom out\nA, D: pan\n, and .: previous, next instruction\n0: show all");
  setFocusPolicy(Qt::StrongFocus);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  failure_ = controls::label("timelineFailure", "secondary", controls::Wrap::kYes);
  failure_->setContentsMargins(16, 16, 16, 16);
  failure_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  work_ = new QWidget;
  auto* inner = new QVBoxLayout(work_);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setSpacing(0);
  inner->addWidget(build_head());
  sentence_ = controls::label("timelineSentence", "section", controls::Wrap::kYes);
  sentence_->setContentsMargins(16, 0, 16, 6);
  sentence_->hide();
  inner->addWidget(sentence_);
  sides_ = new QSplitter(Qt::Horizontal);
  sides_->setObjectName("timelineSides");
  sides_->setHandleWidth(1);
  sides_->setChildrenCollapsible(false);
  sides_->addWidget(build_lanes());
  sides_->addWidget(build_side());
  sides_->setStretchFactor(0, 1);
  sides_->setStretchFactor(1, 0);
  inner->addWidget(sides_, 1);
  column->addWidget(failure_, 1);
  column->addWidget(work_, 1);
  // They fill all of themselves: nothing is painted below them first.
  for (QWidget* canvas :
       std::initializer_list<QWidget*>{axis_, lanes_, legend_, queues_, totals_, memory_})
    canvas->setAttribute(Qt::WA_OpaquePaintEvent);
  show_failure("Select a kernel to see its timeline.");
  watch();
}

QWidget* TimelineView::build_head() {
  auto* head = new QWidget;
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(12, 5, 12, 5);
  row->setSpacing(8);
  against_ = new Chooser;
  against_->setObjectName("timelineAgainst");
  against_->setAccessibleName("Reference run");
  verdict_ = controls::label("timelineVerdict", "secondary");
  verdict_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(against_);
  row->addWidget(verdict_, 1);
  auto add = [&](QString const& text, char const* name, QString const& why) {
    auto* button = controls::button(text, name, why);
    button->setProperty("quiet", true);
    button->setFocusPolicy(Qt::NoFocus);
    row->addWidget(button);
    return button;
  };
  auto* back = add(QStringLiteral("‹"), "timelineBack", "Previous instruction (comma)");
  auto* on = add(QStringLiteral("›"), "timelineOn", "Next instruction (full stop)");
  run_ = add("Run to next", "timelineRun", "Run to the next breakpoint; click a queue to set one");
  key_ = add("Key", "timelineKey", "Legend of colours and hatches");
  key_->setCheckable(true);
  connect(key_, &QPushButton::clicked, this, [this] {
    key_chosen_ = true;
    share_height();
  });
  auto* farther = add(QStringLiteral("−"), "timelineFarther", "Farther (S)");
  auto* nearer = add("+", "timelineNearer", "Nearer (W)");
  auto* all = add("All", "timelineAll", "Show all (0)");
  for (QPushButton* button : {back, on, farther, nearer})
    button->setAccessibleName(button->toolTip());
  connect(back, &QPushButton::clicked, this, [this] { emit stepped(-1); });
  connect(on, &QPushButton::clicked, this, [this] { emit stepped(1); });
  connect(run_, &QPushButton::clicked, this, &TimelineView::run_asked);
  auto zoom = [this](double factor) {
    focus_.zoom(factor, (focus_.from() + focus_.to()) / 2);
    emit seen_by_user();
  };
  connect(farther, &QPushButton::clicked, this, [zoom] { zoom(1 / kNearer); });
  connect(nearer, &QPushButton::clicked, this, [zoom] { zoom(kNearer); });
  connect(all, &QPushButton::clicked, this, [this] {
    focus_.see_all();
    emit seen_by_user();
  });
  return head;
}

QWidget* TimelineView::build_lanes() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  lanes_ = new TimelineLanes(focus_);
  axis_ = new TimelineAxis(focus_, *lanes_);
  legend_ = new TimelineLegend(focus_);
  queues_ = new TimelineQueues(focus_);
  auto* pictures = new QWidget;
  auto* rows = new QVBoxLayout(pictures);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  for (QWidget* one : std::initializer_list<QWidget*>{lanes_, legend_, queues_})
    rows->addWidget(one);
  rows->addStretch(1);
  scroll_ = scrolled(pictures, "timelineScroll");
  scroll_->viewport()->installEventFilter(this);
  connect(&focus_, &TimelineFocus::runs_changed, this, &TimelineView::share_height);
  column->addWidget(axis_);
  column->addWidget(scroll_, 1);
  return page;
}

QWidget* TimelineView::build_side() {
  totals_ = new TimelineTotals(focus_);
  memory_ = new TimelineMemory(focus_);
  findings_ = new QListWidget;
  findings_->setObjectName("timelineFindings");
  findings_->setAccessibleName("Proof of the instructions");
  findings_->setWordWrap(true);
  findings_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  instructions_ = new TimelineInstructions(focus_);
  tabs_ = new QTabWidget;
  tabs_->setObjectName("timelineTabs");
  tabs_->addTab(scrolled(totals_, "timelineTotalsScroll"), "Cycles");
  tabs_->addTab(memory_, "SRAM");
  tabs_->addTab(findings_, "Proof");
  column_ = new QSplitter(Qt::Vertical);
  column_->setObjectName("timelineColumn");
  column_->setHandleWidth(1);
  column_->setChildrenCollapsible(false);
  column_->addWidget(tabs_);
  column_->addWidget(instructions_);
  column_->setStretchFactor(0, 3);
  column_->setStretchFactor(1, 2);
  column_->setSizes({300, 220});
  return column_;
}

void TimelineView::watch() {
  connect(against_, &QComboBox::activated, this,
          [this] { emit against_chosen(against_->currentData().toString()); });
  connect(lanes_, &TimelineLanes::chosen, this, &TimelineView::instruction_chosen);
  connect(lanes_, &TimelineLanes::cursor_put, this, &TimelineView::cursor_put);
  connect(lanes_, &TimelineLanes::moved, this, &TimelineView::seen_by_user);
  connect(lanes_, &TimelineLanes::dragged_down, this, [this](double units) {
    QScrollBar* bar = scroll_->verticalScrollBar();
    bar->setValue(bar->value() - int(units * theme_.scale));
  });
  connect(instructions_, &TimelineInstructions::chosen, this,
          [this](int row) { emit instruction_chosen(focus_.current_number(), row); });
  connect(queues_, &TimelineQueues::break_asked, this, &TimelineView::break_asked);
  connect(totals_, &TimelineTotals::memory_asked, this, [this](int counter) {
    tabs_->setCurrentWidget(memory_);
    emit memory_asked(counter);
  });
  for (auto meant : {&QListWidget::itemClicked, &QListWidget::itemActivated})
    connect(findings_, meant, this, [this](QListWidgetItem* item) {
      if (int number = item->data(Qt::UserRole).toInt(); number >= 0) emit finding_asked(number);
    });
  connect(&focus_, &TimelineFocus::runs_changed, this, &TimelineView::show_verdict);
  connect(&focus_, &TimelineFocus::breaks_changed, this,
          [this] { run_->setEnabled(!focus_.breaks().empty()); });
  run_->setEnabled(false);
}

void TimelineView::set_theme(Theme const& theme) {
  theme_ = theme;
  for (Canvas* canvas :
       std::initializer_list<Canvas*>{axis_, lanes_, legend_, queues_, totals_, memory_})
    canvas->set_theme(theme);
  instructions_->set_theme(theme);
  against_->setMinimumWidth(theme.px(150));
  against_->setMaximumWidth(theme.px(220));
  show_verdict();
  arrange();
}

void TimelineView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme_.panel);
}

/// In a narrow pane the lists take less.
void TimelineView::arrange() {
  int side = theme_.px(width() < theme_.px(760) ? 236 : 330);
  column_->setMinimumWidth(theme_.px(210));
  if (width() > side + 100) sides_->setSizes({width() - side, side});
}

bool TimelineView::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Resize && object == scroll_->viewport()) share_height();
  return QWidget::eventFilter(object, event);
}

/// Lanes get what the key and the queues leave them; the key stands where lanes have their least.
void TimelineView::share_height() {
  double queues = queues_->height() / theme_.scale, key = legend_->height() / theme_.scale;
  double room = scroll_->viewport()->height() / theme_.scale - queues - 2;
  bool shown = key_chosen_ ? key_->isChecked() : room - key >= lanes_->layout().least_height();
  key_->setChecked(shown);
  legend_->setVisible(shown);
  lanes_->take_room(room - (shown ? key : 0));
}

void TimelineView::resizeEvent(QResizeEvent* event) {
  if (event->size().width() != event->oldSize().width()) arrange();
  fit_verdict();
}

// ---- what is shown ---------------------------------------------------------------------------

void TimelineView::show_choices(std::vector<Choice> const& choices, QString const& chosen) {
  QSignalBlocker quiet(against_);
  bool same = against_->count() == int(choices.size());
  for (int i = 0; same && i < against_->count(); ++i)
    same = against_->itemData(i).toString() == choices[size_t(i)].key &&
           against_->itemText(i) == choices[size_t(i)].title;
  if (!same) {
    against_->clear();
    for (Choice const& one : choices) against_->addItem(one.title, one.key);
  }
  against_->setCurrentIndex(std::max(0, against_->findData(chosen)));
}

void TimelineView::show_runs(std::vector<TimelineRun> runs, bool pending) {
  failure_->hide();
  work_->show();
  auto same = [](TimelineRun const& a, TimelineRun const& b) {
    return a.name == b.name && a.state == b.state;
  };
  if (!std::ranges::equal(runs, focus_.runs(), same)) focus_.show(std::move(runs));
  if (!pending) return show_verdict();
  verdict_words_ = "making the timeline";
  fit_verdict();
}

void TimelineView::show_failure(QString const& sentence) {
  focus_.show({});
  work_->hide();
  failure_->setText(sentence);
  failure_->show();
}

void TimelineView::show_verdict() {
  TimelineRun const* run = focus_.current();
  verdict_words_.clear();
  findings_->clear();
  sentence_->setVisible(run && !run->timeline().sentence.empty());
  if (!run) return fit_verdict();
  Timeline const& timeline = run->timeline();
  sentence_->setText(QString::fromStdString(timeline.sentence));
  QString sign = timeline.proven             ? QStringLiteral("✓ ")
                 : timeline.findings.empty() ? QString()
                                             : QStringLiteral("✕ ");
  verdict_words_ = sign + QString::fromStdString(timeline.verdict);
  tabs_->setTabText(2, timeline.findings.empty()
                           ? QString("Proof")
                           : QString("Proof (%1)").arg(timeline.findings.size()));
  auto add = [&](QString const& words, int number) {
    auto* item = new QListWidgetItem(words, findings_);
    item->setData(Qt::UserRole, number);
    if (number < 0) item->setFlags(Qt::ItemIsEnabled);
  };
  add(timeline.verdict.empty() ? QString("There is no proof of this run.") : verdict_words_, -1);
  for (size_t i = 0; i < timeline.findings.size(); ++i)
    add(QString("%1: %2").arg(QString::fromStdString(timeline.findings[i].code).replace('_', ' '),
                              QString::fromStdString(timeline.findings[i].sentence)),
        int(i));
  fit_verdict();
}

void TimelineView::fit_verdict() {
  verdict_->setText(verdict_->fontMetrics().elidedText(verdict_words_, Qt::ElideRight,
                                                       std::max(0, verdict_->width() - 2)));
  verdict_->setToolTip(verdict_words_);
}

int TimelineView::loop_of_chosen() const {
  if (focus_.chosen_run() < 0) return -1;
  TimelineRun const& run = focus_.runs()[size_t(focus_.chosen_run())];
  int32_t line = run.timeline().instructions[size_t(focus_.instruction())].line;
  if (line < 1 || size_t(line) > run.state->lines.size()) return -1;
  std::vector<int> const& loops = run.state->lines[size_t(line) - 1].loops;
  return loops.empty() ? -1 : loops.back();
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
  if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier) || !focus_.current())
    return QWidget::keyPressEvent(event);
  double from = focus_.from(), to = focus_.to();
  double cursor = double(focus_.cursor());
  double around = cursor >= from && cursor <= to ? cursor : (from + to) / 2;
  switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
      focus_.zoom(kNearer, around);
      break;
    case Qt::Key_S:
    case Qt::Key_Minus:
      focus_.zoom(1 / kNearer, around);
      break;
    case Qt::Key_A:
      focus_.pan(-kAside);
      break;
    case Qt::Key_D:
      focus_.pan(kAside);
      break;
    case Qt::Key_0:
      focus_.see_all();
      break;
    case Qt::Key_Comma:
    case Qt::Key_Left:
      return emit stepped(-1);
    case Qt::Key_Period:
    case Qt::Key_Right:
      return emit stepped(1);
    case Qt::Key_Home:
      return emit stepped(-(1 << 30));
    case Qt::Key_End:
      return emit stepped(1 << 30);
    case Qt::Key_F:
      return emit run_asked();
    default:
      return QWidget::keyPressEvent(event);
  }
  emit seen_by_user();
}

}  // namespace tw
