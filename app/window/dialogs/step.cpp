// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/step.h"

#include <algorithm>

#include "app/window/dialogs/dialog.h"
#include "widgets/step_dialog/step_dialog.h"

namespace tw {
namespace {

/// What scripts call the loop that is selected; empty: none is.
QString selected_loop(Workbench& bench) {
  for (session::LoopBar const& bar : bench.snapshot().nest->bars)
    if (bar.id == bench.selection().loop()) return QString::fromStdString(bar.reference);
  return {};
}

std::optional<session::PrimitiveView> primitive_called(Workbench& bench, QString const& name) {
  for (session::PrimitiveView const& view : bench.live().primitives())
    if (QString::fromStdString(view.name) == name) return view;
  return {};
}

/// Over the views below: the loops above show what the step would do.
void place_below(QDialog& dialog, QWidget const& window) {
  int left = (window.width() - dialog.width()) / 2, top = window.height() - dialog.height() - 36;
  dialog.move(window.mapToGlobal(QPoint(std::max(0, left), std::max(0, top))));
}

Status open(Workbench& bench, QWidget* window, QString const& primitive) {
  if (!bench.snapshot().nest) return bad_input("no_kernel", "no kernel is selected");
  auto view = primitive_called(bench, primitive);
  if (!view)
    return bad_input("unknown_primitive",
                     "there is no primitive '" + primitive.toStdString() + "'");
  auto* dialog = new StepDialog(
      *view, StepNames::of(*bench.snapshot().nest), selected_loop(bench),
      [&bench](std::string const& line) { return bench.live().preview(line); }, bench.theme(),
      window);
  Selection* selection = &bench.selection();
  auto point = [selection, dialog](QString const& line) { selection->point_at(line, dialog); };
  QObject::connect(dialog, &StepDialog::pointed, selection, point);
  QObject::connect(dialog, &QDialog::finished, selection, [point] { point({}); });
  QObject::connect(dialog, &QDialog::accepted, window,
                   [&bench, dialog] { bench.apply_line(dialog->line()); });
  bench.open(dialog);
  place_below(*dialog, *window);
  point(dialog->legal_line());
  return {};
}

}  // namespace

void ask_step(Workbench& bench, QString const& primitive) {
  if (!bench.snapshot().nest) return;
  auto view = primitive_called(bench, primitive);
  if (!view || view->targets != 1 || !view->parameters.empty())
    return bench.ask(journal::ShowDialog{"step", primitive.toStdString()});
  QString selected = selected_loop(bench);
  if (selected.isEmpty()) return bench.say(QString("Select a loop first"));
  bool of_block = view->target_kinds == std::vector<std::string>{"block"};
  QString target = of_block ? selected.section('.', 0, 0) : selected;
  bench.apply_line(primitive + "(" + target + ")");
}

namespace dialog_step {

DialogRow const& row() {
  static DialogRow const row{"step", &open};
  return row;
}

}  // namespace dialog_step
}  // namespace tw
