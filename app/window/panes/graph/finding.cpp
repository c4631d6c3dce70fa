// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/graph/finding.h"

#include <set>
#include <utility>

#include "app/window/panes/graph/journal.h"
#include "engine/session/graph_tensors.h"

namespace tw {

Finding::Finding(Workbench& bench, GraphPair& pair, GraphLegend& legend)
    : bench_(bench), pair_(pair), legend_(legend) {
  bench_.on<journal::FindInGraph>([this](auto const& action) { return find(action.text); });
  bench_.on<journal::OnlyMatches>([this](auto const& action) {
    pair_.search().show_only_matches(action.on == "on");
    return Status();
  });
  bench_.on<journal::StepMatch>([this](auto const& action) { return step(action.direction); });
  bench_.add_dialog("find", [this](QString const&) -> Status {
    TRY(bench_.show_view("graph"));
    pair_.main().search().open_bar();
    return {};
  });
  for (bool before : {false, true}) watch(pair_.view(before));
}

void Finding::watch(GraphView& view) {
  QObject::connect(&view.search(), &GraphSearch::text_typed, &pair_, [this](QString const& text) {
    if (text.isEmpty()) return pair_.search().find({});  // the line stays open
    bench_.user_did(journal::FindInGraph{text.toStdString()});
  });
  QObject::connect(&view.search(), &GraphSearch::step_typed, &pair_, [this](int direction) {
    if (count() > 0) bench_.user_did(journal::StepMatch{direction > 0 ? "next" : "previous"});
  });
  QObject::connect(&view.search(), &GraphSearch::only_typed, &pair_,
                   [this](bool only) { bench_.ask(journal::OnlyMatches{only ? "on" : "off"}); });
  QObject::connect(&view.search(), &GraphSearch::close_typed, &pair_,
                   [this] { bench_.user_did(journal::FindInGraph{}); });
}

Status Finding::find(std::string const& text) {
  if (text.empty()) {
    for (GraphView* view : pair_.shown()) view->search().close();
    return {};
  }
  pair_.search().show_tensors(session::graph_tensors(bench_.live()));
  pair_.search().find(QString::fromStdString(text));
  return bench_.show_view("graph");
}

/// What is found is chosen: its card, and the kernel that computes it.
Status Finding::step(std::string const& direction) {
  if (count() == 0 && direction == "current" && pair_.busy()) {
    waits_ = true;
    return {};
  }
  if (count() == 0) return bad_input("nothing_found", "nothing was found");
  pair_.search().step(direction == "next" ? 1 : direction == "previous" ? -1 : 0);
  GraphView const& found = pair_.search().found_in();
  session::ComputedIn in =
      pair_.pairing().computed_in(found.layout().before(), found.search().node());
  legend_.say(QString::fromStdString(in.why));
  if (in.kernel >= 0 && in.kernel != bench_.snapshot().kernel)
    bench_.execute(session::SelectKernel{in.kernel});
  return {};
}

void Finding::go_to_tensor(std::string const& name) {
  bench_.ask(journal::FindInGraph{name});
  bench_.ask(journal::StepMatch{"current"});
}

void Finding::take_graph() {
  if (!pair_.main().search().text().isEmpty())
    pair_.search().show_tensors(session::graph_tensors(bench_.live()));
}

void Finding::take_layout() {
  if (count() > 0 && std::exchange(waits_, false)) (void)step("current");
}

void Finding::add_commands() {
  auto found = [this] { return count() > 0; };
  auto add = [this](char const* name, char const* keys, journal::Action action,
                    std::function<bool()> possible) {
    bench_.add_command({.section = "Views",
                        .name = name,
                        .keys = keys,
                        .run = [this, action] { bench_.ask(action); },
                        .possible = std::move(possible)});
  };
  add("Find in the graph", "", journal::ShowDialog{"find", {}}, nullptr);
  add("Next match in the graph", "F3", journal::StepMatch{"next"}, found);
  add("Previous match in the graph", "Shift+F3", journal::StepMatch{"previous"}, found);
  auto filter = [this] {
    bench_.ask(journal::OnlyMatches{pair_.main().search().shows_only_matches() ? "off" : "on"});
  };
  bench_.add_command({.section = "Views",
                      .name = "Only matches in the graph",
                      .run = filter,
                      .possible = found,
                      .also = "filter"});
}

void Finding::add_palette(std::vector<PaletteEntry>& entries) {
  auto tensors = session::graph_tensors(bench_.live());
  if (!tensors) return;
  std::set<std::string> seen;
  for (session::GraphTensor const& one :
       pair_.main().layout().before() ? tensors->before : tensors->after) {
    if (!seen.insert(one.name).second) continue;
    std::string what = one.shape + (one.made ? ", made by " : ", read by ") + one.by;
    entries.push_back({"Tensor " + QString::fromStdString(one.name),
                       {},
                       QString::fromStdString(what),
                       [this, name = one.name] { go_to_tensor(name); },
                       true});
  }
}

std::optional<session::FactValue> Finding::fact(std::string const& name) const {
  GraphView const& found = pair_.search().found_in();
  auto or_none = [](QString const& words) {
    return words.isEmpty() ? std::string("none") : words.toStdString();
  };
  if (name == "find.matches") return double(count());
  if (name == "find.current") return double(found.search().current() + 1);
  if (name == "find.dimmed") return double(found.search().dimmed_count());
  if (name == "find.what") return or_none(found.search().words());
  if (name == "find.node") return or_none(found.search().name());
  return {};
}

}  // namespace tw
