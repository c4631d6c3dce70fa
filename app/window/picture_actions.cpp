// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of the views: saved, copied, in the window's theme or in another one.
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMimeData>
#include <QTabBar>
#include <QTabWidget>

#include "app/shared/journal/picture.h"
#include "app/window/main_window.h"
#include "app/window/pictures/pictures.h"
#include "app/window/replay.h"
#include "app/window/view_names.h"
#include "engine/support/files.h"

namespace tw {

namespace {

constexpr double kPatience = 60;  // seconds

/// What the dialog offers, each with its ending and its theme.
struct PictureKind {
  char const* filter;
  char const* ending;
  char const* theme;
};
constexpr PictureKind kKinds[] = {{"SVG (*.svg)", "svg", ""},
                                  {"PNG (*.png)", "png", ""},
                                  {"PDF (*.pdf)", "pdf", ""},
                                  {"SVG in the light theme, for print (*.svg)", "svg", "light"},
                                  {"PNG in the light theme, for print (*.png)", "png", "light"},
                                  {"PDF in the light theme, for print (*.pdf)", "pdf", "light"}};

/// Of which kernel a picture is, and where it was measured: a file is looked at far from the
/// window.
QString caption_of(session::Snapshot const& now) {
  QStringList parts;
  if (now.model) parts << QString::fromStdString(now.model->name);
  if (now.model && now.kernels && now.kernel >= 0)
    parts << QString::fromStdString(now.kernels->rows[size_t(now.kernel)].name);
  QStringList lines{parts.join(QStringLiteral(" › "))};
  if (now.machine) lines << QString::fromStdString(now.machine->name + " · " + now.machine->target);
  lines.removeAll(QString());
  return lines.join('\n');
}

}  // namespace

void MainWindow::build_picture_actions() {
  on<journal::SavePicture>([this](journal::SavePicture const& action) {
    return save_picture(action.view, action.file, action.theme);
  });
  add_dialog("picture", [this](QString const& view) { return show_picture_dialog(view); });
  auto open = [this] { return snapshot_.model || alone_; };
  add_command({.section = section_,
               .name = kSavePicture,
               .run =
                   [this] {
                     show_action(journal::ShowDialog{"picture", placed_in_focus().row->name});
                   },
               .possible = open,
               .also = "this view as SVG PNG PDF export"});
  add_command({.section = section_,
               .name = kCopyPicture,
               .run = [this] { copy_picture(placed_in_focus()); },
               .possible = open,
               .also = "this view as SVG PNG",
               .copies = true});
}

QWidget* MainWindow::pane_widget(std::string const& name) {
  Placed* placed = placed_as(name);
  return placed ? placed->widget : nullptr;
}

MainWindow::Placed* MainWindow::placed_around(QWidget* widget) {
  for (; widget; widget = widget->parentWidget())
    for (Placed& placed : panes_)
      if (placed.widget == widget) return &placed;
  return nullptr;
}

/// The pane that has the focus or whose tab has it, else what stands in the centre.
MainWindow::Placed& MainWindow::placed_in_focus() {
  // It may be in the second window.
  for (QWidget* has : {QApplication::focusWidget(), focusWidget()}) {
    if (Placed* placed = placed_around(has)) return *placed;
    for (QTabWidget* tabs : all_tabs())
      if (Placed* placed = has == tabs->tabBar() ? placed_around(tabs->currentWidget()) : nullptr)
        return *placed;
  }
  if (alone_) return *alone_;
  if (Placed* placed = placed_around(centre_->currentWidget())) return *placed;
  return panes_.front();
}

/// A pane, or the pane around a tab of this name. What it shows may come only once it is seen.
Result<MainWindow::Placed*> MainWindow::bring_into_sight(std::string const& view) {
  Placed* placed = placed_as(view);
  bool seen = placed && placed->widget->isVisible();
  if (!seen) TRY(run(journal::ShowView{view}));
  if (!seen) (void)settle(*this, session_, kPatience);
  for (QTabBar* tabs : tab_bars())
    if (!placed && view_name(tabs->tabText(tabs->currentIndex())) == QString::fromStdString(view))
      placed = placed_around(tabs);
  if (placed) return placed;
  return bad_input("unknown_view", "there is no view '" + view + "' to draw");
}

Status MainWindow::save_picture(std::string const& view, std::string const& name,
                                std::string const& wished) {
  QString file = QString::fromStdString(name), before = theme_name_;
  bool known = std::ranges::any_of(kKinds, [&](PictureKind const& kind) {
    return file.endsWith(QString(".") + kind.ending, Qt::CaseInsensitive);
  });
  if (!known)
    return bad_input("unknown_picture",
                     "a picture is a .svg, a .png or a .pdf file, not '" + name + "'");
  QString theme = QString::fromStdString(wished).replace('-', '_');
  if (!theme.isEmpty() && !Theme::names().contains(theme))
    return bad_input("unknown_theme", "there is no theme '" + wished +
                                          "'; the themes are dark, light, high-contrast");
  TRY_ASSIGN(Placed * placed, bring_into_sight(view));
  if (!theme.isEmpty() && theme != before) set_theme(theme);
  QByteArray bytes = picture_of(*placed->widget, placed->row->title, file, caption_of(snapshot_));
  if (theme_name_ != before) set_theme(before);
  TRY(write_output(name, std::string_view(bytes.constData(), size_t(bytes.size()))));
  note("Saved the picture of " + placed->row->title);
  return {};
}

Status MainWindow::show_picture_dialog(QString const& view) {
  Placed* placed = view.isEmpty() ? &placed_in_focus() : placed_as(view.toStdString());
  if (!placed)
    return bad_input("unknown_view", "there is no view '" + view.toStdString() + "' to draw");
  auto* dialog = new QFileDialog(this, "Save the picture of " + placed->row->title,
                                 QString::fromStdString(placed->row->name));
  dialog->setObjectName("pictureDialog");
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  QStringList filters;
  for (PictureKind const& kind : kKinds) filters << kind.filter;
  dialog->setNameFilters(filters);
  dialog->setDefaultSuffix("svg");
  auto kind_of = [filters](QString const& filter) {
    return kKinds[std::max<qsizetype>(0, filters.indexOf(filter))];
  };
  connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, kind_of](QString const& filter) {
    dialog->setDefaultSuffix(kind_of(filter).ending);
  });
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, dialog, kind_of, name = placed->row->name](QString const& file) {
            show_action(journal::SavePicture{name, file.toStdString(),
                                             kind_of(dialog->selectedNameFilter()).theme});
          });
  open(dialog);
  return {};
}

/// For a text processor as lines, for everything else as pixels.
void MainWindow::copy_picture(Placed const& placed) {
  Quiet quiet(depth_);  // what moves for it was not moved by the user
  auto* mime = new QMimeData;
  mime->setImageData(image_of(*placed.widget, caption_of(snapshot_)));
  mime->setData("image/svg+xml", svg_of(*placed.widget, placed.row->title, caption_of(snapshot_)));
  QApplication::clipboard()->setMimeData(mime);
  note("Copied the picture of " + placed.row->title);
}

}  // namespace tw
