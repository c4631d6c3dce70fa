// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/graph/card_menu.h"

#include <algorithm>

#include "app/window/panes/graph/journal.h"

namespace tw {

std::string node_reference(Nodes const& nodes, int id) {
  std::string name;
  for (auto const& node : nodes)
    if (node.id == id) name = node.name;
  auto same = std::count_if(nodes.begin(), nodes.end(), [&](auto& n) { return n.name == name; });
  return name.empty() || name.front() == '#' || same != 1 ? "#" + std::to_string(id) : name;
}

int node_called(Nodes const& nodes, std::string const& reference) {
  for (auto const& node : nodes)
    if (reference == "#" + std::to_string(node.id) ||
        (node.name == reference && !reference.empty()))
      return node.id;
  return -1;
}

std::vector<Workbench::MenuEntry> CardMenu::entries_at(int group) {
  std::vector<Workbench::MenuEntry> entries = arrange_entries(group);
  std::ranges::move(cut_entries(group), std::back_inserter(entries));
  return entries;
}

void CardMenu::add_palette(std::vector<PaletteEntry>& entries) {
  add_cuts(entries);
  for (Workbench::MenuEntry const& entry : arrange_entries({}))
    if (entry.possible)
      entries.push_back({entry.name, {}, "another layout or algorithm", entry.run});
}

// ---- the model over several devices ---------------------------------------------------------

std::string CardMenu::node_of_group(int group) const {
  if (bench_.snapshot().graph)
    for (session::GraphGroupView const& view : bench_.snapshot().graph->groups)
      if (view.id == group && !view.nodes.empty())
        return node_reference(bench_.snapshot().graph->nodes, view.nodes.front());
  return "";
}

Workbench::MenuEntry CardMenu::cut_entry(int group, std::string const& device) {
  std::string running =
      bench_.snapshot().cut
          ? bench_.snapshot().cut->places[size_t(bench_.snapshot().cut->place_of[size_t(group)])]
      : bench_.snapshot().machine ? bench_.snapshot().machine->device
                                  : "";
  return {"Run from here on: " + QString::fromStdString(device), device != running,
          [this, group, device] {
            bench_.execute(session::CutAt{node_of_group(group), device});
          }};
}

/// What can be done with the cut at a group of the graph; none: it is no group's place.
std::vector<Workbench::MenuEntry> CardMenu::cut_entries(int group) {
  std::vector<Workbench::MenuEntry> entries;
  if (group < 0 || node_of_group(group).empty()) return entries;
  std::vector<std::string> devices = bench_.live().devices();
  if (devices.size() < 2)
    return {{"Run from here on another device: add one first", true, [this] {
               bench_.ask(journal::ShowDialog{"add-device", {}});
             }}};
  for (std::string const& device : devices) entries.push_back(cut_entry(group, device));
  if (!bench_.snapshot().cut) return entries;
  auto const& points = bench_.snapshot().cut->points;
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
void CardMenu::add_cuts(std::vector<PaletteEntry>& entries) {
  if (bench_.snapshot().kernel < 0 || !bench_.snapshot().graph) return;
  auto const& groups = bench_.snapshot().graph->groups;
  auto chosen = std::ranges::find_if(groups, [&](session::GraphGroupView const& group) {
    return group.kernel == bench_.snapshot().kernel && group.outer < 0;
  });
  if (chosen == groups.end()) return;
  for (std::string const& device : bench_.live().devices()) {
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

/// "channel_block" is about the whole model, "NODE.algorithm" about every group that runs that
/// node's kernel.
bool CardMenu::is_about(session::ArrangementChoice const& choice, int group) const {
  size_t dot = choice.knob.rfind('.');
  if (dot == std::string::npos) return group < 0;
  if (group < 0 || !bench_.snapshot().graph) return false;
  std::string node = choice.knob.substr(0, dot);
  auto const& groups = bench_.snapshot().graph->groups;
  auto holds = [&](session::GraphGroupView const& one) {
    return std::ranges::any_of(bench_.snapshot().graph->nodes,
                               [&](session::GraphNodeView const& view) {
                                 return view.group == one.id && view.name == node;
                               });
  };
  auto of_node = std::ranges::find_if(groups, holds);
  auto asked = std::ranges::find(groups, group, &session::GraphGroupView::id);
  return of_node != groups.end() && asked != groups.end() && asked->kernel == of_node->kernel;
}

/// Every value that the choices at this group could have; -1: those about the whole model.
std::vector<Workbench::MenuEntry> CardMenu::arrange_entries(std::optional<int> group) {
  std::vector<Workbench::MenuEntry> entries;
  if (!bench_.snapshot().model) return entries;
  for (session::ArrangementChoice const& choice : bench_.snapshot().model->choices) {
    if (group && !is_about(choice, *group)) continue;
    for (std::string const& value : choice.values) {
      std::string words = choice.knob + "=" + value;
      QString title = "Graph option: " + QString::fromStdString(words);
      if (value == choice.by_rule) title += " (default)";
      entries.push_back({title, value != choice.value,
                         [this, words] { bench_.execute(session::Arrange{words}); }});
    }
  }
  return entries;
}

}  // namespace tw
