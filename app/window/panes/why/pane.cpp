// SPDX-License-Identifier: GPL-3.0-or-later
// Words about what was clicked elsewhere; of an edge of the graph why its ends are one kernel or
// two, with what the other way would cost and the way there.
#include <QLabel>
#include <QScrollArea>
#include <QStackedWidget>

#include "app/window/pane.h"
#include "engine/session/fusion.h"
#include "widgets/fusion/fusion_card.h"

namespace tw {
namespace {

constexpr char kDeed[] = "Toggle fusion of the selected edge";

class WhyPane final : public Pane {
public:
  explicit WhyPane(Workbench& bench)
      : Pane(bench),
        stack_(new QStackedWidget),
        words_(new QLabel),
        scroll_(new QScrollArea),
        card_(new FusionCard) {
    words_->setObjectName("why");
    words_->setWordWrap(true);
    words_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    words_->setMargin(16);
    words_->setTextFormat(Qt::PlainText);
    words_->setText(
        "Click a border between two kernels in Graph: why they were not fused, and what it would "
        "cost. Click an operator: why it joined.");
    scroll_->setObjectName("whyScroll");
    scroll_->setWidget(card_);
    scroll_->setWidgetResizable(true);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    stack_->addWidget(words_);
    stack_->addWidget(scroll_);
    connect(&bench.selection(), &Selection::asked_changed, this, [this] { take_asked(); });
    connect(card_, &FusionCard::other_way_asked, this, [this](QString const& choice) {
      bench_.execute(session::Arrange{choice.toStdString()});
    });
    bench.add_command({.section = "Graph",
                       .name = kDeed,
                       .keys = "Ctrl+Shift+F",
                       .run = [this] { do_other_way(); },
                       .possible = [this] { return edge_ && !edge_->fixed; }});
  }
  QWidget* widget() override { return stack_; }
  void set_theme(Theme const& theme) override { card_->set_theme(theme); }
  bool explain(QString const& words) override {
    words_->setText(words);
    edge_ = nullptr;
    stack_->setCurrentWidget(words_);
    return true;
  }
  void show(session::Snapshot const& next) override {
    if (next.graph != graph_) find_again(next);
    graph_ = next.graph;
    look();
  }
  bool busy() const override { return edge_ && !edge_->fixed && !edge_->costs; }
  std::optional<session::FactValue> fact(std::string const& name) const override;

private:
  void take_asked();
  void look();
  void find_again(session::Snapshot const& next);
  void do_other_way() {
    if (edge_ && !edge_->other_way.empty()) bench_.execute(session::Arrange{edge_->other_way});
  }

  QStackedWidget* stack_;
  QLabel* words_;
  QScrollArea* scroll_;
  FusionCard* card_;
  std::shared_ptr<session::GraphView const> graph_;
  std::shared_ptr<session::FusionEdge const> edge_;
  Selection::Asked asked_;
};

/// Of one node: the edge over which it joined its kernel.
void WhyPane::take_asked() {
  asked_ = bench_.selection().asked();
  if (asked_.node >= 0 && asked_.to < 0 && now().graph)
    for (session::GraphEdgeView const& edge : now().graph->edges)
      if (edge.fused && edge.to == asked_.node) asked_ = {edge.from, edge.to};
  edge_ = nullptr;
  look();
  if (!edge_) stack_->setCurrentWidget(words_);
}

/// Costs may have come.
void WhyPane::look() {
  if (asked_.node < 0 || asked_.to < 0) return;
  auto edge = session::fusion_edge(live(), asked_.node, asked_.to);
  if (edge == edge_) return;
  edge_ = edge;
  if (!edge) return;
  card_->show_edge(edge);
  stack_->setCurrentWidget(scroll_);
}

/// Of a model that was planned anew: the same edge, whose ends may have other numbers.
void WhyPane::find_again(session::Snapshot const& next) {
  if (!edge_ || asked_.to < 0) return;
  auto found = next.graph ? session::find_fusion_edge(live(), *edge_) : std::pair(-1, -1);
  asked_ = {found.first, found.second};
  if (asked_.to >= 0) return;
  edge_ = nullptr;
  words_->setText("The edge is not in this graph any more.");
  stack_->setCurrentWidget(words_);
}

std::optional<session::FactValue> WhyPane::fact(std::string const& name) const {
  if (name == "view.why") return words_->text().toStdString();
  if (name == "view.why.deed")
    return edge_ && !edge_->fixed ? FusionCard::deed_of(*edge_).toStdString() : "none";
  if (name == "view.why.costs")
    return double(edge_ && edge_->costs ? rows_of(*edge_->costs).size() : 0);
  return {};
}

}  // namespace

PaneRow const& pane_why() {
  static PaneRow const row{.name = "why",
                           .title = "Why",
                           .place = PanePlace::kLeft,
                           .order = 20,
                           .make = &make_pane<WhyPane>};
  return row;
}

}  // namespace tw
