// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_view.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "engine/session/bookmarks.h"
#include "widgets/paint/chooser.h"

namespace tw {

CompareView::CompareView(session::Session& session, QWidget* parent)
    : QWidget(parent), session_(session) {
  setObjectName("compare");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(build_head());
  auto* parts = new QSplitter(Qt::Horizontal);
  parts->setObjectName("compareParts");
  parts->addWidget(build_code());
  parts->addWidget(build_numbers());
  parts->setStretchFactor(0, 3);
  parts->setStretchFactor(1, 2);
  parts->setHandleWidth(1);
  parts->setSizes({580, 420});
  column->addWidget(parts, 1);
  for (QWidget* part :
       std::initializer_list<QWidget*>{left_, right_, scripts_, costs_, roofline_, title_}) {
    part->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(part, &QWidget::customContextMenuRequested, this,
            [this, part](QPoint at) { emit menu_asked(part->mapToGlobal(at)); });
  }
}

QWidget* CompareView::build_head() {
  auto* head = new QWidget;
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(12, 6, 12, 6);
  row->setSpacing(10);
  title_ = new QLabel;
  title_->setObjectName("compareTitle");
  title_->setWordWrap(true);
  summary_ = new QLabel;
  summary_->setObjectName("compareSummary");
  summary_->setProperty("role", "secondary");
  summary_->installEventFilter(this);
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  stages_ = new Chooser;
  stages_->setObjectName("compareStages");
  stages_->setAccessibleName("Stage whose code is compared");
  pair_ = new QPushButton("Side by side");
  pair_->setObjectName("comparePair");
  pair_->setCheckable(true);
  pair_->setChecked(true);
  auto* swap = new QPushButton("Swap");
  swap->setObjectName("compareSwap");
  auto* close = new QPushButton("Close");
  close->setObjectName("compareClose");
  row->addWidget(title_);
  row->addWidget(summary_, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{stages_, pair_, swap, close})
    row->addWidget(widget);
  connect(stages_, &QComboBox::currentIndexChanged, this, [this] {
    update_code();
    emit stage_chosen(stage());
  });
  connect(pair_, &QPushButton::toggled, this, [this](bool on) {
    left_->setVisible(on);
    update_code();
    emit form_chosen(on ? "pair" : "marks");
  });
  connect(swap, &QPushButton::clicked, this, &CompareView::swap_asked);
  connect(close, &QPushButton::clicked, this, &CompareView::close_asked);
  return head;
}

QWidget* CompareView::build_code() {
  left_ = new CodeView(left_selection_);
  right_ = new CodeView(right_selection_);
  left_->setObjectName("codeBefore");
  left_->setAccessibleName("Code before");
  right_->setObjectName("codeAfter");
  right_->setAccessibleName("Code after");
  sides_ = new QSplitter(Qt::Horizontal);
  sides_->setObjectName("compareSides");
  sides_->addWidget(left_);
  sides_->addWidget(right_);
  sides_->setHandleWidth(1);
  sides_->setChildrenCollapsible(false);
  // Lines that stand beside each other stay so.
  for (auto [one, other] : {std::pair{left_, right_}, {right_, left_}})
    connect(one->verticalScrollBar(), &QScrollBar::valueChanged, other->verticalScrollBar(),
            &QScrollBar::setValue);
  return sides_;
}

QWidget* CompareView::build_numbers() {
  auto* tabs = numbers_ = new QTabWidget;
  tabs->setObjectName("compareNumbers");
  costs_ = new CostTable;
  auto* scroll = new QScrollArea;
  scroll->setWidget(costs_);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  roofline_ = new RooflineView;
  roofline_->setObjectName("compareRoofline");
  roofline_->setAccessibleName("Roofline of both states");
  roofline_->show_levels_of_all(true);
  scripts_ = new CodeView(right_selection_);
  scripts_->setObjectName("compareScripts");
  scripts_->setAccessibleName("Changes of the script");
  tabs->addTab(scroll, "Costs");
  tabs->addTab(roofline_, "Both roofs");
  tabs->addTab(scripts_, "Scripts");
  differences_ = new DifferenceChart;
  auto* kernels = new QScrollArea;
  kernels->setWidget(differences_);
  kernels->setWidgetResizable(true);
  kernels->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  tabs->addTab(kernels, "Each kernel");
  return tabs;
}

void CompareView::set_theme(Theme const& theme) {
  for (CodeView* view : {left_, right_, scripts_}) view->set_theme(theme);
  costs_->set_theme(theme);
  differences_->set_theme(theme);
  stages_->setMinimumWidth(theme.px(150));
  stages_->setMaximumWidth(theme.px(200));
  numbers_->setMinimumWidth(theme.px(408));
  roofline_->set_theme(theme);
}

QString CompareView::stage() const { return stages_->currentData().toString(); }

bool CompareView::show_stage(QString const& key) {
  int at = stages_->findData(key);
  if (at < 0) return false;
  stages_->setCurrentIndex(at);
  return true;
}

void CompareView::show_form(QString const& form) { pair_->setChecked(form == "pair"); }

void CompareView::compare(int before, int after) {
  before_ = before;
  after_ = after;
  before_device_.clear();
  after_device_.clear();
  shown_.reset();
  title_->setText("Comparing");
  summary_->setText("computing the costs of both states");
}

void CompareView::compare_devices(int node, QString const& before, QString const& after) {
  compare(node, node);
  before_device_ = before;
  after_device_ = after;
}

QString CompareView::names() const {
  if (!active() || !shown_) return "none";
  return QString::fromStdString(shown_->before.name + ", " + shown_->after.name);
}

void CompareView::clear() {
  before_ = after_ = -1;
  before_device_.clear();
  after_device_.clear();
  shown_.reset();
}

void CompareView::refresh(session::Snapshot const& snapshot) {
  if (stages_->count() == 0 && snapshot.code_stages) {
    QSignalBlocker blocker(stages_);
    for (session::CodeStage const& stage : *snapshot.code_stages)
      stages_->addItem(QString::fromStdString(stage.key), QString::fromStdString(stage.key));
    show_stage("program");
  }
  if (!active()) return;
  update_differences();
  auto found = of_devices() ? session_.compare_devices(before_, before_device_.toStdString(),
                                                       after_device_.toStdString())
                            : session_.compare(before_, after_);
  if (found) {
    shown_ = found;
    title_->setText(QString::fromStdString(found->before.name) + QStringLiteral(" → ") +
                    QString::fromStdString(found->after.name));
    summary_->setToolTip(QString::fromStdString(found->summary));
    fit_summary();
    costs_->show_comparison(found);
    roofline_->show_roofline(std::make_shared<session::RooflineView const>(found->roofline));
    auto scripts = std::make_shared<session::CodeText const>(found->script_changes);
    if (!scripts_->text() || scripts_->text()->lines.size() != scripts->lines.size() ||
        !std::equal(
            scripts->lines.begin(), scripts->lines.end(), scripts_->text()->lines.begin(),
            [](auto const& a, auto const& b) { return a.text == b.text && a.change == b.change; }))
      scripts_->show_text(scripts, found->after.nest);
  }
  update_code();
}

/// Two devices: what both measured. Two states: the whole model at its baselines and as it stands.
void CompareView::update_differences() {
  if (of_devices())
    return differences_->show_differences(
        session_.kernels_on(before_device_.toStdString(), after_device_.toStdString()),
        "No kernel was measured on both devices as the model runs it.");
  differences_->show_differences(session_.marks()->kernels,
                                 "Shows each kernel against its baseline. No kernel has a measured "
                                 "one yet: B in History makes the focused state the baseline.");
}

void CompareView::fit_summary() {
  if (shown_)
    summary_->setText(summary_->fontMetrics().elidedText(
        QString::fromStdString(shown_->summary), Qt::ElideRight, std::max(0, summary_->width())));
}

bool CompareView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == summary_ && event->type() == QEvent::Resize) fit_summary();
  return QWidget::eventFilter(watched, event);
}

void CompareView::update_code() {
  if (!active() || stages_->count() == 0) return;
  std::string key = stage().toStdString();
  auto nest = [](session::ComparedState const* state) { return state ? state->nest : nullptr; };
  auto before = nest(shown_ ? &shown_->before : nullptr),
       after = nest(shown_ ? &shown_->after : nullptr);
  if (!pair_->isChecked()) return right_->show_text(session_.code_of(after_, key, before_), after);
  auto both = session_.code_pair(before_, after_, key);
  if (!both) {
    left_->show_text(nullptr, before);
    return right_->show_text(nullptr, after);
  }
  left_->show_text({both, &both->before}, before);
  right_->show_text({both, &both->after}, after);
}

}  // namespace tw
