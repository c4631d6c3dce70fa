// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette and the key sheet.
#include <QDialog>
#include <QLabel>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/parts/commands.h"
#include "widgets/palette/palette.h"

namespace tw {

/// Commands, then what panes have: kernels, loops of the chosen one, tensors of the graph.
std::vector<PaletteEntry> Commands::palette_entries() const {
  std::vector<PaletteEntry> entries;
  for (UserCommand const& action : commands_)
    if (!action.possible || action.possible())
      entries.push_back({action.name, action.keys, action.also, action.run});
  for (PlacedPane const& placed : panes_.all())
    std::ranges::move(placed.pane->palette_entries(), std::back_inserter(entries));
  return entries;
}

Status Commands::show_palette() {
  auto* dialog = new Palette(palette_entries(), &window_);
  QObject::connect(dialog, &Palette::line_typed, &window_,
                   [this](QString const& line) { bench_.apply_line(line); });
  bench_.open(dialog);
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
std::vector<Commands::KeySection> Commands::key_sections() const {
  std::vector<KeySection> sections{{"Steps on the selected loop", {}}};
  auto section = [&](QString const& title) -> KeySection& {
    for (KeySection& known : sections)
      if (known.title == title) return known;
    return sections.emplace_back(KeySection{title, {}});
  };
  QString const anywhere = "Anywhere";  // the last one
  for (PlacedPane const& placed : panes_.all())
    for (Pane::Key const& key : placed.pane->keys())
      if (key.section != anywhere) section(key.section).rows.push_back({key.keys, key.what});
  for (UserCommand const& action : commands_)
    if (!action.keys.isEmpty()) section(action.section).rows.push_back({action.keys, action.name});
  section(anywhere).rows = {{"Tab, Shift+Tab", "Go from pane to pane"}};
  for (PlacedPane const& placed : panes_.all())
    for (Pane::Key const& key : placed.pane->keys())
      if (key.section == anywhere) section(anywhere).rows.push_back({key.keys, key.what});
  return sections;
}

Status Commands::show_keys() {
  auto* dialog = new QDialog(&window_);
  dialog->setObjectName("keys");
  dialog->setWindowTitle("Keys");
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(24, 12, 24, 20);
  for (KeySection const& section : key_sections()) {
    auto* title = new QLabel(section.title);
    title->setProperty("role", "title");
    column->addWidget(title);
    column->addWidget(new QLabel(key_table(section.rows, bench_.theme().px(150))));
  }
  auto* scroll = new QScrollArea;
  scroll->setObjectName("keySheet");
  scroll->setWidget(page);
  scroll->setFocusPolicy(Qt::StrongFocus);  // arrows and page keys scroll
  auto* outer = new QVBoxLayout(dialog);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(scroll);
  int tall = std::min({page->sizeHint().height() + 8, window_.height() - 60,
                       window_.screen()->availableSize().height() - 60});
  bench_.open(dialog);
  dialog->resize(page->sizeHint().width() + 24, tall);
  scroll->setFocus();
  return {};
}

}  // namespace tw
