// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette and the key sheet.
#include <QDialog>
#include <QLabel>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <set>

#include "app/window/main_window.h"
#include "widgets/palette/palette.h"

namespace tw {

/// Commands, then what the model has: kernels, loops of the chosen one, tensors of the graph.
std::vector<PaletteEntry> MainWindow::palette_entries() {
  std::vector<PaletteEntry> entries;
  for (Action const& action : actions_)
    if (!action.possible || action.possible())
      entries.push_back({action.name, action.keys, action.also, action.run});
  for (size_t i = 0; snapshot_.kernels && i < snapshot_.kernels->rows.size(); ++i) {
    session::KernelRow const& row = snapshot_.kernels->rows[i];
    entries.push_back({"Kernel " + QString::fromStdString(row.name),
                       {},
                       QString::fromStdString(row.operators),
                       [this, i] { execute(session::SelectKernel{int(i)}); },
                       true});
  }
  if (snapshot_.nest)
    for (session::LoopBar const& bar : snapshot_.nest->bars)
      entries.push_back({"Loop " + QString::fromStdString(bar.reference),
                         {},
                         QString::fromStdString(bar.role).replace('_', ' '),
                         [this, name = bar.reference] {
                           show_action(journal::SelectLoop{name});
                           ladder_->setFocus();
                         },
                         true});
  std::set<std::string> seen;
  if (snapshot_.graph)
    for (session::GraphEdgeView const& edge : snapshot_.graph->edges)
      if (seen.insert(edge.value).second && !edge.value.empty())
        entries.push_back({"Tensor " + QString::fromStdString(edge.value),
                           {},
                           QString::fromStdString(edge.shape),
                           [this, edge] { show_tensor(edge); },
                           true});
  return entries;
}

/// In the graph, at the node that makes it; an input at the first that reads it.
void MainWindow::show_tensor(session::GraphEdgeView const& edge) {
  int wanted = edge.from >= 0 ? edge.from : edge.to;
  for (session::GraphNodeView const& node : snapshot_.graph->nodes)
    if (node.id == wanted) show_action(journal::FindInGraph{node.name});
}

Status MainWindow::show_palette_dialog() {
  auto* dialog = new Palette(palette_entries(), this);
  connect(dialog, &Palette::line_typed, this, &MainWindow::apply_line);
  open(dialog);
  return {};
}

namespace {

QString key_table(std::vector<std::pair<QString, QString>> const& rows, int keys_width) {
  QString html = "<table>";
  for (auto const& [keys, name] : rows)
    html += QString(
                "<tr><td style='padding:3px 24px 3px 0' width='%3'><b>%1</b></td><td "
                "style='padding:3px 0'>%2</td></tr>")
                .arg(keys.toHtmlEscaped(), name.toHtmlEscaped())
                .arg(keys_width);
  return html + "</table>";
}

}  // namespace

/// The sections of the key sheet in their order, with a row for each key.
std::vector<MainWindow::KeySection> MainWindow::key_sections() const {
  std::vector<KeySection> sections{{"Steps on the selected loop", {}}};
  auto section = [&](QString const& title) -> KeySection& {
    for (KeySection& known : sections)
      if (known.title == title) return known;
    return sections.emplace_back(KeySection{title, {}});
  };
  section("Loops").rows = {{"Up, Down", "Select a loop"},
                           {"Alt+Up, Alt+Down", "Move the selected loop"},
                           {"1 2 3", "Take a repair of a refused step"},
                           {"Esc", "Cancel a gesture, close the refusal"},
                           {"Menu, Shift+F10", "What can be done with the selected loop"}};
  for (Action const& action : actions_)
    if (!action.keys.isEmpty()) section(action.section).rows.push_back({action.keys, action.name});
  section("Anywhere").rows = {{"Tab, Shift+Tab", "Go from pane to pane"},
                              {"Enter in Kernels", "Go to the loops of the kernel"}};
  return sections;
}

Status MainWindow::show_keys_dialog() {
  auto* dialog = new QDialog(this);
  dialog->setObjectName("keys");
  dialog->setWindowTitle("Keys");
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(24, 12, 24, 20);
  for (KeySection const& section : key_sections()) {
    auto* title = new QLabel(section.title);
    title->setProperty("role", "title");
    column->addWidget(title);
    column->addWidget(new QLabel(key_table(section.rows, theme_.px(150))));
  }
  auto* scroll = new QScrollArea;
  scroll->setObjectName("keySheet");
  scroll->setWidget(page);
  scroll->setFocusPolicy(Qt::StrongFocus);  // arrows and page keys scroll
  auto* outer = new QVBoxLayout(dialog);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(scroll);
  int tall = std::min(
      {page->sizeHint().height() + 8, height() - 60, screen()->availableSize().height() - 60});
  open(dialog);
  dialog->resize(page->sizeHint().width() + 24, tall);
  scroll->setFocus();
  return {};
}

}  // namespace tw
