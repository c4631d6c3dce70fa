// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of the model, with its fused groups.
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/window/pane.h"
#include "app/window/panes/attributes/journal.h"
#include "app/window/panes/graph/card_menu.h"
#include "app/window/panes/graph/finding.h"
#include "app/window/panes/graph/journal.h"
#include "widgets/graph/graph_bar.h"
#include "widgets/graph/graph_contents.h"
#include "widgets/graph/graph_legend.h"
#include "widgets/graph/graph_pair.h"

namespace tw {
namespace {

constexpr char kBefore[] = "Graph before fusion", kAfter[] = "Graph after fusion",
               kBoth[] = "Graph before and after fusion, side by side",
               kAlike[] = "Blocks built like this";

class GraphPane final : public Pane {
public:
  explicit GraphPane(Workbench& bench)
      : Pane(bench),
        menu_(bench),
        page_(new QWidget),
        bar_(new GraphBar),
        pair_(new GraphPair),
        legend_(new GraphLegend),
        finding_(bench, *pair_, *legend_) {
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar_);
    column->addWidget(pair_, 1);
    column->addWidget(legend_);
    page_->setFocusProxy(pair_);
    perform_actions();
    watch();
    add_commands();
  }
  QWidget* widget() override { return page_; }
  QWidget* focus_target() override { return &main(); }
  void set_theme(Theme const& theme) override {
    pair_->set_theme(theme);
    legend_->set_theme(theme);
  }
  void show(session::Snapshot const& next) override {
    pair_->show_graph(next.graph, next.kernels, next.kernel);
    pair_->show_cut(next.cut);
    if (next.graph != graph_) take_graph(next.graph);
    legend_->show_kernels(next.kernels);
    legend_->show_cards(main().cards());
  }
  bool busy() const override { return pair_->busy(); }
  QString find_command() const override { return "Find in the graph"; }
  std::vector<Key> keys() const override {
    QString const graph = "Graph";
    return {
        {graph, "Up, Down", "Go from kernel to kernel; before fusion from operator to operator"},
        {graph, "Left, Right", "Go from group to group"},
        {graph, "Space", "Open or fold the group"},
        {graph, "Enter, double click", "Go to the loops of the kernel"},
        {graph, "+, -", "Zoom"},
        {graph, "0", "Fit the whole graph"},
        {graph, "Enter, Shift+Enter",
         "Next, previous block of the same structure while they are marked; Esc ends it"}};
  }
  std::optional<session::FactValue> fact(std::string const& name) const override;
  std::vector<PaletteEntry> palette_entries() override;
  Layout layout() const override {
    return {{"graph", pair_->form()}, {"graph overlay", main().overlay().name()}};
  }
  void apply_layout(Layout const& layout) override {
    if (auto form = layout.find("graph"); form != layout.end()) show_form(form->second);
    if (auto kept = layout.find("graph overlay"); kept != layout.end())
      pair_->show_overlay(kept->second);
    show_state();
  }

private:
  GraphView& main() const { return pair_->main(); }
  void show_state() { bar_->show_state(pair_->form(), main().overlay().name()); }
  void show_form(std::string const& form) {
    for (char const* known : {"after", "before", "both"})
      if (form == known) pair_->show_form(form);
    legend_->show_cards(main().cards());
  }
  void watch_view(GraphView& view);
  void watch_blocks(GraphView& view);
  void perform_alike();
  Status choose(journal::ChooseInGraph const& action);
  void take_graph(std::shared_ptr<session::GraphView const> const& graph);
  void take_layout();
  void take_choice(bool before, QString const& group, int node);
  void show_loops(bool before, int node);
  void show_menu(GraphView& view, GraphChoice::Spot const& spot, QPoint at);
  void perform_actions();
  void watch();
  void add_commands();
  Status explain_fusion(journal::ExplainFusion const& action);
  Nodes const& nodes(bool before) const {
    return before ? now().graph->nodes_before : now().graph->nodes;
  }
  void perform_folding();
  void fold_chosen(bool open);

  CardMenu menu_;
  QWidget* page_;
  GraphBar* bar_;
  GraphPair* pair_;
  GraphLegend* legend_;
  Finding finding_;
  std::shared_ptr<session::GraphView const> graph_;
};

void GraphPane::perform_actions() {
  bench_.on<journal::ChooseGraph>([this](auto const& action) {
    show_form(action.form);
    show_state();
    return bench_.show_view("graph");
  });
  bench_.on<journal::ChooseInGraph>([this](auto const& action) { return choose(action); });
  bench_.on<journal::LookAtGraph>([this](auto const& action) {
    pair_->look_at(action.scale, {action.x, action.y});
    return Status();
  });
  bench_.on<journal::FitGraph>([this](auto const&) { return pair_->fit().begin(), Status(); });
  bench_.on<journal::OverlayGraph>([this](auto const& action) {
    pair_->show_overlay(action.quantity);
    show_state();
    return Status();
  });
  bench_.on<journal::CancelLayout>(
      [this](auto const&) { return pair_->cancel_layout(), Status(); });
  bench_.on<journal::LayOutGraph>([this](auto const&) { return pair_->resume_layout(), Status(); });
  perform_folding();
  perform_alike();
  bench_.on<journal::ExplainFusion>([this](auto const& action) { return explain_fusion(action); });
}

void GraphPane::perform_folding() {
  auto fold = [this](std::string const& group, bool open) -> Status {
    if (group.empty()) return pair_->fold_all(open), Status();
    if (pair_->fold(group, open)) return {};
    return bad_input("unknown_group", "the graph has no group '" + group + "'");
  };
  bench_.on<journal::FoldGraph>([fold](auto const& action) { return fold(action.group, false); });
  bench_.on<journal::UnfoldGraph>([fold](auto const& action) { return fold(action.group, true); });
}

void GraphPane::perform_alike() {
  bench_.on<journal::BlocksLike>([this](auto const& action) -> Status {
    if (!now().graph) return bad_input("no_model", "no model is open");
    TRY(bench_.show_view("graph"));
    std::string group = action.group.empty() ? main().marks().chosen_group() : action.group;
    if (group.empty())
      return bad_input("no_block", "no block is chosen, and none is around the chosen kernel");
    if (!group_of(main().cards(), group))
      return bad_input("unknown_group", "the graph has no group '" + group + "'");
    if (pair_->search().show_alike(group)) return {};
    return bad_input("block_alone", "no other block is built like " + group + " (" +
                                        graph::operators_of(main().cards(), group).toStdString() +
                                        ")");
  });
  bench_.on<journal::StepBlock>([this](auto const& action) -> Status {
    if (main().alike().count() == 0)
      return bad_input("no_blocks", "no blocks are marked: 'blocks like'");
    if (action.direction == "end") return pair_->search().end_alike(), Status();
    pair_->search().step_alike(action.direction == "next" ? 1 : -1);
    return {};
  });
}

/// The group that was clicked, or the one around the chosen kernel.
void GraphPane::fold_chosen(bool open) {
  std::string group = main().marks().chosen_group();
  if (open)
    bench_.ask(journal::UnfoldGraph{group});
  else
    bench_.ask(journal::FoldGraph{group});
}

void GraphPane::watch() {
  connect(bar_, &GraphBar::form_asked, this, [this](QString const& form) {
    show_state();
    bench_.ask(journal::ChooseGraph{form.toStdString()});
  });
  connect(bar_, &GraphBar::overlay_asked, this,
          [this](QString const& name) { bench_.ask(journal::OverlayGraph{name.toStdString()}); });
  connect(bar_, &GraphBar::fit_asked, this, [this] { bench_.ask(journal::FitGraph{}); });
  for (bool before : {false, true}) {
    watch_view(pair_->view(before));
    watch_blocks(pair_->view(before));
    connect(&pair_->view(before), &GraphView::laid_out, this, &GraphPane::take_layout);
  }
}

void GraphPane::take_graph(std::shared_ptr<session::GraphView const> const& graph) {
  graph_ = graph;
  legend_->say({});
  finding_.take_graph();
}

void GraphPane::take_layout() {
  legend_->show_cards(main().cards());
  finding_.take_layout();
}

void GraphPane::watch_view(GraphView& view) {
  bool before = view.layout().before();
  connect(&view.choice(), &GraphChoice::fold_asked, this, [this](QString const& key, bool open) {
    if (open)
      bench_.ask(journal::UnfoldGraph{key.toStdString()});
    else
      bench_.ask(journal::FoldGraph{key.toStdString()});
  });
  connect(&view.choice(), &GraphChoice::chosen, this,
          [this, before](QString const& group, int node) { take_choice(before, group, node); });
  connect(&view.choice(), &GraphChoice::kernel_chosen, this, [this](int row) {
    legend_->say({});
    bench_.execute(session::SelectKernel{row});
  });
  connect(&view.choice(), &GraphChoice::entered, this,
          [this, before](int node) { show_loops(before, node); });
  connect(&view.choice(), &GraphChoice::menu_asked, this,
          [this, &view](GraphChoice::Spot const& spot, QPoint at) { show_menu(view, spot, at); });
  connect(&view.cut(), &GraphCut::moved, this, [this](int from, int to) {
    if (now().cut)
      for (session::CutPointView const& point : now().cut->points)
        if (point.group == from)
          return bench_.execute(session::MoveCut{point.node, menu_.node_of_group(to)});
  });
  connect(&view.layout(), &GraphLayout::cancel_typed, this,
          [this] { bench_.user_did(journal::CancelLayout{}); });
  connect(&view.layout(), &GraphLayout::resume_typed, this,
          [this] { bench_.user_did(journal::LayOutGraph{}); });
  connect(&view.camera(), &GraphCamera::fit_typed, this,
          [this] { bench_.ask(journal::FitGraph{}); });
  connect(&view.camera(), &GraphCamera::looked, this, [this] {
    bench_.user_did(journal::LookAtGraph{main().camera().scale(), main().camera().origin().x(),
                                         main().camera().origin().y()});
  });
  connect(&view.choice(), &GraphChoice::reason_asked, this, [this, before](int from, int to) {
    if (!now().graph) return;
    bench_.user_did(journal::ExplainFusion{node_reference(nodes(before), from),
                                           to < 0 ? "" : node_reference(nodes(before), to)});
  });
}

/// After fusion alone a card is a kernel, and is marked as that.
void GraphPane::take_choice(bool before, QString const& group, int node) {
  if (!now().graph) return;
  if (pair_->is_both() || before)
    bench_.user_did(journal::ChooseInGraph{
        before ? "before" : "after",
        group.isEmpty() ? node_reference(nodes(before), node) : group.toStdString()});
  session::ComputedIn in;
  if (group.isEmpty()) in = pair_->pairing().computed_in(before, node);
  legend_->say(QString::fromStdString(in.why));
  if (before && in.kernel >= 0) bench_.execute(session::SelectKernel{in.kernel});
}

/// -1: of the chosen kernel.
void GraphPane::show_loops(bool before, int node) {
  session::ComputedIn in{now().kernel, ""};
  if (node >= 0) in = pair_->pairing().computed_in(before, node);
  if (in.kernel < 0) return legend_->say(QString::fromStdString(in.why));
  if (in.kernel != now().kernel) bench_.execute(session::SelectKernel{in.kernel});
  bench_.ask(journal::ShowView{"loops"});
}

void GraphPane::show_menu(GraphView& view, GraphChoice::Spot const& spot, QPoint at) {
  bool before = view.layout().before();
  std::vector<Workbench::MenuEntry> entries;
  if (std::string block =
          block_at(view.cards(), view.camera().to_graph(view.units(view.mapFromGlobal(at))));
      !block.empty())
    entries.push_back({"Blocks built like " + QString::fromStdString(block), true,
                       [this, block] { bench_.ask(journal::BlocksLike{block}); }});
  if (spot.node >= 0) {
    int kernel = pair_->pairing().computed_in(before, spot.node).kernel;
    entries.push_back({"Show its loops", kernel >= 0,
                       [this, before, node = spot.node] { show_loops(before, node); }});
    journal::Inspect inspected{node_reference(nodes(before), spot.node),
                               before ? "imported" : "operator"};
    if (!spot.on_operator && kernel >= 0)
      inspected = {now().kernels->rows[size_t(kernel)].name, "kernel"};
    entries.push_back({"Inspect", true, [this, inspected] { bench_.ask(inspected); }});
  }
  std::ranges::move(menu_.entries_at(spot.group), std::back_inserter(entries));
  bench_.show_menu(
      {kRunWhole, "Measure the whole model", kBefore, kAfter, kBoth, "Fold all groups of the graph",
       "Unfold all groups of the graph", "Find in the graph"},
      at, entries);
}

void GraphPane::watch_blocks(GraphView& view) {
  connect(&view.alike(), &AlikeBlocks::step_typed, this, [this](int direction) {
    bench_.user_did(journal::StepBlock{direction > 0 ? "next" : "previous"});
  });
  connect(&view.alike(), &AlikeBlocks::end_typed, this,
          [this] { bench_.user_did(journal::StepBlock{"end"}); });
}

/// Of the group of the model's own graph, and of the block, that is there.
/// Of both, beside each other, or of that before fusion. After it alone a kernel is chosen.
Status GraphPane::choose(journal::ChooseInGraph const& action) {
  if (!now().graph) return bad_input("no_model", "no model is open");
  bool before = action.form == "before";
  if (!pair_->is_both() && !(before && main().layout().before()))
    return bad_input("not_beside", "one graph alone is shown: 'graph both'");
  int node = node_called(nodes(before), action.name);
  if (pair_->choose(before, node < 0 ? action.name : "", node)) return {};
  return bad_input("unknown_node", "the graph has no node or group '" + action.name + "'");
}

void GraphPane::add_commands() {
  auto add = [this](char const* name, char const* keys, journal::Action action) {
    bench_.add_command({.section = "Views", .name = name, .keys = keys, .run = [this, action] {
                          bench_.ask(action);
                        }});
  };
  add("Graph", "Ctrl+2", journal::ShowView{"graph"});
  add(kBefore, "", journal::ChooseGraph{"before"});
  add(kAfter, "", journal::ChooseGraph{"after"});
  add(kBoth, "", journal::ChooseGraph{"both"});
  finding_.add_commands();
  add("Fit the graph", "", journal::FitGraph{});
  for (std::string const& quantity : graph::overlay_names())
    add(qPrintable("Overlay of the graph: " + QString::fromStdString(quantity)), "",
        journal::OverlayGraph{quantity});
  add("Fold all groups of the graph", "", journal::FoldGraph{});
  add("Unfold all groups of the graph", "", journal::UnfoldGraph{});
  auto one = [this](char const* name, bool open) {
    bench_.add_command({.section = "Views",
                        .name = name,
                        .run = [this, open] { fold_chosen(open); },
                        .possible =
                            [this, open] {
                              std::string group = main().marks().chosen_group();
                              return !group.empty() && main().layout().is_open(group) != open;
                            }});
  };
  auto layout = [this](char const* name, journal::Action action, auto possible) {
    bench_.add_command({.section = "Views",
                        .name = name,
                        .run = [this, action] { bench_.ask(action); },
                        .possible = possible});
  };
  layout("Cancel the layout of the graph", journal::CancelLayout{}, [this] { return busy(); });
  layout("Lay out the graph", journal::LayOutGraph{}, [this] { return pair_->was_cancelled(); });
  one("Fold the group of the graph", false);
  one("Unfold the group of the graph", true);
  bench_.add_command({.section = "Views", .name = kAlike, .run = [this] {
                        bench_.ask(journal::BlocksLike{main().marks().chosen_group()});
                      }});
  bench_.add_command({.section = "Measuring and devices",
                      .name = kRunWhole,
                      .run = [this] { bench_.execute(session::RemoveCut{}); },
                      .possible = [this] { return now().cut != nullptr; }});
}

/// In the graph after fusion, which it judged, where it has the nodes, else in that before.
Status GraphPane::explain_fusion(journal::ExplainFusion const& action) {
  if (!now().graph) return bad_input("no_model", "no model is open");
  std::string unknown;
  bool known = false;
  std::vector<GraphView*> views = pair_->shown();
  for (auto view = views.rbegin(); view != views.rend(); ++view) {
    Nodes const& all = nodes((*view)->layout().before());
    int from = node_called(all, action.from), to = node_called(all, action.to);
    for (auto const& [id, name] : {std::pair{from, action.from}, {to, action.to}})
      if (id < 0 && !name.empty()) unknown = name;
    if (from < 0 || (to < 0 && !action.to.empty())) continue;
    known = true;
    graph::Reason reason =
        graph::reason_of(now().graph.get(), (*view)->layout().before(), from, to);
    if (reason.title.isEmpty()) continue;
    pair_->show_reason(**view, from, to);
    bench_.selection().ask_about({});
    bench_.explain(reason.title + "\n\n" + reason.words);
    if (!(*view)->layout().before()) bench_.selection().ask_about({from, to});
    return {};
  }
  if (!known) return bad_input("unknown_node", "the graph has no node '" + unknown + "'");
  return bad_input("unknown_edge", "fusion did not consider an edge between these nodes");
}

std::optional<session::FactValue> GraphPane::fact(std::string const& name) const {
  GraphView const& view = main();
  if (name == "view.graph.form") return pair_->form();
  if (name == "view.graph.chosen") return double(view.marks().chosen_count());
  if (name == "view.graph.chosen_before") return double(pair_->view(true).marks().chosen_count());
  if (name == "view.graph.words")
    return legend_->said().isEmpty() ? "none" : legend_->said().toStdString();
  if (name == "view.graph.edge") return view.reason().edge() >= 0 ? 1.0 : 0.0;
  if (name == "view.graph.nodes") return double(card_count(view.cards()));
  if (name == "view.graph.overlay") return view.overlay().name();
  if (name == "view.graph.marks") return double(judged_count(view.cards()));
  if (name == "view.graph.map") return !view.map().rect().isEmpty() ? 1.0 : 0.0;
  if (name == "view.graph.groups") return double(group_count(view.cards()));
  if (name == "view.graph.folded") return double(folded_count(view.cards()));
  if (name == "view.graph.group")
    return view.marks().chosen_group().empty() ? "none" : view.marks().chosen_group();
  if (name == "view.graph.edges") return double(edge_count(view.cards()));
  if (name == "view.graph.layout")
    return std::string(busy() ? "running" : pair_->was_cancelled() ? "cancelled" : "done");
  if (name == "view.graph.scale") return view.camera().scale();
  if (name == "view.graph.frame") {
    double ms = 0;
    for (GraphView const* shown : pair_->shown()) ms += shown->frame_ms();
    return ms;
  }
  if (name == "blocks.count") return double(view.alike().count());
  if (name == "blocks.current") return double(view.alike().current() + 1);
  if (name == "blocks.group")
    return view.alike().count() == 0 ? std::string("none") : view.alike().stood_at();
  if (name == "blocks.words") return view.alike().words().toStdString();
  return finding_.fact(name);
}

std::vector<PaletteEntry> GraphPane::palette_entries() {
  std::vector<PaletteEntry> entries;
  if (!now().graph) return entries;
  menu_.add_palette(entries);
  finding_.add_palette(entries);
  return entries;
}

}  // namespace

PaneRow const& pane_graph() {
  static PaneRow const row{
      .name = "graph",
      .title = "Graph",
      .place = PanePlace::kCentre,
      .order = 20,
      .needs = PaneNeeds::kWidthAndHeight,  // it is of the model, not of a kernel
      .make = &make_pane<GraphPane>};
  return row;
}

}  // namespace tw
