// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of the model, with its fused groups.
#include <QVBoxLayout>
#include <algorithm>
#include <set>
#include <utility>

#include "app/window/pane.h"
#include "app/window/panes/graph/journal.h"
#include "widgets/graph/graph_bar.h"
#include "widgets/graph/graph_view.h"

namespace tw {
namespace {

constexpr char kRunWhole[] = "Run the whole model on one device";

using Nodes = std::vector<session::GraphNodeView>;

/// A node's name where it is the only one that has it, else "#12".
std::string node_reference(Nodes const& nodes, int id) {
  std::string name;
  for (auto const& node : nodes)
    if (node.id == id) name = node.name;
  auto same = std::count_if(nodes.begin(), nodes.end(), [&](auto& n) { return n.name == name; });
  return name.empty() || name.front() == '#' || same != 1 ? "#" + std::to_string(id) : name;
}

/// -1: there is none.
int node_called(Nodes const& nodes, std::string const& reference) {
  for (auto const& node : nodes)
    if (reference == "#" + std::to_string(node.id) ||
        (node.name == reference && !reference.empty()))
      return node.id;
  return -1;
}

class GraphPane final : public Pane {
public:
  explicit GraphPane(Workbench& bench)
      : Pane(bench), page_(new QWidget), bar_(new GraphBar), view_(new GraphView) {
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar_);
    column->addWidget(view_, 1);
    page_->setFocusProxy(view_);
    perform_actions();
    watch();
    add_commands();
    bench.add_dialog("find", [this](QString const&) -> Status {
      TRY(bench_.show_view("graph"));
      view_->open_find();
      return {};
    });
  }
  QWidget* widget() override { return page_; }
  QWidget* focus_target() override { return view_; }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const& next) override {
    view_->show_graph(next.graph, next.kernels, next.kernel);
    view_->show_cut(next.cut);
  }
  bool busy() const override { return view_->busy(); }
  QString find_command() const override { return "Find in the graph"; }
  std::vector<Key> keys() const override {
    QString const graph = "Graph";
    return {{graph, "Up, Down", "Go from kernel to kernel"},
            {graph, "Left, Right", "Go from group to group"},
            {graph, "Space", "Open or fold the group"},
            {graph, "+, -", "Zoom"},
            {graph, "0", "Fit the whole graph"}};
  }
  std::optional<session::FactValue> fact(std::string const& name) const override;
  std::vector<PaletteEntry> palette_entries() override;

private:
  void perform_actions();
  void watch();
  void add_commands();
  Status explain_fusion(journal::ExplainFusion const& action);
  Nodes const& nodes() const {
    return view_->shows_before() ? now().graph->nodes_before : now().graph->nodes;
  }
  void perform_folding();
  void fold_chosen(bool open);
  void show_tensor(session::GraphEdgeView const& edge);
  std::string node_of_group(int group) const;
  std::vector<Workbench::MenuEntry> cut_entries(int group);
  std::vector<Workbench::MenuEntry> entries_at(int group) {
    std::vector<Workbench::MenuEntry> entries = arrange_entries(group);
    std::ranges::move(cut_entries(group), std::back_inserter(entries));
    return entries;
  }
  Workbench::MenuEntry cut_entry(int group, std::string const& device);
  void add_cut_palette(std::vector<PaletteEntry>& entries);
  std::vector<Workbench::MenuEntry> arrange_entries(int group);
  bool is_about(session::ArrangementChoice const& choice, int group) const;

  QWidget* page_;
  GraphBar* bar_;
  GraphView* view_;
};

void GraphPane::perform_actions() {
  bench_.on<journal::ChooseGraph>([this](auto const& action) {
    view_->show_before(action.form == "before");
    bar_->show_state(view_->shows_before(), view_->overlay());
    return bench_.show_view("graph");
  });
  bench_.on<journal::LookAtGraph>([this](auto const& action) {
    view_->look_at(action.scale, {action.x, action.y});
    return Status();
  });
  bench_.on<journal::FitGraph>([this](auto const&) { return view_->zoom_to_fit(), Status(); });
  bench_.on<journal::OverlayGraph>([this](auto const& action) {
    view_->show_overlay(action.quantity);
    bar_->show_state(view_->shows_before(), view_->overlay());
    return Status();
  });
  perform_folding();
  bench_.on<journal::ExplainFusion>([this](auto const& action) { return explain_fusion(action); });
  bench_.on<journal::FindInGraph>([this](auto const& action) {
    if (action.text.empty()) return view_->close_find(), Status();
    view_->find(QString::fromStdString(action.text));
    return bench_.show_view("graph");
  });
  bench_.on<journal::StepMatch>([this](auto const& action) -> Status {
    if (view_->match_count() == 0) return bad_input("nothing_found", "nothing was found");
    view_->step_match(action.direction == "next" ? 1 : -1);
    return {};
  });
}

void GraphPane::perform_folding() {
  auto fold = [this](std::string const& group, bool open) -> Status {
    if (group.empty()) return view_->fold_all(open), Status();
    if (view_->fold(group, open)) return {};
    return bad_input("unknown_group", "the graph has no group '" + group + "'");
  };
  bench_.on<journal::FoldGraph>([fold](auto const& action) { return fold(action.group, false); });
  bench_.on<journal::UnfoldGraph>([fold](auto const& action) { return fold(action.group, true); });
}

/// The group that was clicked, or the one around the chosen kernel.
void GraphPane::fold_chosen(bool open) {
  std::string group = view_->chosen_group();
  if (open)
    bench_.ask(journal::UnfoldGraph{group});
  else
    bench_.ask(journal::FoldGraph{group});
}

void GraphPane::watch() {
  connect(bar_, &GraphBar::form_asked, this, [this](bool before) {
    bar_->show_state(view_->shows_before(), view_->overlay());
    bench_.ask(journal::ChooseGraph{before ? "before" : "after"});
  });
  connect(bar_, &GraphBar::overlay_asked, this,
          [this](QString const& name) { bench_.ask(journal::OverlayGraph{name.toStdString()}); });
  connect(bar_, &GraphBar::fit_asked, this, [this] { bench_.ask(journal::FitGraph{}); });
  connect(view_, &GraphView::fold_asked, this, [this](QString const& key, bool open) {
    if (open)
      bench_.ask(journal::UnfoldGraph{key.toStdString()});
    else
      bench_.ask(journal::FoldGraph{key.toStdString()});
  });
  connect(view_, &GraphView::kernel_chosen, this,
          [this](int row) { bench_.execute(session::SelectKernel{row}); });
  connect(view_, &GraphView::menu_asked, this, [this](int group, QPoint at) {
    bench_.show_menu(
        {kRunWhole, "Measure the whole model", "Graph before fusion", "Graph after fusion",
         "Fold all groups of the graph", "Unfold all groups of the graph", "Find in the graph"},
        at, entries_at(group));
  });
  connect(view_, &GraphView::cut_moved, this, [this](int from, int to) {
    if (now().cut)
      for (session::CutPointView const& point : now().cut->points)
        if (point.group == from)
          return bench_.execute(session::MoveCut{point.node, node_of_group(to)});
  });
  connect(view_, &GraphView::looked, this, [this] {
    bench_.user_did(journal::LookAtGraph{view_->scale(), view_->origin().x(), view_->origin().y()});
  });
  connect(view_, &GraphView::find_typed, this, [this](QString const& text) {
    if (text.isEmpty()) return view_->find({});  // the line stays open
    bench_.user_did(journal::FindInGraph{text.toStdString()});
  });
  connect(view_, &GraphView::step_typed, this, [this](int direction) {
    if (view_->match_count() > 0)
      bench_.user_did(journal::StepMatch{direction > 0 ? "next" : "previous"});
  });
  connect(view_, &GraphView::find_closed, this,
          [this] { bench_.user_did(journal::FindInGraph{}); });
  connect(view_, &GraphView::reason_asked, this, [this](int from, int to) {
    if (!now().graph) return;
    bench_.user_did(journal::ExplainFusion{node_reference(nodes(), from),
                                           to < 0 ? "" : node_reference(nodes(), to)});
  });
}

void GraphPane::add_commands() {
  auto add = [this](char const* name, char const* keys, journal::Action action) {
    bench_.add_command({.section = "Views", .name = name, .keys = keys, .run = [this, action] {
                          bench_.ask(action);
                        }});
  };
  add("Graph", "Ctrl+2", journal::ShowView{"graph"});
  add("Graph before fusion", "", journal::ChooseGraph{"before"});
  add("Graph after fusion", "", journal::ChooseGraph{"after"});
  add("Find in the graph", "", journal::ShowDialog{"find", {}});
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
                              std::string group = view_->chosen_group();
                              return !group.empty() && view_->is_open(group) != open;
                            }});
  };
  one("Fold the group of the graph", false);
  one("Unfold the group of the graph", true);
  bench_.add_command({.section = "Measuring and devices",
                      .name = kRunWhole,
                      .run = [this] { bench_.execute(session::RemoveCut{}); },
                      .possible = [this] { return now().cut != nullptr; }});
}

// ---- the model over several devices ---------------------------------------------------------

/// As a command names it; empty: there is no such group.
std::string GraphPane::node_of_group(int group) const {
  if (now().graph)
    for (session::GraphGroupView const& view : now().graph->groups)
      if (view.id == group && !view.nodes.empty())
        return node_reference(now().graph->nodes, view.nodes.front());
  return "";
}

Workbench::MenuEntry GraphPane::cut_entry(int group, std::string const& device) {
  std::string running = now().cut ? now().cut->places[size_t(now().cut->place_of[size_t(group)])]
                        : now().machine ? now().machine->device
                                        : "";
  return {"Run from here on: " + QString::fromStdString(device), device != running,
          [this, group, device] {
            bench_.execute(session::CutAt{node_of_group(group), device});
          }};
}

/// What can be done with the cut at a group of the graph; none: it is no group's place.
std::vector<Workbench::MenuEntry> GraphPane::cut_entries(int group) {
  std::vector<Workbench::MenuEntry> entries;
  if (group < 0 || node_of_group(group).empty()) return entries;
  std::vector<std::string> devices = live().devices();
  if (devices.size() < 2)
    return {{"Run from here on another device: add one first", true, [this] {
               bench_.ask(journal::ShowDialog{"add-device", {}});
             }}};
  for (std::string const& device : devices) entries.push_back(cut_entry(group, device));
  if (!now().cut) return entries;
  auto const& points = now().cut->points;
  auto nearest = std::ranges::min_element(points, {}, [&](session::CutPointView const& point) {
    return std::abs(point.group - group);
  });
  if (nearest->group != group)
    entries.push_back({"Move the cut at " + QString::fromStdString(nearest->node) + " here", true,
                       [this, from = nearest->node, group] {
                         bench_.execute(session::MoveCut{from, node_of_group(group)});
                       }});
  return entries;
}

/// From the chosen kernel on.
void GraphPane::add_cut_palette(std::vector<PaletteEntry>& entries) {
  if (now().kernel < 0 || !now().graph) return;
  auto const& groups = now().graph->groups;
  auto chosen = std::ranges::find_if(groups, [&](session::GraphGroupView const& group) {
    return group.kernel == now().kernel && group.outer < 0;
  });
  if (chosen == groups.end()) return;
  for (std::string const& device : live().devices()) {
    Workbench::MenuEntry entry = cut_entry(chosen->id, device);
    if (entry.possible)
      entries.push_back({"Run from " + QString::fromStdString(chosen->name) +
                             " on: " + QString::fromStdString(device),
                         {},
                         "cut the model",
                         entry.run});
  }
}

// ---- layouts and algorithms -----------------------------------------------------------------

/// "blocks" is about the whole model, "NODE.algorithm" about every group that runs that node's
/// kernel; -1: any group.
bool GraphPane::is_about(session::ArrangementChoice const& choice, int group) const {
  size_t dot = choice.knob.rfind('.');
  if (dot == std::string::npos || group < 0 || !now().graph) return true;
  std::string node = choice.knob.substr(0, dot);
  auto const& groups = now().graph->groups;
  auto holds = [&](session::GraphGroupView const& one) {
    return std::ranges::any_of(now().graph->nodes, [&](session::GraphNodeView const& view) {
      return view.group == one.id && view.name == node;
    });
  };
  auto of_node = std::ranges::find_if(groups, holds);
  auto asked = std::ranges::find(groups, group, &session::GraphGroupView::id);
  return of_node != groups.end() && asked != groups.end() && asked->kernel == of_node->kernel;
}

/// Every value that the choices at this group could have.
std::vector<Workbench::MenuEntry> GraphPane::arrange_entries(int group) {
  std::vector<Workbench::MenuEntry> entries;
  if (!now().model) return entries;
  for (session::ArrangementChoice const& choice : now().model->choices) {
    if (!is_about(choice, group)) continue;
    for (std::string const& value : choice.values) {
      std::string words = choice.knob + "=" + value;
      QString title = "Arrange: " + QString::fromStdString(words);
      if (value == choice.by_rule) title += " (by rule)";
      entries.push_back({title, value != choice.value,
                         [this, words] { bench_.execute(session::Arrange{words}); }});
    }
  }
  return entries;
}

Status GraphPane::explain_fusion(journal::ExplainFusion const& action) {
  if (!now().graph) return bad_input("no_model", "no model is open");
  int from = node_called(nodes(), action.from), to = node_called(nodes(), action.to);
  for (auto const& [id, name] : {std::pair{from, action.from}, {to, action.to}})
    if (id < 0 && !name.empty())
      return bad_input("unknown_node", "the graph has no node '" + name + "'");
  GraphView::Reason reason = view_->reason_of(from, to);
  if (reason.title.isEmpty())
    return bad_input("unknown_edge", "fusion did not consider an edge between these nodes");
  bench_.selection().ask_about({});
  bench_.explain(reason.title + "\n\n" + reason.words);
  bench_.selection().ask_about({from, to});
  return {};
}

std::optional<session::FactValue> GraphPane::fact(std::string const& name) const {
  if (name == "view.graph.nodes") return double(view_->card_count());
  if (name == "view.graph.overlay") return view_->overlay();
  if (name == "view.graph.marks") return double(view_->mark_count());
  if (name == "view.graph.map") return view_->shows_map() ? 1.0 : 0.0;
  if (name == "view.graph.groups") return double(view_->group_count());
  if (name == "view.graph.folded") return double(view_->folded_count());
  if (name == "view.graph.group")
    return view_->chosen_group().empty() ? "none" : view_->chosen_group();
  if (name == "view.graph.edges") return double(view_->edge_count());
  if (name == "view.graph.scale") return view_->scale();
  if (name == "view.graph.frame") return view_->frame_ms();
  if (name == "find.matches") return double(view_->match_count());
  if (name == "find.current") return double(view_->current_match() + 1);
  if (name != "find.node") return {};
  return view_->match_name().isEmpty() ? "none" : view_->match_name().toStdString();
}

std::vector<PaletteEntry> GraphPane::palette_entries() {
  std::vector<PaletteEntry> entries;
  std::set<std::string> seen;
  if (!now().graph) return entries;
  add_cut_palette(entries);
  for (Workbench::MenuEntry const& entry : arrange_entries(-1))
    if (entry.possible)
      entries.push_back({entry.name, {}, "another layout or algorithm", entry.run});
  for (session::GraphEdgeView const& edge : now().graph->edges)
    if (seen.insert(edge.value).second && !edge.value.empty())
      entries.push_back({"Tensor " + QString::fromStdString(edge.value),
                         {},
                         QString::fromStdString(edge.shape),
                         [this, edge] { show_tensor(edge); },
                         true});
  return entries;
}

/// At the node that makes it; an input at the first that reads it.
void GraphPane::show_tensor(session::GraphEdgeView const& edge) {
  int wanted = edge.from >= 0 ? edge.from : edge.to;
  for (session::GraphNodeView const& node : now().graph->nodes)
    if (node.id == wanted) bench_.ask(journal::FindInGraph{node.name});
}

}  // namespace

PaneRow const& pane_graph() {
  static PaneRow const row{.name = "graph",
                           .title = "Graph",
                           .place = PanePlace::kCentre,
                           .order = 20,
                           .make = &make_pane<GraphPane>};
  return row;
}

}  // namespace tw
