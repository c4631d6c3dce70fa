// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/difference/difference_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/paint/controls.h"
#include "widgets/paint/wrap_layout.h"

namespace tw {
namespace {

using session::NodeChange;
using session::NodeDifference;

constexpr int kColumns = 4;

QString words_of(NodeChange change) {
  std::string_view name = session::name_of(change);
  return change_sign(change) + " " + QString::fromUtf8(name.data(), qsizetype(name.size()));
}

}  // namespace

DifferenceView::DifferenceView(QWidget* parent)
    : QWidget(parent),
      summary_(controls::label("differenceSummary", "section")),
      captions_{controls::label("differenceBefore", "label"),
                controls::label("differenceAfter", "label")},
      table_(new QTableView),
      model_(new QStandardItemModel(0, kColumns, this)),
      before_(new GraphView),
      after_(new GraphView) {
  setObjectName("difference");
  setAccessibleName("Difference of two graphs");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(build_head());
  model_->setHorizontalHeaderLabels({"Change", "Node", "Operator", "What is different"});
  table_->setObjectName("differenceTable");
  table_->setAccessibleName("Nodes that differ");
  table_->setModel(model_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setTabKeyNavigation(false);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->horizontalHeader()->setHighlightSections(false);
  auto* graphs = new QSplitter(Qt::Horizontal);
  graphs->setHandleWidth(1);
  graphs->addWidget(build_half(before_, captions_[0]));
  graphs->addWidget(build_half(after_, captions_[1]));
  auto* whole = new QSplitter(Qt::Vertical);
  whole->setHandleWidth(1);
  whole->addWidget(graphs);
  whole->addWidget(table_);
  whole->setStretchFactor(0, 3);
  whole->setStretchFactor(1, 2);
  whole->setSizes({600, 400});  // a graph asks for little by itself
  column->addWidget(whole, 1);
  before_->setObjectName("differenceGraphBefore");
  after_->setObjectName("differenceGraphAfter");
  before_->setAccessibleName("Graph before");
  after_->setAccessibleName("Graph after");
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this] { take_row(); });
}

QWidget* DifferenceView::build_head() {
  auto* head = new QWidget;
  auto* row = new WrapLayout(8, head);
  row->setContentsMargins(12, 6, 12, 6);
  row->addWidget(summary_);
  auto add = [&](char const* text, char const* name, char const* why, auto asked) {
    QPushButton* made = controls::button(text, name, why);
    row->addWidget(made);
    connect(made, &QPushButton::clicked, this, asked);
  };
  add("Another model", "differenceOther", "Compare with the graph of another model",
      [this] { emit other_asked(); });
  add("Its own passes", "differencePasses", "Compare the graph before and after its passes",
      [this] { emit passes_asked(); });
  add("Close", "differenceClose", "Close the difference", [this] { emit close_asked(); });
  return head;
}

QWidget* DifferenceView::build_half(GraphView* view, QLabel* caption) {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  caption->setContentsMargins(12, 2, 12, 2);
  column->addWidget(caption);
  column->addWidget(view, 1);
  view->have_bars(false);
  view->choice().step_by_cards(true);
  view->show_overlay("none");
  connect(&view->layout(), &GraphLayout::cancel_typed, &view->layout(), &GraphLayout::cancel);
  connect(&view->layout(), &GraphLayout::resume_typed, &view->layout(), &GraphLayout::resume);
  bool before = view == before_;
  connect(&view->choice(), &GraphChoice::chosen, this,
          [this, before](QString const& group, int node) {
            if (group.isEmpty()) choose_node(before, node);
          });
  connect(&view->choice(), &GraphChoice::fold_asked, view,
          [view](QString const& key, bool open) { view->layout().fold(key.toStdString(), open); });
  connect(view, &GraphView::laid_out, this, [this, view, before] {
    int& wanted = before ? wanted_before_ : wanted_after_;
    if (wanted >= 0) show_node(*view, std::exchange(wanted, -1), wanted);
  });
  return page;
}

void DifferenceView::set_theme(Theme const& theme) {
  theme_ = theme;
  before_->set_theme(theme);
  after_->set_theme(theme);
  table_->verticalHeader()->setDefaultSectionSize(theme.px(26));
  constexpr int kWidths[] = {96, 220, 170};
  for (int i = 0; i < int(std::size(kWidths)); ++i) table_->setColumnWidth(i, theme.px(kWidths[i]));
  fill();
}

void DifferenceView::show_waiting(QString const& words) {
  show_difference(nullptr, nullptr, nullptr);
  summary_->setText(words);
}

void DifferenceView::show_difference(std::shared_ptr<session::GraphDifference const> difference,
                                     std::shared_ptr<session::GraphView const> graph,
                                     std::shared_ptr<session::KernelTable const> kernels) {
  if (difference == difference_) return;
  difference_ = std::move(difference);
  bool known = difference_ && difference_->failure.empty();
  bool passes = known && !difference_->other;
  before_->layout().show_before(true);
  after_->layout().show_before(!passes);
  before_->show_graph(known ? graph : nullptr, nullptr, -1);
  after_->show_graph(!known   ? nullptr
                     : passes ? graph
                              : difference_->other,
                     passes ? kernels : nullptr, -1);
  std::map<int, NodeChange> marks[2];
  for (size_t i = 0; known && i < difference_->nodes.size(); ++i) {
    NodeDifference const& one = difference_->nodes[i];
    if (one.change == NodeChange::kSame) continue;
    if (one.before >= 0) marks[0][one.before] = one.change;
    if (one.after >= 0) marks[1][one.after] = one.change;
  }
  before_->marks().show_changes(std::move(marks[0]));
  after_->marks().show_changes(std::move(marks[1]));
  captions_[0]->setText(known ? QString::fromStdString(difference_->before) : QString());
  captions_[1]->setText(known ? QString::fromStdString(difference_->after) : QString());
  if (difference_)
    summary_->setText(QString::fromStdString(known ? difference_->summary : difference_->failure));
  fill();
}

void DifferenceView::fill() {
  quiet_ = true;
  model_->removeRows(0, model_->rowCount());
  rows_.clear();
  for (size_t i = 0; difference_ && i < difference_->nodes.size(); ++i) {
    NodeDifference const& one = difference_->nodes[i];
    if (one.change == NodeChange::kSame) continue;
    QList<QStandardItem*> row;
    for (QString const& text :
         {words_of(one.change), QString::fromStdString(one.name),
          QString::fromStdString(one.operation), QString::fromStdString(one.what)}) {
      row << new QStandardItem(text);
      row.back()->setToolTip(text);
    }
    row[0]->setForeground(Theme::mix(change_colour(theme_, one.change), theme_.text1, 0.7));
    model_->appendRow(row);
    rows_.push_back(i);
  }
  quiet_ = false;
}

QWidget* DifferenceView::focus_target() const { return table_; }

int DifferenceView::rows() const { return model_->rowCount(); }

QString DifferenceView::chosen() const {
  int row = table_->currentIndex().row();
  if (row < 0 || size_t(row) >= rows_.size()) return {};
  return QString::fromStdString(difference_->nodes[rows_[size_t(row)]].name);
}

bool DifferenceView::choose(QString const& name) {
  for (size_t row = 0; row < rows_.size(); ++row)
    if (QString::fromStdString(difference_->nodes[rows_[row]].name) == name) {
      table_->setCurrentIndex(model_->index(int(row), 0));
      return true;
    }
  return false;
}

void DifferenceView::choose_node(bool before, int node) {
  view(before).marks().mark({node});
  for (size_t row = 0; row < rows_.size(); ++row) {
    NodeDifference const& one = difference_->nodes[rows_[row]];
    if ((before ? one.before : one.after) == node)
      return table_->setCurrentIndex(model_->index(int(row), 0));
  }
}

void DifferenceView::take_row() {
  int row = table_->currentIndex().row();
  if (quiet_ || row < 0 || size_t(row) >= rows_.size()) return;
  NodeDifference const& one = difference_->nodes[rows_[size_t(row)]];
  show_node(*before_, one.before, wanted_before_);
  show_node(*after_, one.after, wanted_after_);
  emit chosen_changed(QString::fromStdString(one.name));
}

/// Once the group around it is laid out.
void DifferenceView::show_node(GraphView& view, int node, int& wanted) {
  view.marks().mark(node < 0 ? std::vector<int>() : std::vector<int>{node});
  if (node < 0) return;
  view.layout().open_around(node);
  if (view.layout().busy()) {
    wanted = node;
    return;
  }
  if (QRectF box = box_of(view.cards(), {node}); !box.isEmpty()) view.camera().bring_into_view(box);
}

}  // namespace tw
